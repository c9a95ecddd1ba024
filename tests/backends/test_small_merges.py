"""MERGEs of few rows whose parts are all known need no Spark: nothing here starts it."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake import when_matched, when_not_matched, when_not_matched_by_source
from forklake.api.session import Session
from forklake.errors import CommitConflict, InvalidInput, InvalidRows
from tests.attached import attach_main
from tests.conftest import Place

ITEMS = pa.table(
    {
        "id": [1, 2, 3, 4, None],
        "name": ["pen", "ink", None, "cap", "zoë"],
        "count": pa.array([10, 20, 30, None, 50], pa.int32()),
        "price": pa.array([Decimal("1.50"), Decimal("2.00"), None, Decimal("0.10"), Decimal("2.00")]),
    }
)


@pytest.fixture(params=["spark", "duckdb"])
def session(request: pytest.FixtureRequest, place: Place, tmp_path: Path) -> Iterator[Session]:
    """A table in two files and an inlined row, in a fork, and one of news; statements that need Spark are errors."""
    with forklake.connect(dialect=request.param) as opened:
        lake = attach_main(opened, place, tmp_path)
        opened.sql("CREATE TABLE lake.items (id BIGINT, name VARCHAR, count INTEGER DEFAULT 7, price DECIMAL(9, 2))")
        opened.sql("CREATE TABLE lake.news (id BIGINT, name VARCHAR, dead BOOLEAN)")
        items = lake.table("items")
        lake.set_option("data_inlining_row_limit", 0)
        items.append(ITEMS.slice(0, 2))
        items.append(ITEMS.slice(2, 2))
        lake.set_option("data_inlining_row_limit", 1)
        items.append(ITEMS.slice(4, 1))
        lake.table("news").append(
            pa.table({"id": [1, 3, 8, None], "name": ["a", "b", "c", "d"], "dead": [True, False, False, None]})
        )
        lake.fork("agent")
        schema = place.metadata_schema
        opened.attach(place.url, "agent", catalog="agent", data_path=str(tmp_path / "data"), metadata_schema=schema)
        opened.sql("USE agent")
        opened.sql("SET forklake_small_queries = 'driver'")
        yield opened
        assert not opened._state.provider.is_running


BEFORE: list[Any] = [(None, "zoë", 50), (1, "pen", 10), (2, "ink", 20), (3, None, 30), (4, "cap", None)]


def merge(session: Session, text: str, parameters: Any = None) -> int:
    [(count,)] = session.sql(f"MERGE INTO items AS t USING {text}", parameters).fetchall()
    return int(count)


def rows(session: Session) -> list[Any]:
    found = session.sql("SELECT id, name, count FROM items").fetchall()
    return sorted(found, key=lambda row: (row[0] is not None, row[0] or 0, str(row)))


def with_changes(changed: dict[int | None, Any]) -> list[Any]:
    """The rows with others in place of those with these keys; None in place of those that are gone."""
    by_key = {row[0]: row for row in BEFORE} | changed
    return [by_key[key] for key in sorted(by_key, key=lambda key: (key is not None, key or 0)) if by_key[key]]


@pytest.mark.parametrize(
    "source",
    [
        "(VALUES (2, 'ink!'), (9, 'new')) AS s(id, name)",
        "(VALUES (2, 'ink!'), (9, 'new') AS v(id, name)) AS s",
        "(VALUES (9, 'new'), (2, 'ink!')) s(ID, name)",
    ],
)
def test_rows_of_values_are_merged(session: Session, source: str) -> None:
    clauses = "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    assert merge(session, f"{source} ON t.id = s.id {clauses}") == 2
    assert rows(session) == with_changes({2: (2, "ink!", 20), 9: (9, "new", 7)})
    assert session.sql("SELECT count(*) FROM lake.main.items").fetchall() == [(5,)]


def test_one_row_of_literals_is_merged(session: Session) -> None:
    upsert = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    for key, count in ((4, 1), (5, 1)):
        source = f"(SELECT {key} AS id, 'x' AS name, 5 AS count, 1.5 AS price) AS s"
        assert merge(session, f"{source} ON t.id = s.id {upsert}") == count
    assert rows(session) == with_changes({4: (4, "x", 5), 5: (5, "x", 5)})
    assert session.sql("SELECT price FROM items WHERE name = 'x'").fetchall() == [(Decimal("1.50"),)] * 2


@pytest.mark.parametrize(
    ("clauses", "count", "changed"),
    [
        ("WHEN MATCHED THEN DELETE", 2, {1: None, 3: None}),
        ("WHEN MATCHED AND s.dead THEN DELETE", 1, {1: None}),
        ("WHEN MATCHED AND NOT s.dead THEN DELETE", 1, {3: None}),
        ("WHEN MATCHED AND t.name = 'pen' THEN DO NOTHING WHEN MATCHED THEN DELETE", 1, {3: None}),
        ("WHEN MATCHED AND t.name <> s.name THEN UPDATE SET name = s.name", 1, {1: (1, "a", 10)}),
        ("WHEN MATCHED THEN UPDATE SET name = NULL, count = t.count + 1", 2, {1: (1, None, 11), 3: (3, None, 31)}),
        ("WHEN MATCHED AND t.count > 10 THEN UPDATE SET count = DEFAULT", 1, {3: (3, None, 7)}),
        ("WHEN NOT MATCHED AND s.dead = false THEN INSERT (id, count) VALUES (s.id, 1)", 1, {8: (8, None, 1)}),
        ("WHEN NOT MATCHED BY TARGET AND s.dead THEN INSERT (id) VALUES (s.id)", 0, {}),
        (
            "WHEN NOT MATCHED BY SOURCE AND count > 20 THEN DELETE"
            " WHEN NOT MATCHED BY SOURCE AND t.count IS NULL THEN UPDATE SET count = 0",
            2,
            {None: None, 4: (4, "cap", 0)},
        ),
    ],
)
def test_clauses_with_conditions(session: Session, clauses: str, count: int, changed: dict[int | None, Any]) -> None:
    assert merge(session, f"news AS s ON t.id = s.id {clauses}") == count
    assert rows(session) == with_changes(changed)


def test_a_null_key_matches_nothing(session: Session) -> None:
    clauses = "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (name, count) VALUES (s.name, 0)"
    assert merge(session, f"(SELECT * FROM news WHERE id IS NULL) AS s ON t.id = s.id {clauses}") == 1
    assert rows(session) == sorted(
        [*BEFORE, (None, "d", 0)], key=lambda row: (row[0] is not None, row[0] or 0, str(row))
    )


def test_rows_match_by_several_columns_and_a_condition(session: Session) -> None:
    source = "(VALUES (1, 'pen'), (2, 'pen'), (4, 'cap')) AS s(id, name)"
    condition = "t.id = s.id AND (s.name = t.name AND t.count > 5)"
    assert merge(session, f"{source} ON {condition} WHEN MATCHED THEN DELETE") == 1
    assert rows(session) == with_changes({1: None})


def test_two_rows_of_the_source_for_one_of_the_table_are_an_error(session: Session) -> None:
    source = "(VALUES (1, 'a'), (1, 'b')) AS s(id, name)"
    with pytest.raises(InvalidRows, match="matches several rows of the source"):
        merge(session, f"{source} ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name")
    assert rows(session) == BEFORE
    assert merge(session, f"{source} ON t.id = s.id WHEN MATCHED AND s.name = 'b' THEN UPDATE SET name = s.name") == 1
    assert rows(session) == with_changes({1: (1, "b", 10)})


def test_errors_are_those_of_spark(session: Session) -> None:
    session.sql("CREATE TABLE strict (id BIGINT NOT NULL, name VARCHAR)")
    given = "MERGE INTO strict AS t USING (VALUES (1, 'a')) AS s(id, name) ON t.id = s.id WHEN NOT MATCHED THEN"
    for insert, message in (
        ("INSERT (name) VALUES (s.name)", "NOT NULL constraint failed: strict.id"),
        ("INSERT (id, other) VALUES (s.id, s.name)", "no column 'other'"),
        ("INSERT VALUES (s.id)", "2 columns but 1 values"),
        ("DELETE", "cannot DELETE"),
    ):
        with pytest.raises((InvalidRows, InvalidInput), match=message):
            session.sql(f"{given} {insert}")
    assert session.sql("SELECT count(*) FROM strict").fetchall() == [(0,)]


def test_rows_of_a_transaction_are_merged_and_taken_back(session: Session) -> None:
    session.begin()
    session.sql("INSERT INTO items (id, name) VALUES (6, 'hat')")
    assert merge(session, "(VALUES (6), (1)) AS s(id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'x'") == 2
    assert merge(session, "(VALUES (6)) AS s(id) ON t.id = s.id WHEN MATCHED THEN DELETE") == 1
    assert rows(session) == with_changes({1: (1, "x", 10)})
    session.rollback()
    assert rows(session) == BEFORE


def test_changes_are_seen_as_updates_inserts_and_deletes(session: Session) -> None:
    clauses = (
        "WHEN MATCHED AND s.dead THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.name"
        " WHEN NOT MATCHED AND s.id > 0 THEN INSERT (id, name) VALUES (s.id, s.name)"
    )
    assert merge(session, f"news AS s ON t.id = s.id {clauses}") == 3
    table = session.catalog("agent").table("items")
    version = session.catalog("agent").snapshots()[-1].snapshot_id
    found = sorted((row[2], row[1], row[3], row[4]) for row in table.changes(version, version).fetchall())
    assert [(kind, key, name) for kind, _, key, name in found] == [
        ("delete", 1, "pen"),
        ("insert", 8, "c"),
        ("update_postimage", 3, "b"),
        ("update_preimage", 3, None),
    ]
    assert found[2][1] == found[3][1]


def test_two_sessions_that_merge_into_one_row_conflict(session: Session) -> None:
    other = session.cursor()
    other.begin()
    text = "(VALUES (1)) AS s(id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'x'"
    assert merge(other, text) == 1
    assert merge(session, text) == 1
    with pytest.raises(CommitConflict):
        other.commit()


@pytest.mark.parametrize(
    "text",
    [
        "(SELECT id, name FROM news UNION ALL SELECT 1, 'a') AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "(SELECT 1 + 1 AS id) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "(VALUES (1), ('a')) AS s(id) ON t.id = s.id WHEN MATCHED THEN DELETE",
        "news AS s ON t.id > s.id WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.id OR s.dead WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.id + 1 WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.name WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.id AND upper(s.name) = 'A' WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.id WHEN MATCHED AND rowid = 1 THEN DELETE",
        "news AS s ON t.id = s.id WHEN MATCHED AND name = 'pen' THEN DELETE",
        "news AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = upper(s.name)",
        "news AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.id",
        "news AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET count = t.count + 2147483640",
        "news AS t ON t.id = t.id WHEN MATCHED THEN DELETE",
    ],
)
def test_what_only_spark_knows_is_left_to_it(session: Session, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^This (statement|query) needs Spark, because "):
        merge(session, text)
    assert rows(session) == BEFORE


@pytest.mark.parametrize("session", ["spark"], indirect=True)
@pytest.mark.parametrize(
    "text",
    [
        "(VALUES (1),) AS s(id) ON t.id = s.id WHEN MATCHED THEN DELETE",
        "(SELECT 1 AS id,) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "(SELECT 1 AS select) AS s ON t.id = s.select WHEN MATCHED THEN DELETE",
        "(SELECT id, FROM news) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.id AND t.id NOTNULL WHEN MATCHED THEN DELETE",
        "news AS s ON t.id = s.id WHEN MATCHED AND s.dead, THEN DELETE",
        "news AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET count = t.count + + 1",
    ],
)
def test_texts_that_spark_may_refuse_change_nothing_without_it(session: Session, text: str) -> None:
    with pytest.raises(forklake.errors.ForklakeError):
        merge(session, text)
    assert rows(session) == BEFORE


@pytest.mark.parametrize("session", ["spark"], indirect=True)
def test_parameters_are_rows_conditions_and_values(session: Session) -> None:
    text = "(SELECT ? AS id, ? AS name) AS s ON t.id = s.id WHEN MATCHED AND t.count >= ? THEN UPDATE SET name = ?"
    assert merge(session, text, [1, "a", 10, "new"]) == 1
    insert = "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    text = f"(SELECT :id AS id, :name AS name) AS s ON t.id = s.id {insert}"
    assert merge(session, text, {"id": 9, "name": "it's"}) == 1
    assert rows(session) == with_changes({1: (1, "new", 10), 9: (9, "it's", 7)})


class TestPython:
    """The same from Python."""

    def test_an_upsert_of_an_arrow_table_or_of_rows(self, session: Session) -> None:
        items = session.catalog("agent").table("items")
        counts = items.merge(pa.table({"id": [1, 7], "name": ["a", "b"]}), "id")
        assert (counts.changed, counts.inserted) == (1, 1)
        counts = items.merge([{"id": 2, "name": "c", "count": 5}], ["id"])
        assert (counts.changed, counts.inserted) == (1, 0)
        assert rows(session) == with_changes({1: (1, "a", 10), 2: (2, "c", 5), 7: (7, "b", 7)})
        assert items.merge([], "id").changed == 0

    def test_clauses(self, session: Session) -> None:
        items = session.catalog("agent").table("items")
        counts = items.merge(
            iter([{"id": 1, "bought": 5}, {"id": 9, "bought": 6}]),
            "target.id = source.id",
            when_matched("source.bought > 1").update({"count": 3, "name": "'x'"}),
            when_not_matched().insert({"id": "source.id", "price": Decimal("1.25")}),
            when_not_matched_by_source("target.count IS NULL").delete(),
        )
        assert (counts.changed, counts.inserted) == (2, 1)
        assert rows(session) == with_changes({1: (1, "x", 3), 4: None, 9: (9, None, 7)})

    def test_what_only_spark_knows_is_left_to_it(self, session: Session) -> None:
        items, given = session.catalog("agent").table("items"), [{"id": 1, "day": date(2024, 1, 1)}]
        for on, clause in (
            ("target.id = source.id + 1", when_matched().delete()),
            ("id", when_matched("year(day) = 2024").delete()),
            ("id", when_matched().update({"name": "day"})),
            ("id", when_matched().update({"name": 5})),
        ):
            with pytest.raises(InvalidInput, match="needs Spark"):
                items.merge(given, on, clause)
        assert rows(session) == BEFORE


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ("count = count + 5", 15),
        ("count = t.count - 1", 9),
        ("count = 2 * count", 20),
        ("count = -3 + count", 7),
        ("count = id", 1),
        ("count = count + id", 11),
        ("count = DEFAULT", 7),
    ],
)
def test_an_update_computes_numbers(session: Session, change: str, count: int) -> None:
    session.sql(f"UPDATE items AS t SET {change} WHERE id = 1")
    assert rows(session) == with_changes({1: (1, "pen", count)})


@pytest.mark.parametrize(
    ("change", "price"),
    [
        ("price = price + 1", "2.50"),
        ("price = price * 3", "4.50"),
        ("price = price - 0.25", "1.25"),
        ("price = id", "1"),
    ],
)
def test_an_update_computes_decimals(session: Session, change: str, price: str) -> None:
    session.sql(f"UPDATE items SET {change} WHERE id = 1")
    assert session.sql("SELECT price FROM items WHERE id = 1").fetchall() == [(Decimal(price),)]


def test_an_update_exchanges_columns(session: Session) -> None:
    session.sql("CREATE TABLE pairs (a VARCHAR, b VARCHAR)")
    session.sql("INSERT INTO pairs VALUES ('x', 'y'), (NULL, 'z')")
    session.sql("UPDATE pairs SET a = b, b = a")
    assert sorted(session.sql("SELECT * FROM pairs").fetchall(), key=str) == [("y", "x"), ("z", None)]


@pytest.mark.parametrize(
    "change",
    [
        "count = count + 2147483647",
        "count = count * 300000000",
        "count = count / 2",
        "count = count + 1.5",
        "count = count % 2",
        "count = id + 4294967296",
        "price = price * 1.1",
        "price = price * 100000000",
        "name = id",
        "id = id + NULL",
    ],
)
def test_numbers_that_spark_may_refuse_or_round_are_left_to_it(session: Session, change: str) -> None:
    with pytest.raises(InvalidInput, match="needs Spark"):
        session.sql(f"UPDATE items SET {change} WHERE id = 1")
    assert rows(session) == BEFORE


def test_a_name_that_begins_with_a_number_sign_is_a_name(session: Session) -> None:
    name = '"#n"' if session._state.dialect == "duckdb" else "`#n`"
    session.sql(f"CREATE TABLE h (a INT, {name} INT)")
    session.sql("INSERT INTO h VALUES (1, 2)")
    session.sql(
        f"MERGE INTO h USING (VALUES (1), (2)) AS s(k) ON h.a = s.k WHEN MATCHED THEN UPDATE SET {name} = 70, a = 80"
        f" WHEN NOT MATCHED THEN INSERT ({name}, a) VALUES (71, 81)"
    )
    assert session.sql("SELECT * FROM h ORDER BY a").fetchall() == [(80, 70), (81, 71)]


def test_default_is_no_value_in_expressions_of_python(session: Session) -> None:
    items = session.catalog("agent").table("items")
    with pytest.raises(InvalidInput, match="only Spark computes the value of 'name'"):
        items.update({"name": "DEFAULT"}, "id = 1")
    with pytest.raises(InvalidInput, match="only Spark computes the value of 'name'"):
        items.merge(pa.table({"id": [1]}), "id", when_matched().update({"name": "default"}))
    assert rows(session) == BEFORE
