"""The objects of a catalog: schemas, tables, views and macros. Each instance is one version of one object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeAlias, TypeVar

from forklake.model.column_types import FLOATS, INTEGERS, ColumnType
from forklake.model.ids import CatalogId, ColumnId, SchemaId, SnapshotId, SortId
from forklake.model.partitions import PartitionSpec

ObjectKind = Literal["schema", "table", "view", "scalar_macro", "table_macro"]

UNCOMMITTED = SnapshotId(-1)
"""Placeholder for the id of a snapshot that is not committed yet."""

_BARE = INTEGERS | FLOATS | {"boolean", "decimal"}
"""Types whose literals are written without quotes."""

COMMENT = "comment"
"""The tag set by COMMENT ON."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column or nested field. `column_id` is also the field id in Parquet files, and is never reused."""

    column_id: ColumnId
    name: str
    type: ColumnType
    nulls_allowed: bool = True
    initial_default: str | None = None
    """The value in files written before the column was added."""
    default_value: str | None = None
    """The value for new rows that do not provide one."""
    default_value_type: Literal["literal", "expression"] | None = None
    default_value_dialect: str | None = None
    added: SnapshotId | None = None
    """The snapshot that added it to an existing table; None for a column created with the table."""
    children: tuple["Column", ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def default_sql(self) -> str | None:
        """The default for new rows as SQL text."""
        value = self.default_value
        if value is None or self.default_value_type == "expression" or self.type.name in _BARE:
            return value
        return "'" + value.replace("'", "''") + "'"

    def leaves(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Column"]]:
        """The leaf fields with their paths from the top."""
        here = (*path, self.name)
        if not self.children:
            yield here, self
        for child in self.children:
            yield from child.leaves(here)

    def walk(self) -> Iterator["Column"]:
        """This field and its descendants, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class SortKey:
    expression: str
    direction: Literal["ASC", "DESC"] = "ASC"
    null_order: Literal["NULLS_FIRST", "NULLS_LAST"] = "NULLS_LAST"
    dialect: str = "spark"


@dataclass(frozen=True, slots=True)
class SortSpec:
    sort_id: SortId
    keys: tuple[SortKey, ...]


@dataclass(frozen=True, slots=True)
class SchemaDefinition:
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableDefinition:
    columns: tuple[Column, ...]
    partition: PartitionSpec | None = None
    sort: SortSpec | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    def leaves(self) -> Iterator[tuple[tuple[str, ...], Column]]:
        for column in self.columns:
            yield from column.leaves()

    def fields(self) -> Iterator[Column]:
        for column in self.columns:
            yield from column.walk()

    @property
    def has_uncommitted_columns(self) -> bool:
        """Whether columns were added that no snapshot has yet."""
        return any(field.added == UNCOMMITTED for column in self.columns for field in column.walk())

    def committed_as(self, snapshot_id: SnapshotId) -> "TableDefinition":
        """Returns the definition with `snapshot_id` as the snapshot that added all uncommitted columns."""
        return replace(self, columns=tuple(_commit_column(column, snapshot_id) for column in self.columns))


def _commit_column(column: Column, snapshot_id: SnapshotId) -> Column:
    children = tuple(_commit_column(child, snapshot_id) for child in column.children)
    added = snapshot_id if column.added == UNCOMMITTED else column.added
    if added == column.added and children == column.children:
        return column
    return replace(column, added=added, children=children)


@dataclass(frozen=True, slots=True)
class ViewDefinition:
    sql: str
    dialect: str = "spark"
    column_aliases: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MacroParameter:
    name: str
    type: str = "unknown"
    default_value: str | None = None
    default_value_type: str | None = None


@dataclass(frozen=True, slots=True)
class MacroImplementation:
    sql: str
    dialect: str = "spark"
    parameters: tuple[MacroParameter, ...] = ()


@dataclass(frozen=True, slots=True)
class MacroDefinition:
    implementations: tuple[MacroImplementation, ...]
    tags: Mapping[str, str] = field(default_factory=dict)


Definition: TypeAlias = SchemaDefinition | TableDefinition | ViewDefinition | MacroDefinition
D_co = TypeVar("D_co", bound=Definition, covariant=True)


@dataclass(frozen=True, slots=True)
class LakeObject(Generic[D_co]):
    """One version of a schema, table, view or macro.

    `owner` is the catalog that wrote the row; seen from a fork it is often an ancestor. `path` is the folder for files,
    relative to the folder of the catalog that writes them.
    """

    owner: CatalogId
    object_id: int
    begin_snapshot: SnapshotId
    kind: ObjectKind
    schema_id: SchemaId
    name: str
    uuid: str
    path: str | None
    definition: D_co


Schema: TypeAlias = LakeObject[SchemaDefinition]
Table: TypeAlias = LakeObject[TableDefinition]
View: TypeAlias = LakeObject[ViewDefinition]
Macro: TypeAlias = LakeObject[MacroDefinition]
