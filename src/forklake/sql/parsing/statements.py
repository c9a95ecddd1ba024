"""Statements, one dataclass per kind. Expressions and queries in them are text in the session's dialect."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from forklake.model.table_alterations import DropColumn, MoveColumn, RenameColumn, SetNotNull, SetPartitioning

Name = tuple[str, ...]
"""A qualified name, outermost part first."""
DropKind = Literal["schema", "table", "view", "macro", "macro table"]
CommentKind = Literal["table", "view", "column", "schema", "macro"]
ShowKind = Literal["catalogs", "databases", "schemas", "tables", "all tables", "views", "columns", "settings"]
MergeMatch = Literal["matched", "not matched", "not matched by source"]


@dataclass(frozen=True, slots=True)
class PointInPast:
    """A point in the past: a version or a time, as text of an expression."""

    unit: Literal["version", "timestamp"]
    value: str


@dataclass(frozen=True, slots=True)
class Attach:
    target: str = field(repr=False)
    """May contain a password."""
    name: str | None
    options: Mapping[str, str]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class Detach:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    name: Name


@dataclass(frozen=True, slots=True)
class CreateSecret:
    name: str
    values: Mapping[str, str] = field(repr=False)
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropSecret:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetSetting:
    """SET name = value; without a value, RESET."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class TransactionControl:
    what: Literal["begin", "commit", "rollback"]


@dataclass(frozen=True, slots=True)
class ForkCatalog:
    parent: str
    name: str
    at: PointInPast | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropCatalog:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateSchema:
    name: Name
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    kind: DropKind
    name: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class ColumnText:
    """A column as written: its type, and its default as an expression."""

    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class SortText:
    expression: str
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class CreateTable:
    name: Name
    columns: tuple[ColumnText, ...] = ()
    partitioned_by: tuple[tuple[str, str], ...] = ()
    sorted_by: tuple[SortText, ...] = ()
    comment: str | None = None
    query: str | None = None
    with_data: bool = True
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateView:
    name: Name
    query: str
    aliases: tuple[str, ...] = ()
    comment: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class MacroText:
    parameters: tuple[tuple[str, str | None], ...]
    body: str
    is_table: bool


@dataclass(frozen=True, slots=True)
class CreateMacro:
    name: Name
    implementations: tuple[MacroText, ...]
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddColumnText:
    path: Name
    column: ColumnText
    if_not_exists: bool = False
    after: str | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class SetTypeText:
    path: Name
    type: str


@dataclass(frozen=True, slots=True)
class SetDefaultText:
    """A default as an expression; None drops it."""

    path: Name
    value: str | None


@dataclass(frozen=True, slots=True)
class RenameTo:
    new_name: str


@dataclass(frozen=True, slots=True)
class SetSortingText:
    keys: tuple[SortText, ...]


AlterationText = (
    AddColumnText
    | DropColumn
    | RenameColumn
    | SetTypeText
    | SetDefaultText
    | SetNotNull
    | MoveColumn
    | SetPartitioning
    | SetSortingText
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    name: Name
    alterations: tuple[AlterationText | RenameTo, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterView:
    name: Name
    new_name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    kind: CommentKind
    name: Name
    text: str | None


@dataclass(frozen=True, slots=True)
class Insert:
    name: Name
    query: str | None
    """None inserts one row of defaults."""
    columns: tuple[str, ...] = ()
    by_name: bool = False
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    name: Name
    alias: str | None
    assignments: tuple[tuple[str, str], ...]
    sources: str | None
    where: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    name: Name
    alias: str | None
    sources: str | None
    where: str | None


@dataclass(frozen=True, slots=True)
class Truncate:
    name: Name


@dataclass(frozen=True, slots=True)
class MergeWhen:
    """A clause; without values, it sets all columns of the source."""

    when: MergeMatch
    action: Literal["update", "delete", "insert", "nothing"]
    condition: str | None = None
    values: tuple[tuple[str, str], ...] | None = None
    in_order: tuple[str, ...] | None = None
    """Values in the order of the table's columns, instead of values by name."""
    by_position: bool = False
    """Whether all columns of the source are taken in their order, and not by name."""


@dataclass(frozen=True, slots=True)
class Merge:
    name: Name
    alias: str | None
    source: str
    source_name: str
    on: str
    clauses: tuple[MergeWhen, ...]
    source_table: Name | None = None
    """The table name of the source, if it is a table without an alias."""
    source_columns: tuple[str, ...] = ()
    """New names for the columns of the source, if its alias has any."""

    @property
    def texts(self) -> Iterator[str]:
        """The conditions and values."""
        yield self.on
        for clause in self.clauses:
            yield clause.condition or ""
            yield from (value for _, value in clause.values or ())
            yield from clause.in_order or ()


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function, with its name if given by name."""

    value: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    function: Name
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Show:
    what: ShowKind
    name: Name = ()


@dataclass(frozen=True, slots=True)
class Describe:
    """A table by name, or the columns of a query."""

    name: Name = ()
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Summarize:
    query: str


@dataclass(frozen=True, slots=True)
class Explain:
    statement: str
    mode: str = "simple"


@dataclass(frozen=True, slots=True)
class Copy:
    """COPY a table or a query TO a file, or a table FROM one."""

    to_file: bool
    file: str
    name: Name = ()
    query: str | None = None
    columns: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IgnoredStatement:
    """INSTALL and LOAD, which have no effect."""

    text: str


@dataclass(frozen=True, slots=True)
class Query:
    text: str


Statement = (
    Attach
    | Detach
    | Use
    | CreateSecret
    | DropSecret
    | SetSetting
    | TransactionControl
    | ForkCatalog
    | DropCatalog
    | CreateSchema
    | Drop
    | CreateTable
    | CreateView
    | CreateMacro
    | AlterTable
    | AlterView
    | Comment
    | Insert
    | Update
    | Delete
    | Truncate
    | Merge
    | Call
    | Checkpoint
    | Show
    | Describe
    | Summarize
    | Explain
    | Copy
    | IgnoredStatement
    | Query
)
