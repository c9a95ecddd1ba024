"""The alterations of a table as values: as requested by ALTER TABLE and the methods of a table handle."""

from dataclasses import dataclass

from forklake.model.alterations import ColumnSpec, DefaultType
from forklake.model.column_tree import Path
from forklake.model.column_types import ColumnType
from forklake.model.entities import SortKey


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Add a column, or a field to the struct at `parent`; at the end unless it is to be first, or after another."""

    column: ColumnSpec
    parent: Path = ()
    if_not_exists: bool = False
    after: str | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    path: Path
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    path: Path
    new_name: str


@dataclass(frozen=True, slots=True)
class SetType:
    path: Path
    type: ColumnType


@dataclass(frozen=True, slots=True)
class SetDefault:
    """The stored text of a default, which is a literal or an expression of Spark; None drops it."""

    path: Path
    value: str | None
    value_type: DefaultType | None = None


@dataclass(frozen=True, slots=True)
class SetNotNull:
    path: Path
    not_null: bool = True


@dataclass(frozen=True, slots=True)
class MoveColumn:
    """Move a column after a sibling, or to the front."""

    path: Path
    after: str | None = None


@dataclass(frozen=True, slots=True)
class SetPartitioning:
    """Names of columns with their transforms; without keys, partitioning ends."""

    keys: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SetSorting:
    """Without keys, sorting ends."""

    keys: tuple[SortKey, ...]


@dataclass(frozen=True, slots=True)
class SetColumnComment:
    """None removes the comment."""

    path: Path
    text: str | None


TableAlteration = (
    AddColumn
    | DropColumn
    | RenameColumn
    | SetType
    | SetDefault
    | SetNotNull
    | MoveColumn
    | SetPartitioning
    | SetSorting
    | SetColumnComment
)
