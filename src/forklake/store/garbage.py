"""Garbage: rows that no snapshot and no fork can see.

A row of a catalog is needed while a kept snapshot of the catalog, or the horizon of a fork, lies in [begin, end). Both
are looked up by index for each ended row, so the cost depends on the number of ended rows, not on the number of forks.
A row that is not needed is never needed again: snapshots and forks are only added at the head, or at a kept snapshot.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT
from forklake.store.catalog_rows import ScheduledFileRecord
from forklake.store.connection import Row, RowsToInsert, Statement
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind

Reason = Literal["ended", "table dropped", "catalog dropped"]

FILE_TABLES = {"lake_data_file": "data_file_id", "lake_delete_file": "delete_file_id"}
_FACTS_OF_FILES = ("lake_file_column_stats", "lake_file_partition_value")


_OBJECT_IN_CHAIN = (
    "SELECT 1 FROM lake_object o JOIN lake_catalog_ancestor a ON a.ancestor_id = o.catalog_id"
    " WHERE a.catalog_id = :catalog_id"
)


class GarbageFile(NamedTuple):
    """A data or delete file of a catalog that none of its snapshots and no fork can see."""

    table_id: int
    file_id: int
    path: str
    path_is_relative: bool
    file_size_bytes: int


@dataclass(frozen=True, slots=True)
class NeededPoints:
    """The points at which rows of a catalog are still read: its snapshots, and the horizons of its forks."""

    catalog_id: CatalogId
    without: CatalogId | None = None
    """A fork to ignore, to find out what would be needed without it."""
    newest: SnapshotId = NO_LIMIT
    """Snapshots after this one are ignored."""

    @property
    def params(self) -> dict[str, object]:
        return {"catalog_id": self.catalog_id, "without": self.without, "newest": self.newest}

    def no_point_in(self, begin: str, end: str) -> str:
        """Condition: no such point lies in [begin, end). Phrased so that the database can only use an index."""
        counts = "" if self.newest == NO_LIMIT else " AND s.snapshot_id <= :newest"
        snapshot = (
            f"SELECT s.snapshot_id FROM lake_snapshot s WHERE s.catalog_id = :catalog_id AND s.snapshot_id >= {begin}"
            f"{counts} ORDER BY s.snapshot_id LIMIT 1"
        )
        return f"coalesce(({snapshot}), {NO_LIMIT}) >= {end} AND {self.no_fork_in(begin, end)}"

    def no_fork_in(self, begin: str, end: str) -> str:
        """Condition: no horizon of a fork lies in [begin, end)."""
        other = "" if self.without is None else " AND a.catalog_id <> :without"
        horizon = (
            "SELECT a.max_snapshot FROM lake_catalog_ancestor a WHERE a.ancestor_id = :catalog_id AND a.depth > 0"
            f" AND a.max_snapshot >= {begin}{other} ORDER BY a.max_snapshot LIMIT 1"
        )
        return f"coalesce(({horizon}), {NO_LIMIT}) >= {end}"


def lock_catalog(dialect: StoreDialect, catalog_id: CatalogId) -> Statement:
    """Excludes commits, forks and other expiry of a catalog; returns its end snapshot if it was dropped."""
    sql = f"SELECT end_snapshot FROM lake_catalog WHERE catalog_id = :catalog_id {dialect.own_catalog}"
    return Statement(sql, {"catalog_id": catalog_id})


def garbage_files(needed: NeededPoints, table: str, reason: Reason, limit: int) -> Statement:
    """Selects at most `limit` files to release; read the result with `read_files`."""
    return Statement(
        f"SELECT r.table_id, r.{FILE_TABLES[table]}, r.path, r.path_is_relative, r.file_size_bytes FROM {table} r"
        f" WHERE {_garbage_condition(needed, reason)} LIMIT {limit}",
        needed.params,
    )


def read_files(rows: list[Row]) -> list[GarbageFile]:
    return [GarbageFile(row[0], row[1], row[2], bool(row[3]), row[4]) for row in rows]


def delete_files(
    dialect: StoreDialect, catalog_id: CatalogId, table: str, files: Collection[GarbageFile]
) -> list[Statement]:
    """Delete the rows of files of a catalog, and their statistics and partition values."""
    params = {
        "catalog_id": catalog_id,
        "tables": sorted({file.table_id for file in files}),
        "ids": [file.file_id for file in files],
    }
    mine = f"catalog_id = :catalog_id AND {dialect.any_of('table_id', 'tables')}"
    tables = [table, *_FACTS_OF_FILES] if table == "lake_data_file" else [table]
    return [
        Statement(f"DELETE FROM {of_file} WHERE {mine} AND {dialect.any_of(FILE_TABLES[table], 'ids')}", params)
        for of_file in tables
    ]


def schedule_files(catalog_id: CatalogId, files: Iterable[GarbageFile], now: object) -> RowsToInsert:
    """Schedules files of a catalog for deletion."""
    return RowsToInsert(
        "lake_scheduled_file",
        [ScheduledFileRecord(catalog_id, file.file_id, file.path, True, now, file.file_size_bytes) for file in files],
    )


def delete_batches(needed: NeededPoints, reason: Reason) -> list[Statement]:
    """Delete inlined batches, and the catalog's deletes from them."""
    gone = f"SELECT r.table_id, r.batch_id FROM lake_inlined_batch r WHERE {_garbage_condition(needed, reason)}"
    deletes = [
        f"DELETE FROM {table} WHERE catalog_id = :catalog_id AND (table_id, batch_id) IN ({gone})"
        for table in ("lake_inlined_delete", "lake_inlined_batch")
    ]
    if reason == "catalog dropped":
        # Deletes of a fork from batches of its ancestors are removed with the fork.
        deletes.append(
            "DELETE FROM lake_inlined_delete WHERE catalog_id = :catalog_id"
            f" AND {needed.no_point_in('begin_snapshot', str(NO_LIMIT))}"
        )
    return [Statement(sql, needed.params) for sql in deletes]


def delete_stats(needed: NeededPoints) -> Statement:
    """Delete versions of table statistics; a version ends when the next one begins or the table is dropped."""
    versions = (
        "SELECT s.table_id, s.begin_snapshot, lead(s.begin_snapshot) OVER"
        " (PARTITION BY s.table_id ORDER BY s.begin_snapshot) AS end_snapshot"
        " FROM lake_table_stats s WHERE s.catalog_id = :catalog_id"
    )
    return Statement(
        "DELETE FROM lake_table_stats WHERE catalog_id = :catalog_id AND (table_id, begin_snapshot) IN"
        f" (SELECT r.table_id, r.begin_snapshot FROM ({versions}) r"
        f" WHERE {needed.no_point_in('r.begin_snapshot', row_end_expression())})",
        needed.params,
    )


def delete_objects(needed: NeededPoints, reason: Reason) -> Statement:
    """Delete versions of objects, except those whose names and types are still used by files or inlined rows."""
    references = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} f WHERE f.catalog_id = :catalog_id AND f.table_id = r.object_id"
        " AND f.table_version = r.begin_snapshot)"
        for table in ("lake_data_file", "lake_inlined_batch")
    )
    return Statement(
        "DELETE FROM lake_object WHERE catalog_id = :catalog_id AND (object_id, begin_snapshot) IN"
        " (SELECT r.object_id, r.begin_snapshot FROM lake_object r"
        f" WHERE {_garbage_condition(needed, reason)} AND (r.kind <> 'table' OR ({references})))",
        needed.params,
    )


def delete_options(needed: NeededPoints, reason: Reason) -> list[Statement]:
    """Delete ended options, and options of schemas and tables that no longer exist."""
    ended = (
        "DELETE FROM lake_option WHERE catalog_id = :catalog_id AND option_id IN"
        f" (SELECT r.option_id FROM lake_option r WHERE {_garbage_condition(needed, reason)})"
    )
    of_nothing = (
        "DELETE FROM lake_option WHERE catalog_id = :catalog_id AND scope <> 'catalog' AND NOT EXISTS"
        f" ({_OBJECT_IN_CHAIN} AND o.object_id = lake_option.scope_id)"
    )
    # A dropped catalog has no lineage; its options are removed with the last of its snapshots.
    sqls = [ended] if reason == "catalog dropped" else [ended, of_nothing]
    return [Statement(sql, needed.params) for sql in sqls]


def delete_mappings(needed: NeededPoints) -> Statement:
    """Delete mappings that no file of the catalog uses."""
    return Statement(
        "DELETE FROM lake_column_mapping WHERE catalog_id = :catalog_id AND NOT EXISTS ("
        "SELECT 1 FROM lake_data_file f WHERE f.catalog_id = :catalog_id"
        " AND f.table_id = lake_column_mapping.table_id AND f.mapping_id = lake_column_mapping.mapping_id)",
        needed.params,
    )


def delete_markers(needed: NeededPoints, reason: Reason) -> Statement:
    """Delete end markers that hide nothing.

    A live catalog needs the markers of inherited rows forever; the marker of its own dropped table is removed when
    nothing of the table is left.
    """
    if reason == "catalog dropped":
        where = needed.no_point_in("end_snapshot", str(NO_LIMIT))
    else:
        left = " AND ".join(
            f"NOT EXISTS (SELECT 1 FROM {table} f WHERE f.catalog_id = :catalog_id AND f.table_id = scope_id)"
            for table in ("lake_data_file", "lake_delete_file", "lake_inlined_batch", "lake_table_stats")
        )
        where = (
            f"kind = {int(RowKind.TABLE_CONTENTS)} AND {left}"
            f" AND NOT EXISTS ({_OBJECT_IN_CHAIN} AND o.object_id = lake_row_end.scope_id)"
        )
    return Statement(f"DELETE FROM lake_row_end WHERE catalog_id = :catalog_id AND {where}", needed.params)


def delete_snapshots_of_dropped(catalog_id: CatalogId) -> Statement:
    """Delete the snapshots that no fork can travel to, if the catalog was dropped."""
    dropped = "SELECT 1 FROM lake_catalog WHERE catalog_id = :catalog_id AND end_snapshot IS NOT NULL"
    return Statement(
        f"DELETE FROM lake_snapshot WHERE catalog_id = :catalog_id AND EXISTS ({dropped}) AND snapshot_id > coalesce("
        "(SELECT max(max_snapshot) FROM lake_catalog_ancestor WHERE ancestor_id = :catalog_id AND depth > 0), -1)"
        " RETURNING snapshot_id",
        {"catalog_id": catalog_id},
    )


def delete_dropped_catalog(catalog_id: CatalogId) -> Statement:
    """Delete the row of a dropped catalog without remaining files and forks; returns its id in this case."""
    left = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} r WHERE {mine} = :catalog_id)"
        for table, mine in (
            ("lake_catalog_ancestor", "r.depth > 0 AND r.ancestor_id"),
            ("lake_data_file", "r.catalog_id"),
            ("lake_delete_file", "r.catalog_id"),
            ("lake_scheduled_file", "r.catalog_id"),
            ("lake_catalog", "r.parent_catalog_id"),
        )
    )
    return Statement(
        f"DELETE FROM lake_catalog WHERE catalog_id = :catalog_id AND end_snapshot IS NOT NULL AND {left}"
        " RETURNING catalog_id",
        {"catalog_id": catalog_id},
    )


def _garbage_condition(needed: NeededPoints, reason: Reason) -> str:
    """Condition for rows `r` of a catalog that can be deleted, among those affected by `reason`."""
    match reason:
        case "ended":
            which, end = "r.end_snapshot IS NOT NULL", "r.end_snapshot"
        case "table dropped":
            marked = f"SELECT e.scope_id FROM lake_row_end e WHERE {_CONTENTS}"
            which, end = f"r.table_id IN ({marked})", row_end_expression()
        case "catalog dropped":
            which, end = "TRUE", f"coalesce(r.end_snapshot, {NO_LIMIT})"
    return f"r.catalog_id = :catalog_id AND {which} AND {needed.no_point_in('r.begin_snapshot', end)}"


_CONTENTS = f"e.catalog_id = :catalog_id AND e.kind = {int(RowKind.TABLE_CONTENTS)}"


def row_end_expression() -> str:
    """The end of a row, which is at the latest the end of its table."""
    dropped = f"SELECT e.end_snapshot FROM lake_row_end e WHERE {_CONTENTS} AND e.scope_id = r.table_id"
    return f"coalesce(r.end_snapshot, ({dropped}), {NO_LIMIT})"
