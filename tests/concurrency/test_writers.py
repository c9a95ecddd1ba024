"""Eight processes commit at once: every commit lands exactly once, in one order, and nobody starves."""

from itertools import pairwise

from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.ids import SnapshotId, TableId
from tests.concurrency import jobs
from tests.concurrency.crew import PROCESSES, Crew, Job
from tests.lakes import ROWS_PER_FILE, append, make_table

COMMITS = 20


def test_all_commits_to_one_catalog_land_exactly_once(lake: Lake, main: Catalog, crew: Crew) -> None:
    make_table(main)
    before = len(list_snapshots(main))
    by_process = crew.run(jobs.insert, [("main", COMMITS)] * PROCESSES)
    for ids in by_process:
        assert ids == sorted(set(ids))
    history = list_snapshots(main)
    assert sorted(id for ids in by_process for id in ids) == [s.snapshot_id for s in history[before:]]
    assert len(history) == before + PROCESSES * COMMITS
    _check_chain(main)
    view, table_id = view_at_head(main), _table_id(main)
    starts = sorted(scanned.data.row_id_start or 0 for scanned in view.files(table_id))
    assert starts == list(range(0, PROCESSES * COMMITS * ROWS_PER_FILE, ROWS_PER_FILE))
    assert view.stats(table_id).record_count == view.stats(table_id).next_row_id == starts[-1] + ROWS_PER_FILE


def test_inserts_land_exactly_once_beside_writers_that_do_anything_else(lake: Lake, main: Catalog, crew: Crew) -> None:
    make_table(main)
    append(main)
    mixed = [(jobs.insert_mixed, ("main", COMMITS))] * (PROCESSES - 2)
    work: list[Job[list[SnapshotId]]] = [
        *mixed,
        (jobs.insert_and_replace, ("main", COMMITS)),
        (jobs.set_options, ("main", 5)),
    ]
    results = crew.run_all(work)
    history = [snapshot.snapshot_id for snapshot in list_snapshots(main)]
    landed = [snapshot_id for ids in results for snapshot_id in ids]
    assert sorted(landed) == history[-len(landed) :]
    _check_chain(main)
    view, table_id = view_at_head(main), _table_id(main)
    pieces = [(file.data.row_id_start, file.data.record_count) for file in view.files(table_id)]
    batches = view.batches(table_id)
    pieces += [(batch.row_id_start, batch.row_count) for batch in batches]
    row_ids = [start + i for start, count in pieces if start is not None for i in range(count)]
    stats = view.stats(table_id)
    assert len(row_ids) == len(set(row_ids)) == stats.record_count
    assert max(row_ids) < stats.next_row_id
    # No batch is ever ended here, so all of them are there.
    assert len(batches) == sum(len(ids) for ids in results[: PROCESSES - 2]) // 2
    assert verify_metadata(main) == []


def test_writers_of_different_catalogs_never_conflict(lake: Lake, crew: Crew) -> None:
    catalogs = [create_catalog(lake, f"tenant_{number}") for number in range(PROCESSES)]
    for catalog in catalogs:
        make_table(catalog)
    by_process = crew.run(jobs.replace_files, [(catalog.name, COMMITS) for catalog in catalogs])
    assert len({id for ids in by_process for id in ids}) == PROCESSES * COMMITS
    for catalog, ids in zip(catalogs, by_process, strict=True):
        assert ids == [snapshot.snapshot_id for snapshot in list_snapshots(catalog)[-COMMITS:]]
        assert len(view_at_head(catalog).files(_table_id(catalog))) == 1
        _check_chain(catalog)


def test_no_update_is_lost_when_writers_conflict(lake: Lake, main: Catalog, crew: Crew) -> None:
    writers, times = 4, 6
    make_table(main)
    append(main)
    crew.run(jobs.count_up, [("main", times)] * writers)
    [file] = view_at_head(main).files(_table_id(main))
    assert file.live_rows == ROWS_PER_FILE + writers * times
    assert view_at_head(main).stats(_table_id(main)).record_count == file.live_rows
    _check_chain(main)


def _check_chain(catalog: Catalog) -> None:
    for before, after in pairwise(list_snapshots(catalog)):
        assert after.previous_snapshot_id == before.snapshot_id
        assert after.snapshot_time > before.snapshot_time


def _table_id(catalog: Catalog) -> TableId:
    return TableId(get_table(begin(catalog), "main", "t").object_id)
