"""File filters as SQL: selects the ids of files that may contain matching rows, using indexes only.

Every part of a filter is a set of file ids; AND is their intersection, OR their union. The files themselves are then
fetched by id: for a join, the planner would have to estimate the number of overlapping intervals, which it cannot.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from itertools import count

from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.lineage import Scope
from forklake.model.pruning import (
    AllOf,
    AnyOf,
    Everything,
    FileFilter,
    HasNulls,
    HasValues,
    KeyRange,
    Nothing,
    NotOnly,
    PartitionIn,
)
from forklake.store.connection import Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.scope import fetch_at_snapshot


def files_that_may_match(
    store: Store, scope: Scope, table_id: TableId, file_filter: FileFilter, widths: Mapping[ColumnId, float]
) -> list[DataFileId] | None:
    """The ids of candidate files; None if the filter excludes none.

    No interval of a column is wider than in `widths`, except unbounded ones. This bounds the index range on both sides:
    a point in the middle of a large table reads a few entries instead of half of them.
    """
    if isinstance(file_filter, Everything):
        return None
    if isinstance(file_filter, Nothing):
        return []
    query = _FileQuery(store.dialect, widths)
    sql = query.files(file_filter)
    params = {"table_id": table_id, **query.params, **store.dialect.level_params(scope.levels)}
    return [row[0] for row in fetch_at_snapshot(store, scope, [Statement(sql, params)])[0]]


def files_that_cannot_match(
    store: Store, scope: Scope, table_id: TableId, file_filter: FileFilter, only: Collection[DataFileId] | None
) -> set[DataFileId]:
    """The ids of files, optionally among `only`, whose statistics prove that none of their rows passes the filter.

    Files without statistics are never included, so this is not the complement of `files_that_may_match`.
    """
    if isinstance(file_filter, Everything):
        return set()
    query = _FileQuery(store.dialect, {}, only)
    sql = query.files_without(file_filter)
    params = {"table_id": table_id, **query.params, **store.dialect.level_params(scope.levels)}
    return {row[0] for row in fetch_at_snapshot(store, scope, [Statement(sql, params)])[0]}


class _FileQuery:
    """Builds a statement and collects its parameters."""

    def __init__(
        self, dialect: StoreDialect, widths: Mapping[ColumnId, float], only: Collection[DataFileId] | None = None
    ) -> None:
        self._widths = widths
        self.params: dict[str, object] = {} if only is None else {"only": list(only)}
        self._wanted = "TRUE" if only is None else dialect.any_of("f.data_file_id", "only")
        self._dialect = dialect
        self._numbers = count()

    def files(self, part: FileFilter) -> str:
        match part:
            case AllOf(parts):
                return self._combine("INTERSECT", map(self.files, parts))
            case AnyOf(parts):
                return self._combine("UNION", map(self.files, parts))
            case Everything():
                return self._data_files("TRUE")
            case Nothing():
                return self._data_files("FALSE")
            case PartitionIn():
                return self._in_partition(part)
            case KeyRange() | HasNulls() | HasValues() | NotOnly():
                return self._with_stats(part)

    def files_without(self, part: FileFilter) -> str:
        """The files known not to be in `files`."""
        match part:
            case AllOf(parts):
                return self._combine("UNION", map(self.files_without, parts))
            case AnyOf(parts):
                return self._combine("INTERSECT", map(self.files_without, parts))
            case Nothing():
                return self._data_files(self._wanted)
            case Everything() | PartitionIn():
                return self._data_files("FALSE")
            case KeyRange() | HasNulls() | HasValues() | NotOnly():
                return self._with_stats_against(part)

    def _combine(self, operator: str, parts: Iterable[str]) -> str:
        # Each part is a subquery, because SQLite does not allow parentheses in compound selects.
        return f" {operator} ".join(f"SELECT data_file_id FROM ({part}) AS part" for part in parts)

    def _with_stats_against(self, part: KeyRange | HasNulls | HasValues | NotOnly) -> str:
        against = [f"NOT ({condition})" for condition in self._conditions(part)]
        if part.added is not None:
            against.append(f"f.begin_snapshot >= {self._bind(part.added)}")
        return (
            f"SELECT f.data_file_id FROM {self._dialect.levels} JOIN lake_data_file f"
            " ON f.catalog_id = l.catalog_id AND f.table_id = :table_id JOIN lake_file_column_stats s"
            " ON s.catalog_id = f.catalog_id AND s.table_id = f.table_id AND s.data_file_id = f.data_file_id"
            f" AND s.column_id = {self._bind(part.column_id)} WHERE {self._wanted} AND {' AND '.join(against)}"
        )

    def _with_stats(self, part: KeyRange | HasNulls | HasValues | NotOnly) -> str:
        parts = [
            f"SELECT s.data_file_id FROM {self._dialect.levels} JOIN lake_file_column_stats s"
            f" ON s.catalog_id = l.catalog_id AND s.table_id = :table_id AND s.column_id = {self._bind(part.column_id)}"
            f" WHERE {condition}"
            for condition in self._conditions(part)
        ]
        if part.added is not None:
            # Files created before the column was added have no statistics for it.
            parts.append(self._data_files(f"f.begin_snapshot < {self._bind(part.added)}"))
        return " UNION ".join(parts)

    def _conditions(self, part: KeyRange | HasNulls | HasValues | NotOnly) -> list[str]:
        """Index ranges; a file in any of them may match."""
        match part:
            case HasNulls():
                return ["(s.null_count IS NULL OR s.null_count > 0)"]
            case HasValues():
                return ["(s.value_count IS NULL OR s.value_count > 0)"]
            case NotOnly(text=str(text)):
                only = f"s.min_value = {self._bind(text)} AND s.max_value = {self._bind(text)}"
                return [f"(s.min_value IS NULL OR s.max_value IS NULL OR NOT ({only}))"]
            case NotOnly():
                return [f"NOT (s.min_key = {self._bind(part.key)} AND s.max_key = {self._bind(part.key)})"]
            case KeyRange() if part.or_nan and part.low > part.high:
                # Only NaN matches, which is greater than every number.
                return [f"s.max_key = {self._bind(math.inf)}"]
            case KeyRange():
                conditions = [f"s.min_key <= {self._bind(part.high)}"]
                if part.text_low is not None:
                    conditions.append(f"(s.max_value IS NULL OR s.max_value >= {self._bind(part.text_low)})")
                if part.text_high is not None:
                    conditions.append(f"(s.min_value IS NULL OR s.min_value <= {self._bind(part.text_high)})")
                overlaps = " AND ".join(conditions)
                return [f"{keys} AND {overlaps}" for keys in self._max_keys(part)]

    def _max_keys(self, part: KeyRange) -> list[str]:
        """The ranges for the upper ends of overlapping intervals."""
        from_low = f"s.max_key >= {self._bind(part.low)}"
        width = self._widths.get(part.column_id)
        if width is None or math.isinf(part.high):
            return [from_low]
        cap = math.nextafter(part.high + width, math.inf)
        return [f"{from_low} AND s.max_key <= {self._bind(cap)}", f"s.max_key = {self._bind(math.inf)}"]

    def _in_partition(self, part: PartitionIn) -> str:
        values = [value for value in part.values if value is not None]
        wanted = self._dialect.any_of("v.partition_value", self._bind(values).lstrip(":"))
        if None in part.values:
            wanted = f"({wanted} OR v.partition_value IS NULL)"
        in_partition = (
            f"SELECT v.data_file_id FROM {self._dialect.levels} JOIN lake_file_partition_value v"
            " ON v.catalog_id = l.catalog_id AND v.table_id = :table_id"
            f" AND v.partition_key_index = {self._bind(part.key_index)} WHERE {wanted}"
        )
        # Nothing is known about this key for files with another partitioning.
        other = f"(f.partition_id IS NULL OR f.partition_id <> {self._bind(part.partition_id)})"
        return f"{in_partition} UNION {self._data_files(other)}"

    def _data_files(self, condition: str) -> str:
        return (
            f"SELECT f.data_file_id FROM {self._dialect.levels} JOIN lake_data_file f"
            f" ON f.catalog_id = l.catalog_id AND f.table_id = :table_id WHERE {condition}"
        )

    def _bind(self, value: object) -> str:
        name = f"p{next(self._numbers)}"
        self.params[name] = value
        return f":{name}"
