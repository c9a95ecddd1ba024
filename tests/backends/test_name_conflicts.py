"""Conflicts about names: two transactions create, rename, comment on and drop schemas, tables, views and macros."""

from collections.abc import Callable

import pytest

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import (
    create_macro,
    create_schema,
    create_table,
    create_view,
    drop_macro,
    drop_schema,
    drop_table,
    drop_view,
    rename_table,
    rename_view,
    set_object_tag,
)
from forklake.catalog.transaction.names import get_schema, get_table, get_view, list_schemas
from forklake.catalog.transaction.options import list_options, set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitConflict
from forklake.model.alterations import ColumnSpec
from forklake.model.entities import Definition, LakeObject, MacroDefinition, MacroImplementation, ViewDefinition
from forklake.model.ids import SchemaId
from tests.backends.table_changes import BIGINT
from tests.lakes import transaction

Change = Callable[[Transaction], object]

COLUMNS = [ColumnSpec("id", BIGINT)]
QUERY = ViewDefinition("SELECT 1 AS one")
MACRO = MacroDefinition((MacroImplementation("1"),))


@pytest.fixture
def catalog(main: Catalog) -> Catalog:
    """With table t, view v and macro m in main, an empty schema s, and a schema full with a table."""
    with transaction(main) as tx:
        create_table(tx, "main", "t", COLUMNS)
        create_view(tx, "main", "v", QUERY)
        create_macro(tx, "main", "m", MACRO)
        create_schema(tx, "s")
        create_schema(tx, "full")
        create_table(tx, "full", "inside", COLUMNS)
    return main


def table(name: str, schema: str = "main") -> Change:
    return lambda tx: create_table(tx, schema, name, COLUMNS)


def view(name: str, schema: str = "main") -> Change:
    return lambda tx: create_view(tx, schema, name, QUERY)


def macro(name: str, schema: str = "main", *, of_rows: bool = False) -> Change:
    return lambda tx: create_macro(tx, schema, name, MACRO, table=of_rows)


def schema(name: str) -> Change:
    return lambda tx: create_schema(tx, name)


def rename_t(name: str) -> Change:
    return lambda tx: rename_table(tx, "main", "t", name)


def rename_v(name: str) -> Change:
    return lambda tx: rename_view(tx, "main", "v", name)


def drop_s(tx: Transaction) -> None:
    drop_schema(tx, "s")


def drop_full(tx: Transaction) -> None:
    drop_schema(tx, "full", cascade=True)


def drop_t(tx: Transaction) -> None:
    drop_table(tx, "main", "t")


def drop_v(tx: Transaction) -> None:
    drop_view(tx, "main", "v")


def drop_m(tx: Transaction) -> None:
    drop_macro(tx, "main", "m")


def comment_on_s(tx: Transaction) -> object:
    return set_object_tag(tx, get_schema(tx, "s"), "schema s")


def comment_on_v(tx: Transaction) -> object:
    return set_object_tag(tx, get_view(tx, "main", "v"), "view v")


def comment_on_inside(tx: Transaction) -> object:
    return set_object_tag(tx, get_table(tx, "full", "inside"), "table inside")


CONFLICTS: dict[str, tuple[Change, Change]] = {
    "create a table - they created it": (table("x"), table("x")),
    "create a table - they created it in capitals": (table("x"), table("X")),
    "create a table - they created a view of its name": (table("x"), view("x")),
    "create a view - they created a table of its name": (view("x"), table("x")),
    "create a table - they renamed another to its name": (table("x"), rename_t("x")),
    "rename a table - they created one of its new name": (rename_t("x"), table("X")),
    "rename a view - they renamed a table to its new name": (rename_v("x"), rename_t("x")),
    "rename a view - they renamed it": (rename_v("x"), rename_v("y")),
    "create a table - they dropped its schema": (table("x", "s"), drop_s),
    "create a view - they dropped its schema": (view("x", "s"), drop_s),
    "create a macro - they dropped its schema": (macro("x", "s"), drop_s),
    "drop a schema - they created a table in it": (drop_s, table("x", "s")),
    "drop a schema - they created a view in it": (drop_s, view("x", "s")),
    "drop a schema - they created a macro in it": (drop_s, macro("x", "s")),
    "drop a schema - they dropped it": (drop_s, drop_s),
    "drop a full schema - they dropped it": (drop_full, drop_full),
    "comment on a table - they dropped its schema": (comment_on_inside, drop_full),
    "create a schema - they created it": (schema("x"), schema("X")),
    "comment on a schema - they commented on it": (comment_on_s, comment_on_s),
    "comment on a schema - they dropped it": (comment_on_s, drop_s),
    "create a macro - they created it": (macro("x"), macro("x")),
    "drop a macro - they dropped it": (drop_m, drop_m),
    "drop a view - they dropped it": (drop_v, drop_v),
    "comment on a view - they commented on it": (comment_on_v, comment_on_v),
    "comment on a view - they dropped it": (comment_on_v, drop_v),
    "rename a view - they dropped it": (rename_v("x"), drop_v),
}
FITS: dict[str, tuple[Change, Change]] = {
    "create a table - they created another": (table("x"), table("y")),
    "create a table - they created one in another schema": (table("x"), table("x", "s")),
    "create a table - they created a macro of its name": (table("x"), macro("x")),
    "create a macro - they created a table macro of its name": (macro("x"), macro("x", of_rows=True)),
    "create a schema - they created another": (schema("x"), schema("y")),
    "create a table - they dropped another schema": (table("x"), drop_s),
    "drop a schema - they created a table elsewhere": (drop_s, table("x")),
    "drop a schema - they commented on it": (drop_s, comment_on_s),
    "drop a full schema - they commented on a table in it": (drop_full, comment_on_inside),
    "drop a view - they commented on it": (drop_v, comment_on_v),
    "drop a view - they renamed it": (drop_v, rename_v("x")),
    "comment on a view - they renamed it": (comment_on_v, rename_v("x")),
    "rename a view - they commented on it": (rename_v("x"), comment_on_v),
    "rename a table - they renamed a view": (rename_t("x"), rename_v("y")),
    "create a table - they dropped one": (table("x"), drop_t),
}


@pytest.mark.parametrize("case", CONFLICTS)
def test_a_conflict_about_a_name_leaves_only_theirs(case: str, catalog: Catalog) -> None:
    mine, theirs = CONFLICTS[case]
    my_tx, their_tx = begin(catalog), begin(catalog)
    mine(my_tx)
    theirs(their_tx)
    expected = _contents(their_tx)
    their_snapshot = commit(their_tx)
    with pytest.raises(CommitConflict, match="Transaction conflict") as refused:
        commit(my_tx)
    assert refused.value.snapshot_id == their_snapshot
    assert _contents(begin(catalog)) == expected


@pytest.mark.parametrize("case", FITS)
def test_changes_that_fit_make_what_one_after_the_other_makes(case: str, catalog: Catalog) -> None:
    mine, theirs = FITS[case]
    before = _contents(begin(catalog))
    my_tx, their_tx = begin(catalog), begin(catalog)
    mine(my_tx)
    theirs(their_tx)
    my_effect, their_effect = _contents(my_tx), _contents(their_tx)
    commit(their_tx)
    commit(my_tx)
    expected = {key: _merged(key, before, their_effect, my_effect) for key in before | their_effect | my_effect}
    assert _contents(begin(catalog)) == {key: value for key, value in expected.items() if value is not None}


def test_of_two_values_of_an_option_the_later_commit_counts(catalog: Catalog) -> None:
    mine, theirs = begin(catalog), begin(catalog)
    set_option(mine, "target_file_size", "2MB")
    set_option(theirs, "target_file_size", "1MB")
    commit(theirs)
    commit(mine)
    assert [(option.key, option.value) for option in list_options(begin(catalog))] == [("target_file_size", "2000000")]


Thing = tuple[str, Definition]


def _contents(tx: Transaction) -> dict[int, Thing]:
    """The name and definition of everything, by id."""
    schemas = list_schemas(tx)
    entries: list[LakeObject[Definition]] = [*schemas]
    for found in schemas:
        entries += tx.objects_in(SchemaId(found.object_id))
    return {entry.object_id: (entry.name, entry.definition) for entry in entries}


def _merged(key: int, before: dict[int, Thing], theirs: dict[int, Thing], mine: dict[int, Thing]) -> Thing | None:
    """An object with the changes of both; gone if one has dropped it."""
    if key not in before:
        return theirs.get(key) or mine.get(key)
    if key not in theirs or key not in mine:
        return None
    name, definition = (
        my_part if my_part != old_part else their_part
        for old_part, their_part, my_part in zip(before[key], theirs[key], mine[key], strict=True)
    )
    assert isinstance(name, str)
    assert not isinstance(definition, str)
    return name, definition
