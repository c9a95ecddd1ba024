"""Merging and rewriting files makes them fewer, and changes nothing that can be read."""

import math
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import DamagedFile
from forklake.maintenance.compaction import move_rows
from forklake.maintenance.compaction.compact import Compacted
from tests.spark.conftest import Lakehouse
from tests.spark.histories import history, versions_of
from tests.spark.inside import files, files_below, head, paths, rows
from tests.spark.places import another_session, somewhere
from tests.spark.type_samples import FLAT, FLAT_ROWS, NESTED, NESTED_ROWS, SAMPLES, WKB, values

Row = tuple[Any, ...]
FIRST = [(1, "a"), (2, "b")]
SECOND = [(3, "c"), (4, "d")]


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"id": "bigint", "v": "varchar"})


def _counts(done: list[Compacted]) -> list[tuple[int, int]]:
    return [(each.files_processed, each.files_created) for each in done]


def _row_ids(table: TableHandle) -> list[Any]:
    return rows(table, "rowid", "snapshot_id", *table.columns)


# What can be read is the same


def test_merged_files_keep_row_ids_snapshots_and_history(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table, lake = place.table, place.lake
        table.append([(5, "e")])
        # The new versions are in a file that has their row ids; the file they were in keeps a delete file.
        table.update({"v": "upper(v)"}, "id = 4")
        table.append([(6, "f"), (7, None)])
        lake.set_option("data_inlining_row_limit", 5)
        table.append([(8, "h")])
        lake.flush_inlined_data("t")
        versions = versions_of(lake, table)
        before = history(table, versions)
        assert _counts(lake.merge_adjacent_files("t")) == [(5, 1)]
        assert len(files(table)) == 2
        assert history(table, versions) == before
        assert table.changes(head(lake)).fetchall() == []
        assert table.count() == 8
        # And everything goes on.
        table.update({"v": "'later'"}, "id IN (1, 4)")
        table.delete("id = 5")
        table.append([(9, "i")])
        versions = versions_of(lake, table)
        before = history(table, versions)
        lake.rewrite_data_files("t", delete_threshold=0)
        lake.merge_adjacent_files("t")
        assert len(files(table)) == 1
        assert history(table, versions) == before
        found = rows(table, "rowid", "id", "v", where="id IN (1, 4, 5, 9)")
        assert found == [(0, 1, "later"), (3, 4, "later"), (8, 9, "i")]


def test_files_without_many_deleted_rows_are_rewritten(lakehouse: Lakehouse, in_fork: bool) -> None:
    first, second = [(n, "x") for n in range(10)], [(n, "y") for n in range(10, 20)]
    with somewhere(lakehouse, in_fork, _table, first, second) as place:
        table, lake = place.table, place.lake
        table.delete("id BETWEEN 2 AND 9")
        table.delete("id IN (11, 13)")
        table.update({"v": "'z'"}, "id IN (0, 12)")
        versions = versions_of(lake, table)
        before = history(table, versions)
        assert lake.rewrite_data_files("t") == []
        assert _counts(lake.rewrite_data_files("t", delete_threshold=0.5)) == [(1, 1)]
        assert history(table, versions) == before
        assert sum(file.delete is not None for file in files(table)) == 1
        lake.set_option("rewrite_delete_threshold", 0.3, table="t")
        assert _counts(lake.rewrite_data_files()) == [(1, 1)]
        assert all(file.delete is None for file in files(table))
        assert history(table, versions) == before
        assert table.count() == 10


def test_a_parent_is_compacted_beneath_its_forks(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    for row in [*FIRST, *SECOND]:
        table.append([row])
    table.delete("id = 1")
    fork = lakehouse.lake.fork("fork")
    old = lakehouse.lake.fork("old", version=head(lakehouse.lake) - 1)
    versions = versions_of(fork, fork.table("t"))
    before = history(fork.table("t"), versions)
    assert _counts(lakehouse.lake.merge_adjacent_files()) == [(3, 1)]
    lakehouse.lake.rewrite_data_files(delete_threshold=0)
    assert history(fork.table("t"), versions) == before
    assert (len(files(fork.table("t"))), len(files(old.table("t")))) == (3, 4)
    assert rows(old.table("t")) == [*FIRST, *SECOND]
    # A fork writes below its own prefix, also what it has inherited.
    assert _counts(fork.merge_adjacent_files("t")) == [(3, 1)]
    assert all("/fork/" in f"/{file.data.path}" for file in files(fork.table("t")))
    assert history(fork.table("t"), versions) == before


def test_files_of_all_versions_of_a_table_are_merged(lakehouse: Lakehouse, in_fork: bool) -> None:
    def make(lake: CatalogHandle) -> TableHandle:
        return lake.create_table("t", {"id": "int", "v": "varchar", "s": "struct(a int, b varchar)"})

    with somewhere(lakehouse, in_fork, make, [(1, "a", None)], [(2, "b", {"a": 2, "b": "x"})]) as place:
        table, lake = place.table, place.lake
        table.rename_column("v", "label")
        table.add_column("n", "int", default="7")
        table.append([(3, "c", {"a": 3, "b": None}, 1)])
        table.move_column("n")
        table.drop_column("label")
        table.add_column("v", "decimal(5,2)")
        table.append([(2, 4, None, None)])
        versions = versions_of(lake, table)
        before = history(table, versions)
        assert _counts(lake.merge_adjacent_files("t")) == [(4, 1)]
        assert history(table, versions) == before
        # Types and nested fields change: Spark converts.
        table.set_type("id", "bigint")
        table.add_column(("s", "c"), "varchar", default="new")
        table.rename_column(("s", "a"), "first")
        table.append([(5, 2**40, {"first": 1, "b": "y", "c": "z"}, None)])
        versions = versions_of(lake, table)
        before = history(table, versions)
        assert _counts(lake.merge_adjacent_files("t")) == [(2, 1)]
        assert history(table, versions) == before
        assert rows(table, "n", "id") == [(1, 3), (2, 4), (5, 2**40), (7, 1), (7, 2)]


ARROW_WRITES = {"uint8", "uint16", "uint32", "uint64", "time", "timestamp_ms", "timestamp_ns", "uuid", "json"}
PLAIN = {name: kind for name, kind in FLAT.items() if kind not in ARROW_WRITES}
PLAIN_ROWS = [tuple(v for v, kind in zip(row, SAMPLES, strict=True) if kind not in ARROW_WRITES) for row in FLAT_ROWS]


@pytest.mark.parametrize(
    ("columns", "given"),
    [(FLAT, FLAT_ROWS), (PLAIN, PLAIN_ROWS), (NESTED, NESTED_ROWS)],
    ids=["flat", "written by Spark", "nested"],
)
@pytest.mark.parametrize("converted", [False, True], ids=["copied", "converted"])
def test_values_of_all_types_are_kept(
    local: Lakehouse, columns: dict[str, str], given: list[Row], converted: bool
) -> None:
    table = local.lake.create_table("t", columns)
    for row in given:
        table.append([row])
    if columns == PLAIN:
        table.append(table.to_spark())
    before = table.to_spark(columns=["rowid", *columns]).orderBy("rowid").toArrow()
    if converted:
        table.set_sort_order([f"{next(iter(columns))} IS NULL"])
    assert len(local.lake.merge_adjacent_files("t")) == len(files(table)) == 1
    assert values(table.to_spark(columns=["rowid", *columns]).orderBy("rowid").toArrow()) == values(before)


def test_variants_and_geometries_are_kept(local: Lakehouse) -> None:
    local.session.sql("CREATE TABLE t (id INT, v VARIANT, g GEOMETRY)")
    for n in range(3):
        local.session.sql(f"INSERT INTO t SELECT {n}, parse_json('[{n}, null]'), X'{WKB.hex()}'")
    table = local.lake.table("t")
    query = "SELECT rowid, id, to_json(v), hex(g) FROM t ORDER BY id"
    before = local.session.sql(query).fetchall()
    assert _counts(local.lake.merge_adjacent_files("t")) == [(3, 1)]
    assert local.session.sql(query).fetchall() == before
    local.session.sql("DELETE FROM t WHERE id = 1")
    assert _counts(local.lake.rewrite_data_files("t", delete_threshold=0.1)) == [(1, 1)]
    assert local.session.sql(query).fetchall() == [before[0], before[2]]
    assert len(files(table)) == 1


def test_nan_is_found_after_a_merge(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "x": "double"})
    for n, x in enumerate([1.0, math.nan, -1.0]):
        table.append([(n, x)])
    local.lake.merge_adjacent_files()
    assert rows(table, "rowid", "id", where="x > 100") == [(1, 1)]
    assert rows(table, "rowid", "id", where="x <= 1") == [(0, 0), (2, 2)]


# Where rows go


def test_partitions_stay_apart(lakehouse: Lakehouse, in_fork: bool) -> None:
    def make(lake: CatalogHandle) -> TableHandle:
        columns = {"id": "bigint", "k": "varchar", "at": "timestamp"}
        return lake.create_table("t", columns, partitioned_by=["k", ("at", "year"), ("id", "bucket(2)")])

    given: list[Row] = [(n, k, datetime(2020 + n % 2, 3, 1)) for n, k in enumerate(["x", "a/b", None, "x"] * 3)]
    with somewhere(lakehouse, in_fork, make, [given[0]], given[1:6]) as place:
        table, lake = place.table, place.lake
        table.append(given[6:])
        versions, parts = versions_of(lake, table), rows(table, "k", "at", "id")
        before = history(table, versions)
        done = lake.merge_adjacent_files("t")
        assert sum(each.files_created for each in done) == len(done) > 1
        assert history(table, versions) == before
        assert rows(table, "k", "at", "id") == parts
        folders = [path.parent for path in paths(lakehouse, table)]
        assert len(set(folders)) == len(folders)
        assert any("k=a%2Fb" in str(folder) for folder in folders)
        # Files are still found by their partitions.
        assert len(table.scan("k = 'a/b'").to_spark().inputFiles()) < len(folders)
        assert lake.merge_adjacent_files("t") == []


def test_files_of_an_older_partitioning_stay_in_it(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "int", "k": "int"})
    for n in range(2):
        table.append([(n, n)])
    table.set_partitioning(["k"])
    for n in range(2):
        table.append([(n, 1), (n, 2)])
    table.set_partitioning([("id", "bucket(4)")])
    table.append([(0, 1)])
    table.append([(0, 2)])
    versions = versions_of(lakehouse.lake, table)
    before = history(table, versions)
    assert _counts(lakehouse.lake.merge_adjacent_files("t")) == [(2, 1)] * 4
    assert history(table, versions) == before
    assert len({file.data.partition_id for file in files(table)}) == 3
    assert rows(table, where="k = 2") == [(0, 2), (0, 2), (1, 2)]
    assert rows(table, where="id = 0") == [(0, 0), (0, 1), (0, 1), (0, 2), (0, 2)]


def test_sorted_tables_are_merged_in_order(lakehouse: Lakehouse) -> None:
    lakehouse.lake.set_option("sort_on_insert", False)
    table = lakehouse.lake.create_table("t", {"id": "int"}, sorted_by=["id DESC"])
    for n in (3, 1, 2):
        table.append([(n,), (n + 10,)])
    before = _row_ids(table)
    assert _counts(lakehouse.lake.merge_adjacent_files("t")) == [(3, 1)]
    assert [id for _, id in rows(table, "file_row_number", "id")] == [13, 12, 11, 3, 2, 1]
    assert _row_ids(table) == before


def test_rows_are_copied_in_the_order_they_came(local: Lakehouse) -> None:
    table = _table(local.lake)
    for n in range(20):
        table.append([(n, "x"), (n + 100, "y")])
    before = _row_ids(table)
    local.lake.merge_adjacent_files("t")
    [file] = files(table)
    assert file.data.row_id_start == 0
    assert [id for _, id in rows(table, "file_row_number", "id")] == [n + at for n in range(20) for at in (0, 100)]
    [path] = paths(local, table)
    assert pq.read_schema(path).names == ["id", "v", "_ducklake_internal_snapshot_id"]
    assert _row_ids(table) == before


# Which files are chosen


def test_sizes_bound_what_is_merged(local: Lakehouse) -> None:
    table = _table(local.lake)
    for n in range(8):
        table.append([(n, "x" * 10)])
    table.append([(n, f"{n}" * 50) for n in range(1000)])
    small, large = files(table)[0].data.file_size_bytes, files(table)[-1].data.file_size_bytes
    lake = local.lake
    assert lake.merge_adjacent_files("t", min_file_size=small + 100, max_file_size=large) == []
    assert lake.merge_adjacent_files("t", max_file_size=small - 20) == []
    # Files of one row differ by a few bytes, in their checksums.
    lake.set_option("target_file_size", 2 * small - 20, table="t")
    assert _counts(lake.merge_adjacent_files("t", max_compacted_files=1)) == [(2, 1)]
    assert _counts(lake.merge_adjacent_files("t", max_file_size=small + 10)) == [(2, 1)] * 3
    assert len(files(table)) == 5


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        ({"max_file_size": 0}, "max_file_size option must be greater than zero"),
        ({"max_compacted_files": 0}, "max_compacted_files option must be greater than zero"),
        ({"min_file_size": 5, "max_file_size": 5}, "min_file_size must be less than max_file_size"),
    ],
)
def test_limits_that_make_no_sense_are_refused(local: Lakehouse, limits: dict[str, Any], problem: str) -> None:
    with pytest.raises(forklake.ForklakeError, match=problem):
        local.lake.merge_adjacent_files(**limits)
    with pytest.raises(forklake.ForklakeError, match="between 0 and 1"):
        local.lake.rewrite_data_files(delete_threshold=math.nan)


def test_tables_are_chosen_by_name_schema_or_option(lakehouse: Lakehouse) -> None:
    lake = lakehouse.lake
    lake.create_schema("s")
    for name in ("t", "quiet", "s.t", "s.u"):
        table = lake.create_table(name, {"id": "int"})
        table.append([(1,)])
        table.append([(2,)])
    lake.create_table("empty", {"id": "int"})
    lake.set_option("auto_compact", False, schema="s")
    lake.set_option("auto_compact", True, schema="s", table="u")
    lake.set_option("auto_compact", False, table="quiet")
    assert lake.merge_adjacent_files(schema="s") == [Compacted("s", "u", 2, 1)]
    assert lake.merge_adjacent_files() == [Compacted("main", "t", 2, 1)]
    # Whoever names a table means it.
    assert lake.merge_adjacent_files("quiet") == [Compacted("main", "quiet", 2, 1)]
    assert lake.merge_adjacent_files("s.t") == [Compacted("s", "t", 2, 1)]
    assert lake.merge_adjacent_files() == lake.merge_adjacent_files("empty") == []
    with pytest.raises(forklake.ForklakeError, match="does not exist"):
        lake.merge_adjacent_files("nothing")


# How the work is done


def test_small_files_are_merged_without_spark(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    for row in [*FIRST, *SECOND]:
        table.append([row])
    with another_session(lakehouse, table, with_spark=False) as (session, same):
        assert session.sql("CALL lake.merge_adjacent_files('t')").fetchall() == [("main", "t", 4, 1)]
        assert same.count() == 4
        assert not session._spark_provider.is_running
    assert rows(table) == [*FIRST, *SECOND]


def test_large_files_are_copied_by_workers(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_rows, "DRIVER_BYTES", 0)
    table = local.lake.create_table("t", {"id": "bigint", "k": "int"}, partitioned_by=["k"])
    for n in range(3):
        table.append(local.spark.range(n * 100, n * 100 + 100).selectExpr("id", "id % 3 AS k"))
    table.delete("id % 10 = 4")
    table.append([(1000, 1), (1001, 1)])
    table.append([(1002, 1), (1003, 1)])
    before = _row_ids(table)
    assert len(local.lake.rewrite_data_files("t", delete_threshold=0)) == 3
    assert len(local.lake.merge_adjacent_files("t")) == 1
    assert _row_ids(table) == before
    assert len(files(table)) == 3


def test_a_damaged_file_is_named_and_stops_only_its_table(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        table = local.lake.create_table(name, {"id": "int"})
        table.append([(1,)])
        table.append([(2,)])
    path = paths(local, local.lake.table("a"))[1]
    path.unlink()
    there = files_below(local.data)
    with pytest.raises(DamagedFile, match=path.name):
        local.lake.merge_adjacent_files()
    assert (len(files(local.lake.table("a"))), len(files(local.lake.table("b")))) == (2, 1)
    assert len(files_below(local.data) - there) == 1
    monkeypatch.setattr(move_rows, "DRIVER_BYTES", 0)
    with pytest.raises(DamagedFile, match=path.name):
        local.lake.merge_adjacent_files("a")


def test_files_of_another_length_than_they_should_have_are_refused(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int"})
    table.append([(1,)])
    table.append([(2,), (3,)])
    one, two = paths(local, table)
    Path(one).write_bytes(Path(two).read_bytes())
    with pytest.raises(DamagedFile, match="has 2 rows, not 1"):
        local.lake.merge_adjacent_files()
