"""The metadata of an attached catalog as tables of SQL."""

import re
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.ddl import create_schema
from forklake.sql.functions.metadata_tables import metadata_table
from forklake.sql.session.state import SessionState
from forklake.store import metadata_views
from forklake.store.metadata_views import VIEWS, column_kind
from tests.conftest import Place
from tests.lakes import append, make_table, transaction
from tests.sql_states import attach, call

SQL = Path(metadata_views.__file__).parent / "views"
POSTGRES_TYPES = {
    "bigint": {"bigint", "smallint", "integer"},
    "text": {"text"},
    "boolean": {"boolean"},
    "time": {"timestamp with time zone"},
    "uuid": {"uuid"},
}


def rows_of(state: SessionState, name: str, attached: str = "lake") -> pa.Table:
    found = metadata_table(state.transaction(state.attachments.get(attached)), name)
    assert found is not None
    return found


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_every_view_of_the_store_can_be_read(database: str) -> None:
    text = (SQL / f"{database}.sql").read_text(encoding="utf-8")
    assert set(re.findall(r"VIEW (?:IF NOT EXISTS )?(ducklake_\w+) AS", text)) == VIEWS.keys()


def test_columns_have_the_names_order_and_types_of_the_views(catalog: Catalog, place: Place) -> None:
    for view, columns in VIEWS.items():
        if place.backend == "sqlite":
            found = catalog.lake.store.fetch("SELECT name FROM pragma_table_info(:view) ORDER BY cid", {"view": view})
            assert tuple(row[0] for row in found) == columns, view
            continue
        found = catalog.lake.store.fetch(
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = :schema AND table_name = :view ORDER BY ordinal_position",
            {"schema": place.metadata_schema, "view": view},
        )
        assert tuple(row[0] for row in found) == columns, view
        assert [row for row in found if row[1] not in POSTGRES_TYPES[column_kind(row[0])]] == [], view


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers_with_typed_columns(state: SessionState, catalog: Catalog, view: str) -> None:
    make_table(catalog, columns=(("id", "bigint"), ("s", "struct(a int, b varchar[])")))
    append(catalog)
    found = rows_of(state, view.upper())
    assert tuple(found.column_names) == VIEWS[view]
    assert not any(pa.types.is_null(column_type) for column_type in found.schema.types)


def test_an_unknown_name_is_no_metadata_table(state: SessionState) -> None:
    attachment = state.attachments.get("lake")
    assert metadata_table(state.transaction(attachment), "ducklake_nope") is None
    assert metadata_table(state.transaction(attachment), "lake_catalog; DROP TABLE lake_catalog") is None


def test_values_are_the_same_on_both_databases(state: SessionState, catalog: Catalog) -> None:
    table = make_table(catalog)
    [row] = rows_of(state, "ducklake_table").to_pylist()
    assert (row["table_name"], row["table_uuid"], row["path_is_relative"]) == ("t", table.uuid, True)
    [column] = rows_of(state, "ducklake_column").to_pylist()
    assert (column["column_name"], column["column_type"], column["nulls_allowed"]) == ("id", "int64", True)
    times = rows_of(state, "ducklake_snapshot")["snapshot_time"].to_pylist()
    assert all(isinstance(time, datetime) and time.tzinfo is not None for time in times)


def test_a_fork_sees_what_it_inherited_and_nothing_of_others(
    state: SessionState, catalog: Catalog, place: Place, tmp_path: Path
) -> None:
    make_table(catalog)
    call(state, "lake.fork_catalog", "agent")
    make_table(catalog, "later")
    attach(state, place, tmp_path, "agent", catalog="agent")
    with transaction(state.attachments.get("agent").catalog) as tx:
        create_schema(tx, "mine")
    assert rows_of(state, "ducklake_table", "agent")["table_name"].to_pylist() == ["t"]
    assert set(rows_of(state, "ducklake_schema", "agent")["schema_name"].to_pylist()) == {"main", "mine"}
    assert rows_of(state, "ducklake_schema")["schema_name"].to_pylist() == ["main"]
    for name in ("lake", "agent"):
        listed = set(call(state, f"{name}.snapshots")["snapshot_id"].to_pylist())
        assert set(rows_of(state, "ducklake_snapshot", name)["snapshot_id"].to_pylist()) == listed
        assert set(rows_of(state, "ducklake_snapshot_changes", name)["snapshot_id"].to_pylist()) == listed


def test_the_facts_of_the_lake_are_among_the_metadata_of_every_catalog(state: SessionState) -> None:
    call(state, "lake.set_option", "auto_compact", False)
    rows = rows_of(state, "ducklake_metadata").to_pylist()
    assert {"format_version", "data_path", "auto_compact"} <= {row["key"] for row in rows}
