"""Name resolution within the attachments of a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, cast

from forklake.catalog.reading.view import view_at
from forklake.catalog.transaction.names import find_object, find_schema, get_schema, get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import InvalidInput, InvalidRows, NoSuchTable, NotFound
from forklake.model.entities import Column, Definition, LakeObject, ObjectKind, Table, View
from forklake.model.names import DEFAULT_SCHEMA, fold
from forklake.sql.parsing.constants import Parameters, as_time, as_version, parse_constant
from forklake.sql.parsing.statements import Name, PointInPast
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState

_RELATIONS: tuple[ObjectKind, ...] = ("table", "view")
_FILE_FORMATS = frozenset({"avro", "binaryfile", "csv", "json", "orc", "parquet", "text", "xml"})
"""Formats by which Spark reads files in names such as parquet.`/folder`."""


@dataclass(frozen=True, slots=True)
class Context:
    """Context of name resolution: the dialect, the current catalog and schema, and pinned transactions."""

    dialect: str
    catalog: str | None
    schema: str
    pinned: Mapping[str, Transaction] = field(default_factory=dict)
    """By attachment, the transaction to read instead of the session's."""
    depth: int = 0
    is_kept: bool = False
    """Whether this is the text of a view or macro, which sees its own catalog and no names of the session."""


@dataclass(frozen=True, slots=True)
class BoundRelation:
    """A table or view, with the transaction that it is read in."""

    attachment: Attachment
    tx: Transaction
    schema: str
    entry: LakeObject[Definition]

    @property
    def table(self) -> Table | None:
        return cast("Table", self.entry) if self.entry.kind == "table" else None

    @property
    def view(self) -> View | None:
        return cast("View", self.entry) if self.entry.kind == "view" else None


def context_of(state: SessionState) -> Context:
    """Context of the statements of a session."""
    return Context(state.dialect, state.current_catalog, state.current_schema)


def kept_in(
    attachment: Attachment,
    schema: str,
    dialect: str,
    pinned: Mapping[str, Transaction] | None = None,
    depth: int = 0,
) -> Context:
    """Context of the text of a view or macro: its own catalog and schema, regardless of the reader."""
    return Context(dialect, attachment.name, schema, pinned or {}, depth, is_kept=True)


def is_sparks(name: Name) -> bool:
    """Whether a name cannot be ours by its form: a file, or a table of Spark's own catalog."""
    first = fold(name[0])
    return (len(name) == 2 and first in _FILE_FORMATS) or (len(name) == 3 and first == "spark_catalog")


def in_use(state: SessionState, context: Context) -> Attachment | None:
    """The catalog in which unqualified names are resolved."""
    return None if context.catalog is None else state.attachments.find(context.catalog)


def attached_as(state: SessionState, context: Context, name: str) -> Attachment | None:
    """The attachment of this name, if visible. Views and macros see no names of the session."""
    return None if context.is_kept else state.attachments.find(name)


class CandidatePlace(NamedTuple):
    """A table or view that a name may refer to."""

    attachment: Attachment
    schema: str
    name: str
    is_only: bool
    """Whether the name can refer to nothing else."""


def candidate_places(state: SessionState, context: Context, name: Name) -> list[CandidatePlace]:
    own, only_here = in_use(state, context), context.is_kept and not is_sparks(name)
    match name:
        case (table,):
            return [] if own is None else [CandidatePlace(own, context.schema, table, only_here)]
        case (first, table):
            attached = attached_as(state, context, first)
            found = [] if attached is None else [CandidatePlace(attached, schema_in(context, attached), table, True)]
            if own is not None:
                found.insert(0, CandidatePlace(own, first, table, only_here))
            return found
        case (first, schema, table):
            attached = attached_as(state, context, first)
            return [] if attached is None else [CandidatePlace(attached, schema, table, True)]
    return []


def schema_in(context: Context, attachment: Attachment) -> str:
    """The schema in which unqualified names are resolved in a catalog."""
    is_in_use = context.catalog is not None and fold(context.catalog) == fold(attachment.name)
    return context.schema if is_in_use else DEFAULT_SCHEMA


def find_relation(
    state: SessionState, context: Context, name: Name, at: PointInPast | None = None, parameters: Parameters = None
) -> BoundRelation | None:
    """The table or view of a name; None if it is not ours. Raises if it can only be ours and does not exist."""
    missing: NotFound | None = None
    for attachment, schema, table, only_here in candidate_places(state, context, name):
        must_be_here = only_here or at is not None
        try:
            tx = read_transaction(state, context, attachment, at, parameters)
            parent = get_schema(tx, schema) if must_be_here else find_schema(tx, schema)
            entry = None if parent is None else find_object(tx, parent, table, *_RELATIONS)
            if entry is not None:
                return BoundRelation(attachment, tx, schema, entry)
            if must_be_here:
                get_table(tx, schema, table)
        except NotFound as error:
            # An error about a named catalog is more helpful than one about a schema of that name.
            missing = error if missing is None or only_here else missing
    if missing is not None:
        raise missing
    if context.is_kept and not is_sparks(name):
        raise NoSuchTable(
            f"Table '{'.'.join(name)}' does not exist: views and macros can use only tables of their own catalog."
        )
    return None


def get_relation(state: SessionState, context: Context, name: Name) -> BoundRelation:
    """The table or view of a name, which must be one of ours."""
    found = find_relation(state, context, name)
    if found is not None:
        return found
    candidates = candidate_places(state, context, name)
    if not candidates:
        raise NoSuchTable(f"Table '{'.'.join(name)}' does not exist: no catalog of that name is attached or in use.")
    place = candidates[0]
    get_table(read_transaction(state, context, place.attachment), place.schema, place.name)
    raise NoSuchTable(f"Table '{'.'.join(name)}' does not exist.")


def read_transaction(
    state: SessionState,
    context: Context,
    attachment: Attachment,
    at: PointInPast | None = None,
    parameters: Parameters = None,
) -> Transaction:
    """The transaction to read a catalog in: the session's, or one at a point in the past."""
    if at is None:
        return context.pinned.get(attachment.name) or state.transaction(attachment)
    value = parse_constant(at.value, context.dialect, parameters)
    version, timestamp = (as_version(value), None) if at.unit == "version" else (None, as_time(value, state.time_zone))
    return read_transaction_at(state, attachment, version, timestamp)


def read_transaction_at(
    state: SessionState, attachment: Attachment, version: int | None, timestamp: datetime | None
) -> Transaction:
    """A transaction on a past snapshot, by version or by time; a time gives at most the current snapshot."""
    catalog = attachment.catalog
    version = None if version is None else as_version(version)
    if timestamp is not None and not isinstance(timestamp, datetime):
        raise InvalidInput(f"{timestamp!r} is not a datetime.")
    seen = state.transaction(attachment).base if timestamp is not None and catalog.pinned is None else None
    view = view_at(catalog, version=version, timestamp=timestamp, seen=seen)
    return begin(catalog.at(view.snapshot_id))


def resolve_ddl_target(state: SessionState, context: Context, name: Name) -> tuple[Attachment, str, str]:
    """Where an object of this name is to be created: attachment, schema, name."""
    match name:
        case (table,):
            return state.current, context.schema, table
        case (first, table):
            own = in_use(state, context)
            if own is not None and find_schema(state.transaction(own), first) is not None:
                return own, first, table
            attached = state.attachments.find(first)
            if attached is not None:
                return attached, schema_in(context, attached), table
            return state.current, first, table
        case (first, schema, table):
            return state.attachments.get(first), schema, table
    raise InvalidInput(f"'{'.'.join(name)}' has too many parts; write catalog.schema.name.")


def resolve_ddl_schema(state: SessionState, name: Name) -> tuple[Attachment, str]:
    """Where a schema of this name is to be created or dropped."""
    match name:
        case (schema,):
            return state.current, schema
        case (first, schema):
            return state.attachments.get(first), schema
    raise InvalidInput(f"'{'.'.join(name)}' has too many parts; write catalog.schema.")


def listed_columns(table: Table, names: Sequence[str]) -> list[Column]:
    """The columns of a table in the order that a statement lists them; all columns if it lists none."""
    if not names:
        return list(table.definition.columns)
    known = {fold(column.name): column for column in table.definition.columns}
    found: dict[str, Column] = {}
    for name in names:
        folded = fold(name)
        if folded not in known:
            raise InvalidRows(f"Table '{table.name}' does not have a column with name \"{name}\"")
        if folded in found:
            raise InvalidRows(f"The column {name} is named twice.")
        found[folded] = known[folded]
    return list(found.values())
