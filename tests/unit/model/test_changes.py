"""The text of a snapshot's changes: written, read back, and shown as a map."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import CorruptMetadata
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
    canonical_order,
    changes_map,
    format_changes,
    parse_changes,
)
from forklake.model.ids import CatalogId, MacroId, SchemaId, TableId, ViewId

TABLE, VIEW = TableId(12), ViewId(5)

# One of every kind, in the order in which they are written, with the text and the key of the map.
EVERY_KIND: list[tuple[Change, str, str]] = [
    (CreatedCatalog("c"), 'created_catalog:"c"', "catalogs_created"),
    (ForkedFrom(CatalogId(3)), "forked_from:3", "forked_from"),
    (DroppedSchema(SchemaId(2)), "dropped_schema:2", "schemas_dropped"),
    (DroppedTable(TABLE), "dropped_table:12", "tables_dropped"),
    (DroppedView(VIEW), "dropped_view:5", "views_dropped"),
    (CreatedSchema("s"), 'created_schema:"s"', "schemas_created"),
    (CreatedTable("s", "t"), 'created_table:"s"."t"', "tables_created"),
    (CreatedView("s", "v"), 'created_view:"s"."v"', "views_created"),
    (RenamedTable(TABLE), "renamed_table:12", "tables_renamed"),
    (RenamedView(VIEW), "renamed_view:5", "views_renamed"),
    (CreatedMacro("scalar", "s", "m"), 'created_scalar_macro:"s"."m"', "scalar_macros_created"),
    (CreatedMacro("table", "s", "m"), 'created_table_macro:"s"."m"', "table_macros_created"),
    (DroppedMacro("scalar", MacroId(7)), "dropped_scalar_macro:7", "scalar_macros_dropped"),
    (DroppedMacro("table", MacroId(8)), "dropped_table_macro:8", "table_macros_dropped"),
    (InsertedInto(TABLE), "inserted_into_table:12", "tables_inserted_into"),
    (DeletedFrom(TABLE), "deleted_from_table:12", "tables_deleted_from"),
    (AlteredTable(TABLE), "altered_table:12", "tables_altered"),
    (AlteredView(VIEW), "altered_view:5", "views_altered"),
    (InlinedInsert(TABLE), "inlined_insert:12", "inlined_insert"),
    (InlinedDelete(TABLE), "inlined_delete:12", "inlined_delete"),
    (FlushedInlined(TABLE), "inline_flush:12", "flushed_inlined"),
    (MergedAdjacent(TABLE), "merge_adjacent:12", "merge_adjacent"),
    (RewroteDeletes(TABLE), "rewrite_delete:12", "rewrite_delete"),
    (SetOption("target_file_size"), 'set_option:"target_file_size"', "options_set"),
]


@pytest.mark.parametrize(("change", "text", "key"), EVERY_KIND, ids=[text for _, text, _ in EVERY_KIND])
def test_every_kind_is_written_read_and_shown(change: Change, text: str, key: str) -> None:
    assert format_changes([change]) == text
    assert parse_changes(text) == (change,)
    assert list(changes_map([change])) == [key]


def test_entries_are_written_in_canonical_order_whatever_order_they_happened_in() -> None:
    changes = [change for change, _, _ in EVERY_KIND]
    expected = ",".join(text for _, text, _ in EVERY_KIND)
    assert format_changes(reversed(changes)) == expected


def test_a_change_made_twice_is_written_once() -> None:
    assert format_changes([InsertedInto(TABLE), InsertedInto(TABLE)]) == "inserted_into_table:12"


def test_changes_of_one_kind_keep_the_order_in_which_they_happened() -> None:
    assert format_changes([CreatedSchema("b"), CreatedSchema("a")]) == 'created_schema:"b",created_schema:"a"'


def test_no_changes_are_no_text() -> None:
    assert format_changes([]) is None
    assert parse_changes(None) == parse_changes("") == ()


def test_what_only_the_writer_knows_does_not_make_changes_differ() -> None:
    known: list[Change] = [DroppedSchema(SchemaId(2), "s"), CreatedTable("s", "t", SchemaId(2))]
    assert list(parse_changes(format_changes(known))) == known


NAMES = st.text(st.sampled_from(list("ab,\".: Zé日'\\\n")), max_size=8) | st.text(max_size=8)
IDS = st.integers(min_value=0, max_value=2**63 - 1)
MACRO_KINDS = st.sampled_from(["scalar", "table"])
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(CreatedCatalog, NAMES),
    st.builds(ForkedFrom, IDS),
    st.builds(CreatedSchema, NAMES),
    st.builds(DroppedSchema, IDS),
    st.builds(CreatedTable, NAMES, NAMES),
    st.builds(CreatedView, NAMES, NAMES),
    st.builds(CreatedMacro, MACRO_KINDS, NAMES, NAMES),
    st.builds(DroppedMacro, MACRO_KINDS, IDS),
    st.builds(InsertedInto, IDS),
    st.builds(SetOption, NAMES),
)


@given(st.lists(CHANGES, max_size=8))
def test_reading_back_what_was_written_gives_the_canonical_changes(changes: list[Change]) -> None:
    assert parse_changes(format_changes(changes)) == canonical_order(changes)


def test_type_names_are_read_in_any_case() -> None:
    assert parse_changes("Inserted_Into_Table:1") == (InsertedInto(TableId(1)),)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("flushed_inlined:1", FlushedInlined(TableId(1))),
        ("inline_flush:1", FlushedInlined(TableId(1))),
        ("compacted_table:1", MergedAdjacent(TableId(1))),
    ],
)
def test_the_names_of_other_releases_are_read(text: str, change: Change) -> None:
    assert parse_changes(text) == (change,)


def test_an_unknown_entry_is_named_in_the_error() -> None:
    with pytest.raises(CorruptMetadata, match="exploded_table:12"):
        parse_changes("inserted_into_table:1,exploded_table:12")


@pytest.mark.parametrize(
    "text",
    [
        "dropped_table",
        "dropped_table:",
        "dropped_table:x",
        "dropped_table:-1",
        "dropped_table:" + "9" * 5000,
        "created_schema:s",
        'created_schema:"s',
        'created_schema:"a"b"',
        'created_table:"t"',
        'created_table:"s"."t"."u"',
        "inserted_into_table:1,",
    ],
)
def test_a_malformed_entry_is_corrupt_metadata(text: str) -> None:
    with pytest.raises(CorruptMetadata):
        parse_changes(text)


def test_the_map_quotes_names_only_if_needed() -> None:
    changes: list[Change] = [CreatedTable("main", "t"), CreatedTable("my schema", 'a"b'), InsertedInto(TABLE)]
    assert changes_map(changes) == {
        "tables_created": ["main.t", '"my schema"."a""b"'],
        "tables_inserted_into": ["12"],
    }
