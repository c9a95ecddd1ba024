"""Catalog handle of the Python API: tables, forks and history."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from forklake.api.keys import PartitionKeys, SortKeys, partition_keys, sort_keys
from forklake.api.naming import split_name
from forklake.api.notebook import catalog_html
from forklake.api.one_statement import one_statement
from forklake.api.table import TableHandle
from forklake.api.upkeep import Upkeep
from forklake.catalog.reading.history import visible_snapshots
from forklake.catalog.transaction.ddl import create_schema, drop_schema, drop_table, rename_table
from forklake.catalog.transaction.names import find_object, find_schema, find_table, list_schemas, list_tables
from forklake.catalog.transaction.options import OptionValue, list_options, set_option
from forklake.errors import InvalidInput
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.alterations import ColumnSpec
from forklake.model.arguments import checked_methods
from forklake.model.column_types import parse_type
from forklake.model.names import DEFAULT_SCHEMA
from forklake.model.snapshots import Snapshot
from forklake.spark.verbs.create_as import columns_of, create_as
from forklake.spark.verbs.create_table import create_table
from forklake.spark.writing.incoming import as_rows
from forklake.sql.session.catalog_changes import fork_attached
from forklake.sql.values.defaults import stored_spec

Columns = Mapping[str, str] | Sequence[ColumnSpec]


@checked_methods
class CatalogHandle(Upkeep):
    """An attached catalog, or a fork of one. Touches only metadata until rows are read or written."""

    @property
    def name(self) -> str:
        """The name of the catalog in its lake."""
        return self._attachment.catalog.name

    def fork(
        self,
        name: str,
        *,
        version: int | None = None,
        timestamp: datetime | None = None,
        if_not_exists: bool = False,
    ) -> "CatalogHandle":
        """Fork the catalog as of now or as of a version or time; returns a handle of the fork."""
        forked, _ = fork_attached(
            self._state, self._attachment, name, version=version, timestamp=timestamp, if_not_exists=if_not_exists
        )
        # A slash keeps the handle's name from clashing with an attached one.
        attachment = replace(self._attachment, name=f"{self._attachment.name}/{name}", catalog=forked)
        self._state.attachments.keep_open(attachment)
        return CatalogHandle(self._state, attachment)

    def table(self, name: str) -> TableHandle:
        """A table by name: `schema.table`, or `table` in the schema `main`. Looked up on use."""
        schema, table = split_name(name)
        return TableHandle(self._state, self._attachment, schema, table)

    @one_statement
    def create_table(
        self,
        name: str,
        columns: Columns,
        *,
        partitioned_by: PartitionKeys = (),
        sorted_by: SortKeys = (),
        comment: str | None = None,
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> TableHandle:
        """Create a table; columns are a mapping of names to types, such as {"id": "bigint"}, or column specs."""
        schema, table = split_name(name)
        with self._state.writing(self._attachment) as tx:
            if if_not_exists and find_table(tx, schema, table) is not None:
                return self.table(name)
            specs = [stored_spec(self._state, spec) for spec in _column_specs(columns)]
            create_table(
                tx,
                self._state.provider,
                schema,
                table,
                specs,
                partitioned_by=partition_keys(partitioned_by),
                sorted_by=sort_keys(sorted_by, [spec.name for spec in specs]),
                comment=comment,
                or_replace=or_replace,
            )
        return self.table(name)

    @one_statement
    def create_table_as(
        self,
        name: str,
        data: Any,
        *,
        partitioned_by: PartitionKeys = (),
        sorted_by: SortKeys = (),
        or_replace: bool = False,
    ) -> TableHandle:
        """Create a table with the columns and rows of a DataFrame, an Arrow table, pandas or rows."""
        schema, table = split_name(name)
        with self._state.writing(self._attachment) as tx:
            rows = as_rows(data)
            create_as(
                self._state.work(tx, self._attachment),
                schema,
                table,
                rows,
                partitioned_by=partition_keys(partitioned_by),
                sorted_by=sort_keys(sorted_by, [column.name for column in columns_of(rows)]),
                or_replace=or_replace,
            )
        return self.table(name)

    @one_statement
    def drop_table(self, name: str, *, if_exists: bool = False) -> None:
        schema, table = split_name(name)
        with self._state.writing(self._attachment) as tx:
            drop_table(tx, schema, table, if_exists=if_exists)

    def add_data_files(
        self,
        table: str,
        paths: str | Sequence[str],
        *,
        schema: str | None = None,
        allow_missing: bool = False,
        ignore_extra_columns: bool = False,
        hive_partitioning: bool | None = None,
        allow_duplicates: bool = False,
        progress: Progress = QUIET,
    ) -> list[str]:
        """Register existing Parquet files in a table without copying them; returns the files added."""
        named = self.table(table) if schema is None else TableHandle(self._state, self._attachment, schema, table)
        return named.add_files(
            paths,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
            hive_partitioning=hive_partitioning,
            allow_duplicates=allow_duplicates,
            progress=progress,
        )

    @one_statement
    def rename_table(self, name: str, new_name: str) -> TableHandle:
        schema, table = split_name(name)
        with self._state.writing(self._attachment) as tx:
            rename_table(tx, schema, table, new_name)
        return TableHandle(self._state, self._attachment, schema, new_name)

    @one_statement
    def create_schema(self, name: str, *, if_not_exists: bool = False) -> None:
        with self._state.writing(self._attachment) as tx:
            create_schema(tx, name, if_not_exists=if_not_exists)

    @one_statement
    def drop_schema(self, name: str, *, cascade: bool = False, if_exists: bool = False) -> None:
        with self._state.writing(self._attachment) as tx:
            drop_schema(tx, name, cascade=cascade, if_exists=if_exists)

    @one_statement
    def schemas(self) -> list[str]:
        """The names of the schemas."""
        tx = self._state.transaction(self._attachment)
        return [schema.name for schema in list_schemas(tx)]

    @one_statement
    def tables(self, schema: str = DEFAULT_SCHEMA) -> list[str]:
        """The names of the tables in a schema."""
        tx = self._state.transaction(self._attachment)
        return [table.name for table in list_tables(tx, schema)]

    @one_statement
    def has_table(self, name: str) -> bool:
        schema, table = split_name(name)
        tx = self._state.transaction(self._attachment)
        parent = find_schema(tx, schema)
        return parent is not None and find_object(tx, parent, table, "table") is not None

    @one_statement
    def snapshots(self) -> list[Snapshot]:
        """All snapshots available for time travel, oldest first."""
        return visible_snapshots(self._state.transaction(self._attachment).view)

    @one_statement
    def options(self) -> list[OptionValue]:
        """All options that are set, at every scope from the instance to single tables."""
        return list_options(self._state.transaction(self._attachment))

    @one_statement
    def set_option(self, name: str, value: object, *, schema: str | None = None, table: str | None = None) -> None:
        """Set an option for the catalog, a schema or a table; None unsets it."""
        if table is not None and schema is None:
            schema, table = split_name(table)
        with self._state.writing(self._attachment) as tx:
            set_option(tx, name, value, schema=schema, table=table)

    def __repr__(self) -> str:
        return f"<forklake catalog {self.name}>"

    @one_statement
    def _repr_html_(self) -> str:
        return catalog_html(self._state.transaction(self._attachment))


def _column_specs(columns: Columns) -> list[ColumnSpec]:
    if isinstance(columns, Mapping):
        return [ColumnSpec(name, parse_type(type_text)) for name, type_text in columns.items()]
    for spec in columns:
        if not isinstance(spec, ColumnSpec):
            raise InvalidInput(f"{spec!r} is not a column; give a mapping of names to types, or column specs.")
    return list(columns)
