"""Small queries of one table are answered without Spark: nothing here starts it."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
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
        ("SELECT sum(id + 0) FROM orders", None),
        ("SELECT id + 1 FROM orders", None),
        ("SELECT DISTINCT price FROM orders WHERE id < 3 ORDER BY price", [(Decimal("1.50"),), (Decimal("2.00"),)]),
        ("SELECT DISTINCT item FROM orders GROUP BY item", None),
        ("SELECT DISTINCT upper(item) FROM orders", None),
        ("SELECT count(DISTINCT item), count(DISTINCT price) AS n FROM orders", [(3, 3)]),
        ("SELECT count(DISTINCT item, price) FROM orders", None),
        ("SELECT item FROM orders GROUP BY item HAVING count(*) > 1", [("pen",)]),
        ("SELECT item, count(*) AS n FROM orders GROUP BY item HAVING n = 1 AND item > 'j'", [("zoë", 1)]),
        ("SELECT item FROM orders GROUP BY item ORDER BY count(*) DESC, max(id) LIMIT 2", [("pen",), (None,)]),
        ("SELECT item FROM orders GROUP BY item HAVING min(id) > 0 ORDER BY count(*)", None),
        ("SELECT count(*) FROM orders HAVING min(id) < 1", []),
        ("SELECT item FROM orders GROUP BY item HAVING price > 1", None),
        ("SELECT 1 AS one, id FROM orders WHERE id > 4", [(1, 5)]),
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


def test_sums_and_averages_are_those_of_spark(session: Session) -> None:
    query = "SELECT sum(id), avg(id), sum(price), avg(price) FROM orders WHERE id < 5 HAVING sum(id) > 1"
    if session.dialect == "duckdb":
        with pytest.raises(InvalidInput, match="only Spark knows sum of DuckDB"):
            session.sql(query)
        return
    assert rows(session, query) == [(10, 2.5, Decimal("3.60"), Decimal("1.200000"))]
    assert session.sql(query).to_arrow().column_names == ["sum(id)", "avg(id)", "sum(price)", "avg(price)"]


def test_titles_of_aggregates_have_names_as_they_are_written(session: Session) -> None:
    titles = session.sql("SELECT Max(ID), count(Item), count(DISTINCT iTem) FROM orders").to_arrow().column_names
    assert titles == ["max(ID)", "count(Item)", "count(DISTINCT iTem)"]


def test_titles_of_aggregates_in_duckdbs_dialect_are_those_of_duckdb(place: Place, tmp_path: Path) -> None:
    columns = {"value": "int", "date": "int", "name": "int", "Order": "int", "a b": "int", "id": "int"}
    query = """
        SELECT max(value), MIN(Date), count("name"), count(DISTINCT name), max("Order"), max("a b"), max("id"),
            max(t.id), count(*), count(1)
        FROM t"""
    with forklake.connect(dialect="duckdb") as session, duckdb.connect() as real:
        attach_main(session, place, tmp_path).create_table("t", columns).append([tuple(range(len(columns)))])
        defined = ", ".join(f'"{name}" {type_}' for name, type_ in columns.items())
        real.execute(f"CREATE TABLE t ({defined})")
        session.sql("SET forklake_small_queries = 'driver'")
        assert session.sql(query).columns == [column[0] for column in real.execute(query).description or ()]


@pytest.mark.parametrize(
    "query",
    [
        'SELECT id AS "x" FROM orders',
        "SELECT id AS 'x' FROM orders",
        "SELECT id AS/* so */'x' FROM orders",
        'SELECT id FROM orders AS "q"',
    ],
)
def test_a_text_in_place_of_a_name_is_left_to_spark_in_its_dialect(session: Session, query: str) -> None:
    if session.dialect == "spark":
        with pytest.raises(InvalidInput, match="whether its syntax is valid"):
            session.sql(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id AS price, max(price) FROM orders GROUP BY id ORDER BY max(price)",
        "SELECT id, max(price) AS price FROM orders GROUP BY id ORDER BY max(price)",
        "SELECT id AS price, max(price) FROM orders GROUP BY id HAVING max(price) > 1",
    ],
)
def test_aggregates_of_columns_that_an_alias_hides_are_left_to_spark(session: Session, query: str) -> None:
    with pytest.raises(InvalidInput, match="'price' is an alias and a column"):
        session.sql(query)


def test_row_groups_are_chosen_by_their_statistics(session: Session, tmp_path: Path) -> None:
    lake = session.catalog("lake")
    made = lake.create_table("numbers", {"id": "bigint", "name": "varchar", "f": "double"})
    lake.set_option("parquet_row_group_size", 10)
    lake.set_option("data_inlining_row_limit", 0)
    ids = list(range(100))
    made.append(pa.table({"id": ids, "name": [f"n{each // 50}" for each in ids], "f": [float(each) for each in ids]}))
    assert rows(session, "SELECT id FROM numbers WHERE f BETWEEN 28.5 AND 30.5 ORDER BY id") == [(29,), (30,)]
    assert rows(session, "SELECT name, count(*) FROM numbers WHERE id >= 45 GROUP BY name ORDER BY name") == [
        ("n0", 5),
        ("n1", 50),
    ]
    [file] = (tmp_path / "data").rglob("numbers/*.parquet")
    group = pq.read_metadata(file).row_group(9).column(0)
    broken = bytearray(file.read_bytes())
    start = group.dictionary_page_offset
    broken[start : start + group.total_compressed_size] = bytes(group.total_compressed_size)
    file.write_bytes(bytes(broken))
    assert rows(session, "SELECT count(id) FROM numbers WHERE id < 80") == [(80,)]
    with pytest.raises(DamagedFile):
        session.sql("SELECT count(id) FROM numbers WHERE id > 80")


@pytest.mark.parametrize("writer", ["Arrow", "DuckDB"])
def test_row_groups_are_chosen_by_their_bloom_filters(session: Session, tmp_path: Path, writer: str) -> None:
    made = session.catalog("lake").create_table("found", {"k": "bigint", "name": "varchar", "text": "blob"})
    size, file = 2048, tmp_path / "found.parquet"
    # The keys of each group have the same last digit, and the range of those of all others.
    keys = [at * 7919 % 100 * 10 + at // size for at in range(10 * size)]
    texts = [Random(at).randbytes(100) for at in range(len(keys))]
    kept = pa.table({"k": keys, "name": [f"key {key}" for key in keys], "text": texts})
    ids = {column.name: column.column_id for column in made.definition.columns}
    if writer == "DuckDB":
        with duckdb.connect() as connection:
            connection.register("kept", kept)
            connection.execute(f"COPY kept TO '{file}' (ROW_GROUP_SIZE {size}, FIELD_IDS {ids})")
    else:
        fields = [field.with_metadata({"PARQUET:field_id": str(ids[field.name])}) for field in kept.schema]
        written = kept.cast(pa.schema(fields))
        pq.write_table(written, file, row_group_size=size, bloom_filter_options={"k": True, "name": True})
    session.catalog("lake").add_data_files("found", str(file))
    assert rows(session, "SELECT count(text) FROM found WHERE k = 123") == [(keys.count(123),)]
    metadata = pq.read_metadata(file)
    assert metadata.num_row_groups == 10
    broken = bytearray(file.read_bytes())
    for group in (4, 7):
        chunk = metadata.row_group(group).column(2)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        broken[start : start + chunk.total_compressed_size] = bytes(chunk.total_compressed_size)
    file.write_bytes(bytes(broken))
    expected = sorted((key, text) for key, text in zip(keys, texts, strict=True) if key in (123, 5))
    for condition in ("k = 123 OR name IN ('key 5', 'no key')", "k IN (5, 123, 1001)", "NOT (k <> 5 AND k <> 123)"):
        assert sorted(rows(session, f"SELECT k, text FROM found WHERE {condition}")) == expected
    assert rows(session, "SELECT k, text FROM found WHERE name = 'key 1 23'") == []
    for condition in ("k = 124", "name IN ('key 127', 'key 5')", "k = 123 OR k > 980", "k <> 123"):
        with pytest.raises(DamagedFile):
            session.sql(f"SELECT k, text FROM found WHERE {condition}")


def test_uuids_times_json_and_bytes_are_shown_as_by_spark(session: Session) -> None:
    lake = session.catalog("lake")
    made = lake.create_table("kinds", {"id": "int", "u": "uuid", "t": "time", "j": "json", "b": "blob"})
    lake.set_option("data_inlining_row_limit", 0)
    made.append(
        [
            (1, "01234567-89AB-4def-8123-456789abcdef", "12:34:56.5", '{"a": 1}', b"\x00"),
            (2, "ffffffff-ffff-ffff-ffff-ffffffffffff", "23:59:59.999999", "[]", b""),
            (3, None, "10:20:00", None, None),
        ]
    )
    assert rows(session, "SELECT * FROM kinds WHERE id > 0 ORDER BY id") == [
        (1, "01234567-89ab-4def-8123-456789abcdef", "12:34:56.5", '{"a": 1}', b"\x00"),
        (2, "ffffffff-ffff-ffff-ffff-ffffffffffff", "23:59:59.999999", "[]", b""),
        (3, None, "10:20:00", None, None),
    ]
    assert rows(session, "SELECT id FROM kinds WHERE u = '01234567-89ab-4def-8123-456789abcdef'") == [(1,)]


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


@pytest.mark.parametrize("pattern", ["a\\%", "a\\\\%"])
def test_patterns_with_backslashes_as_parameters_are_left_to_spark(place: Place, tmp_path: Path, pattern: str) -> None:
    with forklake.connect() as session:
        attach_main(session, place, tmp_path).create_table("t", {"v": "varchar"}).append([("a%",), ("a\\b",)])
        session.sql("SET forklake_small_queries = 'driver'")
        for text in ("SELECT v FROM t WHERE v LIKE ?", "DELETE FROM t WHERE v LIKE ?"):
            with pytest.raises(InvalidInput, match="needs Spark"):
                session.sql(text, [pattern])
        assert len(rows(session, "SELECT v FROM t WHERE v LIKE ?", ["a%"])) == 2


def test_the_error_for_a_query_that_needs_spark_says_why(session: Session) -> None:
    reasons = {
        "SELECT id FROM order_lines": "because 'order_lines' is no table of a catalog",
        "SELECT 1": "because it does more than read one table",
    }
    for query, reason in reasons.items():
        with pytest.raises(InvalidInput, match=re.escape(reason)):
            session.sql(query)
    session.sql("SET forklake_shortcuts = false")
    with pytest.raises(InvalidInput, match="because shortcuts are turned off"):
        session.sql("SELECT id FROM orders")


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
