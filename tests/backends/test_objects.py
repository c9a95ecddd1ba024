"""Schemas, tables, views and macros: seen by their own transaction at once, by others when committed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.commit import commit, rollback
from forklake.catalog.transaction.ddl import (
    create_macro,
    create_schema,
    create_table,
    create_view,
    drop_macro,
    drop_schema,
    drop_table,
    drop_view,
    set_object_tag,
)
from forklake.catalog.transaction.names import (
    get_macro,
    get_schema,
    get_table,
    get_view,
    list_macros,
    list_schemas,
    list_tables,
    list_views,
)
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import AlreadyExists, InvalidChange, NoSuchMacro, NoSuchSchema, NoSuchTable, NoSuchView, NotFound
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import (
    Definition,
    LakeObject,
    MacroDefinition,
    MacroImplementation,
    MacroParameter,
    ViewDefinition,
)
from tests.lakes import at, make_table, metadata_rows, transaction

ONE_COLUMN = [ColumnSpec("a", parse_type("int"))]
VIEW = ViewDefinition("SELECT 'x''y' AS a, 💡 FROM t", "spark", ("a", 'b "c"'))
MACRO = MacroDefinition(
    (
        MacroImplementation("a + 1", parameters=(MacroParameter("a"),)),
        MacroImplementation(
            "a + b", "duckdb", (MacroParameter("a", "int"), MacroParameter("b", "int", "2", "literal"))
        ),
    )
)

CREATE: dict[str, Callable[[Transaction], LakeObject[Definition]]] = {
    "schema": lambda tx: create_schema(tx, "s"),
    "table": lambda tx: create_table(tx, "main", "s", ONE_COLUMN),
    "view": lambda tx: create_view(tx, "main", "s", VIEW),
    "scalar macro": lambda tx: create_macro(tx, "main", "s", MACRO),
    "table macro": lambda tx: create_macro(tx, "main", "s", MACRO, table=True),
}
GET: dict[str, Callable[[Transaction, str], LakeObject[Definition]]] = {
    "schema": lambda tx, name: get_schema(tx, name),
    "table": lambda tx, name: get_table(tx, "main", name),
    "view": lambda tx, name: get_view(tx, "main", name),
    "scalar macro": lambda tx, name: get_macro(tx, "main", name),
    "table macro": lambda tx, name: get_macro(tx, "main", name, table=True),
}
DROP: dict[str, Callable[[Transaction], None]] = {
    "schema": lambda tx: drop_schema(tx, "s"),
    "table": lambda tx: drop_table(tx, "main", "s"),
    "view": lambda tx: drop_view(tx, "main", "s"),
    "scalar macro": lambda tx: drop_macro(tx, "main", "s"),
    "table macro": lambda tx: drop_macro(tx, "main", "s", table=True),
}
kinds = pytest.mark.parametrize("kind", CREATE)


def as_created(entry: LakeObject[Definition], seen: LakeObject[Definition]) -> LakeObject[Definition]:
    """What a created object should look like once committed: only the snapshot is new."""
    return replace(entry, begin_snapshot=seen.begin_snapshot)


@kinds
def test_a_new_object_is_seen_by_its_own_transaction_and_by_others_after_the_commit(main: Catalog, kind: str) -> None:
    tx = begin(main)
    created = CREATE[kind](tx)
    assert GET[kind](tx, "s") == created
    with pytest.raises(NotFound):
        GET[kind](begin(main), "s")
    snapshot_id = commit(tx)
    seen = GET[kind](begin(main), "s")
    assert seen == as_created(created, seen)
    assert seen.begin_snapshot == snapshot_id


@kinds
def test_a_dropped_object_is_gone_but_still_there_in_the_past(main: Catalog, kind: str) -> None:
    with transaction(main) as tx:
        CREATE[kind](tx)
    then, before = begin(main).base, GET[kind](begin(main), "s")
    tx = begin(main)
    DROP[kind](tx)
    with pytest.raises(NotFound):
        GET[kind](tx, "s")
    assert GET[kind](begin(main), "s") == before
    commit(tx)
    with pytest.raises(NotFound, match="catalog 'main'"):
        GET[kind](begin(main), "s")
    assert GET[kind](begin(at(main, then)), "s") == before
    with pytest.raises(NotFound):
        GET[kind](begin(at(main, list_snapshots(main)[0].snapshot_id)), "s")


@kinds
def test_what_is_created_and_dropped_in_one_transaction_leaves_no_snapshot(main: Catalog, kind: str) -> None:
    before = metadata_rows(main.lake)
    tx = begin(main)
    CREATE[kind](tx)
    DROP[kind](tx)
    assert commit(tx) is None
    assert metadata_rows(main.lake) == before


@kinds
def test_what_is_rolled_back_never_was(main: Catalog, kind: str) -> None:
    before = metadata_rows(main.lake)
    tx = begin(main)
    CREATE[kind](tx)
    rollback(tx)
    assert metadata_rows(main.lake) == before


@kinds
def test_a_taken_name_is_refused_in_any_case_staged_or_committed(main: Catalog, kind: str) -> None:
    tx = begin(main)
    CREATE[kind](tx)
    with pytest.raises(AlreadyExists, match='"s" already exists'):
        CREATE[kind](tx)
    commit(tx)
    with pytest.raises(AlreadyExists, match='"s" already exists'):
        CREATE[kind](begin(main))
    assert GET[kind](begin(main), "S") == GET[kind](begin(main), "s")


@kinds
def test_a_tag_makes_a_new_version_and_can_be_removed(main: Catalog, kind: str) -> None:
    with transaction(main) as tx:
        CREATE[kind](tx)
    for key, value in (("comment", "a 'word' 💡"), ("owner", "Anna"), ("comment", None)):
        with transaction(main) as tx:
            set_object_tag(tx, GET[kind](tx, "s"), value, key=key)
    tags = [GET[kind](begin(at(main, each.snapshot_id)), "s").definition.tags for each in list_snapshots(main)[1:]]
    said = {"comment": "a 'word' 💡"}
    assert tags == [{}, said, {**said, "owner": "Anna"}, {"owner": "Anna"}]


def test_scalar_and_table_macros_of_one_name_live_side_by_side(main: Catalog) -> None:
    with transaction(main) as tx:
        CREATE["scalar macro"](tx)
        CREATE["table macro"](tx)
        CREATE["table"](tx)
    assert [entry.kind for entry in list_macros(begin(main), "main")] == ["scalar_macro", "table_macro"]
    with transaction(main) as tx:
        DROP["scalar macro"](tx)
    assert [entry.kind for entry in list_macros(begin(main), "main")] == ["table_macro"]
    with pytest.raises(NoSuchMacro):
        get_macro(begin(main), "main", "s")


def test_a_table_and_a_view_cannot_share_a_name(main: Catalog) -> None:
    with transaction(main) as tx:
        CREATE["table"](tx)
    tx = begin(main)
    with pytest.raises(AlreadyExists):
        CREATE["view"](tx)
    with pytest.raises(InvalidChange, match="is of type Table, trying to replace with type View"):
        create_view(tx, "main", "s", VIEW, or_replace=True)
    with pytest.raises(InvalidChange, match="is of type Table, trying to drop type View"):
        drop_view(tx, "main", "s")


def test_what_replaces_an_object_is_another_object(main: Catalog) -> None:
    with transaction(main) as tx:
        old = create_table(tx, "main", "t", ONE_COLUMN)
        create_view(tx, "main", "v", VIEW)
        create_macro(tx, "main", "m", MACRO)
    then = begin(main).base
    other = ViewDefinition("SELECT 2")
    with transaction(main) as tx:
        new = create_table(tx, "main", "T", [ColumnSpec("b", parse_type("date"))], or_replace=True)
        create_view(tx, "main", "v", other, or_replace=True)
        create_macro(tx, "main", "m", MacroDefinition((MacroImplementation("1"),)), or_replace=True)
    tx = begin(main)
    assert [table.name for table in list_tables(tx, "main")] == ["T"]
    assert get_table(tx, "main", "t").object_id == new.object_id != old.object_id
    assert get_table(tx, "main", "t").uuid != old.uuid
    assert [view.definition for view in list_views(tx, "main")] == [other]
    assert get_view(begin(at(main, then)), "main", "v").definition == VIEW
    assert get_macro(begin(at(main, then)), "main", "m").definition == MACRO


def test_what_may_exist_or_be_missing_is_left_alone(main: Catalog) -> None:
    before = metadata_rows(main.lake)
    tx = begin(main)
    assert create_schema(tx, "MAIN", if_not_exists=True).name == "main"
    drop_table(tx, "main", "gone", if_exists=True)
    drop_table(tx, "gone", "gone", if_exists=True)
    drop_view(tx, "main", "gone", if_exists=True)
    drop_macro(tx, "main", "gone", if_exists=True)
    drop_schema(tx, "gone", if_exists=True)
    assert commit(tx) is None
    assert metadata_rows(main.lake) == before


def test_the_nearest_name_is_suggested_for_what_is_missing(main: Catalog) -> None:
    make_table(main, "orders")
    tx = begin(main)
    with pytest.raises(NoSuchTable, match=r"'main\.order' does not exist.*Did you mean 'orders'"):
        get_table(tx, "main", "order")
    with pytest.raises(NoSuchSchema, match="Did you mean 'main'"):
        get_table(tx, "mian", "orders")
    with pytest.raises(NoSuchView):
        get_view(tx, "main", "orders")


def test_a_schema_is_dropped_with_what_is_in_it_only_if_told_so(main: Catalog) -> None:
    with transaction(main) as tx:
        create_schema(tx, "s")
        create_table(tx, "s", "t", ONE_COLUMN)
        create_macro(tx, "s", "m", MACRO)
    with pytest.raises(InvalidChange, match=r"CASCADE.*: m, t"):
        drop_schema(begin(main), "s")
    with transaction(main) as tx:
        drop_schema(tx, "s", cascade=True)
    assert [schema.name for schema in list_schemas(begin(main))] == ["main"]
    with transaction(main) as tx:
        create_schema(tx, "s")
    assert list_tables(begin(main), "s") == []
