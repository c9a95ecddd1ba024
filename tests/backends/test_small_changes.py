"""UPDATEs and DELETEs of few rows by plain conditions need no Spark: nothing here starts it."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.errors import CommitConflict, InvalidInput, InvalidRows, NoSuchColumn, SyntaxProblem
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
    """A table in two files and an inlined row, in a fork; statements that need Spark are errors."""
    with forklake.connect(dialect=request.param) as opened:
        lake = attach_main(opened, place, tmp_path)
        opened.sql("CREATE TABLE lake.orders (id BIGINT NOT NULL, item VARCHAR, price DECIMAL(9, 2), day DATE)")
        orders = lake.table("orders")
        lake.set_option("data_inlining_row_limit", 0)
        orders.append(ORDERS.slice(0, 2))
        orders.append(ORDERS.slice(2, 2))
        lake.set_option("data_inlining_row_limit", 1)
        orders.append(ORDERS.slice(4, 1))
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
        yield opened
        assert not opened._state.provider.is_running


def run(session: Session, statement: str, parameters: Any = None) -> int:
    [(count,)] = session.sql(statement, parameters).fetchall()
    return int(count)


def rows(session: Session, query: str = "SELECT id, item FROM orders ORDER BY id") -> list[tuple[Any, ...]]:
    return session.sql(query).fetchall()


@pytest.mark.parametrize(
    ("where", "left"),
    [
        ("WHERE id = 1", [2, 3, 4, 5]),
        ("AS o WHERE o.id IN (1, 3, 5)", [2, 4]),
        ("WHERE item = 'pen' AND price > 1", [2, 3, 4, 5]),
        ("WHERE NOT item = 'pen'", [1, 2, 4]),
        ("WHERE item IS NULL OR day >= DATE '2024-01-04'", [1, 3]),
        ("WHERE id < 5", [5]),
        ("WHERE id > 5", [1, 2, 3, 4, 5]),
        ("WHERE true", []),
        ("", []),
    ],
)
def test_a_delete_by_a_plain_condition(session: Session, where: str, left: list[int]) -> None:
    count = run(session, f"DELETE FROM orders {where}")
    assert [id for (id,) in rows(session, "SELECT id FROM orders ORDER BY id")] == left
    assert count == 5 - len(left)
    assert rows(session, "SELECT count(*) FROM lake.main.orders") == [(5,)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("SET item = 'cap' WHERE id = 3", {3: "cap"}),
        ("SET item = NULL, price = 9.99 WHERE item = 'pen'", {1: None, 4: None}),
        ("AS o SET item = '' WHERE o.day = DATE '2024-01-05'", {5: ""}),
        ("SET item = 'x' WHERE id = 6", {}),
        ("SET item = 'x'", {1: "x", 2: "x", 3: "x", 4: "x", 5: "x"}),
    ],
)
def test_an_update_to_constants(session: Session, change: str, expected: dict[int, str | None]) -> None:
    before = dict(rows(session))
    assert run(session, f"UPDATE orders {change}") == len(expected)
    assert dict(rows(session)) == {**before, **expected}
    assert dict(rows(session, "SELECT id, item FROM lake.main.orders")) == before


def test_rows_keep_what_an_update_does_not_set_and_their_ids(session: Session) -> None:
    run(session, "UPDATE orders SET price = 7.25 WHERE id = 4 OR id = 5")
    run(session, "UPDATE orders SET item = 'cap' WHERE price = 7.25")
    assert rows(session, "SELECT * FROM orders WHERE id > 3 ORDER BY id") == [
        (4, "cap", Decimal("7.25"), date(2024, 1, 4)),
        (5, "cap", Decimal("7.25"), date(2024, 1, 5)),
    ]
    assert run(session, "DELETE FROM orders WHERE item = 'cap'") == 2
    assert rows(session, "SELECT count(*) FROM orders") == [(3,)]


def test_a_transaction_changes_its_own_rows_and_takes_them_back(session: Session) -> None:
    session.begin()
    session.sql("INSERT INTO orders VALUES (6, 'cap', 1.00, DATE '2024-01-06')")
    assert run(session, "UPDATE orders SET item = 'hat' WHERE id >= 5") == 2
    assert run(session, "DELETE FROM orders WHERE id = 6 OR id = 1") == 2
    assert rows(session) == [(2, None), (3, "ink"), (4, "pen"), (5, "hat")]
    session.rollback()
    assert rows(session) == [(1, "pen"), (2, None), (3, "ink"), (4, "pen"), (5, "zoë")]


def test_evolved_columns_are_written_as_they_are_now(session: Session) -> None:
    session.sql("ALTER TABLE orders RENAME COLUMN item TO thing")
    session.sql("ALTER TABLE orders ADD COLUMN note VARCHAR")
    assert run(session, "UPDATE orders SET note = 'new' WHERE thing = 'pen'") == 2
    assert rows(session, "SELECT id, thing, note FROM orders WHERE note = 'new' ORDER BY id") == [
        (1, "pen", "new"),
        (4, "pen", "new"),
    ]


def test_a_null_in_a_column_that_allows_none_changes_nothing(session: Session) -> None:
    with pytest.raises(InvalidRows, match="NOT NULL"):
        session.sql("UPDATE orders SET id = NULL WHERE id = 2")
    assert run(session, "UPDATE orders SET id = NULL WHERE id = 20") == 0
    assert len(rows(session)) == 5


def test_two_sessions_that_change_one_row_conflict(session: Session) -> None:
    other = session.cursor()
    other.begin()
    assert run(other, "UPDATE orders SET item = 'a' WHERE id = 1") == 1
    assert run(session, "DELETE FROM orders WHERE id = 1") == 1
    with pytest.raises(CommitConflict):
        other.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM orders WHERE upper(item) = 'PEN'",
        "DELETE FROM orders WHERE id IN (SELECT id FROM orders)",
        "DELETE FROM orders WHERE rowid = 1",
        "UPDATE orders SET id = id % 2 WHERE id = 1",
        "UPDATE orders SET item = upper('x') WHERE id = 1",
        "UPDATE orders SET day = '2024-01-01' WHERE id = 1",
        "UPDATE orders SET item = 5 WHERE id = 1",
        "UPDATE orders SET item = 'x' FROM orders AS other WHERE orders.id = other.id",
    ],
)
def test_what_only_spark_computes_is_left_to_it(session: Session, statement: str) -> None:
    with pytest.raises(InvalidInput, match=r"^This statement needs Spark, because "):
        session.sql(statement)
    assert len(rows(session)) == 5


@pytest.mark.parametrize("session", ["spark"], indirect=True)
def test_parameters_belong_to_places_in_the_order_of_the_text(session: Session) -> None:
    assert run(session, "UPDATE orders SET item = ?, price = ? WHERE id = ?", ["cap", Decimal("3"), 2]) == 1
    assert rows(session, "SELECT item, price FROM orders WHERE id = 2") == [("cap", Decimal("3.00"))]


@pytest.mark.parametrize("session", ["spark"], indirect=True)
def test_parameters_may_have_names(session: Session) -> None:
    assert run(session, "UPDATE orders SET item = :to WHERE item = :is", {"is": "pen", "to": "cap"}) == 2
    assert run(session, "DELETE FROM orders WHERE item = :is", {"is": "cap"}) == 2


@pytest.mark.parametrize("given", [["cap"], ["cap", 1, 2]])
def test_parameters_and_places_that_do_not_match_change_nothing(session: Session, given: list[object]) -> None:
    with pytest.raises(InvalidInput):
        run(session, "UPDATE orders SET item = ? WHERE id = ?", given)
    assert rows(session)[0] == (1, "pen")


@pytest.mark.parametrize("session", ["duckdb"], indirect=True)
def test_parameters_of_the_duckdb_dialect_are_left_to_spark(session: Session) -> None:
    with pytest.raises(InvalidInput, match="needs Spark"):
        run(session, "DELETE FROM orders WHERE id = ?", [1])


class TestPython:
    """The same from Python, where conditions and values are SQL of Spark's dialect."""

    @pytest.fixture
    def orders(self, session: Session) -> TableHandle:
        return session.catalog("agent").table("orders")

    def test_a_scan(self, orders: TableHandle) -> None:
        assert orders.to_arrow().num_rows == 5
        assert orders.scan("item = 'pen'", ["price", "id"]).fetchall() == [(Decimal("1.50"), 1), (Decimal("0.10"), 4)]
        assert orders.scan(columns=["ITEM"]).to_arrow().column_names == ["item"]

    def test_a_count(self, orders: TableHandle) -> None:
        assert orders.count("item = 'pen' OR price IS NULL") == 3
        assert orders.count("true") == 5

    def test_a_scan_of_the_past(self, session: Session, orders: TableHandle) -> None:
        version = session.catalog("agent").snapshots()[-1].snapshot_id
        orders.delete("id > 1")
        assert orders.count("id > 0") == 1
        assert orders.count("id > 0", version=version) == 5

    def test_changes(self, orders: TableHandle) -> None:
        assert orders.update({"item": "'cap'", "price": Decimal("2.5"), "day": date(2024, 2, 29)}, "id = 2") == 1
        assert orders.update({"price": None}, "item = 'pen'") == 2
        assert orders.delete("item = 'ink'") == 1
        assert orders.scan("id < 5").fetchall() == [
            (1, "pen", None, date(2024, 1, 1)),
            (4, "pen", None, date(2024, 1, 4)),
            (2, "cap", Decimal("2.50"), date(2024, 2, 29)),
        ]

    def test_what_only_spark_computes_is_left_to_it(self, orders: TableHandle) -> None:
        for change in (
            lambda: orders.delete("orders.id = 1"),
            lambda: orders.delete("id % 2 = 0"),
            lambda: orders.update({"id": "id % 2"}),
            lambda: orders.update({"price": 5}, "id = 1"),
            lambda: orders.update({"item": "'x'"}, "id = :value"),
            lambda: orders.scan(columns=["rowid"]),
        ):
            with pytest.raises(InvalidInput, match="needs Spark"):
                change()
        assert orders.count() == 5

    def test_bad_arguments_are_errors_as_before(self, orders: TableHandle) -> None:
        with pytest.raises(InvalidInput, match="empty"):
            orders.delete(" ")
        with pytest.raises(InvalidRows, match="no column 'nothing'"):
            orders.update({"nothing": 1}, "id = 1")
        with pytest.raises(NoSuchColumn, match="no column 'nothing'"):
            orders.scan(columns=["nothing"])


@pytest.mark.parametrize(
    ("insert", "expected"),
    [
        ("INSERT INTO copies SELECT id, item FROM orders WHERE id < 3", [(1, "pen"), (2, None)]),
        ("INSERT INTO copies (item, id) SELECT item, id FROM orders ORDER BY id DESC LIMIT 1", [(5, "zoë")]),
        ("INSERT INTO copies (id) SELECT id AS other FROM orders WHERE item = 'ink'", [(3, None)]),
        ("INSERT INTO copies SELECT count(*), max(item) FROM orders WHERE id > 0", [(5, "zoë")]),
        ("INSERT INTO copies SELECT id, item FROM orders WHERE id = 7", []),
        ("INSERT INTO copies SELECT * FROM copies", []),
    ],
)
def test_the_rows_of_a_small_query_are_inserted(session: Session, insert: str, expected: list[object]) -> None:
    session.sql("CREATE TABLE copies (id BIGINT, item VARCHAR)")
    assert run(session, insert) == len(expected)
    assert rows(session, "SELECT id, item FROM copies ORDER BY id") == expected


def test_a_table_is_copied_into_itself(session: Session) -> None:
    assert run(session, "INSERT INTO orders SELECT * FROM orders WHERE id = 1 OR id = 5") == 2
    assert [id for (id,) in rows(session, "SELECT id FROM orders ORDER BY id")] == [1, 1, 2, 3, 4, 5, 5]


def test_a_null_of_a_query_is_refused_by_a_column_that_allows_none(session: Session) -> None:
    session.sql("CREATE TABLE names (item VARCHAR NOT NULL)")
    with pytest.raises(InvalidRows, match="NOT NULL constraint failed"):
        session.sql("INSERT INTO names SELECT item FROM orders WHERE id < 3")
    assert rows(session, "SELECT count(*) FROM names") == [(0,)]


@pytest.mark.parametrize("column", ["INTEGER", "DOUBLE", "VARCHAR", "DECIMAL(20, 0)", "UUID"])
def test_rows_that_are_converted_are_left_to_spark(session: Session, column: str) -> None:
    session.sql(f"CREATE TABLE others (id {column})")
    with pytest.raises(InvalidInput, match="needs Spark"):
        session.sql("INSERT INTO others SELECT id FROM orders")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO orders (id) SELECT id + 1 FROM orders",
        "INSERT INTO orders (id) VALUES (1 + 1)",
        "INSERT INTO orders BY NAME SELECT id FROM orders",
        "MERGE INTO orders USING (SELECT 1 + 1 AS id) AS new ON orders.id = new.id WHEN MATCHED THEN DELETE",
    ],
)
def test_rows_that_only_spark_has_are_refused_without_it(session: Session, statement: str) -> None:
    with pytest.raises(InvalidInput, match="needs Spark"):
        session.sql(statement)
    assert len(rows(session)) == 5


def test_a_table_is_overwritten_with_its_own_rows(session: Session) -> None:
    assert run(session, "INSERT OVERWRITE orders SELECT * FROM orders WHERE item = 'pen'") == 2
    assert rows(session) == [(1, "pen"), (4, "pen")]


def test_numbers_that_are_shown_as_those_of_another_type_are_left_to_spark(session: Session) -> None:
    session.sql("CREATE TABLE small (n DECIMAL(20, 0))")
    session.sql("CREATE TABLE large (n UBIGINT)")
    for source in ("small", "large"):
        with pytest.raises(InvalidInput, match="needs Spark"):
            session.sql(f"INSERT INTO large SELECT n FROM {source}")
    session.sql("INSERT INTO large VALUES (18446744073709551615)")
    assert run(session, "INSERT INTO small SELECT n FROM large") == 1
    assert rows(session, "SELECT n FROM small") == [(Decimal(2**64 - 1),)]


@pytest.mark.parametrize(
    "where", ["id=1) OR (id=2", "id IN (1,)", "item NOT NULL", "item ISNULL", "id = 1,", "id = 1 --\\\n AND id = 2"]
)
def test_a_condition_that_spark_may_refuse_changes_nothing_without_it(session: Session, where: str) -> None:
    table, before = session.catalog("agent").table("orders"), rows(session)
    for change in (
        lambda: table.delete(where),
        lambda: table.update({"item": "'x'"}, where=where),
        lambda: table.count(where),
        lambda: table.scan(where=where),
    ):
        with pytest.raises((InvalidInput, SyntaxProblem), match=r"needs Spark|Expected"):
            change()
    if session.dialect == "spark":
        for statement in (f"DELETE FROM orders WHERE {where}", f"UPDATE orders SET item = 'x' WHERE {where}"):
            with pytest.raises((InvalidInput, SyntaxProblem)):
                session.sql(statement)
    assert rows(session) == before


@pytest.mark.parametrize(
    ("statement", "files", "columns"),
    [
        ("DELETE FROM orders WHERE id = 1", 1, "id"),
        ("UPDATE orders SET price = price + 1 WHERE id < 3", 1, "id, item, price, day"),
        ("MERGE INTO orders USING (VALUES (3)) AS s(key) ON id = s.key WHEN MATCHED THEN DELETE", 1, "id"),
        (
            "MERGE INTO orders USING (VALUES (3)) AS s(key) ON id = s.key WHEN NOT MATCHED BY SOURCE THEN DELETE",
            2,
            "id",
        ),
    ],
)
def test_a_change_that_is_explained_shows_what_it_would_read_and_changes_nothing(
    session: Session, statement: str, files: int, columns: str
) -> None:
    [(plan,)] = session.sql(f"EXPLAIN {statement}").fetchall()
    assert plan.startswith("Driver, without Spark: orders at version ")
    assert f", {files} files of " in plan
    assert plan.endswith(f"; columns {columns}")
    assert len(rows(session)) == 5


def test_a_change_that_needs_spark_is_explained_by_the_reason(session: Session) -> None:
    session.sql("SET forklake_small_queries = 'spark'")
    [(plan,)] = session.sql("EXPLAIN DELETE FROM orders WHERE id = 1").fetchall()
    assert plan == "Spark, because the setting forklake_small_queries is 'spark'"
