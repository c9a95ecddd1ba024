"""Partitioned and sorted tables: where rows go, what is in the files, and which files a condition leaves out."""

from datetime import UTC, date, datetime
from typing import Any

import pyarrow.parquet as pq
import pytest

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.names import get_table
from forklake.model.column_types import parse_type
from forklake.model.entities import SortKey
from forklake.model.partitions import transform_value
from forklake.sql.queries.conditions import parse_condition
from tests.attached import read_table
from tests.spark.conftest import Lakehouse
from tests.spark.inside import Row, files, head, is_uuid, paths, rows
from tests.spark.places import Maker, somewhere

DAYS = [(1, date(2023, 12, 31), "a"), (2, date(2024, 1, 1), "b"), (3, date(2024, 1, 2), "a"), (4, None, None)]


def _table(*keys: Any, columns: dict[str, str] | None = None) -> Maker:
    def make(lake: CatalogHandle) -> TableHandle:
        return lake.create_table("t", columns or {"id": "int", "day": "date", "kind": "varchar"}, partitioned_by=keys)

    return make


def _folders(table: TableHandle) -> list[str]:
    """The folders of the files below that of the table, or of the job that has written them, without repeats."""
    parts = [file.data.path.split("/")[3:-1] for file in files(table)]
    return sorted({"/".join(part for part in below if not is_uuid(part)) for below in parts})


def _left(table: TableHandle, where: str) -> int:
    """How many files are left for a condition."""
    tx, _ = read_table(table)
    found = get_table(tx, "main", "t")
    return len(plan_scan(tx, found, parse_condition(where, found).predicate).files)


@pytest.mark.parametrize(
    ("keys", "folders"),
    [
        (["kind"], ["kind=__HIVE_DEFAULT_PARTITION__", "kind=a", "kind=b"]),
        ([("day", "year")], ["year=2023", "year=2024", "year=__HIVE_DEFAULT_PARTITION__"]),
        ([("day", "month")], ["month=1", "month=12", "month=__HIVE_DEFAULT_PARTITION__"]),
        ([("day", "day")], ["day=1", "day=2", "day=31", "day=__HIVE_DEFAULT_PARTITION__"]),
        (
            [("day", "year"), "kind"],
            [
                "year=2023/kind=a",
                "year=2024/kind=a",
                "year=2024/kind=b",
                "year=__HIVE_DEFAULT_PARTITION__/kind=__HIVE_DEFAULT_PARTITION__",
            ],
        ),
    ],
    ids=["identity", "year", "month", "day", "several keys"],
)
def test_rows_go_to_the_folder_of_their_values(
    lakehouse: Lakehouse, in_fork: bool, keys: list[Any], folders: list[str]
) -> None:
    with somewhere(lakehouse, in_fork, _table(*keys), DAYS[:2], DAYS[2:]) as place:
        assert _folders(place.table) == folders
        frame = lakehouse.spark.createDataFrame(DAYS, "id int, day date, kind string")
        place.table.append(frame)
        assert _folders(place.table) == folders
        assert rows(place.table) == sorted([*DAYS, *DAYS])


@pytest.mark.parametrize("type_name", ["timestamp", "timestamptz", "timestamp_s", "timestamp_ms"])
def test_moments_are_parted_by_hours(local: Lakehouse, type_name: str) -> None:
    table = _table(("at", "day"), ("at", "hour"), columns={"id": "int", "at": type_name})(local.lake)
    zone = UTC if type_name == "timestamptz" else None
    given = [(1, datetime(2024, 1, 1, 5, 59, tzinfo=zone)), (2, datetime(1969, 12, 31, 23, tzinfo=zone)), (3, None)]
    table.append(given)
    table.append(local.spark.createDataFrame(table.to_arrow()))
    none = "__HIVE_DEFAULT_PARTITION__"
    assert _folders(table) == ["day=1/hour=5", "day=31/hour=23", f"day={none}/hour={none}"]
    assert rows(table, "id") == [(1,), (1,), (2,), (2,), (3,), (3,)]


@pytest.mark.parametrize(("type_name", "value"), [("bigint", 34), ("varchar", "iceberg"), ("date", date(2017, 11, 16))])
def test_buckets_are_those_of_the_hash(lakehouse: Lakehouse, type_name: str, value: Any) -> None:
    table = _table(("k", "bucket(16)"), columns={"k": type_name})(lakehouse.lake)
    table.append([(value,), (None,)])
    table.append(lakehouse.spark.createDataFrame(table.to_arrow()))
    bucket = transform_value("bucket(16)", parse_type(type_name), value)
    assert _folders(table) == [f"bucket={bucket}", "bucket=__HIVE_DEFAULT_PARTITION__"]
    literal = f"'{value}'" if type_name != "bigint" else value
    assert _left(table, f"k = {literal}") == 2
    assert len(rows(table, where=f"k = {literal}")) == 2


def test_folders_are_named_after_values_only_if_asked_for(lakehouse: Lakehouse) -> None:
    table = _table("kind")(lakehouse.lake)
    lakehouse.lake.set_option("hive_file_pattern", False)
    table.append(DAYS)
    table.append(lakehouse.spark.createDataFrame(DAYS, "id int, day date, kind string"))
    assert _folders(table) == [""]
    assert len(files(table)) == 6
    assert _left(table, "kind = 'a'") == 2
    assert rows(table, where="kind = 'a'") == [DAYS[0], DAYS[0], DAYS[2], DAYS[2]]


SPECIAL = [
    "a/b",
    "a=b",
    "a b",
    "50%",
    "é",
    "..",
    "x\ny",
    "'",
    '"',
    "?",
    "#",
    "a:b",
    "{}",
    "",
    "~",
    "%2F",
    "日本",
    "-" * 300,
]


@pytest.mark.parametrize("on_driver", [True, False], ids=["rows", "DataFrame"])
def test_values_may_have_any_characters(local: Lakehouse, on_driver: bool) -> None:
    table = _table("kind")(local.lake)
    given = [(at, None, value) for at, value in enumerate(SPECIAL)]
    table.append(given if on_driver else local.spark.createDataFrame(given, "id int, day date, kind string"))
    assert len(files(table)) == len(SPECIAL)
    assert all(path.is_file() for path in paths(local, table))
    assert rows(table) == given
    assert [value for _, _, value in rows(table, where="kind = 'a/b'")] == ["a/b"]
    assert table.update({"id": "id + 100"}, "kind IN ('50%', 'x\ny')") == 2
    assert table.delete("kind = '%2F'") == 1
    assert table.count() == len(SPECIAL) - 1 == len(rows(table))


def test_names_of_columns_may_have_any_characters(local: Lakehouse) -> None:
    table = local.lake.create_table(
        "t", {"a.b": "int", "c/d =": "varchar", "`": "int"}, partitioned_by=["c/d =", "a.b"]
    )
    given = [(1, "x", 2), (2, "y", None)]
    table.append(given)
    table.append(local.spark.createDataFrame(given, "`a.b` int, `c/d =` string, ```` int"))
    assert table.update({"`": "7"}, "`a.b` = 2") == 2
    assert rows(table) == [(1, "x", 2), (1, "x", 2), (2, "y", 7), (2, "y", 7)]


def test_the_columns_are_kept_in_the_files(local: Lakehouse) -> None:
    table = _table("kind", ("day", "year"))(local.lake)
    table.append(DAYS)
    found = [tuple(row.values()) for path in paths(local, table) for row in pq.ParquetFile(path).read().to_pylist()]
    assert sorted(found) == DAYS


@pytest.mark.parametrize(
    ("where", "left", "ids"),
    [
        ("kind = 'a'", 2, [1, 3]),
        ("kind IN ('a', 'c')", 2, [1, 3]),
        ("kind IS NULL", 1, [4]),
        ("kind IS NOT NULL AND day >= DATE'2024-01-02'", 1, [3]),
        ("day BETWEEN '2024-01-01' AND '2024-01-31'", 2, [2, 3]),
        ("day = DATE'2020-05-05'", 0, []),
        ("id = 3", 1, [3]),
        ("kind = 'b' OR id = 1", 2, [1, 2]),
        ("NOT (kind = 'a')", 2, [2]),
        ("kind LIKE 'a%'", 3, [1, 3]),
        ("upper(kind) = 'A'", 4, [1, 3]),
    ],
)
def test_a_condition_leaves_out_files_by_partition_and_by_bounds(
    lakehouse: Lakehouse, in_fork: bool, where: str, left: int, ids: list[int]
) -> None:
    with somewhere(lakehouse, in_fork, _table(("day", "year"), "kind"), DAYS[:2], DAYS[2:]) as place:
        assert _left(place.table, where) <= left
        assert rows(place.table, "id", where=where) == [(each,) for each in ids]
        assert place.table.count(where) == len(ids)


def test_partitioning_can_change_between_appends(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table(), DAYS) as place:
        table = place.table
        expected: list[Row] = list(DAYS)
        for keys in (["kind"], [("day", "year"), ("id", "bucket(4)")], [], ["id"]):
            table.set_partitioning(keys)
            table.append(DAYS[:2])
            expected += DAYS[:2]
        assert rows(table) == sorted(expected)
        assert len(rows(table, where="kind = 'b' AND id = 2")) == 5
        assert table.update({"kind": "'c'"}, "kind = 'b'") == 5
        assert table.delete("day = DATE'2024-01-01' AND kind = 'c'") == 5
        assert rows(table, "id") == [(1,)] * 5 + [(3,), (4,)]


def test_an_update_of_a_partition_column_moves_the_row(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table("kind"), DAYS[:2], DAYS[2:]) as place:
        before = rows(place.table, "rowid", "id")
        assert place.table.update({"kind": "'z'"}, "id IN (1, 2)") == 2
        assert "kind=z" in _folders(place.table)
        assert "kind=b" not in _folders(place.table)
        assert _left(place.table, "kind = 'z'") == 1
        assert rows(place.table, "id", where="kind = 'z'") == [(1,), (2,)]
        assert rows(place.table, "rowid", "id") == before


@pytest.mark.parametrize("on_driver", [True, False], ids=["rows", "DataFrame"])
@pytest.mark.parametrize(
    ("keys", "order"),
    [
        (["id"], [None, 1, 2, 3, 4]),
        (["id DESC"], [4, 3, 2, 1, None]),
        (["kind", "id DESC"], [None, 2, 1, 4, 3]),
        (["-id NULLS LAST"], [4, 3, 2, 1, None]),
        ([SortKey("kind", "ASC", "NULLS_FIRST"), SortKey("id", "DESC", "NULLS_LAST")], [None, 2, 1, 4, 3]),
    ],
    ids=["ascending", "descending", "two keys", "expression", "NULLs on both sides"],
)
def test_sorted_tables_have_sorted_files(
    local: Lakehouse, keys: list[str | SortKey], order: list[Any], on_driver: bool
) -> None:
    table = local.lake.create_table("t", {"id": "int", "kind": "varchar"}, sorted_by=keys)
    given = [(3, "b"), (None, None), (1, "a"), (4, "b"), (2, "a")]
    frame = local.spark.createDataFrame(given, "id int, kind string").repartition(3)
    table.append(given if on_driver else frame)
    found = [value for path in paths(local, table) for value in pq.ParquetFile(path).read(["id"])["id"].to_pylist()]
    assert found == order


def test_partitions_of_a_sorted_table_are_sorted_too(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "kind": "int"}, partitioned_by=["kind"], sorted_by=["id DESC"])
    table.append(local.spark.range(1000).selectExpr("CAST(id AS INT) AS id", "CAST(id % 3 AS INT) AS kind"))
    found = [pq.ParquetFile(path).read(["id"])["id"].to_pylist() for path in paths(local, table)]
    assert len(found) == 3
    assert all(ids == sorted(ids, reverse=True) for ids in found)


def test_sorting_can_be_turned_off(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int"}, sorted_by=["id"])
    local.lake.set_option("sort_on_insert", False)
    table.append([(3,), (1,), (2,)])
    [path] = paths(local, table)
    assert pq.ParquetFile(path).read()["id"].to_pylist() == [3, 1, 2]


def test_the_files_of_a_large_sorted_append_cover_ranges_of_their_own(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "v": "double"}, sorted_by=["id"])
    local.lake.set_option("target_file_size", "100KB")
    table.append(local.spark.range(50_000).selectExpr("(id * 7919) % 50000 AS id", "rand() AS v"))
    assert len(files(table)) > 3
    assert _left(table, "id = 25000") == 1
    before = head(local.lake)
    assert table.scan("id = 25000", ["id"]).fetchall() == [(25000,)]
    assert head(local.lake) == before


def test_a_part_of_a_date_leaves_out_the_files_of_other_parts(local: Lakehouse) -> None:
    keys = [("day", "year"), ("at", "month"), ("at", "hour")]
    table = local.lake.create_table("t", {"day": "date", "at": "timestamp"}, partitioned_by=keys)
    for day in (date(2023, 12, 31), date(2024, 1, 1), date(2025, 1, 2)):
        table.append([(day, datetime(day.year, day.month, day.day, day.day % 24))])
    table.append([(None, None)])
    for where, left in {
        "year(day) = 2024": 1,
        "2024 = year(day)": 1,
        "year(day) IN (2023, 2024)": 2,
        "month(at) = 1 AND hour(at) = 2": 1,
        "year(day) = 1999": 0,
        # The year of another column, and what is not plainly equal to an integer, say nothing.
        "year(at) = 2024": 4,
        "year(day) > 2024": 4,
        "NOT year(day) = 2024": 4,
        "year(day) = '2024'": 4,
        "year(day) + 0 = 2024": 4,
    }.items():
        assert _left(table, where) == left, where
    assert table.scan("year(day) = 2024 OR hour(at) = 2").to_arrow().num_rows == 2


def test_the_year_of_a_moment_with_a_zone_is_that_of_the_session(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"at": "timestamptz"}, partitioned_by=[("at", "year")])
    table.append([(datetime(2024, 1, 1, 2, tzinfo=UTC),)])
    assert _left(table, "year(at) = 2023") == 0
    local.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        assert table.scan("year(at) = 2023").to_arrow().num_rows == 1
    finally:
        local.spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_a_double_finds_every_integer_that_equals_it_in_any_partition(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"n": "bigint"}, partitioned_by=["n"])
    table.append([(2**53,), (2**53 + 1,), (1,)])
    for where in ("n = 9007199254740992e0", "n = 9007199254740993e0", "n IN (9007199254740993e0)", "n = 1e0"):
        assert table.scan(where).to_arrow().num_rows == table.to_spark().where(where).count(), where
