"""The single definition of the metadata tables, from which the DDL of every database is generated.

Every row belongs to the catalog that wrote it and is never changed by another. Versioned rows are visible from
`begin_snapshot` up to, but excluding, `end_snapshot`. `lake_row_end` holds the end markers with which a fork ends
inherited rows.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

SEQUENCES = {"snapshot": 1, "entity": 0, "file": 0, "column": 1_000_001}
"""Global sequences and their start values; SQLite stores them as rows of `lake_counter`."""

MAX_COLUMN_ID = 2_147_483_000
"""Column ids are 31-bit field ids in Parquet files; the highest ones are reserved."""

metadata = MetaData()

# String bounds are compared byte by byte, independent of the database's collation.
_BYTEWISE: TypeEngine[str] = Text().with_variant(Text(collation="C"), "postgresql")
_JSON: TypeEngine[str] = Text().with_variant(JSONB(), "postgresql")
# SQLite has no timestamp type: UTC text of fixed width, which sorts chronologically.
_TIME: TypeEngine[Any] = DateTime(timezone=True).with_variant(Text(), "sqlite")
_UUID: TypeEngine[Any] = Uuid(as_uuid=False).with_variant(Text(), "sqlite")


def _table(name: str, *columns: Column[Any] | Index, key: tuple[str, ...], fillfactor: int = 100) -> Table[Any]:
    """A table, clustered by its key on SQLite; `fillfactor` leaves room for in-place updates on PostgreSQL."""
    for column in columns:
        if isinstance(column, Column) and column.name in key:
            column.primary_key = True
    options: dict[str, Any] = {} if fillfactor == 100 else {"postgresql_with": {"fillfactor": fillfactor}}
    return Table(f"lake_{name}", metadata, *columns, sqlite_with_rowid=False, **options)


def _id(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null, autoincrement=False)


def _text(name: str, *, null: bool = True) -> Column[Any]:
    return Column(name, Text, nullable=null)


def _ended_index(table: str) -> Index:
    """Index on the ended rows of a catalog, the only ones that expiry examines."""
    where = text("end_snapshot IS NOT NULL")
    columns = ("catalog_id", "end_snapshot")
    return Index(f"lake_{table}_ended", *columns, postgresql_where=where, sqlite_where=where)


def _path_index(table: str) -> Index:
    """Index to look up references to a file before it is deleted. A hash index needs a quarter of the space."""
    return Index(f"lake_{table}_path", "path", postgresql_using="hash")


def _version_columns() -> tuple[Column[Any], Column[Any]]:
    return _id("begin_snapshot"), _id("end_snapshot", null=True)


info = _table("info", _text("key", null=False), _text("value", null=False), key=("key",))

instance_option = _table("instance_option", _text("key", null=False), _text("value", null=False), key=("key",))

catalog = _table(
    "catalog",
    _id("catalog_id"),
    Column("catalog_uuid", _UUID, nullable=False),
    _text("catalog_name", null=False),
    _text("path", null=False),
    _id("parent_catalog_id", null=True),
    _id("fork_snapshot", null=True),
    Column("depth", Integer, nullable=False),
    *_version_columns(),
    _id("head_snapshot"),
    Column("head_time", _TIME, nullable=False),
    _id("schema_version"),
    Index(
        "lake_catalog_live_name",
        "catalog_name",
        unique=True,
        postgresql_where=text("end_snapshot IS NULL"),
        sqlite_where=text("end_snapshot IS NULL"),
    ),
    Index("lake_catalog_path", "path", unique=True),
    Index(
        "lake_catalog_parent",
        "parent_catalog_id",
        postgresql_where=text("parent_catalog_id IS NOT NULL"),
        sqlite_where=text("parent_catalog_id IS NOT NULL"),
    ),
    Index(
        "lake_catalog_dropped",
        "catalog_id",
        postgresql_where=text("end_snapshot IS NOT NULL"),
        sqlite_where=text("end_snapshot IS NOT NULL"),
    ),
    key=("catalog_id",),
    fillfactor=90,
)

catalog_ancestor = _table(
    "catalog_ancestor",
    _id("catalog_id"),
    Column("depth", Integer, nullable=False, autoincrement=False),
    _id("ancestor_id"),
    _id("max_snapshot"),
    Index(
        "lake_catalog_ancestor_hold",
        "ancestor_id",
        "max_snapshot",
        postgresql_where=text("depth > 0"),
        sqlite_where=text("depth > 0"),
    ),
    key=("catalog_id", "depth"),
)

snapshot = _table(
    "snapshot",
    _id("catalog_id"),
    _id("snapshot_id"),
    _id("previous_snapshot_id", null=True),
    Column("snapshot_time", _TIME, nullable=False),
    _id("schema_version"),
    _text("changes_made"),
    _text("author"),
    _text("commit_message"),
    _text("commit_extra_info"),
    Column("commit_token", _UUID, nullable=True),
    # Compare-and-set: two commits on top of the same snapshot cannot both succeed.
    Index("lake_snapshot_previous", "catalog_id", "previous_snapshot_id", unique=True),
    Index("lake_snapshot_time", "catalog_id", "snapshot_time"),
    key=("catalog_id", "snapshot_id"),
)

row_end = _table(
    "row_end",
    _id("catalog_id"),
    Column("kind", SmallInteger, nullable=False, autoincrement=False),
    _id("scope_id"),
    _id("object_id"),
    _id("begin_snapshot"),
    _id("end_snapshot"),
    key=("catalog_id", "kind", "scope_id", "object_id", "begin_snapshot"),
)

# Schemas, tables, views and macros: one row for each version. `schema_id` is 0 for schemas.
object_ = _table(
    "object",
    _id("catalog_id"),
    _id("object_id"),
    *_version_columns(),
    _text("kind", null=False),
    _id("schema_id"),
    _text("name", null=False),
    _text("name_key", null=False),
    Column("object_uuid", _UUID, nullable=False),
    _text("path"),
    Column("definition", _JSON, nullable=False),
    Index("lake_object_name", "catalog_id", "schema_id", "name_key"),
    # An object has one live version, even if a writer bypasses the lock.
    Index(
        "lake_object_live",
        "catalog_id",
        "object_id",
        unique=True,
        postgresql_where=text("end_snapshot IS NULL"),
        sqlite_where=text("end_snapshot IS NULL"),
    ),
    Index(
        "lake_object_live_name",
        "catalog_id",
        "schema_id",
        "name_key",
        text("(CASE kind WHEN 'view' THEN 'table' ELSE kind END)"),
        unique=True,
        postgresql_where=text("end_snapshot IS NULL"),
        sqlite_where=text("end_snapshot IS NULL"),
    ),
    key=("catalog_id", "object_id", "begin_snapshot"),
)

data_file = _table(
    "data_file",
    _id("catalog_id"),
    _id("table_id"),
    _id("data_file_id"),
    *_version_columns(),
    _text("path", null=False),
    Column("path_is_relative", Boolean, nullable=False),
    _text("file_format", null=False),
    _id("record_count"),
    _id("file_size_bytes"),
    _id("footer_size", null=True),
    _id("row_id_start", null=True),
    _id("partition_id", null=True),
    _id("mapping_id", null=True),
    _id("partial_max", null=True),
    _text("encryption_key"),
    _id("table_version", null=True),
    Index("lake_data_file_id", "data_file_id"),
    Index("lake_data_file_end", "catalog_id", "table_id", "end_snapshot"),
    _ended_index("data_file"),
    _path_index("data_file"),
    key=("catalog_id", "table_id", "data_file_id"),
)

delete_file = _table(
    "delete_file",
    _id("catalog_id"),
    _id("table_id"),
    _id("delete_file_id"),
    *_version_columns(),
    _id("data_file_id"),
    _text("path", null=False),
    Column("path_is_relative", Boolean, nullable=False),
    _text("format", null=False),
    _id("delete_count"),
    _id("file_size_bytes"),
    _id("footer_size", null=True),
    _id("partial_max", null=True),
    _text("encryption_key"),
    Index("lake_delete_file_id", "delete_file_id"),
    Index("lake_delete_file_end", "catalog_id", "table_id", "end_snapshot"),
    Index("lake_delete_file_of", "catalog_id", "table_id", "data_file_id"),
    _ended_index("delete_file"),
    _path_index("delete_file"),
    key=("catalog_id", "table_id", "delete_file_id"),
)

# Facts about a physical file: never ended, never changed. [min_key, max_key] contains all values as numbers; it is
# unbounded if they are unknown, and empty if there are none.
file_column_stats = _table(
    "file_column_stats",
    _id("catalog_id"),
    _id("table_id"),
    _id("column_id"),
    _id("data_file_id"),
    Column("min_key", Double, nullable=False),
    Column("max_key", Double, nullable=False),
    _id("value_count", null=True),
    _id("null_count", null=True),
    Column("min_value", _BYTEWISE, nullable=True),
    Column("max_value", _BYTEWISE, nullable=True),
    Column("contains_nan", Boolean, nullable=True),
    _id("column_size_bytes", null=True),
    _text("extra_stats"),
    Index(
        "lake_file_column_stats_key",
        "catalog_id",
        "table_id",
        "column_id",
        "max_key",
        "min_key",
        postgresql_include=["data_file_id"],
    ),
    key=("catalog_id", "table_id", "column_id", "data_file_id"),
)

file_partition_value = _table(
    "file_partition_value",
    _id("catalog_id"),
    _id("table_id"),
    _id("data_file_id"),
    Column("partition_key_index", Integer, nullable=False, autoincrement=False),
    _text("partition_value"),
    Index(
        "lake_file_partition_value_by_value",
        "catalog_id",
        "table_id",
        "partition_key_index",
        "partition_value",
    ),
    key=("catalog_id", "table_id", "data_file_id", "partition_key_index"),
)

# One version per table and commit; the newest applies. Column statistics are a single JSON value.
table_stats = _table(
    "table_stats",
    _id("catalog_id"),
    _id("table_id"),
    _id("begin_snapshot"),
    _id("record_count"),
    _id("next_row_id"),
    _id("file_size_bytes"),
    Column("column_stats", _JSON, nullable=False),
    key=("catalog_id", "table_id", "begin_snapshot"),
)

inlined_batch = _table(
    "inlined_batch",
    _id("catalog_id"),
    _id("table_id"),
    _id("batch_id"),
    *_version_columns(),
    _id("table_version"),
    _id("row_id_start", null=True),
    _id("row_count"),
    Column("payload", LargeBinary, nullable=False),
    key=("catalog_id", "table_id", "batch_id"),
)

inlined_delete = _table(
    "inlined_delete",
    _id("catalog_id"),
    _id("table_id"),
    _id("batch_id"),
    Column("position", Integer, nullable=False, autoincrement=False),
    _id("begin_snapshot"),
    key=("catalog_id", "table_id", "batch_id", "position"),
)

column_mapping = _table(
    "column_mapping",
    _id("catalog_id"),
    _id("table_id"),
    _id("mapping_id"),
    _id("begin_snapshot"),
    Column("mapping", _JSON, nullable=False),
    key=("catalog_id", "table_id", "mapping_id"),
)

# scope is 'catalog', 'schema' or 'table'; scope_id is 0 for 'catalog'.
option = _table(
    "option",
    _id("catalog_id"),
    _id("option_id"),
    *_version_columns(),
    _text("scope", null=False),
    _id("scope_id"),
    _text("key", null=False),
    _text("value", null=False),
    key=("catalog_id", "option_id"),
)

scheduled_file = _table(
    "scheduled_file",
    _id("catalog_id"),
    _id("file_id"),
    _text("path", null=False),
    Column("path_is_relative", Boolean, nullable=False),
    Column("schedule_start", _TIME, nullable=False),
    _id("file_size_bytes", null=True),
    _path_index("scheduled_file"),
    key=("catalog_id", "file_id"),
)

TABLES: dict[str, Table[Any]] = {table.name: table for table in metadata.sorted_tables}
