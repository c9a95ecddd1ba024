"""Functions and procedures of SQL, called as a session calls them, without Spark."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forklake.catalog.lakes.catalogs import rename_catalog
from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.ddl import create_schema, create_table, create_view, drop_table
from forklake.catalog.transaction.names import get_table
from forklake.errors import (
    AlreadyExists,
    InvalidInput,
    InvalidOption,
    NoSuchCatalog,
    NoSuchSchema,
    NoSuchSnapshot,
    NoSuchTable,
)
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import ViewDefinition
from forklake.model.ids import TableId
from forklake.sql.binding.names import context_of
from forklake.sql.functions.registry import FUNCTIONS, call_function, is_function
from forklake.sql.functions.signatures import FLAG
from forklake.sql.session.state import SessionState
from tests.conftest import Place
from tests.lakes import append, delete_rows, make_table, transaction
from tests.sql_states import attach, call

ID = [ColumnSpec("id", parse_type("bigint"))]


def test_snapshots_tell_what_happened_in_order(state: SessionState, catalog: Catalog) -> None:
    table = make_table(catalog)
    append(catalog)
    rows = call(state, "lake.snapshots").to_pylist()
    assert [row["snapshot_id"] for row in rows] == sorted(row["snapshot_id"] for row in rows)
    assert dict(rows[-2]["changes"]) == {"tables_created": ["main.t"]}
    assert dict(rows[-1]["changes"]) == {"tables_inserted_into": [str(table.object_id)]}
    assert rows[-1]["snapshot_time"].tzinfo is not None
    assert rows[-1]["author"] is None


def test_a_fork_lists_the_snapshots_it_inherited(
    state: SessionState, catalog: Catalog, place: Place, tmp_path: Path
) -> None:
    make_table(catalog)
    call(state, "ducklake_fork_catalog", "lake", "agent")
    append(catalog)
    attach(state, place, tmp_path, "agent", catalog="agent")
    mine, theirs = call(state, "agent.snapshots").to_pylist(), call(state, "lake.snapshots").to_pylist()
    assert mine[:-1] == theirs[:-1]
    assert dict(mine[-1]["changes"]) == {"forked_from": [str(catalog.catalog_id)]}


def test_the_current_snapshot_is_that_of_the_open_transaction(state: SessionState, catalog: Catalog) -> None:
    state.transactions.begin()
    [before] = call(state, "lake.current_snapshot").to_pylist()
    make_table(catalog)
    assert call(state, "lake.current_snapshot").to_pylist() == [before]
    state.transactions.rollback()
    assert call(state, "lake.current_snapshot").to_pylist()[0]["id"] > before["id"]


def test_the_last_committed_snapshot_is_of_this_session_and_null_before_it_commits(
    state: SessionState, catalog: Catalog
) -> None:
    make_table(catalog)
    assert call(state, "lake.last_committed_snapshot").to_pylist() == [{"id": None}]
    call(state, "lake.set_option", "auto_compact", False)
    head = call(state, "lake.current_snapshot").to_pylist()
    assert call(state, "ducklake_last_committed_snapshot", "LAKE").to_pylist() == head


def test_table_info_counts_files_and_delete_files(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog, "empty")
    make_table(catalog)
    append(catalog, 3)
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 4)
    empty, full = call(state, "lake.table_info").to_pylist()
    assert (empty["table_name"], empty["file_count"], empty["file_size_bytes"]) == ("empty", 0, 0)
    assert (full["file_count"], full["file_size_bytes"]) == (3, 3000)
    assert (full["delete_file_count"], full["delete_file_size_bytes"]) == (1, 100)
    assert (full["table_id"], full["table_uuid"]) == (table.object_id, table.uuid)


def test_table_info_of_a_fork_leaves_out_what_the_fork_has_ended(
    state: SessionState, catalog: Catalog, place: Place, tmp_path: Path
) -> None:
    make_table(catalog, "gone")
    make_table(catalog)
    append(catalog, 3)
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 4)
    call(state, "lake.fork_catalog", "agent")
    attach(state, place, tmp_path, "agent", catalog="agent")
    with transaction(state.attachments.get("agent").catalog) as tx:
        table = get_table(tx, "main", "t")
        files = sorted(tx.files(TableId(table.object_id)), key=lambda file: file.delete is None)
        tx.end_files(table, files[:2])
        drop_table(tx, "main", "gone")
    [seen] = call(state, "agent.table_info").to_pylist()
    assert (seen["file_count"], seen["delete_file_count"], seen["delete_file_size_bytes"]) == (1, 0, 0)
    of_parent = call(state, "lake.table_info").to_pylist()
    assert [(row["table_name"], row["file_count"], row["delete_file_count"]) for row in of_parent] == [
        ("gone", 0, 0),
        ("t", 3, 1),
    ]


def test_list_files_gives_absolute_paths_now_and_then(state: SessionState, catalog: Catalog, tmp_path: Path) -> None:
    make_table(catalog)
    first = append(catalog)
    append(catalog)
    rows = call(state, "lake.list_files", "t").to_pylist()
    assert [row["data_file"].startswith(f"{tmp_path}/data/c/main/t/") for row in rows] == [True, True]
    assert [row["data_file_size_bytes"] for row in rows] == [1000, 1000]
    assert {row["delete_file"] for row in rows} == {None}
    assert call(state, "ducklake_list_files", "lake", "t", snapshot_version=first).to_pylist() == rows[:1]
    now = datetime.now(UTC) + timedelta(hours=1)
    assert call(state, "ducklake_list_files", "lake", "T", schema="main", snapshot_time=now).num_rows == 2


def test_list_files_wants_a_version_or_a_time_and_a_table_that_exists(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    with pytest.raises(InvalidInput, match="must be specified - not both"):
        call(state, "lake.list_files", "t", snapshot_version=1, snapshot_time=datetime.now(UTC))
    with pytest.raises(NoSuchTable):
        call(state, "lake.list_files", "nope")
    with pytest.raises(NoSuchSnapshot):
        call(state, "lake.list_files", "t", snapshot_version=10**6)
    with pytest.raises(InvalidInput, match="table_name cannot be NULL"):
        call(state, "lake.list_files", None)


def test_options_are_listed_by_name_with_where_they_are_set(state: SessionState, catalog: Catalog) -> None:
    with transaction(catalog) as tx:
        create_schema(tx, "s 2")
        create_table(tx, "s 2", "u", ID)
    fresh = call(state, "lake.options").to_pylist()
    assert [row["option_name"] for row in fresh] == ["created_by", "data_path", "encrypted", "version"]
    call(state, "lake.set_option", "target_file_size", "10MB")
    call(state, "lake.set_option", "parquet_compression", "ZSTD", schema="s 2")
    call(state, "ducklake_set_option", "lake", "auto_compact", "off", table_name="u", schema="s 2")
    rows = call(state, "lake.options").to_pylist()
    assert [row["option_name"] for row in rows] == sorted(row["option_name"] for row in rows)
    shown = {row["option_name"]: (row["value"], row["scope"], row["scope_entry"]) for row in rows}
    assert shown["target_file_size"] == ("10000000", "GLOBAL", None)
    assert shown["parquet_compression"] == ("zstd", "SCHEMA", '"s 2"')
    assert shown["auto_compact"] == ("false", "TABLE", '"s 2".u')
    assert all(row["description"] for row in rows)


def test_an_option_of_a_dropped_table_is_not_listed(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    call(state, "lake.set_option", "auto_compact", False, table_name="t")
    with transaction(catalog) as tx:
        drop_table(tx, "main", "t")
    assert "auto_compact" not in call(state, "lake.options")["option_name"].to_pylist()


def test_an_option_must_be_known_and_not_null(state: SessionState) -> None:
    with pytest.raises(InvalidOption, match="Unsupported option nope"):
        call(state, "lake.set_option", "nope", 1)
    with pytest.raises(InvalidOption, match=r"The auto_compact option can't be null\."):
        call(state, "lake.set_option", "auto_compact", None)


def test_a_table_of_an_option_is_looked_for_in_the_schema_in_use(state: SessionState, catalog: Catalog) -> None:
    with transaction(catalog) as tx:
        create_schema(tx, "s2")
        create_table(tx, "s2", "u", ID)
    with pytest.raises(NoSuchTable):
        call(state, "lake.set_option", "auto_compact", False, table_name="u")
    state.current_catalog, state.current_schema = "lake", "s2"
    call(state, "set_option", "auto_compact", False, "u")
    assert "s2.u" in call(state, "options")["scope_entry"].to_pylist()


def test_settings_name_the_database_and_the_data_path(state: SessionState, place: Place, tmp_path: Path) -> None:
    [row] = call(state, "lake.settings").to_pylist()
    assert (row["catalog_type"], row["data_path"]) == (place.backend, f"{tmp_path}/data/")


def test_catalogs_lists_live_catalogs_by_id(state: SessionState, catalog: Catalog) -> None:
    call(state, "lake.fork_catalog", "b")
    call(state, "lake.fork_catalog", "a")
    rows = call(state, "ducklake_catalogs", "lake").to_pylist()
    assert [row["catalog_name"] for row in rows] == ["main", "b", "a"]
    assert [row["parent_catalog_id"] for row in rows] == [None, catalog.catalog_id, catalog.catalog_id]
    assert {row["end_snapshot"] for row in rows} == {None}


def test_a_fork_is_made_once(state: SessionState, catalog: Catalog) -> None:
    [made] = call(state, "ducklake_fork_catalog", "lake", "agent").to_pylist()
    assert (made["catalog_name"], made["created"]) == ("agent", True)
    [again] = call(state, "lake.fork_catalog", "agent", if_not_exists=True).to_pylist()
    assert again == {**made, "created": False}
    with pytest.raises(AlreadyExists, match="already exists"):
        call(state, "lake.fork_catalog", "agent")


def test_a_fork_can_start_in_the_past(state: SessionState, catalog: Catalog, place: Place, tmp_path: Path) -> None:
    make_table(catalog)
    version = append(catalog)
    append(catalog)
    call(state, "lake.fork_catalog", "audit", version=version)
    attach(state, place, tmp_path, "audit", catalog="audit")
    assert call(state, "audit.list_files", "t").num_rows == 1
    with pytest.raises(InvalidInput, match="not both"):
        call(state, "lake.fork_catalog", "x", version=version, timestamp=datetime.now(UTC))


def test_a_fork_of_an_attachment_in_the_past_starts_there(
    state: SessionState, catalog: Catalog, place: Place, tmp_path: Path
) -> None:
    make_table(catalog)
    version = append(catalog)
    append(catalog)
    attach(state, place, tmp_path, "then", snapshot_version=version)
    call(state, "then.fork_catalog", "audit")
    attach(state, place, tmp_path, "audit", catalog="audit")
    assert call(state, "audit.list_files", "t").num_rows == 1


def test_a_catalog_that_was_renamed_can_be_forked(state: SessionState, catalog: Catalog) -> None:
    rename_catalog(catalog.lake, "main", "other")
    [made] = call(state, "lake.fork_catalog", "agent").to_pylist()
    assert made["created"]


def test_a_commit_message_is_for_the_open_transaction_only(state: SessionState) -> None:
    assert call(state, "lake.set_commit_message", "nobody", "outside").num_rows == 0
    state.transactions.begin()
    call(state, "lake.set_commit_message", "ada", "why", extra_info="{}")
    call(state, "lake.set_option", "auto_compact", False)
    state.transactions.commit()
    call(state, "lake.set_option", "auto_compact", True)
    rows = call(state, "lake.snapshots").to_pylist()[-2:]
    told = [(row["author"], row["commit_message"], row["commit_extra_info"]) for row in rows]
    assert told == [("ada", "why", "{}"), (None, None, None)]


def test_a_transaction_sees_the_options_it_has_set(state: SessionState) -> None:
    state.transactions.begin()
    call(state, "lake.set_option", "auto_compact", False)
    assert "auto_compact" in call(state, "lake.options")["option_name"].to_pylist()
    state.transactions.rollback()
    assert "auto_compact" not in call(state, "lake.options")["option_name"].to_pylist()


def test_flushing_where_nothing_is_inlined_does_nothing(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    before = call(state, "lake.current_snapshot")
    flushed = call(state, "ducklake_flush_inlined_data", "lake", table_name="t")
    assert (flushed.column_names, flushed.num_rows) == (["schema_name", "table_name", "rows_flushed"], 0)
    assert call(state, "lake.flush_inlined_data").num_rows == 0
    assert call(state, "lake.current_snapshot") == before
    with pytest.raises(NoSuchTable):
        call(state, "lake.flush_inlined_data", table_name="nope")
    with pytest.raises(NoSuchSchema):
        call(state, "lake.flush_inlined_data", schema_name="nope")


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not name.startswith("table_") or name == "table_info"])
def test_every_function_refuses_a_wrong_catalog_and_wrong_arguments(state: SessionState, name: str) -> None:
    with pytest.raises(InvalidInput, match="Catalog cannot be NULL"):
        call(state, f"ducklake_{name}", None)
    with pytest.raises(NoSuchCatalog, match='Failed to find attached database "nope"'):
        call(state, f"ducklake_{name}", "nope")
    with pytest.raises(InvalidInput, match=rf"ducklake_{name}\(catalog VARCHAR"):
        call(state, f"ducklake_{name}")
    with pytest.raises(InvalidInput, match=rf"ducklake_{name}\(catalog VARCHAR"):
        call(state, f"ducklake_{name}", "lake", "a", "b", "c", "d", "e")
    with pytest.raises(InvalidInput, match=rf"Invalid named parameter \"nope\".*{name}\("):
        call(state, f"lake.{name}", nope=1)


def test_an_argument_of_the_wrong_type_is_refused(state: SessionState) -> None:
    with pytest.raises(InvalidInput, match="dry_run must be BOOLEAN, not 'maybe'"):
        call(state, "lake.expire_snapshots", dry_run="maybe")
    with pytest.raises(InvalidInput, match="older_than must be TIMESTAMPTZ, not 'yesterday'"):
        call(state, "lake.expire_snapshots", older_than="yesterday")
    with pytest.raises(InvalidInput, match=r"versions must be UBIGINT\[\]"):
        call(state, "lake.expire_snapshots", versions=3)
    with pytest.raises(InvalidInput, match="given twice"):
        call(state, "lake.set_option", "auto_compact", False, value=True)


FLAGS_AND_REQUIRED = [
    (function.name, parameter.name)
    for function in FUNCTIONS.values()
    for parameter in function.parameters
    if (parameter.kind is FLAG or parameter.required) and not parameter.nullable
]


@pytest.mark.parametrize(("name", "parameter"), FLAGS_AND_REQUIRED)
def test_null_is_no_boolean_and_nothing_that_is_required(
    state: SessionState, catalog: Catalog, name: str, parameter: str
) -> None:
    make_table(catalog)
    required = {each.name: "t" for each in FUNCTIONS[name].parameters if each.required}
    with pytest.raises(InvalidInput, match=f"{parameter} cannot be NULL"):
        call(state, f"lake.{name}", **{**required, parameter: None})


def test_a_dry_run_that_is_null_drops_nothing(state: SessionState) -> None:
    call(state, "lake.fork_catalog", "f")
    with pytest.raises(InvalidInput, match="dry_run cannot be NULL"):
        call(state, "lake.drop_catalog", "f", dry_run=None)
    assert "f" in call(state, "lake.catalogs")["catalog_name"].to_pylist()


def test_names_are_looked_up_in_the_catalog_in_use(state: SessionState, catalog: Catalog) -> None:
    assert not is_function(state, context_of(state), ("snapshots",))
    assert not is_function(state, context_of(state), ("main", "snapshots"))
    assert is_function(state, context_of(state), ("DuckLake_Snapshots",))
    assert is_function(state, context_of(state), ("LAKE", "Snapshots"))
    assert is_function(state, context_of(state), ("lake", "main", "table_changes"))
    assert not is_function(state, context_of(state), ("lake", "nope"))
    assert not is_function(state, context_of(state), ("other", "snapshots"))
    state.current_catalog = "lake"
    assert is_function(state, context_of(state), ("snapshots",))
    assert is_function(state, context_of(state), ("main", "snapshots"))
    assert not is_function(state, context_of(state), ("nope", "snapshots"))
    assert call(state, "main.snapshots") == call(state, "snapshots")


def test_a_function_of_an_unknown_name_or_schema_is_refused(state: SessionState) -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'snapshots'"):
        call(state, "lake.snapshot")
    with pytest.raises(NoSuchSchema):
        call(state, "lake.nope.snapshots")


def test_the_change_feed_wants_a_table_and_points_of_one_kind(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    with transaction(catalog) as tx:
        create_view(tx, "main", "v", ViewDefinition("SELECT 1"))
    head = call(state, "lake.current_snapshot").to_pylist()[0]["id"]
    with pytest.raises(InvalidInput, match=r'"v" is a View, not a table\. Data change feed functions only support'):
        call(state, "lake.table_changes", "v", 1, head)
    with pytest.raises(InvalidInput, match="Snapshot identifier cannot be NULL"):
        call(state, "lake.table_insertions", "t", None, 2)
    with pytest.raises(InvalidInput, match="two versions or two timestamps"):
        call(state, "lake.table_deletions", "t", 1, datetime.now(UTC))
    with pytest.raises(NoSuchSnapshot, match="No snapshot found at version 1000000"):
        call(state, "lake.table_changes", "t", 1, 1000000)
    with pytest.raises(NoSuchSnapshot, match="No snapshot found at timestamp"):
        call(state, "lake.table_changes", "t", "2020-01-01", "2020-01-02")
    with pytest.raises(InvalidInput, match=r"ducklake_table_changes\(catalog VARCHAR, schema VARCHAR, table_name"):
        call(state, "ducklake_table_changes", "lake", "main", "t", 1)


@pytest.mark.parametrize(
    ("function", "named", "message"),
    [
        ("expire_snapshots", {"versions": [1], "older_than": "2026-01-01"}, "cannot specify both 'versions' and"),
        ("cleanup_old_files", {"cleanup_all": True, "older_than": "2026-01-01"}, "either cleanup_all OR older_than"),
        ("delete_orphaned_files", {"cleanup_all": True, "older_than": "2026-01-01"}, "either cleanup_all OR"),
        ("merge_adjacent_files", {"max_compacted_files": 0}, "max_compacted_files option must be greater than zero"),
        ("merge_adjacent_files", {"max_compacted_files": None}, "must be a non-null integer"),
        ("file_holders", {"path": "x", "limit": None}, "must be a non-null integer"),
        ("merge_adjacent_files", {"max_file_size": 0}, "max_file_size option must be greater than zero"),
        ("merge_adjacent_files", {"min_file_size": 9, "max_file_size": 9}, "min_file_size must be less than"),
        ("rewrite_data_files", {"delete_threshold": 1.5}, "delete_threshold option must be between 0 and 1"),
    ],
)
def test_maintenance_checks_its_arguments(
    state: SessionState, function: str, named: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        call(state, f"lake.{function}", **named)


def test_adding_files_says_what_is_not_there(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    with pytest.raises(InvalidInput, match="No files found that match the pattern"):
        call(state, "ducklake_add_data_files", "lake", "t", ["a.parquet"], schema="main", allow_missing=True)
    with pytest.raises(NoSuchTable):
        call(state, "lake.add_data_files", "nope", "a.parquet")


def test_compaction_without_anything_to_do_starts_no_spark(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    for function in ("merge_adjacent_files", "rewrite_data_files"):
        for arguments in ([], ["t"]):
            answer = call(state, f"lake.{function}", *arguments)
            assert answer.column_names == ["schema_name", "table_name", "files_processed", "files_created"]
            assert answer.num_rows == 0
        with pytest.raises(NoSuchTable):
            call(state, f"lake.{function}", "nope")
        with pytest.raises(NoSuchSchema):
            call(state, f"lake.{function}", schema="nope")
    assert not state.provider.is_running


def test_metadata_functions_start_no_spark(state: SessionState, catalog: Catalog) -> None:
    make_table(catalog)
    for name in ("snapshots", "current_snapshot", "table_info", "options", "settings", "catalogs"):
        call_function(state, ("lake", name), [], {})
    assert not state.provider.is_running
