"""Change feeds of few rows need no Spark: nothing here starts it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake.api.session import Session
from forklake.errors import InvalidInput, NoSuchSnapshot
from tests.attached import attach_main
from tests.conftest import Place

ORDERS = pa.table({"id": [1, 2, 3, 4], "item": ["pen", None, "ink", "cap"]})


@pytest.fixture(params=["spark", "duckdb"])
def session(request: pytest.FixtureRequest, place: Place, tmp_path: Path) -> Iterator[Session]:
    """A fork of a table with changed rows; statements that need Spark are errors.

    From the version of the last insert on: an update of a row in a file, a delete of another, an inlined row, changed
    and deleted.
    """
    with forklake.connect(dialect=request.param) as opened:
        lake = attach_main(opened, place, tmp_path)
        opened.sql("CREATE TABLE lake.orders (id BIGINT NOT NULL, item VARCHAR)")
        lake.set_option("data_inlining_row_limit", 1)
        lake.table("orders").append(ORDERS)
        lake.fork("agent")
        opened.attach(
            place.url,
            "agent",
            catalog="agent",
            data_path=str(tmp_path / "data"),
            metadata_schema=place.metadata_schema,
        )
        opened.sql("USE agent")
        opened.sql("SET forklake_small_queries = 'driver'")
        for change in (
            "UPDATE orders SET item = 'pencil' WHERE id = 1",
            "DELETE FROM orders WHERE id = 2",
            "INSERT INTO orders VALUES (5, 'hat')",
            "UPDATE orders SET item = 'cup' WHERE id = 5",
            "DELETE FROM orders WHERE id = 5",
        ):
            opened.sql(change)
        yield opened
        assert not opened._state.provider.is_running


EXPECTED = [
    (0, "insert", 1, "pen"),
    (0, "insert", 2, None),
    (0, "insert", 3, "ink"),
    (0, "insert", 4, "cap"),
    (2, "update_postimage", 1, "pencil"),
    (2, "update_preimage", 1, "pen"),
    (3, "delete", 2, None),
    (4, "insert", 5, "hat"),
    (5, "update_postimage", 5, "cup"),
    (5, "update_preimage", 5, "hat"),
    (6, "delete", 5, "cup"),
]
"""The changes since the table was filled, with their snapshots counted from there."""


def filled(session: Session) -> int:
    """The snapshot that filled the table."""
    [(first,)] = session.sql("SELECT min(snapshot_id) FROM table_changes('orders', 1, 6)").fetchall()
    return int(first)


def run(session: Session, query: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    return session.sql(query.format(first=filled(session), last=head(session)), parameters).fetchall()


def head(session: Session) -> int:
    return session.catalog("agent").snapshots()[-1].snapshot_id


def test_all_changes(session: Session) -> None:
    found = session.sql(f"SELECT * FROM table_changes('orders', 0, {head(session)})").to_arrow()
    assert found.schema.names == ["snapshot_id", "rowid", "change_type", "id", "item"]
    assert found.schema.types == [pa.int64(), pa.int64(), pa.string(), pa.int64(), pa.string()]
    first = filled(session)
    rows = [(row["snapshot_id"] - first, row["change_type"], row["id"], row["item"]) for row in found.to_pylist()]
    assert sorted(rows, key=repr) == sorted(EXPECTED, key=repr)
    assert {row["rowid"]: row["id"] for row in found.to_pylist()} == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5}


@pytest.mark.parametrize("call", ["table_changes('orders',", "ducklake_table_changes('agent', 'main', 'orders',"])
def test_changes_filtered_ordered_and_counted(session: Session, call: str) -> None:
    query = f"SELECT change_type, item FROM {call} {{first}}, {{last}}) WHERE id = 5 AND change_type <> 'insert'"
    found = run(session, f"{query} ORDER BY snapshot_id DESC, change_type LIMIT 2")
    assert found == [("delete", "cup"), ("update_postimage", "cup")]
    query = f"SELECT c.change_type, count(*) FROM {call} {{first}}, {{last}}) AS c GROUP BY c.change_type"
    found = run(session, f"{query} ORDER BY change_type")
    assert found == [("delete", 2), ("insert", 5), ("update_postimage", 2), ("update_preimage", 2)]


def test_insertions_and_deletions(session: Session) -> None:
    query = "SELECT id, item FROM table_{}('orders', {{first}}, {{last}}) WHERE id IN (1, 5) ORDER BY id, item"
    assert run(session, query.format("insertions")) == [(1, "pen"), (1, "pencil"), (5, "cup"), (5, "hat")]
    assert run(session, query.format("deletions")) == [(1, "pen"), (5, "cup"), (5, "hat")]
    assert run(session, "SELECT count(*) FROM table_deletions('orders', {first}, {last})") == [(4,)]


def test_a_part_of_the_range(session: Session) -> None:
    first = filled(session)
    query = f"SELECT id FROM table_changes('orders', {first + 3}, {first + 3})"
    assert session.sql(query).fetchall() == [(2,)]
    assert session.sql(f"SELECT id FROM table_insertions('orders', {first + 3}, {first + 3})").fetchall() == []


def test_the_columns_are_those_at_the_end(session: Session) -> None:
    session.sql("ALTER TABLE orders RENAME COLUMN item TO thing")
    session.sql("ALTER TABLE orders ADD COLUMN note VARCHAR DEFAULT 'none'")
    found = run(session, "SELECT id, thing, note FROM table_deletions('orders', {first}, {last}) WHERE thing = 'hat'")
    assert found == [(5, "hat", "none")]


def test_changes_in_python(session: Session) -> None:
    orders, first = session.catalog("agent").table("orders"), filled(session)
    rows = [(row[0] - first, *row[2:]) for row in orders.changes(first).fetchall()]
    assert sorted(rows, key=repr) == sorted(EXPECTED, key=repr)
    assert orders.changes(first, first, "insertions").columns == ["snapshot_id", "rowid", "id", "item"]
    assert len(orders.changes(datetime(2020, 1, 1, tzinfo=UTC), kind="deletions").fetchall()) == 4


def test_what_only_spark_does_is_said(session: Session) -> None:
    call = "table_changes('orders', 1, 6)"
    for query, reason in (
        (f"SELECT id + 1 FROM {call}", "only Spark evaluates"),
        (f"SELECT * FROM {call} AS a JOIN orders AS b ON a.id = b.id", "more than read one table"),
        (f"SELECT table_changes.id FROM {call}", "names of functions"),
    ):
        with pytest.raises(InvalidInput, match=reason):
            session.sql(query)
    session.sql("SET forklake_small_query_bytes = 1")
    with pytest.raises(InvalidInput, match="forklake_small_query_bytes"):
        session.sql(f"SELECT id FROM {call}")


def test_explain_says_who_answers(session: Session) -> None:
    [(plan,)] = session.sql("EXPLAIN SELECT id FROM table_changes('orders', 1, 6)").fetchall()
    assert plan.startswith("Driver, without Spark: changes of orders up to version 6")


def test_points_that_do_not_exist_are_refused(session: Session) -> None:
    with pytest.raises(NoSuchSnapshot):
        session.sql("SELECT * FROM table_changes('orders', 1, 1000)")
    with pytest.raises(InvalidInput, match="cannot be NULL"):
        session.sql("SELECT * FROM table_changes('orders', NULL, 2)")
    with pytest.raises(InvalidInput, match="ends at snapshot"):
        session.sql("SELECT * FROM table_changes('orders', 3, 2)")


def test_a_column_named_like_ours_is_left_to_spark(session: Session) -> None:
    session.sql("ALTER TABLE orders ADD COLUMN rowid VARCHAR")
    with pytest.raises(InvalidInput, match="the same name"):
        run(session, "SELECT * FROM table_changes('orders', {first}, {last})")
    assert len(run(session, "SELECT * FROM table_deletions('orders', {first}, {last})")) == 4


def test_parameters_in_the_call_and_the_condition(session: Session) -> None:
    given = {"first": filled(session), "last": head(session)}
    mark = ":" if session._state.dialect == "spark" else "$"
    query = f"SELECT change_type FROM table_changes('orders', {mark}first, {mark}last) WHERE id = "
    assert len(session.sql(f"{query}5", given).fetchall()) == 4
    if mark == ":":
        assert len(session.sql(f"{query}:id", {**given, "id": 5}).fetchall()) == 4
