"""Small queries of one table are answered without Spark: nothing here starts it."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake.api.session import Session
from forklake.errors import DamagedFile, InvalidInput, InvalidOption
from tests.attached import attach_main
from tests.conftest import Place

ORDERS = pa.table(
    {
        "id": [1, 2, 3, 4, 5],
        "item": ["pen", None, "ink", "pen", "zoë"],
        "price": pa.array([Decimal("1.50"), Decimal("2.00"), None, Decimal("0.10"), Decimal("2.00")]),
        "day": pa.array([date(2024, 1, day) for day in (1, 2, 3, 4, 5)]),
    }
)


@pytest.fixture(params=["spark", "duckdb"])
def session(request: pytest.FixtureRequest, place: Place, tmp_path: Path) -> Iterator[Session]:
    """A table in three files and some inlined rows; queries that need Spark are errors."""
    with forklake.connect(dialect=request.param) as opened:
        lake = attach_main(opened, place, tmp_path)
        orders = lake.create_table(
            "orders", {"id": "bigint", "item": "varchar", "price": "decimal(9,2)", "day": "date"}
        )
        lake.set_option("data_inlining_row_limit", 0)
        orders.append(ORDERS.slice(0, 2))
        orders.append(ORDERS.slice(2, 2))
        lake.set_option("data_inlining_row_limit", 10)
        orders.append(ORDERS.slice(4, 1))
        opened.sql("SET forklake_small_queries = 'driver'")
        yield opened
        assert not opened._state.provider.is_running


def rows(session: Session, query: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    return session.sql(query, parameters).fetchall()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT id FROM orders WHERE id = 3", [(3,)]),
        ("SELECT o.id, o.item FROM orders AS o WHERE o.item = 'zoë'", [(5, "zoë")]),
        ("SELECT id FROM orders WHERE item IS NULL OR NOT price > 0.10 ORDER BY id", [(2,), (4,)]),
        ("SELECT id FROM orders WHERE item NOT IN ('pen', 'ink')", [(5,)]),
        ("SELECT id FROM orders WHERE day BETWEEN '2024-01-02' AND DATE '2024-01-03' ORDER BY 1 + 1", None),
        ("SELECT id FROM orders WHERE day BETWEEN '2024-01-02' AND DATE '2024-01-03' ORDER BY id", [(2,), (3,)]),
        ("SELECT id FROM orders ORDER BY price DESC NULLS LAST, id LIMIT 2 OFFSET 1", [(5,), (1,)]),
        ("SELECT id FROM orders ORDER BY price DESC NULLS FIRST, id LIMIT 2", [(3,), (2,)]),
        ("SELECT count(*), count(price), min(price) FROM orders WHERE id < 5", [(4, 3, Decimal("0.10"))]),
        ("SELECT max(item), min(day) FROM orders WHERE id > 1", [("zoë", date(2024, 1, 2))]),
        ("SELECT count(*), max(id) FROM orders WHERE false", [(0, None)]),
        (
            "SELECT item, count(*) AS n FROM orders GROUP BY item ORDER BY n DESC, item NULLS LAST LIMIT 2",
            [("pen", 2), ("ink", 1)],
        ),
        ("SELECT sum(id) FROM orders", None),
        ("SELECT id + 1 FROM orders", None),
        ("SELECT DISTINCT item FROM orders", None),
        ("SELECT a.id FROM orders a, orders b", None),
        ("SELECT id FROM orders WHERE upper(item) = 'PEN'", None),
        ("SELECT id FROM orders WHERE item LIKE 'p_n'", None),
        ("SELECT id FROM orders HAVING id > 1", None),
        ("SELECT rowid FROM orders", None),
    ],
)
def test_the_driver_answers_what_it_knows_and_leaves_the_rest(
    session: Session, query: str, expected: list[tuple[Any, ...]] | None
) -> None:
    if expected is not None:
        assert rows(session, query) == expected
        return
    with pytest.raises(InvalidInput, match="This query needs Spark, because"):
        session.sql(query)


def test_a_fork_and_the_past_are_read_without_spark(session: Session, place: Place, tmp_path: Path) -> None:
    before = session.catalog("lake").snapshots()[-1].snapshot_id
    session.sql("FORK CATALOG lake AS agent")
    session.attach(place.url, "agent", catalog="agent", metadata_schema=place.metadata_schema)
    session.catalog("agent").table("orders").append([(6, "cup", None, None)])
    assert rows(session, "SELECT count(*) FROM agent.orders WHERE id > 0") == [(6,)]
    assert rows(session, "SELECT count(*) FROM lake.orders WHERE id > 0") == [(5,)]
    assert rows(session, f"SELECT count(*) FROM agent.orders AT (VERSION => {before}) WHERE id > 0") == [(5,)]


def test_columns_that_were_added_renamed_and_widened_are_read_as_they_are_now(session: Session) -> None:
    orders = session.catalog("lake").table("orders")
    orders.add_column("kind", "varchar", default="old")
    orders.rename_column("item", "article")
    orders.append([(6, "cup", None, None, "new")])
    found = rows(session, "SELECT id, article, kind FROM orders WHERE id IN (1, 6) ORDER BY id")
    assert found == [(1, "pen", "old"), (6, "cup", "new")]
    assert rows(session, "SELECT kind, count(*) FROM orders GROUP BY kind ORDER BY kind") == [("new", 1), ("old", 5)]


def test_rows_of_an_open_transaction_are_seen(session: Session) -> None:
    session.begin()
    session.catalog("lake").table("orders").append([(7, "cup", None, None)])
    assert rows(session, "SELECT item FROM orders WHERE id = 7") == [("cup",)]
    session.rollback()
    assert rows(session, "SELECT item FROM orders WHERE id = 7") == []


def test_parameters_in_sparks_dialect_need_no_spark(place: Place, tmp_path: Path) -> None:
    with forklake.connect() as session:
        attach_main(session, place, tmp_path).create_table("t", {"id": "bigint", "v": "varchar", "d": "date"}).append(
            [(1, "a", date(2024, 1, 1)), (2, "it's", None)]
        )
        session.sql("SET forklake_small_queries = 'driver'")
        assert rows(session, "SELECT v FROM t WHERE id = ? AND d = ?", [1, date(2024, 1, 1)]) == [("a",)]
        assert rows(session, "SELECT v FROM t WHERE id = :x AND v <> :v", {"x": 1, "v": "b"}) == [("a",)]
        for value in (1.5, b"a", None):
            with pytest.raises(InvalidInput, match="needs Spark"):
                session.sql("SELECT v FROM t WHERE id = ?", [value])


def test_explain_says_which_way_a_query_takes_and_why(session: Session) -> None:
    [(told,)] = rows(session, "EXPLAIN SELECT item FROM orders WHERE id = 1")
    assert told.startswith("Driver, without Spark: orders at version")
    assert "1 files" in told
    assert rows(session, "EXPLAIN SELECT count(*) FROM orders")[0][0].startswith("Metadata")


def test_files_larger_than_the_limit_are_left_to_spark(session: Session) -> None:
    session.sql("SET forklake_small_query_bytes = 100")
    with pytest.raises(InvalidInput, match="more than forklake_small_query_bytes"):
        session.sql("SELECT item FROM orders WHERE id = 1")
    session.sql("RESET forklake_small_query_bytes")
    assert rows(session, "SELECT item FROM orders WHERE id = 1") == [("pen",)]


def test_settings_of_small_queries_are_checked(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("forklake_small_queries = 'never'", "forklake_small_query_bytes = 'many'"):
        with pytest.raises(InvalidOption, match="forklake_small_quer"):
            session.sql(f"SET {text}")
    monkeypatch.setenv("FORKLAKE_SMALL_QUERIES", "never")
    with pytest.raises(InvalidOption, match="FORKLAKE_SMALL_QUERIES is one of"):
        forklake.connect()


@pytest.mark.parametrize(("content", "reason"), [(None, "does not exist"), (b"PAR1 nothing PAR1", "cannot be read")])
def test_a_file_that_cannot_be_read_is_named(
    session: Session, tmp_path: Path, content: bytes | None, reason: str
) -> None:
    for file in (tmp_path / "data").rglob("*.parquet"):
        file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(DamagedFile, match=rf"\.parquet of table 'orders' at version \d+ {reason}"):
        session.sql("SELECT item FROM orders WHERE id = 1")


def test_a_file_that_was_replaced_by_one_with_other_rows_is_named(session: Session, tmp_path: Path) -> None:
    first, *_ = sorted((tmp_path / "data").rglob("*.parquet"))
    pq.write_table(ORDERS, first)
    with pytest.raises(DamagedFile, match="replaced by another"):
        session.sql("SELECT id FROM orders WHERE id > 0")
