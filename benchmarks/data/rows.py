"""The rows that are measured: nine columns of the usual types, made from the id alone."""

from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.types.arrow_types import shown_schema

COLUMNS = {
    "id": "bigint",
    "customer": "bigint",
    "quantity": "integer",
    "price": "double",
    "discount": "double",
    "amount": "decimal(18,2)",
    "day": "date",
    "status": "varchar",
    "note": "varchar",
}
_STATUSES = ("new", "paid", "sent", "returned")
_FIRST_DAY = date(2020, 1, 1)
_IN_SPARK = {
    "customer": "pmod(hash, 1000003)",
    "quantity": "cast(pmod(hash, 500) as int)",
    "price": "pmod(hash, 99991) * 0.01D",
    "discount": "pmod(hash, 97) * 0.01D",
    "amount": "cast(pmod(hash, 99999989) * 0.01D as decimal(18, 2))",
    "day": f"date_add(DATE'{_FIRST_DAY}', cast(pmod(id div 1000, 2000) as int))",
    "status": f"element_at(array{_STATUSES}, cast(pmod(hash, 4) as int) + 1)",
    "note": "concat('order ', id)",
}


def frame_of_ids(ids: DataFrame, salt: int = 0) -> DataFrame:
    """Rows for the ids of a DataFrame; another salt gives them other values."""
    hashed = ids.select("id", F.xxhash64("id", F.lit(salt)).alias("hash"))
    return hashed.select("id", *(F.expr(made).alias(name) for name, made in _IN_SPARK.items()))


def frame_of_rows(spark: SparkSession, rows: int, partitions: int) -> DataFrame:
    """Rows with the ids from 0 on, in consecutive partitions."""
    return frame_of_ids(spark.range(0, rows, 1, partitions))


def arrow_rows(first: int, rows: int) -> pa.Table:
    """Rows with the ids from `first` on, in Arrow."""
    ids = np.arange(first, first + rows, dtype=np.int64)
    hashes = np.random.default_rng(first).integers(0, 2**62, rows)
    days = np.datetime64(_FIRST_DAY) + (ids // 1_000 % 2_000).astype("timedelta64[D]")
    cents = pa.array(hashes % 99_999_989).cast(pa.decimal128(19, 0))
    arrays = [
        ids,
        hashes % 1_000_003,
        (hashes % 500).astype(np.int32),
        hashes % 99_991 * 0.01,
        hashes % 97 * 0.01,
        pc.multiply(cents, pa.scalar(1, pa.decimal128(3, 2))).cast(pa.decimal128(18, 2)),
        days.astype("datetime64[D]"),
        pa.array(_STATUSES).take(pa.array(hashes % 4)),
        pc.binary_join_element_wise("order", pa.array(ids).cast(pa.string()), " "),
    ]
    return pa.table(dict(zip(COLUMNS, arrays, strict=True))).cast(_SCHEMA)


def part_of_rows(percent: int) -> str:
    """A condition that is true for this part of the rows, at random over the whole table."""
    return f"pmod(xxhash64(id, 7), 100) < {percent}"


_SCHEMA = shown_schema(
    [Column(ColumnId(at), name, parse_type(text)) for at, (name, text) in enumerate(COLUMNS.items(), start=1)]
)
