"""Conflict detection: whether a transaction is compatible with the snapshots committed since it began.

Pure functions over a table of rules. All changes belong to one catalog, so ids are comparable. A row is stored either
in a data file or in an inlined batch: a `DeletedFrom` never affects an inlined row, nor an `InlinedDelete` a file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from forklake.model.changes import (
    AlteredSchema,
    AlteredTable,
    AlteredView,
    Change,
    CreatedCatalog,
    CreatedMacro,
    CreatedSchema,
    CreatedTable,
    CreatedView,
    Creation,
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
    SchemaChange,
    SetOption,
    TableChange,
    ViewChange,
)
from forklake.model.ids import BatchId, DataFileId, SnapshotId, TableId
from forklake.model.names import fold, quote_identifier

_Contended = TableChange | ViewChange | SchemaChange | Creation | DroppedMacro
_Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchedRows:
    """The files and inlined rows that were deleted from, ended or compacted, per table.

    For a table that is absent they are unknown, and everything in it counts as touched.
    """

    files: Mapping[TableId, frozenset[DataFileId]] = field(default_factory=dict)
    inlined_rows: Mapping[TableId, frozenset[tuple[BatchId, int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnChanges:
    """The changes of the transaction that is being committed.

    `tightened` contains the altered tables whose new definition concurrent inserts may violate (SET NOT NULL, a new
    type). A creation without a schema id is in a schema that this same transaction creates.
    """

    changes: tuple[Change, ...]
    touched: TouchedRows = TouchedRows()
    tightened: frozenset[TableId] = frozenset()


@dataclass(frozen=True, slots=True)
class CommittedChanges:
    """The changes of one snapshot that another transaction committed since this one began."""

    snapshot_id: SnapshotId
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """One reason why the transaction cannot be committed."""

    snapshot_id: SnapshotId
    subject: str
    message: str


def find_conflicts(mine: OwnChanges, theirs: Sequence[CommittedChanges], their_touched: TouchedRows) -> list[Conflict]:
    """All conflicts with the snapshots committed since, in snapshot order; empty if the commit may proceed."""
    watched: dict[_Place, list[_Contended]] = {}
    for own in _contending_changes(mine.changes):
        for place in _places_watched(own):
            watched.setdefault(place, []).append(own)
    found = (
        _conflict_between(committed.snapshot_id, own, their, mine, their_touched)
        for committed in theirs
        for their in _contending_changes(committed.changes)
        for place in _places_touched(their)
        for own in watched.get(place, ())
    )
    return list(dict.fromkeys(conflict for conflict in found if conflict))


def _contending_changes(changes: tuple[Change, ...]) -> list[_Contended]:
    """The changes that can conflict at all."""
    return [change for change in changes if not isinstance(change, CreatedCatalog | ForkedFrom | SetOption)]


_Item = TypeVar("_Item")


def _overlap(ours: frozenset[_Item] | None, theirs: frozenset[_Item] | None) -> bool:
    return ours is None or theirs is None or not ours.isdisjoint(theirs)


def _same_file(table: TableId, mine: OwnChanges, touched: TouchedRows) -> bool:
    return _overlap(mine.touched.files.get(table), touched.files.get(table))


def _same_row(table: TableId, mine: OwnChanges, touched: TouchedRows) -> bool:
    return _overlap(mine.touched.inlined_rows.get(table), touched.inlined_rows.get(table))


def _is_tightened(table: TableId, mine: OwnChanges, touched: TouchedRows) -> bool:
    return table in mine.tightened


@dataclass(frozen=True, slots=True)
class _Rule:
    """A cell of the matrix: the wording for the other change, and the condition for a conflict (None: always)."""

    but: str
    when: Callable[[TableId, OwnChanges, TouchedRows], bool] | None = None


_DROPPED = _Rule("another transaction has dropped it")
_DROPPED_ALREADY = _Rule("another transaction has dropped it already")
_DROPPED_SCHEMA = _Rule("another transaction has dropped this schema")
_ALTERED = _Rule("another transaction has altered it")
_RENAMED = _Rule("another transaction has renamed it")
_INSERTED = _Rule("another transaction has inserted into it")
_DELETED = _Rule("another transaction has deleted from it")
_DELETED_INLINED = _Rule("another transaction has deleted inlined data from it")
_FLUSHED = _Rule("another transaction has flushed it")
_FLUSHED_INLINED = _Rule("another transaction has flushed the inlined data")
_COMPACTED = _Rule("another transaction has compacted it")
_CREATED_TABLE = _Rule("this table has been created by another transaction already")
_CREATED_VIEW = _Rule("this view has been created by another transaction already")
_CREATED_MACRO = _Rule("this macro has been created by another transaction already")
_CREATED_SCHEMA = _Rule("another transaction has created a schema with this name already")
_CREATED_IN_SCHEMA = _Rule("another transaction has created an entry in this schema")

_DELETED_SAME_FILE = _Rule(_DELETED.but, _same_file)
_COMPACTED_SAME_FILE = _Rule(_COMPACTED.but, _same_file)
_DELETED_SAME_ROW = _Rule(_DELETED_INLINED.but, _same_row)
_INSERTED_UNCHECKED = _Rule(_INSERTED.but, _is_tightened)

# A row for each kind of own change, a cell for each kind of committed change that may conflict with it. Only pairs with
# a common place (see _places_watched and _places_touched) are looked up; no cell means no conflict.
_Row = Mapping[type[_Contended], _Rule]
_INSERT: _Row = {
    DroppedTable: _DROPPED,
    AlteredTable: _ALTERED,
    DeletedFrom: _DELETED,
    InlinedDelete: _DELETED_INLINED,
}
_COMPACT: _Row = {
    DroppedTable: _DROPPED,
    DeletedFrom: _DELETED_SAME_FILE,
    MergedAdjacent: _COMPACTED,
    RewroteDeletes: _COMPACTED,
}
_TAKE_NAME: _Row = {CreatedTable: _CREATED_TABLE, CreatedView: _CREATED_VIEW, DroppedSchema: _DROPPED_SCHEMA}
_MATRIX: Mapping[type[_Contended], _Row] = {
    InsertedInto: _INSERT,
    InlinedInsert: _INSERT,
    DeletedFrom: {
        DroppedTable: _DROPPED,
        AlteredTable: _ALTERED,
        InsertedInto: _INSERTED,
        InlinedInsert: _INSERTED,
        DeletedFrom: _DELETED_SAME_FILE,
        MergedAdjacent: _COMPACTED_SAME_FILE,
        RewroteDeletes: _COMPACTED_SAME_FILE,
    },
    InlinedDelete: {
        DroppedTable: _DROPPED,
        AlteredTable: _ALTERED,
        InsertedInto: _INSERTED,
        InlinedInsert: _INSERTED,
        InlinedDelete: _DELETED_SAME_ROW,
        FlushedInlined: _FLUSHED_INLINED,
    },
    FlushedInlined: {DroppedTable: _DROPPED, InlinedDelete: _DELETED_INLINED, FlushedInlined: _FLUSHED},
    MergedAdjacent: _COMPACT,
    RewroteDeletes: _COMPACT,
    AlteredTable: {
        DroppedTable: _DROPPED,
        AlteredTable: _ALTERED,
        InsertedInto: _INSERTED_UNCHECKED,
        InlinedInsert: _INSERTED_UNCHECKED,
    },
    DroppedTable: {DroppedTable: _DROPPED_ALREADY},
    RenamedTable: {DroppedTable: _DROPPED, RenamedTable: _RENAMED},
    AlteredView: {DroppedView: _DROPPED, AlteredView: _ALTERED},
    DroppedView: {DroppedView: _DROPPED_ALREADY},
    RenamedView: {DroppedView: _DROPPED, RenamedView: _RENAMED},
    DroppedMacro: {DroppedMacro: _DROPPED_ALREADY},
    CreatedTable: _TAKE_NAME,
    CreatedView: _TAKE_NAME,
    CreatedMacro: {CreatedMacro: _CREATED_MACRO, DroppedSchema: _DROPPED_SCHEMA},
    CreatedSchema: {CreatedSchema: _CREATED_SCHEMA},
    AlteredSchema: {DroppedSchema: _DROPPED, AlteredSchema: _ALTERED},
    DroppedSchema: {
        DroppedSchema: _DROPPED_ALREADY,
        CreatedTable: _CREATED_IN_SCHEMA,
        CreatedView: _CREATED_IN_SCHEMA,
        CreatedMacro: _CREATED_IN_SCHEMA,
    },
}

_ACTIONS: Mapping[type[_Contended], str] = {
    InsertedInto: "insert into table",
    InlinedInsert: "insert into table",
    DeletedFrom: "delete from table",
    InlinedDelete: "delete from table",
    FlushedInlined: "flush inline data",
    MergedAdjacent: "compact table",
    RewroteDeletes: "compact table",
    AlteredTable: "alter table",
    DroppedTable: "drop table",
    RenamedTable: "rename table",
    AlteredView: "alter view",
    DroppedView: "drop view",
    RenamedView: "rename view",
    DroppedMacro: "drop macro",
    AlteredSchema: "alter schema",
    DroppedSchema: "drop schema",
    CreatedTable: "create table",
    CreatedView: "create view",
    CreatedMacro: "create macro",
    CreatedSchema: "create schema",
}


def _places_watched(own: _Contended) -> Iterator[_Place]:
    """The places where a committed change may conflict with this own change."""
    match own:
        case CreatedTable() | CreatedView() | CreatedMacro():
            yield _name_place(own)
            if own.schema_id is not None:
                yield "schema", str(own.schema_id)
        case DroppedSchema():
            if own.name is None:
                raise ValueError("A schema dropped by the transaction itself must have a name.")
            yield _identity(own)
            yield "in schema", fold(own.name)
        case _:
            yield _common_place(own)


def _places_touched(their: _Contended) -> Iterator[_Place]:
    """The places where this committed change may conflict with an own change."""
    match their:
        case CreatedTable() | CreatedView() | CreatedMacro():
            yield _name_place(their)
            yield "in schema", fold(their.schema)
        case _:
            yield _common_place(their)


def _common_place(change: _Contended) -> _Place:
    return ("schema name", fold(change.name)) if isinstance(change, CreatedSchema) else _identity(change)


def _name_place(change: Creation) -> _Place:
    """Tables and views share a namespace; each kind of macro has its own."""
    kind = f"{change.kind} macro" if isinstance(change, CreatedMacro) else "relation"
    return kind, fold(change.schema), fold(change.name)


def _identity(change: _Contended) -> tuple[str, str]:
    """The kind and the id, or the quoted name, of the changed object."""
    match change:
        case CreatedTable() | CreatedView() | CreatedMacro():
            name = f"{quote_identifier(change.schema)}.{quote_identifier(change.name)}"
            return _ACTIONS[type(change)].removeprefix("create "), name
        case CreatedSchema():
            return "schema", quote_identifier(change.name)
        case DroppedSchema() | AlteredSchema():
            return "schema", str(change.schema_id)
        case DroppedView() | RenamedView() | AlteredView():
            return "view", str(change.view_id)
        case DroppedMacro():
            return "macro", str(change.macro_id)
        case _:
            return "table", str(change.table_id)


def _conflict_between(
    snapshot_id: SnapshotId, own: _Contended, their: _Contended, mine: OwnChanges, touched: TouchedRows
) -> Conflict | None:
    rule = _MATRIX[type(own)].get(type(their))
    if rule is None or not _rule_applies(rule, own, mine, touched):
        return None
    attempt = _attempt_on_file_text(own, their, mine, touched) or _attempt_text(own)
    message = f"Transaction conflict - attempting to {attempt} - but {rule.but} (snapshot {snapshot_id})"
    return Conflict(snapshot_id, " ".join(_identity(own)), message)


def _rule_applies(rule: _Rule, own: _Contended, mine: OwnChanges, touched: TouchedRows) -> bool:
    if rule.when is None:
        return True
    return isinstance(own, TableChange) and rule.when(own.table_id, mine, touched)


def _attempt_text(own: _Contended) -> str:
    action = _ACTIONS[type(own)]
    match own:
        case CreatedTable() | CreatedView() | CreatedMacro():
            return f"{action} {quote_identifier(own.name)} in schema {quote_identifier(own.schema)}"
        case CreatedSchema():
            return f"{action} {quote_identifier(own.name)}"
        case _:
            return f'{action} with index "{_identity(own)[1]}"'


def _attempt_on_file_text(own: _Contended, their: _Contended, mine: OwnChanges, touched: TouchedRows) -> str | None:
    """Names the file for two deletes from the same known file."""
    if not (isinstance(own, DeletedFrom) and isinstance(their, DeletedFrom)):
        return None
    nothing: frozenset[DataFileId] = frozenset()
    files = mine.touched.files.get(own.table_id, nothing) & touched.files.get(own.table_id, nothing)
    return f'delete from file with index "{min(files)}"' if files else None
