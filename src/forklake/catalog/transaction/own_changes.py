"""The changes of a transaction, for recording and conflict detection."""

from collections.abc import Iterator
from typing import cast

from forklake.catalog.transaction.staged import StagedObject
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import NoSuchSchema
from forklake.model.changes import (
    AlteredSchema,
    AlteredTable,
    AlteredView,
    Change,
    CreatedMacro,
    CreatedSchema,
    CreatedTable,
    CreatedView,
    DeletedFrom,
    DroppedMacro,
    DroppedSchema,
    DroppedTable,
    DroppedView,
    MacroKind,
    RenamedTable,
    RenamedView,
    SetOption,
)
from forklake.model.conflicts import OwnChanges, TouchedRows
from forklake.model.entities import Definition, LakeObject
from forklake.model.ids import MacroId, SchemaId, TableId, ViewId


def own_changes(transaction: Transaction) -> OwnChanges:
    """The net effect: objects created and dropped in the transaction are ignored."""
    changes: list[Change] = []
    for staged in transaction.objects.values():
        changes += _object_changes(transaction, staged)
    for table in transaction.tables.values():
        changes += table.changes()
    changes += [SetOption(option.key) for option in transaction.options.values()]
    if changes:
        changes += [DeletedFrom(table.table_id) for table in transaction.tables.values() if table.delete_noted]
    touched = TouchedRows(
        {table_id: table.touched_files() for table_id, table in transaction.tables.items()},
        {table_id: table.touched_rows() for table_id, table in transaction.tables.items()},
    )
    tightened = (TableId(object_id) for object_id, staged in transaction.objects.items() if staged.tightened)
    return OwnChanges(tuple(changes), touched, frozenset(tightened))


def _object_changes(transaction: Transaction, staged: StagedObject) -> Iterator[Change]:
    before, now = staged.committed, staged.now
    if now is None:
        assert before is not None
        yield _drop_change(before)
        return
    if before is None or before.name != now.name:
        yield _create_change(transaction, now)
    if before is None:
        return
    renamed, altered = before.name != now.name, before.definition != now.definition
    match now.kind:
        case "schema":
            yield AlteredSchema(SchemaId(now.object_id))
        case "table":
            if renamed:
                yield RenamedTable(TableId(now.object_id))
            if altered:
                yield AlteredTable(TableId(now.object_id))
        case "view":
            if renamed:
                yield RenamedView(ViewId(now.object_id))
            if altered:
                yield AlteredView(ViewId(now.object_id))
        case _:
            # There is no change type for an altered macro: it is replaced.
            yield _drop_change(before)
            yield _create_change(transaction, now)


def _create_change(transaction: Transaction, entry: LakeObject[Definition]) -> Change:
    if entry.kind == "schema":
        return CreatedSchema(entry.name)
    schema = _schema_name(transaction, entry.schema_id)
    # A schema created in this transaction cannot be dropped by others.
    schema_id = None if transaction.is_new(entry.schema_id) else entry.schema_id
    match entry.kind:
        case "table":
            return CreatedTable(schema, entry.name, schema_id)
        case "view":
            return CreatedView(schema, entry.name, schema_id)
        case _:
            return CreatedMacro(_macro_kind(entry), schema, entry.name, schema_id)


def _schema_name(transaction: Transaction, schema_id: SchemaId) -> str:
    schema = transaction.object_with_id(schema_id)
    if schema is None:
        raise NoSuchSchema(f"Schema {schema_id} does not exist in catalog '{transaction.catalog.name}'.")
    return schema.name


def _drop_change(entry: LakeObject[Definition]) -> Change:
    match entry.kind:
        case "schema":
            return DroppedSchema(SchemaId(entry.object_id), entry.name)
        case "table":
            return DroppedTable(TableId(entry.object_id))
        case "view":
            return DroppedView(ViewId(entry.object_id))
        case _:
            return DroppedMacro(_macro_kind(entry), MacroId(entry.object_id))


def _macro_kind(entry: LakeObject[Definition]) -> MacroKind:
    return cast("MacroKind", entry.kind.removesuffix("_macro"))
