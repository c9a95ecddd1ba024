"""Expired snapshots, and files scheduled for deletion."""

from collections.abc import Collection, Sequence
from datetime import datetime

from forklake.model.files import ScheduledFile
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import Level
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect


def delete_snapshots(dialect: StoreDialect, catalog_id: CatalogId, ids: Collection[SnapshotId]) -> Statement:
    """Deletes snapshots of a catalog, but never its head."""
    return Statement(
        f"DELETE FROM lake_snapshot WHERE catalog_id = :catalog_id AND {dialect.any_of('snapshot_id', 'ids')}"
        " AND snapshot_id <> (SELECT head_snapshot FROM lake_catalog WHERE catalog_id = :catalog_id)",
        {"catalog_id": catalog_id, "ids": list(ids)},
    )


def snapshots_made_by(store: Store, levels: Sequence[Level], ids: Collection[int]) -> list[SnapshotId]:
    """Those of the snapshots that one of the catalogs made and that are visible on its level."""
    rows = store.fetch(
        f"SELECT s.snapshot_id FROM {store.dialect.levels} JOIN lake_snapshot s ON s.catalog_id = l.catalog_id"
        f" AND {store.dialect.any_of('s.snapshot_id', 'ids')} WHERE s.snapshot_id <= l.top ORDER BY s.snapshot_id",
        {"ids": list(ids), **store.dialect.level_params(levels)},
    )
    return [SnapshotId(snapshot_id) for (snapshot_id,) in rows]


def waiting_files(dialect: StoreDialect, catalog_id: CatalogId, before: datetime | None) -> Statement:
    """Selects files of a catalog scheduled before a time; read the result with `read_scheduled`."""
    return Statement(
        f"SELECT w.file_id, w.path, w.file_size_bytes FROM lake_scheduled_file w WHERE {_waiting_condition(before)}"
        " ORDER BY w.file_id",
        _waiting_params(dialect, catalog_id, before),
    )


def due_files(
    dialect: StoreDialect, catalog_id: CatalogId, before: datetime | None, after_id: int, limit: int
) -> Statement:
    """Selects and locks such files with larger ids, if nothing refers to them.

    This is verified here, by file id and by path, over all catalogs.
    """
    proof = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} f WHERE f.{column} = w.{of_waiting})"
        for table, file_id in (("lake_data_file", "data_file_id"), ("lake_delete_file", "delete_file_id"))
        for column, of_waiting in ((file_id, "file_id"), ("path", "path"))
    )
    return Statement(
        f"SELECT w.file_id, w.path, w.file_size_bytes FROM lake_scheduled_file w WHERE {_waiting_condition(before)}"
        f" AND w.file_id > :after_id AND {proof} ORDER BY w.file_id LIMIT {limit} {dialect.skip_locked}",
        {**_waiting_params(dialect, catalog_id, before), "after_id": after_id},
    )


def _waiting_condition(before: datetime | None) -> str:
    since = "" if before is None else " AND w.schedule_start < :before"
    return f"w.catalog_id = :catalog_id AND w.path_is_relative{since}"


def _waiting_params(dialect: StoreDialect, catalog_id: CatalogId, before: datetime | None) -> dict[str, object]:
    return {"catalog_id": catalog_id, "before": None if before is None else dialect.to_database_time(before)}


def read_scheduled(rows: list[Row]) -> list[ScheduledFile]:
    return [ScheduledFile(*row) for row in rows]


def forget_scheduled(dialect: StoreDialect, catalog_id: CatalogId, file_ids: Collection[int]) -> Statement:
    """Removes deleted files from the schedule."""
    return Statement(
        f"DELETE FROM lake_scheduled_file WHERE catalog_id = :catalog_id AND {dialect.any_of('file_id', 'ids')}",
        {"catalog_id": catalog_id, "ids": list(file_ids)},
    )
