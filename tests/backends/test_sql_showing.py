"""SHOW and DESCRIBE, from the metadata alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from forklake.catalog.lakes.lake import Catalog, RetrySettings
from forklake.catalog.transaction.ddl import create_schema, create_table, create_view
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import InvalidInput, NoSuchCatalog, NoSuchSchema
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import ViewDefinition
from forklake.sql.execution.show import describe_relation, show
from forklake.sql.parsing.statements import Show
from forklake.sql.session.state import SessionState
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle
from tests.lakes import make_table, transaction
from tests.sql_states import attach, call, open_state


@pytest.fixture
def state(place: Place, tmp_path: Path) -> Iterator[SessionState]:
    """A session with two schemas, two tables and a view."""
    opened = open_state(place, tmp_path)
    catalog = opened.attachments.get("lake").catalog
    make_table(catalog)
    with transaction(catalog) as tx:
        create_schema(tx, "s2")
        create_table(tx, "s2", "u", [ColumnSpec("i", parse_type("int"))])
        create_view(tx, "s2", "v", ViewDefinition("SELECT 1 AS one"))
    yield opened
    opened.attachments.close()


def test_catalogs_are_shown_with_their_names_parents_and_fork_points(
    state: SessionState, catalog: Catalog, place: Place, tmp_path: Path
) -> None:
    head = call(state, "lake.current_snapshot").to_pylist()[0]["id"]
    call(state, "lake.fork_catalog", "agent")
    call(state, "lake.fork_catalog", "idle")
    attach(state, place, tmp_path, "a1", catalog="agent")
    attach(state, place, tmp_path, "a2", catalog="agent")
    rows = show(state, Show("catalogs")).to_pylist()
    shown = [(row["catalog_name"], row["attached_as"], row["parent"], row["fork_snapshot"]) for row in rows]
    assert shown == [
        ("agent", "a1, a2", "main", head),
        ("idle", None, "main", head),
        ("main", "lake", None, None),
    ]


def test_databases_are_what_is_attached(state: SessionState, place: Place, tmp_path: Path) -> None:
    attach(state, place, tmp_path, "again")
    assert show(state, Show("databases"))["database_name"].to_pylist() == ["again", "lake"]
    assert show(state, Show("databases", ("lake",))) == show(state, Show("schemas", ("lake",)))


def test_schemas_are_shown_with_the_one_in_use(state: SessionState) -> None:
    state.current_catalog, state.current_schema = "LAKE", "s2"
    assert show(state, Show("schemas")).to_pylist() == [
        {"database_name": "lake", "schema_name": "main", "current": False},
        {"database_name": "lake", "schema_name": "s2", "current": True},
    ]
    with pytest.raises(NoSuchCatalog):
        show(state, Show("schemas", ("nope",)))


def test_tables_are_those_of_the_schema_in_use_or_of_the_place_that_was_named(state: SessionState) -> None:
    with pytest.raises(NoSuchCatalog, match="No catalog is in use"):
        show(state, Show("tables"))
    state.current_catalog = "lake"
    assert show(state, Show("tables"))["name"].to_pylist() == ["t"]
    assert show(state, Show("tables", ("s2",)))["name"].to_pylist() == ["u", "v"]
    assert show(state, Show("tables", ("lake",)))["name"].to_pylist() == ["t", "u", "v"]
    assert show(state, Show("tables", ("lake", "s2")))["name"].to_pylist() == ["u", "v"]
    with pytest.raises(NoSuchSchema):
        show(state, Show("tables", ("nope",)))


def test_a_transaction_shows_its_own_tables(state: SessionState) -> None:
    state.current_catalog = "lake"
    state.transactions.begin()
    with state.writing(state.current) as tx:
        create_table(tx, "main", "mine", [ColumnSpec("i", parse_type("int"))])
    assert show(state, Show("tables"))["name"].to_pylist() == ["mine", "t"]
    state.transactions.rollback()
    assert show(state, Show("tables"))["name"].to_pylist() == ["t"]


def test_all_tables_are_shown_with_their_columns(state: SessionState) -> None:
    rows = show(state, Show("all tables")).to_pylist()
    assert [(row["database"], row["schema"], row["name"]) for row in rows] == [
        ("lake", "main", "t"),
        ("lake", "s2", "u"),
        ("lake", "s2", "v"),
    ]
    assert (rows[1]["column_names"], rows[1]["column_types"], rows[1]["temporary"]) == (["i"], ["INTEGER"], False)


def test_views_are_shown_with_their_queries(state: SessionState) -> None:
    assert show(state, Show("views", ("lake",))).to_pylist() == [
        {"database": "lake", "schema": "s2", "name": "v", "sql": "SELECT 1 AS one"}
    ]


def test_columns_of_a_table_are_shown_and_those_of_a_view_left_to_describe(state: SessionState) -> None:
    assert show(state, Show("columns", ("lake", "s2", "u")))["column_name"].to_pylist() == ["i"]
    with pytest.raises(InvalidInput, match="use DESCRIBE"):
        show(state, Show("columns", ("lake", "s2", "v")))


def test_settings_are_shown_with_their_defaults(state: SessionState) -> None:
    state.retry = RetrySettings(max_retry_count=3)
    rows = {row["name"]: (row["value"], row["default"]) for row in show(state, Show("settings")).to_pylist()}
    assert rows["ducklake_max_retry_count"] == ("3", "10")
    assert rows["ducklake_retry_backoff"] == ("1.5", "1.5")


def test_a_table_is_described_as_duckdb_describes_it(catalog: Catalog, tmp_path: Path) -> None:
    columns = {"id": "BIGINT", "s": "VARCHAR", "st": "STRUCT(a INTEGER, b VARCHAR[])", "d": "DECIMAL(10,2)"}
    with transaction(catalog) as tx:
        specs = [
            ColumnSpec("id", parse_type(columns["id"])),
            ColumnSpec("s", parse_type(columns["s"]), False, "it's", "literal"),
            ColumnSpec("st", parse_type(columns["st"])),
            ColumnSpec("d", parse_type(columns["d"]), True, "1.50", "literal"),
        ]
        create_table(tx, "main", "described", specs)
    mine = describe_relation(get_table(begin(catalog), "main", "described")).to_pylist()
    oracle = connect_oracle()
    oracle.execute(f"ATTACH 'ducklake:{tmp_path}/oracle.db' AS lake (DATA_PATH '{tmp_path}/oracle')")
    defaults = {"s": " NOT NULL DEFAULT 'it''s'", "d": " DEFAULT 1.50"}
    text = ", ".join(f"{name} {kind}{defaults.get(name, '')}" for name, kind in columns.items())
    oracle.execute(f"CREATE TABLE lake.described ({text})")
    theirs = oracle.execute("DESCRIBE lake.described").to_arrow_table().to_pylist()
    # DuckLake writes the default of a column that has none as the word NULL.
    words = [{**row, "default": None if row["default"] == "NULL" else row["default"]} for row in theirs]
    assert [dict(row, default=str(row["default"]).strip("'")) for row in mine] == [
        dict(row, default=str(row["default"]).strip("'")) for row in words
    ]
