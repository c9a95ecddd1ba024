"""Values of every type that a column takes from files of others: the ones that are in them, as DuckLake reads them."""

from datetime import datetime, time
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import InvalidInput
from forklake.maintenance.adding.file_matching import match_columns
from forklake.spark.session.job_settings import spark_settings
from tests.foreign_files import ARRAYS, KINDS, MOMENT, write_kind
from tests.spark.conftest import Lakehouse
from tests.spark.ducklake_side import create, ducklake, insert, take
from tests.spark.inside import files
from tests.spark.test_ducklake_files import SAME, SAME_ROWS
from tests.spark.type_samples import WKB, expected, values
from tests.unit.maintenance.adding.test_file_types import ONLY_OURS, fields_of, table_of

TYPES = {
    f"c{at}": text
    for at, text in enumerate(
        (
            *("boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"),
            *("float", "double", "decimal(10,4)", "decimal(38,10)", "date", "time", "timestamp", "timestamp_s"),
            *("timestamp_ms", "timestamp_ns", "timestamptz", "interval", "varchar", "blob", "uuid", "json"),
            *("bigint[]", "struct(a bigint)", "map(varchar, bigint)"),
        )
    )
}


def takers(folder: Path, kind: str) -> list[str]:
    """The columns that take a kind."""
    path = write_kind(folder / "kind.parquet", kind, "c")
    found = []
    for name, text in TYPES.items():
        try:
            match_columns(table_of(("c", text)), fields_of(path), "")
        except InvalidInput:
            continue
        if (text, kind) not in ONLY_OURS:
            found.append(name)
    return found


def comparable(value: Any) -> Any:
    """A value of DuckDB in the form in which we show it."""
    match value:
        case UUID():
            return str(value)
        case time():
            return value.isoformat()
        case dict() if "a" not in value:
            return list(value.items())
    return value


def shown_by_ducklake(text: str) -> str:
    return {"timestamp_ns": "epoch_ns({0})", "interval": "{0}::VARCHAR"}.get(text, "{0}")


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Path]:
    """A file for each kind, with a column for each type that takes it."""
    columns = {kind: takers(tmp_path, kind) for kind in KINDS}
    return {
        kind: write_kind(tmp_path / f"{at}.parquet", kind, *names)
        for at, (kind, names) in enumerate(columns.items())
        if names
    }


def test_values_are_read_as_ducklake_reads_them(local: Lakehouse, tmp_path: Path, written: dict[str, Path]) -> None:
    table = local.lake.create_table("t", TYPES)
    paths = [str(path) for path in written.values()]
    assert len(paths) > 35
    local.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        assert table.add_files(paths, allow_missing=True) == paths
        ours = sorted(table.scan(columns=["rowid", *TYPES]).fetchall())
    finally:
        local.spark.conf.unset("spark.sql.session.timeZone")
    with ducklake(tmp_path) as theirs:
        create(theirs, TYPES)
        theirs.execute(f"CALL ducklake_add_data_files('lake', 't', {paths}, allow_missing => true)")
        listed = ", ".join(shown_by_ducklake(text).format(name) for name, text in TYPES.items())
        found = theirs.execute(f"SELECT rowid, {listed} FROM t ORDER BY rowid").fetchall()
    for mine, other in zip(ours, found, strict=True):
        assert list(mine) == [comparable(value) for value in other]


def test_instants_variants_and_geometries_are_read_from_files_of_others(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"at": "timestamptz", "v": "variant", "g": "geometry"})
    for kind, name in {"int96": "at", "variant": "v", "geometry": "g"}.items():
        table.add_files(str(write_kind(tmp_path / f"{kind}.parquet", kind, name)), allow_missing=True)
    shown = table.to_spark().selectExpr("unix_micros(at)", "to_json(v)", "g").collect()
    nothing = [(None, None, None)]
    assert sorted(map(tuple, shown), key=str) == sorted(
        [(MOMENT, None, None), (-1, None, None), *nothing, (None, '{"a":1}', None), (None, None, WKB)], key=str
    )


def test_conditions_choose_no_fewer_rows_where_files_are_finer_than_the_column(
    local: Lakehouse, tmp_path: Path
) -> None:
    table = local.lake.create_table("t", {"s": "timestamp_s", "ms": "timestamp_ms", "us": "timestamp"})
    names = {"timestamp": ["s", "ms", "us"], "timestamp_ns": ["us"], "timestamp_ms": ["s"]}
    for kind, columns in names.items():
        for at, value in enumerate(ARRAYS[kind].drop_null()):
            one = pa.table([pa.array([value.as_py()], ARRAYS[kind].type)] * len(columns), names=columns)
            path = tmp_path / f"{kind}-{at}.parquet"
            pq.write_table(one, path)
            table.add_files(str(path), allow_missing=True)
    rows = table.scan().fetchall()
    assert len(rows) == 8
    for at, name in enumerate(("s", "ms", "us")):
        for value in {row[at] for row in rows if row[at] is not None}:
            found = table.scan(f"{name} = TIMESTAMP_NTZ '{value}'").fetchall()
            assert sorted(found, key=str) == sorted((row for row in rows if row[at] == value), key=str)
        values = [row[at] for row in rows if row[at] is not None]
        assert (table.min(name), table.max(name)) == (min(values), max(values))


def test_files_of_ducklake_are_taken_as_they_are(local: Lakehouse, tmp_path: Path) -> None:
    types = {"id": "int", **SAME, "n": "struct(a ubigint, b uuid[])[]"}
    table = local.lake.create_table("t", types)
    rows = [(*row, None) for row in SAME_ROWS]
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        for row in rows:
            insert(theirs, table.definition.columns, [row])
    assert len(table.add_files(str(tmp_path / "theirs"))) == len(rows)
    assert {file.data.mapping_id for file in files(table)} == {None}
    assert sorted(values(table.to_arrow()), key=lambda row: row[0]) == expected(rows)


@pytest.mark.parametrize("legacy", [False, True])
def test_files_of_plain_spark_are_taken_with_their_folders(local: Lakehouse, tmp_path: Path, legacy: bool) -> None:
    frame = local.spark.sql(
        "SELECT id, CAST(id AS DECIMAL(7,2)) AS price, array(id, NULL) AS l, map('k', struct(id AS x)) AS m,"
        " timestamp_micros(1577934245678901 + id) AS at, DATE'2020-01-01' AS d,"
        " CASE id % 3 WHEN 0 THEN 'a/b=c d' WHEN 1 THEN NULL ELSE 'ü' END AS region, CAST(id % 2 AS INT) AS odd"
        " FROM range(12)"
    )
    types = {"id": "bigint", "price": "decimal(10,2)", "l": "bigint[]", "m": "map(varchar, struct(x bigint))"}
    types |= {"at": "timestamptz", "d": "date", "region": "varchar", "odd": "int"}
    table = local.lake.create_table("t", types, partitioned_by=["region"])
    with spark_settings(
        local.spark,
        {"spark.sql.parquet.outputTimestampType": "INT96", "spark.sql.parquet.writeLegacyFormat": str(legacy).lower()},
    ):
        frame.write.partitionBy("region", "odd").parquet(str(tmp_path / "spark"))
    assert len(table.add_files(str(tmp_path / "spark"))) >= 6
    found = sorted(values(table.to_arrow()), key=lambda row: row[0])
    assert found == sorted(values(frame.toArrow()), key=lambda row: row[0])
    assert sorted(row[0] for row in table.scan("region = 'a/b=c d' AND odd = 1").fetchall()) == [3, 9]


def test_instants_that_may_be_none_are_read_as_the_clock_of_utc(local: Lakehouse, tmp_path: Path) -> None:
    """Files from before Parquet could tell instants from clocks; Arrow cannot write them, so a mapping says so."""
    local.lake.create_table("t", {"at": "timestamp", "s": "timestamp_s", "ns": "timestamp_ns"})
    path = write_kind(tmp_path / "f.parquet", "instant", "at", "s", "ns")
    take(local, [(path, None)], source_types=dict.fromkeys(("at", "s", "ns"), "TIMESTAMP WITH TIME ZONE"))
    local.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        found = local.lake.table("t").scan().fetchall()
    finally:
        local.spark.conf.unset("spark.sql.session.timeZone")
    moment = datetime(2020, 1, 2, 3, 4, 5, 678901)
    before = datetime(1969, 12, 31, 23, 59, 59, 999999)
    assert found == [
        (moment, datetime(2020, 1, 2, 3, 4, 6), MOMENT * 1000),
        (before, datetime(1970, 1, 1), -1000),
        (None, None, None),
    ]
