"""Cleanup, expiry, forks, drops and commits by several processes at once: no file is lost, and none is left over."""

from pathlib import Path

import pytest

from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog, find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.model.ids import TableId
from forklake.spark.work import storage_of
from tests.concurrency import upkeep_jobs as jobs
from tests.concurrency.crew import Crew, Job
from tests.conftest import Place
from tests.lakes import make_table


def files_on_disk(data: Path) -> set[str]:
    return {str(path.relative_to(data)) for path in data.rglob("*.parquet")}


def named(lake: Lake) -> set[str]:
    return {path for (path,) in lake.store.fetch("SELECT path FROM lake_data_file", {})}


@pytest.mark.parametrize("times", [12])
def test_nothing_is_lost_and_nothing_left_over(crew: Crew, place: Place, tmp_path: Path, times: int) -> None:
    data = tmp_path / "data"
    lake = open_lake(place.url, metadata_schema=place.metadata_schema, create=True, data_path=f"{data}/")
    for name in ("main", "other"):
        make_table(create_catalog(lake, name))
        jobs.write_rows(lake, name, 4)
    # On a busy machine those who clean up may be done before the others begin: that was no race, and one more is run.
    assert any(_work_and_upkeep(crew, turn, times) for turn in range(5)), "nothing was ever deleted"
    read = 0
    for info in list_catalogs(lake):
        catalog = find_catalog(lake, info.name)
        for snapshot in list_snapshots(catalog):
            view = view_at(catalog, version=snapshot.snapshot_id)
            for entry in view.all_objects():
                if entry.kind == "table":
                    read += sum(1 for _ in jobs.read_files(lake, view.files(TableId(entry.object_id))))
    assert read > 50
    _last_pass(lake)
    assert files_on_disk(data) == named(lake)
    for info in list_catalogs(lake):
        if info.name != "main":
            drop_catalog(lake, info.name)
    _last_pass(lake)
    assert files_on_disk(data) == named(lake)
    main = find_catalog(lake, "main")
    expire_snapshots(main, older_than=jobs.NOW)
    _last_pass(lake)
    tx = begin(main)
    files = tx.files(TableId(get_table(tx, "main", "t").object_id))
    assert files_on_disk(data) == {file.data.path for file in files}
    lake.close()


def _work_and_upkeep(crew: Crew, turn: int, times: int) -> int:
    """A race between those who write, fork and read and those who expire and clean up; the files that are gone."""
    work: list[Job[object]] = [
        (jobs.write_rows, ("main", 4 * times)),
        (jobs.write_rows, ("main", 4 * times)),
        (jobs.write_rows, ("other", 4 * times)),
        (jobs.fork_and_read, ("main", f"f{turn}_", times)),
        (jobs.fork_and_read, ("other", f"g{turn}_", times)),
        (jobs.expire_and_clean, (times,)),
        (jobs.expire_and_clean, (times,)),
    ]
    results = crew.run_all(work)
    return sum(gone for gone in results[-2:] if isinstance(gone, int))


def _last_pass(lake: Lake) -> None:
    storage, main = storage_of(lake), find_catalog(lake, "main")
    for info in list_catalogs(lake):
        catalog = find_catalog(lake, info.name)
        cleanup_old_files(catalog, storage, cleanup_all=True)
        # What commits that met a conflict have left.
        delete_orphaned_files(catalog, storage, cleanup_all=True)
    cleanup_dropped_catalogs(main, storage, cleanup_all=True)
