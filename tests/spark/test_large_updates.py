"""Updates of more than the driver takes: Spark writes the rows, and their ids tell which rows they replace."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import CorruptMetadata, InvalidRows
from forklake.spark.verbs import rewrite_rows as rewrite
from forklake.spark.verbs.row_changes import change_rows
from tests.spark.conftest import Lakehouse
from tests.spark.inside import batches, head, rows
from tests.spark.places import somewhere

FIRST = [(id, id * 10, f"v{id}") for id in range(20)]
SECOND = [(id, id * 10, f"v{id}") for id in range(20, 40)]


@pytest.fixture(autouse=True)
def _everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forklake.spark.verbs.row_changes.DRIVER_BYTES", -1)
    # The other way there must not be taken unnoticed.
    monkeypatch.setattr("forklake.spark.verbs.update.change_rows", None)


def files_below(folder: Path) -> set[Path]:
    """Everything there is, folders and Hadoop's checksums, too; lists for Spark Connect aside."""
    return {path for path in folder.rglob("*") if "_scans" not in path.parts}


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"a": "bigint", "b": "int", "c": "varchar"})


def test_rows_change_wherever_they_are(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table, lake = place.table, place.lake
        expected = {a: (b, c) for a, b, c in [*FIRST, *SECOND]}
        ids = {a: a for a in expected}
        rng = random.Random(7)
        for turn in range(6):
            doomed = {a for a in expected if rng.random() < 0.1}
            table.delete(f"a IN ({', '.join(map(str, [*doomed, -1]))})")
            expected = {a: row for a, row in expected.items() if a not in doomed}
            if turn == 2:
                lake.set_option("data_inlining_row_limit", 10)
                table.append([(100, 1, "inlined"), (101, 2, "inlined")])
                expected |= {100: (1, "inlined"), 101: (2, "inlined")}
                ids |= {100: 40, 101: 41}
            if turn == 4:
                lake.merge_adjacent_files("t")
                lake.rewrite_data_files("t", delete_threshold=0.05)
            modulo = rng.randrange(2, 4)
            changed = {a for a in expected if a % modulo == 0}
            assert table.update({"b": "b + 1", "c": "upper(c)"}, f"a % {modulo} = 0") == len(changed)
            expected |= {a: (expected[a][0] + 1, expected[a][1].upper()) for a in changed}
            assert rows(table, "rowid", "a", "b", "c") == sorted((ids[a], a, *row) for a, row in expected.items())
            assert table.count() == len(expected)
        assert lake.verify(deep=True) == []


def test_the_feed_tells_of_it_as_of_any_update(local: Lakehouse) -> None:
    table = _table(local.lake)
    table.append(FIRST)
    table.update({"b": "0"}, "a = 3")
    changes = table.changes(head(local.lake), head(local.lake)).fetchall()
    told = sorted((row[2], row[1], row[4]) for row in changes)
    assert told == [("update_postimage", 3, 0), ("update_preimage", 3, 30)]


def test_few_rows_still_go_into_the_metadata(local: Lakehouse) -> None:
    local.lake.set_option("data_inlining_row_limit", 2)
    table = _table(local.lake)
    table.append(FIRST)
    before = files_below(local.data)
    assert table.update({"b": "b + 1"}, "a IN (1, 2)") == 2
    assert [batch.row_count for batch in batches(table)] == [2]
    assert all("-delete" in path.name for path in files_below(local.data) - before)
    assert table.update({"b": "b + 1"}, "a IN (1, 2, 3)") == 3
    assert rows(table, "rowid", "b", where="a < 5") == [(0, 0), (1, 12), (2, 22), (3, 31), (4, 40)]


def test_nothing_matches(local: Lakehouse) -> None:
    table = _table(local.lake)
    table.append(FIRST)
    before = files_below(local.data)
    assert table.update({"b": "b + 1"}, "c = 'nobody'") == 0
    assert (rows(table), files_below(local.data)) == (FIRST, before)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE t SET b = s.b FROM (VALUES (1, 1), (1, 2)) AS s(a, b) WHERE t.a = s.a", "changed twice"),
        ("UPDATE t SET b = if(a = 19, NULL, b)", "NOT NULL constraint failed"),
    ],
)
def test_a_refused_update_leaves_nothing(local: Lakehouse, statement: str, message: str) -> None:
    local.session.sql("CREATE TABLE lake.t (a BIGINT, b INT NOT NULL, c VARCHAR)")
    table = local.lake.table("t")
    table.append(FIRST)
    local.session.sql("USE lake")
    before = files_below(local.data)
    with pytest.raises(InvalidRows, match=message):
        local.session.sql(statement)
    assert (rows(table), files_below(local.data)) == (FIRST, before)


def test_what_other_tasks_have_written_goes_when_one_fails(local: Lakehouse) -> None:
    local.session.sql("CREATE TABLE lake.t (a BIGINT, b INT NOT NULL)")
    table = local.lake.table("t")
    for start in range(0, 800, 100):
        table.append(local.spark.range(start, start + 100).selectExpr("id AS a", "1 AS b"))
    before = files_below(local.data)
    local.spark.conf.set("spark.sql.files.maxPartitionBytes", "1024")
    try:
        with pytest.raises(InvalidRows, match="NOT NULL"):
            table.update({"b": "if(a = 799, NULL, b)"})
    finally:
        local.spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert (table.count(), files_below(local.data)) == (800, before)


def test_a_file_that_was_added_twice_holds_two_rows_of_each(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"a": "bigint"})
    pq.write_table(pa.table({"a": [1, 2, 3]}), local.data.parent / "theirs.parquet")
    for _ in range(2):
        local.lake.add_data_files("t", str(local.data.parent / "theirs.parquet"), allow_duplicates=True)
    assert table.update({"a": "a * 10"}, "rowid IN (1, 5)") == 2
    assert rows(table, "rowid", "a") == [(0, 1), (1, 20), (2, 3), (3, 1), (4, 2), (5, 30)]


def test_several_updates_in_one_transaction(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forklake.spark.verbs.update.change_rows", change_rows)
    table = local.lake.create_table("t", {"a": "bigint", "b.`c": "int", "B": "timestamptz"})
    table.append([(n, n, None) for n in range(6)])
    with local.session.transaction():
        table.update({"b.`c": "`b.``c` + 10"}, "a <= 2")
        table.append([(6, 6, None)])
        table.update({"b.`c": "`b.``c` + 100"}, "a >= 2")
    assert rows(table, "rowid", "a", "b.`c")[:6] == [
        (0, 0, 10),
        (1, 1, 11),
        *((n, n, n + 100 + 10 * (n == 2)) for n in range(2, 6)),
    ]
    assert rows(table, "a", "b.`c", where="a = 6") == [(6, 106)]


def test_rows_that_cannot_be_found_again_are_not_replaced(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(local.lake)
    table.append(FIRST)
    before = files_below(local.data)
    found = rewrite._row_ids
    monkeypatch.setattr(rewrite, "_row_ids", lambda *given: found(*given) + 5)
    with pytest.raises(CorruptMetadata, match="row ids"):
        table.update({"b": "b + 1"}, "a >= 15")
    assert (rows(table), files_below(local.data)) == (FIRST, before)


def test_a_sorted_table_stays_sorted_and_structs_keep_their_fields(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "s": "struct(x int, y varchar)"}, sorted_by=["id"])
    table.append([(2, None), (1, {"x": 1, "y": "a"})])
    before = files_below(local.data)
    table.update({"s": "named_struct('y', 'z', 'x', s.x + 1)", "id": "10 - id"})
    [written] = [path for path in files_below(local.data) - before if path.suffix == ".parquet"]
    assert pq.read_table(written)["id"].to_pylist() == [8, 9]
    assert rows(table) == [(8, {"x": None, "y": "z"}), (9, {"x": 2, "y": "z"})]
