"""The change feed and the flush as functions of SQL."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import DataFrame

from forklake.catalog.reading.view import view_at
from forklake.catalog.transaction.ddl import create_schema
from forklake.errors import TransactionError
from forklake.spark.session.provider import SparkProvider
from forklake.sql.functions.registry import call_function
from forklake.sql.session.state import SessionState
from tests.ducklake_oracle import connect_oracle
from tests.lakes import transaction
from tests.spark.conftest import Lakehouse
from tests.sql_states import attach, call, open_state

COLUMNS = {"id": "bigint", "snapshot_id": "varchar"}
ROWS = [(1, "a"), (2, "b"), (3, "c")]


@pytest.fixture
def state(local: Lakehouse, tmp_path: Path) -> Iterator[SessionState]:
    """A session of SQL on the same lake."""
    opened = open_state(local.place, tmp_path, provider=SparkProvider(local.spark))
    yield opened
    opened.attachments.close()


@pytest.fixture
def history(local: Lakehouse, state: SessionState) -> list[int]:
    """The snapshots of a table that had an insert, an update and a delete; one of its columns is called like ours."""
    table = local.lake.create_table("t", COLUMNS)
    table.append(ROWS)
    table.update({"snapshot_id": "'z'"}, "id = 2")
    table.delete("id = 3")
    return [int(found) for found in call(state, "lake.snapshots")["snapshot_id"].to_pylist()[-4:]]


def feed(state: SessionState, function: str, *arguments: object, **named: object) -> list[tuple[Any, ...]]:
    frame = call_function(state, tuple(function.split(".")), arguments, named)
    assert isinstance(frame, DataFrame)
    return sorted(map(tuple, frame.collect()), key=repr)


def oracle_feed(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What DuckLake tells of such a table; its snapshots are 1 to 4, and a column called like theirs confuses it."""
    oracle: duckdb.DuckDBPyConnection = connect_oracle()
    oracle.execute(f"ATTACH 'ducklake:{folder}/oracle.db' AS lake (DATA_PATH '{folder}/oracle')")
    oracle.execute("CREATE TABLE lake.t (id BIGINT, s VARCHAR)")
    oracle.execute("INSERT INTO lake.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    oracle.execute("UPDATE lake.t SET s = 'z' WHERE id = 2")
    oracle.execute("DELETE FROM lake.t WHERE id = 3")
    names = ("table_changes", "table_insertions", "table_deletions")
    return {name: oracle.execute(f"FROM ducklake_{name}('lake', 'main', 't', 1, 4)").fetchall() for name in names}


def test_the_feed_is_that_of_ducklake(state: SessionState, history: list[int], tmp_path: Path) -> None:
    numbers = {snapshot: number for number, snapshot in enumerate(history, start=1)}
    for name, rows in oracle_feed(tmp_path).items():
        mine = feed(state, f"ducklake_{name}", "lake", "main", "t", history[0], history[-1])
        if name == "table_changes":
            mine = sorted([(numbers[row[0]], *row[1:]) for row in mine], key=repr)
        assert mine == sorted(rows, key=repr), name


def test_both_ends_of_a_range_count(state: SessionState, history: list[int]) -> None:
    _, inserted, updated, deleted = history
    assert len(feed(state, "lake.table_changes", "t", inserted, inserted)) == 3
    assert feed(state, "lake.table_insertions", "t", updated, deleted) == [(2, "z")]
    assert feed(state, "lake.main.table_deletions", "T", deleted, deleted) == [(3, "c")]


def test_a_range_of_times_includes_the_snapshots_at_its_ends(state: SessionState, history: list[int]) -> None:
    times = call(state, "lake.snapshots")["snapshot_time"].to_pylist()[-4:]
    assert feed(state, "lake.table_deletions", "t", times[2], times[2]) == [(2, "b")]
    assert feed(state, "lake.table_deletions", "t", times[2], times[3]) == [(2, "b"), (3, "c")]
    just_after = times[2] + timedelta(microseconds=1)
    assert feed(state, "lake.table_deletions", "t", just_after, times[3]) == [(3, "c")]
    later = datetime.now(UTC) + timedelta(hours=1)
    everything = feed(state, "lake.table_changes", "t", datetime(2020, 1, 1, tzinfo=UTC), later)
    assert everything == feed(state, "lake.table_changes", "t", history[0], history[-1])
    assert feed(state, "lake.table_changes", "t", later, later) == []


def test_columns_are_those_at_the_end_of_the_range(local: Lakehouse, state: SessionState, history: list[int]) -> None:
    local.lake.table("t").add_column("extra", "int", default="7")
    head = call(state, "lake.current_snapshot")["id"].to_pylist()[0]
    before = call_function(state, ("lake", "table_insertions"), ["t", history[1], history[1]], {})
    after = call_function(state, ("lake", "table_insertions"), ["t", history[1], head], {})
    assert isinstance(before, DataFrame)
    assert isinstance(after, DataFrame)
    assert (before.columns, after.columns) == (["id", "snapshot_id"], ["id", "snapshot_id", "extra"])


def test_the_schema_is_an_argument_or_the_one_the_function_was_found_in(local: Lakehouse, state: SessionState) -> None:
    attachment = state.attachments.get("lake")
    with transaction(attachment.catalog) as tx:
        create_schema(tx, "s2")
    local.lake.create_table("s2.u", {"i": "int"}).append([(5,)])
    head = view_at(attachment.catalog, timestamp=datetime.now(UTC)).snapshot_id
    assert feed(state, "ducklake_table_insertions", "lake", "s2", "u", 1, head) == [(5,)]
    assert feed(state, "lake.s2.table_insertions", "u", 1, head) == [(5,)]
    assert feed(state, "lake.table_insertions", "u", schema="s2", start_snapshot=1, end_snapshot=head) == [(5,)]
    state.current_catalog, state.current_schema = "lake", "s2"
    assert feed(state, "table_insertions", "u", 1, head) == [(5,)]


def test_a_fork_feeds_the_changes_it_inherited(
    local: Lakehouse, state: SessionState, history: list[int], tmp_path: Path
) -> None:
    local.lake.fork("agent").table("t").append([(9, "fork")])
    local.lake.table("t").append([(8, "root")])
    attach(state, local.place, tmp_path, "agent", catalog="agent")
    head = call(state, "agent.current_snapshot")["id"].to_pylist()[0]
    rows = feed(state, "agent.table_insertions", "t", history[0], head)
    assert rows == [(1, "a"), (2, "b"), (2, "z"), (3, "c"), (9, "fork")]


def test_inlined_rows_are_flushed_table_by_table(local: Lakehouse, state: SessionState) -> None:
    call(state, "lake.set_option", "data_inlining_row_limit", 10)
    local.lake.create_table("t", {"i": "int"}).append([(1,), (2,)])
    local.lake.create_table("u", {"i": "int"}).append([(3,)])
    local.lake.create_table("empty", {"i": "int"})
    before = call(state, "lake.current_snapshot")["id"].to_pylist()[0]
    assert call(state, "ducklake_flush_inlined_data", "lake").to_pylist() == [
        {"schema_name": "main", "table_name": "t", "rows_flushed": 2},
        {"schema_name": "main", "table_name": "u", "rows_flushed": 1},
    ]
    rows = [row for row in call(state, "lake.snapshots").to_pylist() if row["snapshot_id"] > before]
    assert [list(dict(row["changes"])) for row in rows] == [["flushed_inlined"], ["flushed_inlined"]]
    assert call(state, "lake.last_committed_snapshot")["id"].to_pylist() == [rows[-1]["snapshot_id"]]
    assert call(state, "lake.list_files", "t").num_rows == 1
    assert sorted(map(tuple, local.lake.table("t").to_spark().collect())) == [(1,), (2,)]
    assert call(state, "lake.flush_inlined_data").num_rows == 0


def test_only_the_named_table_is_flushed_and_never_beside_changes(local: Lakehouse, state: SessionState) -> None:
    call(state, "lake.set_option", "data_inlining_row_limit", 10)
    local.lake.create_table("t", {"i": "int"}).append([(1,)])
    local.lake.create_table("u", {"i": "int"}).append([(2,)])
    flushed = call(state, "lake.flush_inlined_data", schema_name="main", table_name="U").to_pylist()
    assert flushed == [{"schema_name": "main", "table_name": "u", "rows_flushed": 1}]
    state.transactions.begin()
    call(state, "lake.set_option", "hive_file_pattern", False)
    with pytest.raises(TransactionError, match="not both"):
        call(state, "lake.flush_inlined_data")
    state.transactions.rollback()
    assert call(state, "lake.flush_inlined_data", schema_name="main").num_rows == 1
