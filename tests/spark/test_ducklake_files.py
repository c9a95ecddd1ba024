"""Files of a real DuckLake in our tables, and files of ours in a real DuckLake."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest

from forklake.model.column_types import parse_type
from tests.spark.conftest import Lakehouse
from tests.spark.ducklake_side import METADATA, create, ducklake, give, insert, our_files, take, their_files
from tests.spark.type_samples import FLAT, FLAT_ROWS, NESTED, NESTED_ROWS, SAMPLES, WKB, comparable, expected, values

OTHER_FORM = {"int128", "uint128", "interval"}
"""DuckLake writes these as DOUBLE and as twelve bytes, we as decimals and as text."""
SAME = {name: text for name, text in FLAT.items() if text not in OTHER_FORM}
SAME_ROWS = [
    (at, *(value for value, text in zip(row, FLAT.values(), strict=True) if text not in OTHER_FORM))
    for at, row in enumerate(FLAT_ROWS)
]


def _in_order(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: row[0])


def test_values_of_every_type_are_read_from_files_of_ducklake(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int", **SAME})
    with ducklake(tmp_path) as theirs:
        create(theirs, {"id": "int", **SAME})
        for row in SAME_ROWS:
            insert(theirs, table.definition.columns, [row])
        take(local, [(path, deleted) for _, path, deleted in their_files(theirs, tmp_path)])
    assert _in_order(values(table.to_arrow())) == expected(SAME_ROWS)
    names = {text: name for name, text in SAME.items()}
    for condition in (
        f"{names['uint64']} = 18446744073709551615",
        f"{names['uuid']} = '{SAMPLES['uuid'][1]}'",
        f"{names['timestamptz']} >= TIMESTAMP '2020-03-29 01:30:00Z'",
        f"{names['float64']} > 1",
        f"{names['varchar']} LIKE 'lang%'",
        f"{names['decimal(38,10)']} < 0",
        f"{names['date']} IS NULL",
    ):
        unfiltered = [row.id for row in table.to_spark().where(condition).collect()]
        assert sorted(row.id for row in table.scan(condition).to_spark().collect()) == sorted(unfiltered), condition
        assert unfiltered


def test_nested_values_are_read_from_files_of_ducklake(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int", "n": "uuid[][]", "s": "struct(a ubigint, b struct(c time))[]"})
    one, two = SAMPLES["uuid"][:2]
    with ducklake(tmp_path) as theirs:
        create(
            theirs, {"id": "int", "n": "uuid[][]", "s": "struct(a ubigint, b struct(c time))[]", "m": "map(int, time)"}
        )
        theirs.execute(
            f"INSERT INTO t VALUES (1, [['{one}', NULL], [], NULL], [{{a: 1, b: {{c: TIME '01:02:03'}}}}, NULL],"
            f" MAP {{1: TIME '04:05:06'}}), (2, [], [], MAP {{}}), (3, NULL, NULL, NULL), (4, [['{two}']], NULL, NULL)"
        )
        local.lake.drop_table("t")
        table = local.lake.create_table(
            "t", {"id": "int", "n": "uuid[][]", "s": "struct(a ubigint, b struct(c time))[]", "m": "map(int, time)"}
        )
        take(local, [(path, deleted) for _, path, deleted in their_files(theirs, tmp_path)])
    assert sorted(table.scan().fetchall()) == [
        (1, [[one, None], [], None], [{"a": Decimal(1), "b": {"c": "01:02:03"}}, None], [(1, "04:05:06")]),
        (2, [], [], []),
        (3, None, None, None),
        (4, [[two]], None, None),
    ]


def test_variants_and_geometries_are_read_from_files_of_ducklake(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int", "v": "variant", "g": "geometry"})
    with ducklake(tmp_path) as theirs:
        create(theirs, {"id": "int", "v": "variant", "g": "geometry"})
        theirs.execute(
            "INSERT INTO t VALUES (1, {'a': 1, 'b': ['x']}::VARIANT, 'POINT (1 2)'::GEOMETRY), (2, NULL, NULL),"
            " (3, 5::VARIANT, NULL)"
        )
        take(local, [(path, deleted) for _, path, deleted in their_files(theirs, tmp_path)])
    shown = table.to_spark().selectExpr("id", "to_json(v)", "g").collect()
    # DuckLake's files have the JSON null for NULL: to DuckDB they are one.
    assert sorted(map(tuple, shown)) == [(1, '{"a":1,"b":["x"]}', WKB), (2, "null", None), (3, "5", None)]


def test_numbers_and_intervals_in_another_form_are_read_by_a_mapping(local: Lakehouse, tmp_path: Path) -> None:
    types = {"id": "int", "a": "int128", "b": "uint128", "i": "interval"}
    table = local.lake.create_table("t", types)
    # DuckLake writes no negative ones, and cuts microseconds off.
    intervals = ["1 day", "2 months 3 days 04:05:06.789", "1 year 1 month 100:00:00.5", "00:00:00", "3 years"]
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        for at, text in enumerate(intervals):
            theirs.execute(f"INSERT INTO t VALUES ({at}, {-(2**53)}, {10**20}, INTERVAL '{text}')")
        theirs.execute(f"INSERT INTO t VALUES ({len(intervals)}, NULL, NULL, NULL)")
        files = [(path, deleted) for _, path, deleted in their_files(theirs, tmp_path)]
    take(local, files, source_types={"a": "DOUBLE", "b": "DOUBLE", "i": "BLOB"})
    # A double has 53 bits: DuckLake itself has lost the rest.
    numbers = (Decimal(-(2**53)), Decimal(10**20))
    assert _in_order(table.scan().fetchall()) == [
        *((at, *numbers, text) for at, text in enumerate(intervals)),
        (len(intervals), None, None, None),
    ]


def test_partitioned_files_with_deleted_and_updated_rows_are_read_from_ducklake(
    local: Lakehouse, tmp_path: Path
) -> None:
    types = {"id": "int", "region": "varchar", "t": "timestamptz"}
    table = local.lake.create_table("t", types, partitioned_by=["region", ("t", "day")])
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        theirs.execute("ALTER TABLE t SET PARTITIONED BY (region, day(t))")
        theirs.execute(
            "INSERT INTO t SELECT i, CASE WHEN i % 3 = 0 THEN 'a/b' WHEN i % 3 = 1 THEN NULL ELSE '' END,"
            " TIMESTAMPTZ '2020-01-01 23:30:00Z' + to_hours(i % 2) FROM range(60) r(i)"
        )
        theirs.execute("DELETE FROM t WHERE id % 10 = 3")
        kept = theirs.execute("SELECT id, region, t FROM t ORDER BY id").fetchall()
        files = their_files(theirs, tmp_path)
        stored = theirs.execute(
            f"SELECT data_file_id, list(partition_value ORDER BY partition_key_index)"
            f" FROM {METADATA}.ducklake_file_partition_value GROUP BY ALL"
        ).fetchall()
    partition_values = dict(stored)
    take(
        local,
        [(path, deleted) for _, path, deleted in files],
        partition_values=[tuple(partition_values[file_id]) for file_id, _, _ in files],
    )
    assert any(deleted for _, _, deleted in files)
    assert _in_order(table.scan().fetchall()) == kept
    for condition, holds in {
        "region = 'a/b'": lambda row: row[1] == "a/b",
        "region IS NULL AND t = TIMESTAMP '2020-01-02 00:30:00Z'": lambda row: row[1] is None and row[2].day == 2,
        "region = ''": lambda row: row[1] == "",
    }.items():
        assert _in_order(table.scan(condition).fetchall()) == [row for row in kept if holds(row)], condition


def test_row_ids_are_read_from_files_in_which_ducklake_has_put_them(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int"})
    with ducklake(tmp_path) as theirs:
        create(theirs, {"id": "int"})
        theirs.execute("INSERT INTO t FROM range(10)")
        theirs.execute("UPDATE t SET id = id + 100 WHERE id >= 8")
        [(_, first, deleted), (_, updated, _)] = their_files(theirs, tmp_path)
    take(local, [(first, deleted)])
    take(local, [(updated, None)], embeds_row_ids=True)
    shown = table.scan(columns=["rowid", "id"]).fetchall()
    assert sorted(shown) == [*((at, at) for at in range(8)), (8, 108), (9, 109)]


# Our files in DuckLake


def _as_duckdb_reads(type_text: str, value: Any) -> Any:
    match parse_type(type_text).name:
        case _ if value is None:
            return None
        case "uuid":
            return UUID(value)
        case "time":
            return time.fromisoformat(value)
        case "uint64":
            return int(value)
    return value


def _read_by_ducklake(theirs: Any, types: dict[str, str]) -> list[Any]:
    listed = [f"epoch_ns({name})" if text == "timestamp_ns" else name for name, text in types.items()]
    return [
        comparable(list(row)) for row in theirs.execute(f"SELECT {', '.join(listed)} FROM t ORDER BY id").fetchall()
    ]


@pytest.mark.parametrize("way", ["registered", "by field ids"])
def test_ducklake_reads_values_of_every_type_from_our_files(local: Lakehouse, tmp_path: Path, way: str) -> None:
    types = {"id": "int", **SAME}
    table = local.lake.create_table("t", types)
    table.append(SAME_ROWS[:2])
    # Spark hands these to executors.
    table.append(table.to_spark().where("id = 0").drop("id").selectExpr("10 AS id", "*"))
    table.append(SAME_ROWS[2:])
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        _hand_over(theirs, local, way)
        found = _read_by_ducklake(theirs, types)
    written = [*SAME_ROWS, (10, *SAME_ROWS[0][1:])]
    reads = [[_as_duckdb_reads(*pair) for pair in zip(types.values(), row, strict=True)] for row in written]
    assert found == comparable(reads)


def _hand_over(theirs: Any, local: Lakehouse, way: str) -> None:
    if way == "by field ids":
        give(theirs, local)
        return
    for data, delete in our_files(local):
        assert delete is None
        theirs.execute(f"CALL ducklake_add_data_files('lake', 't', '{local.data / data.path}')")


@pytest.mark.parametrize("way", ["registered", "by field ids"])
def test_ducklake_reads_files_that_spark_wrote(local: Lakehouse, tmp_path: Path, way: str) -> None:
    types = {
        "id": "bigint",
        "s": "struct(a int, b struct(c varchar, d timestamptz))",
        "n": "decimal(20,5)",
        "t": "timestamp_s",
    }
    table = local.lake.create_table("t", types)
    moment = datetime(2020, 1, 1, 12, tzinfo=UTC)
    table.append(
        local.spark.sql(
            "SELECT id, IF(id = 1, NULL, named_struct('a', 1, 'b', named_struct('c', 'x', 'd',"
            " TIMESTAMP '2020-01-01 12:00:00Z'))) AS s, CAST(id AS DECIMAL(20,5)) AS n,"
            " TIMESTAMP_NTZ '2020-01-01 00:00:01' AS t FROM range(2)"
        )
    )
    assert all("part-" in data.path for data, _ in our_files(local))
    for data, _ in our_files(local):
        fields = pq.read_schema(local.data / data.path)
        assert [int(field.metadata[b"PARQUET:field_id"]) for field in fields] == [1, 2, 7, 8]
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        _hand_over(theirs, local, way)
        found = theirs.execute("SELECT * FROM t ORDER BY id").fetchall()
    struct = {"a": 1, "b": {"c": "x", "d": moment}}
    second = datetime(2020, 1, 1, 0, 0, 1)
    assert found == [(0, struct, Decimal("0.00000"), second), (1, None, Decimal("1.00000"), second)]


@pytest.mark.parametrize("way", ["registered", "by field ids"])
def test_ducklake_reads_nested_values_from_our_files(local: Lakehouse, tmp_path: Path, way: str) -> None:
    types = {"id": "int", **{name: text for name, text in NESTED.items() if name != "deep"}}
    table = local.lake.create_table("t", types)
    rows = [(at, *row[:-1]) for at, row in enumerate(NESTED_ROWS)]
    table.append(rows)
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        _hand_over(theirs, local, way)
        found = theirs.execute(
            "SELECT id, numbers, lists::VARCHAR[][], keys::VARCHAR, struct.a, struct.b.c::VARCHAR,"
            " struct.b.d, struct.e, map::VARCHAR FROM t ORDER BY id"
        ).fetchall()
    one, two = SAMPLES["uuid"][:2]
    assert found[0] == (
        0,
        [0, 255, None],
        [[two, None], [], None],
        f"{{{one}=['01:02:03', NULL], {two}=NULL}}",
        2**64 - 1,
        "01:02:03.000004",
        "[1]",
        datetime(2020, 1, 1, tzinfo=UTC),
        "{a='1970-01-01 00:00:00.000000001', b=NULL}",
    )
    assert found[1] == (1, [], [], "{}", None, None, None, None, "{}")
    assert found[2] == (2, *[None] * 8)


@pytest.mark.parametrize("partitioned", [False, True], ids=["plain", "partitioned"])
def test_ducklake_reads_our_files_with_deleted_and_updated_rows(
    local: Lakehouse, tmp_path: Path, partitioned: bool
) -> None:
    types = {"id": "int", "region": "varchar", "d": "date"}
    keys: list[str | tuple[str, str]] = ["region", ("d", "month")] if partitioned else []
    table = local.lake.create_table("t", types, partitioned_by=keys)
    table.append([(at, "a/b" if at % 2 else None, date(2020, 1 + at % 3, 1)) for at in range(30)])
    table.delete("id % 10 = 4")
    table.update({"id": "id + 100"}, where="id % 10 = 5")
    table.delete("id % 10 = 6")
    ours = table.scan(columns=["rowid", "id", "region", "d"]).fetchall()
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        give(theirs, local)
        found = theirs.execute("SELECT rowid, id, region, d FROM t ORDER BY id").fetchall()
        assert theirs.execute("SELECT count(*) FROM t WHERE region = 'a/b'").fetchall() == [(15,)]
    assert found == sorted(ours, key=lambda row: row[1])
    assert len(found) == 24


def test_ducklake_takes_our_partitioned_files(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int", "region": "varchar"}, partitioned_by=["region"])
    table.append([(1, "a/b"), (2, "c d"), (3, "ü"), (4, "a/b")])
    with ducklake(tmp_path) as theirs:
        create(theirs, {"id": "int", "region": "varchar"})
        theirs.execute("ALTER TABLE t SET PARTITIONED BY (region)")
        for data, _ in our_files(local):
            theirs.execute(
                f"CALL ducklake_add_data_files('lake', 't', '{local.data / data.path}', hive_partitioning => true)"
            )
        assert theirs.execute("SELECT id FROM t WHERE region = 'a/b' ORDER BY id").fetchall() == [(1,), (4,)]
        assert theirs.execute("SELECT id, region FROM t ORDER BY id").fetchall() == sorted(table.scan().fetchall())


@pytest.mark.parametrize("keys", [[], ["id"]], ids=["written by Spark", "written by PyArrow"])
def test_ducklake_reads_our_variants(local: Lakehouse, tmp_path: Path, keys: list[str]) -> None:
    table = local.lake.create_table("t", {"id": "int", "v": "variant"}, partitioned_by=keys)
    table.append([(1, {"a": 1, "b": ["x"]}), (2, None), (3, "text"), (4, 4)])
    table.update({"id": "5"}, where="id = 4")
    with ducklake(tmp_path) as theirs:
        create(theirs, {"id": "int", "v": "variant"})
        give(theirs, local)
        found = theirs.execute("SELECT id, v FROM t ORDER BY id").fetchall()
    assert found == [(1, {"a": 1, "b": ["x"]}), (2, None), (3, "text"), (5, 4)]


def test_ducklake_reads_variants_inside_of_lists_of_ours(local: Lakehouse, tmp_path: Path) -> None:
    types = {"id": "int", "l": "struct(v variant, n int)[]"}
    table = local.lake.create_table("t", types)
    table.append([(1, [{"v": {"a": 1}, "n": 2}, None]), (2, None)])
    with ducklake(tmp_path) as theirs:
        create(theirs, types)
        give(theirs, local)
        found = theirs.execute("SELECT id, l FROM t ORDER BY id").fetchall()
    assert found == [(1, [{"v": {"a": 1}, "n": 2}, None]), (2, None)]
