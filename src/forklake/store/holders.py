"""File retention: which paths and folders catalogs know, which catalogs see a file, and how much each one retains."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from forklake.errors import CorruptMetadata
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT, Level
from forklake.store.connection import Row, Statement, Store
from forklake.store.garbage import FILE_TABLES, NeededPoints, row_end_expression
from forklake.store.row_kinds import RowKind

_KINDS = {"lake_data_file": RowKind.DATA_FILE, "lake_delete_file": RowKind.DELETE_FILE}


class Holder(NamedTuple):
    """A catalog that retains a file, with the first and last of its own snapshots that show it.

    A fork may retain a file that none of its snapshots shows any longer, because its horizon is in the file's lifetime.
    """

    catalog_name: str
    first_snapshot: int | None
    last_snapshot: int | None
    snapshots: int
    is_fork: bool


def file_holders(store: Store, path: str, limit: int) -> list[Holder]:
    """The catalogs that retain the file at a path: first the catalog that wrote it, then forks by name."""
    holders = []
    for table, file_id in FILE_TABLES.items():
        found = store.fetch(
            f"SELECT r.catalog_id, r.table_id, r.{file_id}, r.begin_snapshot FROM {table} r WHERE r.path = :path",
            {"path": path},
        )
        for row in found:
            holders += _holders_of_file(store, table, row, limit)
    return holders


def waiting_since(store: Store, path: str) -> list[tuple[str, Any]]:
    """The catalogs for which a file is scheduled for deletion, with the time of scheduling."""
    rows = store.fetch(
        "SELECT c.catalog_name, w.schedule_start FROM lake_scheduled_file w"
        " JOIN lake_catalog c ON c.catalog_id = w.catalog_id WHERE w.path = :path",
        {"path": path},
    )
    return [(name, store.dialect.from_database_time(since)) for name, since in rows]


def _holders_of_file(store: Store, table: str, file: Row, limit: int) -> list[Holder]:
    catalog_id, table_id, file_id, begin = file
    params = {
        "catalog_id": catalog_id,
        "table_id": table_id,
        "file_id": file_id,
        "begin": begin,
        "kind": int(_KINDS[table]),
        "contents": int(RowKind.TABLE_CONTENTS),
        "limit": limit,
    }
    file_row = f"r.catalog_id = :catalog_id AND r.table_id = :table_id AND r.{FILE_TABLES[table]} = :file_id"
    end = f"(SELECT {row_end_expression()} FROM {table} r WHERE {file_row})"
    select = "SELECT c.catalog_name, min(s.snapshot_id), max(s.snapshot_id), count(s.snapshot_id) FROM lake_catalog c"
    # The end of the file or its table, set by the fork or an ancestor in between.
    marked = (
        "SELECT min(e.end_snapshot) FROM lake_catalog_ancestor k JOIN lake_row_end e ON e.catalog_id = k.ancestor_id"
        " AND e.scope_id = :table_id AND ((e.kind = :kind AND e.object_id = :file_id) OR e.kind = :contents)"
        " WHERE k.catalog_id = a.catalog_id AND k.ancestor_id <> :catalog_id AND e.end_snapshot <= k.max_snapshot"
    )
    own, forks = store.fetch_all(
        [
            Statement(
                f"{select} JOIN lake_snapshot s ON s.catalog_id = c.catalog_id"
                f" AND s.snapshot_id >= :begin AND s.snapshot_id < {end}"
                " WHERE c.catalog_id = :catalog_id GROUP BY c.catalog_name",
                params,
            ),
            Statement(
                f"{select} JOIN lake_catalog_ancestor a ON a.catalog_id = c.catalog_id"
                " LEFT JOIN lake_snapshot s ON s.catalog_id = c.catalog_id"
                f" AND s.snapshot_id < coalesce(({marked}), {NO_LIMIT})"
                " WHERE a.ancestor_id = :catalog_id AND a.depth > 0 AND a.max_snapshot >= :begin"
                f" AND a.max_snapshot < {end} GROUP BY c.catalog_name ORDER BY c.catalog_name LIMIT :limit",
                params,
            ),
        ]
    )
    return [Holder._make((*row, is_fork)) for rows, is_fork in ((own, False), (forks, True)) for row in rows]


@dataclass(frozen=True, slots=True)
class Share:
    """Files retained by a catalog, and those retained by this catalog only."""

    files: int = 0
    size: int = 0
    files_alone: int = 0
    size_alone: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(
            self.files + other.files,
            self.size + other.size,
            self.files_alone + other.files_alone,
            self.size_alone + other.size_alone,
        )


def own_share(store: Store, catalog_id: CatalogId) -> Share:
    """The files written by a catalog and still retained; alone if no fork sees them."""
    needed = NeededPoints(catalog_id)
    alone = needed.no_fork_in("r.begin_snapshot", row_end_expression())
    return _measure_share(store, needed, "TRUE", alone, {})


def inherited_share(store: Store, catalog_id: CatalogId, level: Level) -> Share:
    """The files of an ancestor that a fork sees; alone if neither the ancestor nor another fork needs them."""
    needed = NeededPoints(level.catalog_id, catalog_id, _newest_without(store, catalog_id, level))
    alone = needed.no_point_in("r.begin_snapshot", row_end_expression())
    seen = f"r.begin_snapshot <= :top AND {row_end_expression()} > :top"
    return _measure_share(store, needed, seen, alone, {"top": level.top})


def _newest_without(store: Store, catalog_id: CatalogId, level: Level) -> SnapshotId:
    """The newest snapshot an ancestor would keep without the fork: a dropped catalog keeps them only for its forks."""
    rows = store.fetch(
        f"SELECT CASE WHEN end_snapshot IS NULL THEN {NO_LIMIT} ELSE (SELECT coalesce(max(a.max_snapshot), -1)"
        " FROM lake_catalog_ancestor a WHERE a.ancestor_id = :ancestor AND a.depth > 0 AND a.catalog_id <> :without)"
        " END FROM lake_catalog WHERE catalog_id = :ancestor",
        {"ancestor": level.catalog_id, "without": catalog_id},
    )
    if not rows:
        raise CorruptMetadata(f"There is no catalog {level.catalog_id}, from which catalog {catalog_id} was forked.")
    return SnapshotId(rows[0][0])


def forks_of(store: Store, catalog_id: CatalogId, limit: int) -> tuple[int, list[str]]:
    """The number of live catalogs forked from or reading from a catalog, and the names of some of them."""
    # The lineage of a fork skips a parent that had written nothing.
    forks = (
        "SELECT a.catalog_id FROM lake_catalog_ancestor a WHERE a.ancestor_id = :catalog_id AND a.depth > 0"
        " UNION SELECT c.catalog_id FROM lake_catalog c"
        " WHERE c.parent_catalog_id = :catalog_id AND c.end_snapshot IS NULL"
    )
    params = {"catalog_id": catalog_id, "limit": limit}
    [[count]], names = store.fetch_all(
        [
            Statement(f"SELECT count(*) FROM ({forks}) AS f", params),
            Statement(
                f"SELECT c.catalog_name FROM ({forks}) AS f JOIN lake_catalog c ON c.catalog_id = f.catalog_id"
                " ORDER BY c.catalog_name LIMIT :limit",
                params,
            ),
        ]
    )
    return count, [name for (name,) in names]


def _measure_share(store: Store, needed: NeededPoints, which: str, alone: str, params: dict[str, object]) -> Share:
    answers = store.fetch_all(
        [
            Statement(
                "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(alone), 0), coalesce(sum(size * alone), 0) FROM"
                f" (SELECT r.file_size_bytes AS size, CASE WHEN {alone} THEN 1 ELSE 0 END AS alone"
                f" FROM {table} r WHERE r.catalog_id = :catalog_id AND {which}) AS held",
                {**needed.params, **params},
            )
            for table in FILE_TABLES
        ]
    )
    return sum((Share(*map(int, rows[0])) for rows in answers), Share())


def known_paths(store: Store, paths: Collection[str], *, ignore_case: bool = False) -> set[str]:
    """Those of the paths that occur in a row of any catalog, found by index lookups.

    Databases differ in case folding: with `ignore_case`, all paths are read and compared here in casefolded form.
    """
    which = "TRUE" if ignore_case else store.dialect.any_of("path", "paths")
    answers = store.fetch_all(
        [
            Statement(f"SELECT path FROM {table} WHERE {which}", {} if ignore_case else {"paths": list(paths)})
            for table in ("lake_data_file", "lake_delete_file", "lake_scheduled_file")
        ]
    )
    named = {path for answer in answers for (path,) in answer}
    return {path.casefold() for path in named}.intersection(paths) if ignore_case else named


def newest_path(store: Store) -> str | None:
    """The path of the newest data file with a relative path."""
    found = store.fetch("SELECT path FROM lake_data_file WHERE path_is_relative ORDER BY data_file_id DESC LIMIT 1", {})
    return found[0][0] if found else None


def catalog_folders(store: Store, folders: Collection[str]) -> set[str]:
    """Those of the folders that belong to a catalog, live or dropped."""
    which = store.dialect.any_of("path", "folders")
    return {row[0] for row in store.fetch(f"SELECT path FROM lake_catalog WHERE {which}", {"folders": list(folders)})}
