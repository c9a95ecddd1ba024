"""Which pairs of changes conflict: the whole matrix, cell by cell, then the rules about names and rows."""

import pytest

from forklake.model.changes import (
    AlteredTable,
    AlteredView,
    Change,
    CreatedCatalog,
    CreatedMacro,
    CreatedSchema,
    CreatedTable,
    CreatedView,
    DeletedFrom,
    DroppedMacro,
    DroppedSchema,
    DroppedTable,
    DroppedView,
    FlushedInlined,
    ForkedFrom,
    InlinedDelete,
    InlinedInsert,
    InsertedInto,
    MergedAdjacent,
    RenamedTable,
    RenamedView,
    RewroteDeletes,
    SetOption,
)
from forklake.model.conflicts import CommittedChanges, Conflict, OwnChanges, TouchedRows, find_conflicts
from forklake.model.ids import (
    BatchId,
    CatalogId,
    DataFileId,
    MacroId,
    SchemaId,
    SnapshotId,
    TableId,
    ViewId,
)

TABLE, OTHER_TABLE = TableId(12), TableId(13)
VIEW, OTHER_VIEW = ViewId(20), ViewId(21)
MACRO, OTHER_MACRO = MacroId(30), MacroId(31)
SCHEMA, OTHER_SCHEMA = SchemaId(1), SchemaId(2)
SNAPSHOT = SnapshotId(99)


def files(*ids: int) -> TouchedRows:
    return TouchedRows(files={TABLE: frozenset(DataFileId(id) for id in ids)})


def rows(*positions: tuple[int, int]) -> TouchedRows:
    return TouchedRows(inlined_rows={TABLE: frozenset((BatchId(batch), position) for batch, position in positions)})


def check(
    mine: Change,
    theirs: Change,
    my_touched: TouchedRows | None = None,
    their_touched: TouchedRows | None = None,
    tightened: bool = False,
) -> list[Conflict]:
    """The conflicts of one change of mine with one of theirs; nothing touched is known unless given."""
    own = OwnChanges((mine,), my_touched or TouchedRows(), frozenset({TABLE} if tightened else ()))
    return find_conflicts(own, [CommittedChanges(SNAPSHOT, (theirs,))], their_touched or TouchedRows())


# --- The matrix of one table: every change of mine against every change of theirs. ---

TABLE_CHANGES: dict[str, type] = {
    "drop": DroppedTable,
    "alter": AlteredTable,
    "rename": RenamedTable,
    "insert": InsertedInto,
    "inlined_insert": InlinedInsert,
    "delete": DeletedFrom,
    "inlined_delete": InlinedDelete,
    "flush": FlushedInlined,
    "merge": MergedAdjacent,
    "rewrite": RewroteDeletes,
}

# X conflicts, . does not; f if a data file, r if an inlined row is common; t if mine tightens the table.
TABLE_MATRIX = """
mine            drop alter rename insert inlined_insert delete inlined_delete flush merge rewrite
insert          X    X     .      .      .              X      X              .     .     .
inlined_insert  X    X     .      .      .              X      X              .     .     .
delete          X    X     .      X      X              f      .              .     f     f
inlined_delete  X    X     .      X      X              .      r              X     .     .
flush           X    .     .      .      .              .      X              X     .     .
merge           X    .     .      .      .              f      .              .     X     X
rewrite         X    .     .      .      .              f      .              .     X     X
alter           X    X     .      t      t              .      .              .     .     .
drop            X    .     .      .      .              .      .              .     .     .
rename          X    .     X      .      .              .      .              .     .     .
"""


def read_cells(matrix: str) -> list[tuple[str, str, str]]:
    header, *lines = (line.split() for line in matrix.strip().splitlines())
    return [(mine, theirs, cell) for mine, *row in lines for theirs, cell in zip(header[1:], row, strict=True)]


def params(cells: list[tuple[str, str, str]]):
    return [pytest.param(*cell, id=f"{cell[0]}-vs-{cell[1]}") for cell in cells]


TABLE_CELLS = read_cells(TABLE_MATRIX)


def test_the_table_matrix_is_complete() -> None:
    pairs = {(mine, theirs) for mine, theirs, _ in TABLE_CELLS}
    assert pairs == {(mine, theirs) for mine in TABLE_CHANGES for theirs in TABLE_CHANGES}


@pytest.mark.parametrize(("mine", "theirs", "cell"), params(TABLE_CELLS))
def test_on_the_same_table(mine: str, theirs: str, cell: str) -> None:
    own, their = TABLE_CHANGES[mine](TABLE), TABLE_CHANGES[theirs](TABLE)
    same = TouchedRows(files(1, 2).files, rows((7, 0)).inlined_rows)
    apart = TouchedRows(files(3).files, rows((7, 1)).inlined_rows)
    assert bool(check(own, their, same, same)) == (cell in "Xfr")
    assert bool(check(own, their, same, apart)) == (cell in "X")
    assert bool(check(own, their, same, apart, tightened=True)) == (cell in "Xt")
    assert bool(check(own, their)) == (cell in "Xfr"), "what is unknown counts as common"


@pytest.mark.parametrize(("mine", "theirs", "cell"), params(TABLE_CELLS))
def test_on_different_tables(mine: str, theirs: str, cell: str) -> None:
    assert check(TABLE_CHANGES[mine](TABLE), TABLE_CHANGES[theirs](OTHER_TABLE), tightened=True) == []


# --- Names, views, macros and schemas: names are "s"."n" in schema 1, ids are the same on both sides. ---

MINE: dict[str, Change] = {
    "create_table": CreatedTable("s", "n", SCHEMA),
    "create_view": CreatedView("s", "n", SCHEMA),
    "create_scalar_macro": CreatedMacro("scalar", "s", "n", SCHEMA),
    "create_table_macro": CreatedMacro("table", "s", "n", SCHEMA),
    "create_schema": CreatedSchema("s"),
    "drop_schema": DroppedSchema(SCHEMA, "s"),
    "drop_view": DroppedView(VIEW),
    "alter_view": AlteredView(VIEW),
    "rename_view": RenamedView(VIEW),
    "drop_macro": DroppedMacro("scalar", MACRO),
}
THEIRS: dict[str, Change] = {
    "create_table": CreatedTable("S", "N"),
    "create_view": CreatedView("S", "N"),
    "create_scalar_macro": CreatedMacro("scalar", "S", "N"),
    "create_table_macro": CreatedMacro("table", "S", "N"),
    "create_schema": CreatedSchema("S"),
    "drop_schema": DroppedSchema(SCHEMA),
    "drop_view": DroppedView(VIEW),
    "alter_view": AlteredView(VIEW),
    "rename_view": RenamedView(VIEW),
    "drop_macro": DroppedMacro("scalar", MACRO),
}
APART: dict[str, Change] = {
    "create_table": CreatedTable("other", "n"),
    "create_view": CreatedView("other", "n"),
    "create_scalar_macro": CreatedMacro("scalar", "other", "n"),
    "create_table_macro": CreatedMacro("table", "other", "n"),
    "create_schema": CreatedSchema("other"),
    "drop_schema": DroppedSchema(OTHER_SCHEMA),
    "drop_view": DroppedView(OTHER_VIEW),
    "alter_view": AlteredView(OTHER_VIEW),
    "rename_view": RenamedView(OTHER_VIEW),
    "drop_macro": DroppedMacro("scalar", OTHER_MACRO),
}

# What each change of mine conflicts with; every other pair of the two lists above is allowed.
OBJECT_CONFLICTS = {
    "create_table": {"create_table", "create_view", "drop_schema"},
    "create_view": {"create_table", "create_view", "drop_schema"},
    "create_scalar_macro": {"create_scalar_macro", "drop_schema"},
    "create_table_macro": {"create_table_macro", "drop_schema"},
    "create_schema": {"create_schema"},
    "drop_schema": {
        "drop_schema",
        "create_table",
        "create_view",
        "create_scalar_macro",
        "create_table_macro",
    },
    "drop_view": {"drop_view"},
    "alter_view": {"drop_view", "alter_view"},
    "rename_view": {"drop_view", "rename_view"},
    "drop_macro": {"drop_macro"},
}
OBJECT_CELLS = [(mine, theirs, "X" if theirs in OBJECT_CONFLICTS[mine] else ".") for mine in MINE for theirs in THEIRS]


@pytest.mark.parametrize(("mine", "theirs", "cell"), params(OBJECT_CELLS))
def test_on_the_same_object(mine: str, theirs: str, cell: str) -> None:
    assert bool(check(MINE[mine], THEIRS[theirs])) == (cell == "X")


@pytest.mark.parametrize(("mine", "theirs", "cell"), params(OBJECT_CELLS))
def test_on_different_objects(mine: str, theirs: str, cell: str) -> None:
    assert check(MINE[mine], APART[theirs]) == []


EVERYTHING = [*MINE.values(), *(kind(TABLE) for kind in TABLE_CHANGES.values())]
HARMLESS = [SetOption("auto_compact"), ForkedFrom(CatalogId(1)), CreatedCatalog("s")]


@pytest.mark.parametrize("harmless", HARMLESS, ids=["set_option", "forked_from", "created_catalog"])
def test_options_and_forks_never_conflict(harmless: Change) -> None:
    for change in [*EVERYTHING, *HARMLESS]:
        assert check(change, harmless) == []
        assert check(harmless, change) == []


# --- Rules worth a sentence of their own. ---


def test_a_rename_conflicts_with_a_drop_of_the_table() -> None:
    [conflict] = check(RenamedTable(TABLE), DroppedTable(TABLE))
    assert "attempting to rename table" in conflict.message


def test_a_dropped_table_may_have_been_renamed_meanwhile() -> None:
    assert check(DroppedTable(TABLE), RenamedTable(TABLE)) == []


def test_two_renames_of_one_table_conflict_even_to_different_names() -> None:
    mine = OwnChanges((CreatedTable("s", "a", SCHEMA), RenamedTable(TABLE)))
    theirs = CommittedChanges(SNAPSHOT, (CreatedTable("s", "b"), RenamedTable(TABLE)))
    assert [conflict.subject for conflict in find_conflicts(mine, [theirs], TouchedRows())] == ["table 12"]


def test_two_tables_renamed_to_one_name_conflict() -> None:
    mine = OwnChanges((CreatedTable("s", "a", SCHEMA), RenamedTable(TABLE)))
    theirs = CommittedChanges(SNAPSHOT, (CreatedView("S", "A"), RenamedView(VIEW)))
    assert [conflict.subject for conflict in find_conflicts(mine, [theirs], TouchedRows())] == ['table "s"."a"']


def test_setting_not_null_conflicts_with_an_insert_it_has_not_seen() -> None:
    assert check(AlteredTable(TABLE), InsertedInto(TABLE), tightened=True)
    assert check(AlteredTable(TABLE), InlinedInsert(TABLE), tightened=True)


def test_a_loosening_alter_goes_with_an_insert() -> None:
    assert check(AlteredTable(TABLE), InsertedInto(TABLE)) == []


def test_a_macro_cannot_be_created_in_a_schema_that_was_dropped() -> None:
    assert check(CreatedMacro("scalar", "s", "m", SCHEMA), DroppedSchema(SCHEMA))


def test_a_schema_that_got_a_macro_cannot_be_dropped() -> None:
    assert check(DroppedSchema(SCHEMA, "s"), CreatedMacro("table", "S", "m"))


def test_a_table_in_a_schema_of_the_same_transaction_does_not_care_about_dropped_schemas() -> None:
    assert check(CreatedTable("s", "t"), DroppedSchema(SCHEMA)) == []


def test_a_comment_on_a_view_conflicts_with_its_drop() -> None:
    assert check(AlteredView(VIEW), DroppedView(VIEW))


def test_deletes_in_different_files_of_a_table_go_together() -> None:
    assert check(DeletedFrom(TABLE), DeletedFrom(TABLE), files(1), files(2)) == []


def test_a_delete_that_matched_nothing_goes_with_another_delete() -> None:
    assert check(DeletedFrom(TABLE), DeletedFrom(TABLE), files(), files(2)) == []


def test_inlined_deletes_of_different_rows_go_together() -> None:
    assert check(InlinedDelete(TABLE), InlinedDelete(TABLE), rows((1, 0)), rows((1, 1), (2, 0))) == []


def test_an_inlined_delete_and_a_flush_conflict_in_both_orders() -> None:
    assert check(InlinedDelete(TABLE), FlushedInlined(TABLE), rows((1, 0)), rows((2, 0)))
    assert check(FlushedInlined(TABLE), InlinedDelete(TABLE), rows((1, 0)), rows((2, 0)))


def test_an_inlined_delete_goes_with_what_happens_to_files() -> None:
    for kind in (DeletedFrom, MergedAdjacent, RewroteDeletes):
        assert check(InlinedDelete(TABLE), kind(TABLE), rows((1, 0)), files(1)) == []
        assert check(kind(TABLE), InlinedDelete(TABLE), files(1), rows((1, 0))) == []


def test_a_schema_of_ones_own_must_carry_its_name_to_be_dropped() -> None:
    with pytest.raises(ValueError, match="must have a name"):
        check(DroppedSchema(SCHEMA), SetOption("x"))


# --- What a conflict says. ---

START = "Transaction conflict - attempting to "
MESSAGES = [
    (
        InsertedInto(TABLE),
        DroppedTable(TABLE),
        'insert into table with index "12" - but another transaction has dropped it',
    ),
    (
        DroppedTable(TABLE),
        DroppedTable(TABLE),
        'drop table with index "12" - but another transaction has dropped it already',
    ),
    (
        DeletedFrom(TABLE),
        MergedAdjacent(TABLE),
        'delete from table with index "12" - but another transaction has compacted it',
    ),
    (
        InlinedDelete(TABLE),
        FlushedInlined(TABLE),
        'delete from table with index "12" - but another transaction has flushed the inlined data',
    ),
    (
        CreatedTable("s", "t"),
        CreatedTable("s", "T"),
        'create table "t" in schema "s" - but this table has been created by another transaction already',
    ),
    (
        CreatedTable("s", 't"'),
        CreatedView("s", 't"'),
        'create table "t""" in schema "s" - but this view has been created by another transaction already',
    ),
    (
        CreatedView("s", "v", SCHEMA),
        DroppedSchema(SCHEMA),
        'create view "v" in schema "s" - but another transaction has dropped this schema',
    ),
    (
        CreatedSchema("s"),
        CreatedSchema("s"),
        'create schema "s" - but another transaction has created a schema with this name already',
    ),
    (
        DroppedSchema(SCHEMA, "s"),
        CreatedMacro("table", "s", "m"),
        'drop schema with index "1" - but another transaction has created an entry in this schema',
    ),
]


@pytest.mark.parametrize(("mine", "theirs", "message"), MESSAGES, ids=[message for *_, message in MESSAGES])
def test_a_conflict_says_what_met_what_and_where(mine: Change, theirs: Change, message: str) -> None:
    [conflict] = check(mine, theirs)
    assert conflict.message == f"{START}{message} (snapshot 99)"
    assert conflict.snapshot_id == SNAPSHOT


def test_deletes_that_meet_in_a_file_name_the_file() -> None:
    [conflict] = check(DeletedFrom(TABLE), DeletedFrom(TABLE), files(8, 7), files(7, 8, 9))
    assert 'delete from file with index "7" - but another transaction has deleted from it' in conflict.message
    assert conflict.subject == "table 12"


def test_every_conflict_is_found_once_in_the_order_of_the_snapshots() -> None:
    mine = OwnChanges((InsertedInto(TABLE), InlinedInsert(TABLE), AlteredView(VIEW)))
    theirs = [
        CommittedChanges(SnapshotId(5), (DroppedView(VIEW),)),
        CommittedChanges(SnapshotId(6), (CreatedSchema("x"),)),
        CommittedChanges(SnapshotId(7), (AlteredTable(TABLE),)),
    ]
    found = find_conflicts(mine, theirs, TouchedRows())
    assert [(conflict.snapshot_id, conflict.subject) for conflict in found] == [
        (5, "view 20"),
        (7, "table 12"),
    ]


def test_no_changes_of_others_are_no_conflict() -> None:
    assert find_conflicts(OwnChanges(tuple(EVERYTHING)), [], TouchedRows()) == []
