"""The changes of a transaction: one frozen dataclass per kind of change, their union, and their text form.

Fields with `compare=False` are set only for the transaction's own changes; they are not part of the text form.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from forklake.errors import CorruptMetadata
from forklake.model.ids import CatalogId, MacroId, SchemaId, TableId, ViewId
from forklake.model.names import quote_identifier, quote_if_needed

MacroKind = Literal["scalar", "table"]


@dataclass(frozen=True, slots=True)
class CreatedCatalog:
    tag: ClassVar[str] = "created_catalog"
    name: str


@dataclass(frozen=True, slots=True)
class ForkedFrom:
    tag: ClassVar[str] = "forked_from"
    catalog_id: CatalogId


@dataclass(frozen=True, slots=True)
class CreatedSchema:
    tag: ClassVar[str] = "created_schema"
    name: str


@dataclass(frozen=True, slots=True)
class DroppedSchema:
    tag: ClassVar[str] = "dropped_schema"
    schema_id: SchemaId
    name: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class AlteredSchema:
    tag: ClassVar[str] = "altered_schema"
    schema_id: SchemaId


@dataclass(frozen=True, slots=True)
class CreatedTable:
    """A table was created under this name, or renamed to it (then accompanied by a `RenamedTable`)."""

    tag: ClassVar[str] = "created_table"
    schema: str
    name: str
    schema_id: SchemaId | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DroppedTable:
    tag: ClassVar[str] = "dropped_table"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class RenamedTable:
    tag: ClassVar[str] = "renamed_table"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class AlteredTable:
    """Columns, defaults, comments, partitioning or sorting of a table changed."""

    tag: ClassVar[str] = "altered_table"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class CreatedView:
    """A view was created under this name, or renamed to it (then accompanied by a `RenamedView`)."""

    tag: ClassVar[str] = "created_view"
    schema: str
    name: str
    schema_id: SchemaId | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DroppedView:
    tag: ClassVar[str] = "dropped_view"
    view_id: ViewId


@dataclass(frozen=True, slots=True)
class RenamedView:
    tag: ClassVar[str] = "renamed_view"
    view_id: ViewId


@dataclass(frozen=True, slots=True)
class AlteredView:
    tag: ClassVar[str] = "altered_view"
    view_id: ViewId


@dataclass(frozen=True, slots=True)
class CreatedMacro:
    kind: MacroKind
    schema: str
    name: str
    schema_id: SchemaId | None = field(default=None, compare=False)

    @property
    def tag(self) -> str:
        return f"created_{self.kind}_macro"


@dataclass(frozen=True, slots=True)
class DroppedMacro:
    kind: MacroKind
    macro_id: MacroId

    @property
    def tag(self) -> str:
        return f"dropped_{self.kind}_macro"


@dataclass(frozen=True, slots=True)
class InsertedInto:
    """Data files were added to a table."""

    tag: ClassVar[str] = "inserted_into_table"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class DeletedFrom:
    """Rows of data files were deleted, by delete files or by ending whole files."""

    tag: ClassVar[str] = "deleted_from_table"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class InlinedInsert:
    tag: ClassVar[str] = "inlined_insert"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class InlinedDelete:
    tag: ClassVar[str] = "inlined_delete"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class FlushedInlined:
    """Inlined rows were moved to data files."""

    tag: ClassVar[str] = "inline_flush"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class MergedAdjacent:
    """Small data files were merged into larger ones."""

    tag: ClassVar[str] = "merge_adjacent"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class RewroteDeletes:
    """Data files were rewritten without their deleted rows."""

    tag: ClassVar[str] = "rewrite_delete"
    table_id: TableId


@dataclass(frozen=True, slots=True)
class SetOption:
    tag: ClassVar[str] = "set_option"
    key: str


SchemaChange = CreatedSchema | DroppedSchema | AlteredSchema
RowChange = (
    InsertedInto | DeletedFrom | InlinedInsert | InlinedDelete | FlushedInlined | MergedAdjacent | RewroteDeletes
)
TableChange = DroppedTable | RenamedTable | AlteredTable | RowChange
ViewChange = DroppedView | RenamedView | AlteredView
Creation = CreatedTable | CreatedView | CreatedMacro
Change = CreatedCatalog | ForkedFrom | SchemaChange | TableChange | ViewChange | Creation | DroppedMacro | SetOption


def format_changes(changes: Iterable[Change]) -> str | None:
    """The text stored with a snapshot: distinct entries in canonical order; None if there are no changes."""
    return ",".join(_entry(change) for change in canonical_order(changes)) or None


def parse_changes(text: str | None) -> tuple[Change, ...]:
    """Parses the text stored with a snapshot, keeping its order; raises `CorruptMetadata` for an unreadable entry."""
    return tuple(_read_entry(entry) for entry in _split_entries(text)) if text else ()


def canonical_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The distinct changes in the order in which they are written."""
    return tuple(sorted(dict.fromkeys(changes), key=lambda change: _RANK[change.tag]))


def changes_map(changes: Iterable[Change]) -> dict[str, list[str]]:
    """The changes as shown by `snapshots()`: a list of names or ids for each kind that occurs."""
    shown: dict[str, list[str]] = {}
    for change in canonical_order(changes):
        shown.setdefault(_KINDS[change.tag].map_key, []).append(_subject(change, quote_if_needed))
    return shown


def _entry(change: Change) -> str:
    return f"{change.tag}:{_subject(change, quote_identifier)}"


def _subject(change: Change, quote: Callable[[str], str]) -> str:
    match change:
        case CreatedCatalog() | CreatedSchema():
            return quote(change.name)
        case CreatedTable() | CreatedView() | CreatedMacro():
            return f"{quote(change.schema)}.{quote(change.name)}"
        case SetOption():
            return quote(change.key)
        case ForkedFrom():
            return str(change.catalog_id)
        case DroppedSchema() | AlteredSchema():
            return str(change.schema_id)
        case DroppedView() | RenamedView() | AlteredView():
            return str(change.view_id)
        case DroppedMacro():
            return str(change.macro_id)
        case _:
            return str(change.table_id)


def _split_entries(text: str) -> Iterator[str]:
    """Splits at commas outside quotes; a doubled quote toggles twice, which has no effect."""
    start, quoted = 0, False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _read_entry(entry: str) -> Change:
    tag, _, value = entry.partition(":")
    tag = tag.strip().lower()
    kind = _KINDS.get(_SYNONYMS.get(tag, tag))
    if kind is None:
        raise CorruptMetadata(f"Unsupported change type in the snapshot's entry {entry[:200]!r}.")
    try:
        return kind.read(value.strip())
    except ValueError:
        raise CorruptMetadata(f"The snapshot's entry {entry[:200]!r} cannot be read.") from None


def _read_id(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,19}", value):
        raise ValueError(value)
    return int(value)


def _read_name(value: str) -> str:
    match = re.fullmatch(r'"((?:[^"]|"")*)"', value)
    if match is None:
        raise ValueError(value)
    return match[1].replace('""', '"')


def _read_names(value: str) -> tuple[str, str]:
    match = re.fullmatch(r'("(?:[^"]|"")*")\.("(?:[^"]|"")*")', value)
    if match is None:
        raise ValueError(value)
    return _read_name(match[1]), _read_name(match[2])


class _ChangeKind(NamedTuple):
    map_key: str
    read: Callable[[str], Change]


# In the order in which entries are written.
_KINDS: dict[str, _ChangeKind] = {
    "created_catalog": _ChangeKind("catalogs_created", lambda v: CreatedCatalog(_read_name(v))),
    "forked_from": _ChangeKind("forked_from", lambda v: ForkedFrom(CatalogId(_read_id(v)))),
    "dropped_schema": _ChangeKind("schemas_dropped", lambda v: DroppedSchema(SchemaId(_read_id(v)))),
    "dropped_table": _ChangeKind("tables_dropped", lambda v: DroppedTable(TableId(_read_id(v)))),
    "dropped_view": _ChangeKind("views_dropped", lambda v: DroppedView(ViewId(_read_id(v)))),
    "created_schema": _ChangeKind("schemas_created", lambda v: CreatedSchema(_read_name(v))),
    "created_table": _ChangeKind("tables_created", lambda v: CreatedTable(*_read_names(v))),
    "created_view": _ChangeKind("views_created", lambda v: CreatedView(*_read_names(v))),
    "renamed_table": _ChangeKind("tables_renamed", lambda v: RenamedTable(TableId(_read_id(v)))),
    "renamed_view": _ChangeKind("views_renamed", lambda v: RenamedView(ViewId(_read_id(v)))),
    "created_scalar_macro": _ChangeKind("scalar_macros_created", lambda v: CreatedMacro("scalar", *_read_names(v))),
    "created_table_macro": _ChangeKind("table_macros_created", lambda v: CreatedMacro("table", *_read_names(v))),
    "dropped_scalar_macro": _ChangeKind(
        "scalar_macros_dropped", lambda v: DroppedMacro("scalar", MacroId(_read_id(v)))
    ),
    "dropped_table_macro": _ChangeKind("table_macros_dropped", lambda v: DroppedMacro("table", MacroId(_read_id(v)))),
    "inserted_into_table": _ChangeKind("tables_inserted_into", lambda v: InsertedInto(TableId(_read_id(v)))),
    "deleted_from_table": _ChangeKind("tables_deleted_from", lambda v: DeletedFrom(TableId(_read_id(v)))),
    "altered_schema": _ChangeKind("schemas_altered", lambda v: AlteredSchema(SchemaId(_read_id(v)))),
    "altered_table": _ChangeKind("tables_altered", lambda v: AlteredTable(TableId(_read_id(v)))),
    "altered_view": _ChangeKind("views_altered", lambda v: AlteredView(ViewId(_read_id(v)))),
    "inlined_insert": _ChangeKind("inlined_insert", lambda v: InlinedInsert(TableId(_read_id(v)))),
    "inlined_delete": _ChangeKind("inlined_delete", lambda v: InlinedDelete(TableId(_read_id(v)))),
    "inline_flush": _ChangeKind("flushed_inlined", lambda v: FlushedInlined(TableId(_read_id(v)))),
    "merge_adjacent": _ChangeKind("merge_adjacent", lambda v: MergedAdjacent(TableId(_read_id(v)))),
    "rewrite_delete": _ChangeKind("rewrite_delete", lambda v: RewroteDeletes(TableId(_read_id(v)))),
    "set_option": _ChangeKind("options_set", lambda v: SetOption(_read_name(v))),
}
_RANK = {tag: rank for rank, tag in enumerate(_KINDS)}

# Names used for the same kinds by other versions of the format.
_SYNONYMS = {"flushed_inlined": "inline_flush", "compacted_table": "merge_adjacent"}
