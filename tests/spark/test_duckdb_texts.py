"""Texts of all forms in DuckDB's dialect: read and written as DuckDB does it, or refused, and nothing else."""

import math
import random
import re
from datetime import UTC, datetime
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from sqlglot import exp

from forklake.sql.duckdb.texts import READ_APART, WRITTEN_APART, is_refused_text
from forklake.sql.duckdb.translate import parse_duckdb, spark_text, to_spark

PARTS = (
    "1", "2", "0", "12", "2020", "-", "+", ".", "e", "E", "_", " ", "inf", "nan", "T", ":", "Z", "01", "02", "x", "0x",
    "b", "/", "\t", "true", "f", "t", "y", "no", "infinity", "epoch", "31", "30", "2020-01-02", "03:04:05", "00",
    "(BC)", ",", "\u00a0", "d", "L", "%", "2020-01-02 03:04:05",
)  # fmt: skip
TYPES = (
    "TINYINT", "INT", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL(5,2)", "DECIMAL(38,10)", "BOOLEAN", "DATE",
    "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMPTZ", "UUID", "BLOB",
)  # fmt: skip


def texts() -> list[str]:
    rng = random.Random(5)
    made = {"".join(rng.choice(PARTS) for _ in range(rng.randint(0, 5))) for _ in range(6000)}
    return sorted({*made, *PARTS, "2020-02-30", "99999999999999999999", "2020-01-02 03:04:05+05:30", "abc"})


def plain(value: object) -> object:
    match value:
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case UUID():
            return str(value)
        case bytearray():
            return bytes(value)
        case float():
            return repr(value)
    return value


def both(spark: SparkSession, rows: pa.Table, query: str) -> tuple[dict[int, object], dict[int, object]]:
    """The values of a query over `rows` by their key, in Spark and in DuckDB."""
    duck = duckdb.connect()
    duck.execute("SET TimeZone = 'UTC'")
    duck.register("rows_given", rows)
    frame = spark.createDataFrame(rows)
    frame.createOrReplaceTempView("rows_given")
    translated = spark_text(to_spark(parse_duckdb(query), lambda table: dict(frame.dtypes)))
    ours = {key: plain(value) for key, value in spark.sql(translated).collect()}
    return ours, {key: plain(value) for key, value in duck.execute(query).fetchall()}


@pytest.mark.parametrize("name", TYPES)
def test_a_text_that_is_not_refused_is_read_as_duckdb_reads_it(spark: SparkSession, name: str):
    wanted = exp.DataType.build(name, dialect="duckdb")
    taken = [text for text in texts() if not is_refused_text(text, wanted)]
    rows = pa.table({"k": range(len(taken)), "s": taken})
    ours, theirs = both(spark, rows, f"SELECT k, TRY_CAST(s AS {name}) AS v FROM rows_given")
    assert {taken[key]: value for key, value in ours.items() if value != theirs[key]} == {}
    assert any(value is not None for value in ours.values()) or name == "UUID"


def significant(text: str) -> int:
    """How many digits a number has as Java shows it."""
    return len(re.sub(r"E.*|[-.]", "", text).lstrip("0"))


@pytest.mark.parametrize("name", ["DOUBLE", "FLOAT"])
def test_numbers_of_few_digits_are_written_as_duckdb_writes_them(spark: SparkSession, name: str):
    rng = random.Random(6)
    digits, highest = (15, 300) if name == "DOUBLE" else (5, 30)
    made = [float(f"{rng.randrange(-(10**digits), 10**digits)}e{rng.randint(-9, 9)}") for _ in range(3000)]
    made += [float(f"{rng.randrange(1, 10**5)}e{rng.randint(-highest, highest)}") for _ in range(3000)]
    made += [0.0, -0.0, 1.0, 1e20, 1e15, 1e16, 1e-5, 1e-4, 0.001, 1e7, math.inf, -math.inf, math.nan]
    given = pa.table({"k": range(len(made)), "v": pa.array(made, pa.float64() if name == "DOUBLE" else pa.float32())})
    # Java does not always find the shortest text: what it shows with many digits is refused.
    shown = [row.v for row in spark.createDataFrame(given).selectExpr("k", "string(v) AS v").orderBy("k").collect()]
    rows = given.filter(pa.array([significant(text) <= (15 if name == "DOUBLE" else 6) for text in shown]))
    assert rows.num_rows > 3000
    ours, theirs = both(spark, rows, "SELECT k, v::VARCHAR AS v FROM rows_given")
    assert {made[key]: value for key, value in ours.items() if value != theirs[key]} == {}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT CAST(s AS INT) FROM given", READ_APART),
        ("SELECT TRY_CAST(s AS INT) FROM given", READ_APART),
        ("SELECT CAST(s AS DATE) FROM given", READ_APART),
        ("SELECT s = 2 FROM given", READ_APART),
        ("SELECT d::VARCHAR FROM given", WRITTEN_APART),
        ("SELECT 'x' || (d + 0) FROM given", WRITTEN_APART),
        ("SELECT printf('%.1f', h) FROM given", WRITTEN_APART),
    ],
)
def test_a_row_with_another_text_is_an_error_that_says_so(spark: SparkSession, query: str, told: str):
    frame = spark.sql("SELECT '2.5' AS s, 0.1D + 0.2D AS d, 0.25D AS h")
    frame.createOrReplaceTempView("given")
    translated = spark_text(to_spark(parse_duckdb(query), lambda table: dict(frame.dtypes)))
    with pytest.raises(PySparkException, match=told):
        spark.sql(translated).collect()


def test_a_value_whose_type_only_spark_knows_is_read_and_written_by_the_same_rules(spark: SparkSession):
    spark.sql("SELECT ' 5' AS s, 'x' AS w, 7 AS i").createOrReplaceTempView("unknown_types")
    query = "SELECT s::INT AS a, TRY_CAST(w AS INT) AS b, i::VARCHAR || s AS c FROM unknown_types"
    assert spark.sql(spark_text(to_spark(parse_duckdb(query)))).collect() == [(5, None, "7 5")]
    for wrong in ("2.5::DOUBLE AS x", "'2.5' AS x"):
        spark.sql(f"SELECT {wrong}".replace("2.5::DOUBLE", "2.5D")).createOrReplaceTempView("unknown_types")
        with pytest.raises(PySparkException, match=r"cast it to its type first|may read differently"):
            spark.sql(spark_text(to_spark(parse_duckdb("SELECT x::INT FROM unknown_types")))).collect()
