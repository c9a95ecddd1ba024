"""All maintenance of a catalog in sequence."""

from collections.abc import Callable
from dataclasses import dataclass

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.maintenance.cleanup.old_files import cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.maintenance.commits import Commits
from forklake.maintenance.compaction.flush_tables import flush_inlined_data
from forklake.maintenance.compaction.merge_adjacent import merge_adjacent_files
from forklake.maintenance.compaction.rewrite_files import rewrite_data_files
from forklake.maintenance.progress import QUIET, Progress
from forklake.spark.storage.storage import Storage


@dataclass(frozen=True, slots=True)
class Step:
    """A maintenance step, and the number of processed rows, snapshots or files."""

    step: str
    done: int


def checkpoint(catalog: Catalog, storage: Storage, commits: Commits, *, progress: Progress = QUIET) -> list[Step]:
    """Flush, expire, merge, rewrite, clean up and delete orphans, according to the options of the catalog.

    Steps are independent: if one fails, the results of the previous ones remain.
    """
    steps: tuple[tuple[str, Callable[[], int]], ...] = (
        ("flush_inlined_data", lambda: sum(flushed.rows_flushed for flushed in flush_inlined_data(commits))),
        ("expire_snapshots", lambda: len(expire_snapshots(catalog))),
        (
            "merge_adjacent_files",
            lambda: sum(merged.files_processed for merged in merge_adjacent_files(commits, progress=progress)),
        ),
        (
            "rewrite_data_files",
            lambda: sum(rewritten.files_processed for rewritten in rewrite_data_files(commits, progress=progress)),
        ),
        ("cleanup_old_files", lambda: len(cleanup_old_files(catalog, storage, progress=progress))),
        ("delete_orphaned_files", lambda: len(delete_orphaned_files(catalog, storage, progress=progress))),
    )
    return [Step(name, run()) for name, run in steps]
