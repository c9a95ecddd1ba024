"""Table handle of the Python API: reads and writes DataFrames."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame

from forklake.api.keys import PartitionKeys, SortKeys, partition_keys, sort_keys
from forklake.api.merging import MergeClause, as_expression, checked_clauses, join_condition, matched_by
from forklake.api.notebook import table_html
from forklake.api.one_statement import one_statement
from forklake.catalog.planning.aggregates import exact_count
from forklake.catalog.reading.snapshot_ranges import Point, snapshot_range
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import InvalidInput
from forklake.maintenance.adding.add_files import add_data_files
from forklake.maintenance.commits import Place
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.alterations import ColumnSpec, find_column
from forklake.model.arguments import checked_methods
from forklake.model.column_types import parse_type
from forklake.model.entities import Table, TableDefinition
from forklake.model.table_alterations import (
    AddColumn,
    DropColumn,
    MoveColumn,
    RenameColumn,
    SetDefault,
    SetNotNull,
    SetPartitioning,
    SetSorting,
    SetType,
    TableAlteration,
)
from forklake.spark.session.failures import translate_read_errors
from forklake.spark.verbs.alter_table import alter_table
from forklake.spark.verbs.append import append
from forklake.spark.verbs.change_plan import Kind, plan_changes
from forklake.spark.verbs.changes import table_changes
from forklake.spark.verbs.column_bounds import extreme_value
from forklake.spark.verbs.delete import delete, delete_all
from forklake.spark.verbs.merge import MergeCounts, merge
from forklake.spark.verbs.overwrite import overwrite
from forklake.spark.verbs.update import update
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Matching, make_repeatable
from forklake.sql.binding.names import read_transaction_at
from forklake.sql.execution.python_without_spark import (
    changes_without_spark,
    count_without_spark,
    delete_rows_without_spark,
    merge_rows_without_spark,
    scan_without_spark,
    update_rows_without_spark,
)
from forklake.sql.queries.conditions import rows_to_delete, rows_to_update
from forklake.sql.queries.scan_table import scan_table
from forklake.sql.results.result import Result, attach_spark
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.maintenance import commits_to
from forklake.sql.session.state import SessionState
from forklake.sql.values.defaults import python_default, stored_default

Where = str | Expression


@checked_methods
class TableHandle:
    """A table of a catalog, by name. Each method runs in its own transaction unless one is open."""

    def __init__(self, state: SessionState, attachment: Attachment, schema: str, name: str) -> None:
        self._state = state
        self._attachment = attachment
        self._transactions = state.transactions
        self._schema = schema
        self._name = name

    # Reading

    def to_spark(
        self,
        version: int | None = None,
        timestamp: datetime | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> DataFrame:
        """The rows as a DataFrame, now or as of a version or a time.

        `columns` is a projection; it may include `rowid`, `snapshot_id`, `filename` and `file_row_number`.
        """
        return self._scan(None, columns, version, timestamp).to_spark()

    @one_statement
    def scan(
        self,
        where: Where | None = None,
        columns: Sequence[str] | None = None,
        *,
        version: int | None = None,
        timestamp: datetime | None = None,
    ) -> Result:
        """The rows that satisfy a predicate. A predicate given as SQL text prunes files before any is read."""
        tx = self._read_transaction(version, timestamp)
        work, table = self._work(tx), get_table(tx, self._schema, self._name)
        rows = scan_without_spark(self._state, work, table, where, columns)
        if rows is None:
            return scan_table(work, table, where, columns)
        return attach_spark(Result(rows, None, table, tx.base), self._state.provider)

    @one_statement
    def _scan(
        self, where: Where | None, columns: Sequence[str] | None, version: int | None, timestamp: datetime | None
    ) -> Result:
        """The same, from Spark however small it is."""
        tx = self._read_transaction(version, timestamp)
        return scan_table(self._work(tx), get_table(tx, self._schema, self._name), where, columns)

    def to_arrow(self) -> Any:
        return self.scan().to_arrow()

    def to_pandas(self) -> Any:
        return self.scan().to_pandas()

    @one_statement
    def count(
        self, where: Where | None = None, *, version: int | None = None, timestamp: datetime | None = None
    ) -> int:
        """The number of rows; without a predicate, from metadata only."""
        tx = self._read_transaction(version, timestamp)
        table = get_table(tx, self._schema, self._name)
        if where is None and self._state.takes_shortcuts:
            return exact_count(tx, table)
        known = count_without_spark(self._state, self._work(tx), table, where)
        if known is not None:
            return known
        found = scan_table(self._work(tx), table, where, None).to_spark()
        with translate_read_errors(table, tx.base):
            return found.count()

    @one_statement
    def min(self, column: str | Sequence[str]) -> Any:
        """The minimum of a column; from metadata where that is exact."""
        return extreme_value(*self._work_and_table(), _column_path(column), "min")

    @one_statement
    def max(self, column: str | Sequence[str]) -> Any:
        """The maximum of a column; from metadata where that is exact."""
        return extreme_value(*self._work_and_table(), _column_path(column), "max")

    @one_statement
    def changes(self, since: Point, until: Point | None = None, kind: Kind = "changes") -> Result:
        """Row changes between two snapshots or times, both inclusive.

        Rows come with `snapshot_id`, `rowid` and, unless only insertions or deletions are requested, `change_type`:
        insert, delete, update_preimage or update_postimage.
        """
        first, last = snapshot_range(self._read_transaction(None, None).view, since, until)
        tx = begin(self._attachment.catalog.at(last))
        table = get_table(tx, self._schema, self._name)
        # Evaluated eagerly: snapshots of the range may expire later.
        work = self._work(tx)
        plan = plan_changes(work, table, first, last, kind)
        rows = changes_without_spark(self._state, work, plan)
        if rows is not None:
            return attach_spark(Result(rows, None, table, last), self._state.provider)
        found = table_changes(work, plan)
        return Result(None, lambda: found, table, last)

    # Writing

    @one_statement
    def append(self, data: Any, *, by: Matching | None = None) -> int:
        """Append a DataFrame, an Arrow table, pandas, or a list of dictionaries or tuples; returns the row count."""
        with self._writing() as (work, table):
            return append(work, table, data, _check_matching(by))

    @one_statement
    def overwrite(self, data: Any, *, where: Where | None = None, by: Matching | None = None) -> int:
        """Replace all rows, or those that satisfy a predicate; returns the number of rows added."""
        with self._writing() as (work, table):
            matching = _check_matching(by)
            chosen = None if where is None else rows_to_delete(work, table, where)
            return overwrite(work, table, data, chosen, matching)

    @one_statement
    def delete(self, where: Where | None = None) -> int:
        """Delete the rows that satisfy a predicate, or all rows; returns the number deleted."""
        with self._writing() as (work, table):
            if where is None:
                return delete_all(work, table)
            known = delete_rows_without_spark(self._state, work, table, where)
            if known is not None:
                return known
            return delete(work, rows_to_delete(work, table, where))

    def truncate(self) -> int:
        """Delete all rows without reading any; returns the number deleted."""
        return self.delete()

    @one_statement
    def update(self, assignments: Mapping[str, Any], where: Where | None = None) -> int:
        """Set columns to values, SQL text or expressions over the old row; returns the number of rows updated."""
        if not assignments:
            raise InvalidInput("An update needs at least one column to set.")
        with self._writing() as (work, table):
            known = update_rows_without_spark(self._state, work, table, assignments, where)
            if known is not None:
                return known
            values = {name: as_expression(value, work) for name, value in assignments.items()}
            return update(work, rows_to_update(work, table, where), values)

    @one_statement
    def merge(self, source: Any, on: Where | Sequence[str], *clauses: MergeClause) -> MergeCounts:
        """Merge rows into the table; without clauses, matching rows are updated and the others inserted.

        `on` names columns, or is a condition over `target` and `source`.
        """
        with self._writing() as (work, table):
            checked, matching, data = checked_clauses(clauses), matched_by(on, table), make_repeatable(source)
            known = merge_rows_without_spark(
                self._state, work, table, data, matching, [clause.in_python for clause in checked]
            )
            if known is not None:
                return known
            bound = [clause.bound(work) for clause in checked]
            return merge(work, table, data, join_condition(matching, work), bound)

    @one_statement
    def add_files(
        self,
        paths: str | Sequence[str],
        *,
        allow_missing: bool = False,
        ignore_extra_columns: bool = False,
        hive_partitioning: bool | None = None,
        allow_duplicates: bool = False,
        progress: Progress = QUIET,
    ) -> list[str]:
        """Register Parquet files without copying them, by paths, patterns or folders; returns the files added."""
        return add_data_files(
            commits_to(self._state, self._attachment),
            Place(self._schema, self._name),
            [paths] if isinstance(paths, str) else paths,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
            hive_partitioning=hive_partitioning,
            allow_duplicates=allow_duplicates,
            progress=progress,
        )

    # Definition

    @property
    @one_statement
    def definition(self) -> TableDefinition:
        tx = self._read_transaction(None, None)
        return get_table(tx, self._schema, self._name).definition

    @property
    def columns(self) -> dict[str, str]:
        """Column names mapped to their SQL types."""
        return {column.name: column.type.sql() for column in self.definition.columns}

    def add_column(
        self,
        name: str | Sequence[str],
        type: str,
        *,
        default: Any = None,
        nullable: bool = True,
        comment: str | None = None,
    ) -> None:
        """Add a column, or a field to a struct: `("address", "zip")`. Existing rows get the default.

        The default is a value of the column's type, or its text.
        """
        *parent, last = _column_path(name)
        column_type = parse_type(type)
        text = python_default(self._state, default, last, column_type)
        spec = ColumnSpec(last, column_type, nullable, text, "literal", "spark", comment)
        self._alter(AddColumn(spec, tuple(parent)))

    def drop_column(self, name: str | Sequence[str]) -> None:
        self._alter(DropColumn(_column_path(name)))

    def rename_column(self, name: str | Sequence[str], new_name: str) -> None:
        self._alter(RenameColumn(_column_path(name), new_name))

    def set_type(self, name: str | Sequence[str], type: str) -> None:
        """Widen the type of a column; data files are not rewritten."""
        self._alter(SetType(_column_path(name), parse_type(type)))

    @one_statement
    def set_default(self, name: str | Sequence[str], value: Any, *, expression: bool = False) -> None:
        """Set the default for new rows: a value of the column's type or its text, or the SQL of an expression."""
        path = _column_path(name)
        with self._altering() as (tx, table):
            column_type = find_column(table.definition, path).type
            if not expression:
                text = python_default(self._state, value, path[-1], column_type)
                self._apply(tx, table, SetDefault(path, text, "literal"))
                return
            if not isinstance(value, str | None):
                raise InvalidInput(f"The expression of a default must be a string, not {value!r}.")
            self._apply(tx, table, SetDefault(path, *stored_default(self._state, value, path[-1], column_type)))

    def drop_default(self, name: str | Sequence[str]) -> None:
        self._alter(SetDefault(_column_path(name), None))

    def set_not_null(self, name: str | Sequence[str]) -> None:
        """Disallow NULL from now on; fails if the column contains one."""
        self._alter(SetNotNull(_column_path(name)))

    def drop_not_null(self, name: str | Sequence[str]) -> None:
        self._alter(SetNotNull(_column_path(name), False))

    def move_column(self, name: str | Sequence[str], after: str | None = None) -> None:
        """Move a column after another, or to the front."""
        self._alter(MoveColumn(_column_path(name), after))

    def set_partitioning(self, keys: PartitionKeys) -> None:
        """Partition new files by these columns, or by none; existing files are unchanged."""
        self._alter(SetPartitioning(tuple(partition_keys(keys))))

    @one_statement
    def set_sort_order(self, keys: SortKeys) -> None:
        """Sort new files by these columns or expressions, or by none; existing files are unchanged."""
        with self._altering() as (tx, table):
            names = [column.name for column in table.definition.columns]
            self._apply(tx, table, SetSorting(tuple(sort_keys(keys, names))))

    @one_statement
    def _alter(self, alteration: TableAlteration) -> None:
        with self._altering() as (tx, table):
            self._apply(tx, table, alteration)

    @contextmanager
    def _altering(self) -> Iterator[tuple[Transaction, Table]]:
        with self._state.writing(self._attachment) as tx:
            yield tx, get_table(tx, self._schema, self._name)

    def _apply(self, tx: Transaction, table: Table, alteration: TableAlteration) -> None:
        alter_table(tx, self._state.provider, table, alteration, shortcuts=self._state.shortcuts)

    def _work_and_table(self) -> tuple[Work, Table]:
        tx = self._read_transaction(None, None)
        return self._work(tx), get_table(tx, self._schema, self._name)

    def _work(self, tx: Transaction) -> Work:
        return self._state.work(tx, self._attachment)

    def _read_transaction(self, version: int | None, timestamp: datetime | None) -> Transaction:
        if version is None and timestamp is None:
            return self._state.transaction(self._attachment)
        # Time travel does not use the open transaction, whose changes it must not see.
        return read_transaction_at(self._state, self._attachment, version, timestamp)

    @contextmanager
    def _writing(self) -> Iterator[tuple[Work, Table]]:
        with self._state.writing(self._attachment) as tx:
            table = get_table(tx, self._schema, self._name)
            yield self._work(tx), table

    def __repr__(self) -> str:
        return f"<forklake table {self._attachment.catalog.name}.{self._schema}.{self._name}>"

    @one_statement
    def _repr_html_(self) -> str:
        tx = self._state.transaction(self._attachment)
        return table_html(tx, self._schema, get_table(tx, self._schema, self._name))


def _column_path(name: str | Sequence[str]) -> tuple[str, ...]:
    """The path of a column or nested field."""
    path = (name,) if isinstance(name, str) else tuple(name) if isinstance(name, Sequence) else ()
    if not path or not all(isinstance(part, str) for part in path):
        raise InvalidInput(f"{name!r} is not a column; give its name, or the path of names to a nested field.")
    return path


def _check_matching(by: Matching | None) -> Matching:
    if by not in (None, "name", "position"):
        raise InvalidInput(f"Rows are matched by 'name' or by 'position', not by {by!r}.")
    return by or "name"
