"""Changes of a part of a table: as a statement, and as what plain Spark must write instead."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_KEYS = ("l_orderkey", "l_linenumber")
PARTS = {"0.1 %": 1000, "1 %": 100, "10 %": 10}
"""One row in how many, spread over all files."""


@dataclass(frozen=True, slots=True)
class Statement:
    """`{table}` stands for the full name of the table in both."""

    label: str
    text: str
    rewriting: str
    """A query that gives the table as it is afterwards."""


def one_in(count: int) -> str:
    return f"l_partkey % {count} = 7"


def deletion(label: str, count: int) -> Statement:
    where = one_in(count)
    return Statement(
        f"delete {label}", f"DELETE FROM {{table}} WHERE {where}", f"SELECT * FROM {{table}} WHERE NOT ({where})"
    )


def updating(label: str, count: int) -> Statement:
    where = one_in(count)
    changed = f"CASE WHEN {where} THEN CAST(l_quantity + 1 AS DECIMAL(15, 2)) ELSE l_quantity END AS l_quantity"
    return Statement(
        f"update {label}",
        f"UPDATE {{table}} SET l_quantity = l_quantity + 1 WHERE {where}",
        f"SELECT * EXCEPT (l_quantity), {changed} FROM {{table}}",
    )


def merging(label: str, source: Path, columns: Sequence[str]) -> Statement:
    """Rows of the source replace those with the same key; those with a new key are added."""
    rows = f"(SELECT * FROM parquet.`{source}`) s"
    matched = " AND ".join(f"t.{key} = s.{key}" for key in _KEYS)
    listed = ", ".join(f"coalesce(s.{column}, t.{column}) AS {column}" for column in columns)
    return Statement(
        f"merge {label}",
        f"MERGE INTO {{table}} t USING {rows} ON {matched}"
        " WHEN MATCHED THEN UPDATE SET l_quantity = s.l_quantity WHEN NOT MATCHED THEN INSERT *",
        f"SELECT {listed} FROM {{table}} t FULL OUTER JOIN {rows} ON {matched}",
    )


def write_source(rows: DataFrame, count: int, folder: Path) -> None:
    """What is merged: one row in so many with another number, and of each seventh order of them one that is new."""
    chosen = rows.where(one_in(count)).withColumn(
        "l_quantity", (F.col("l_quantity") + 1).cast(rows.schema["l_quantity"].dataType)
    )
    new = chosen.where("l_orderkey % 7 = 0").withColumn("l_orderkey", -F.col("l_orderkey"))
    chosen.union(new).coalesce(1).write.parquet(folder.as_uri())
