"""What can be read of a table, now and of the past."""

from collections.abc import Sequence
from typing import Any

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.catalog.reading.view import view_at
from forklake.errors import NoSuchTable
from forklake.model.ids import TableId
from tests.attached import read_table
from tests.spark.inside import rows, sort_key


def versions_of(lake: CatalogHandle, table: TableHandle) -> list[int]:
    """Every snapshot that has the table."""
    found = []
    for snapshot in lake.snapshots():
        try:
            table.count(version=snapshot.snapshot_id)
        except NoSuchTable:
            continue
        found.append(int(snapshot.snapshot_id))
    return found


def history(table: TableHandle, versions: Sequence[int]) -> list[Any]:
    """The rows now and at the last of the versions, with their ids and snapshots; all changes between the versions;
    and where the rows of each version are: files never change, so what is there is what was."""
    changes = sorted(table.changes(versions[0], versions[-1]).fetchall(), key=sort_key)
    now = rows(table, "rowid", "snapshot_id", *table.columns)
    last = rows(table, "rowid", "snapshot_id", *table.columns, version=versions[-1])
    _, table_id = read_table(table)
    return [now, last, changes, *(_places(table, table_id, version) for version in versions)]


def _places(table: TableHandle, table_id: TableId, version: int) -> tuple[Any, ...]:
    view = view_at(table._attachment.catalog, version=version)
    return sorted(view.files(table_id)), view.batches(table_id)
