"""Checks of table statistics against files and inlined rows."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from forklake.catalog.checks.visible_table import CheckedTable
from forklake.model.findings import Finding
from forklake.model.ids import SnapshotId
from forklake.model.periods import KeptSnapshots, Period
from forklake.store.table_checks import StatsRow


class _CountChange(NamedTuple):
    """From this snapshot on, the table has this many more rows and bytes (negative: fewer)."""

    snapshot_id: int
    rows: int
    size: int


def check_statistics(table: CheckedTable, kept: KeptSnapshots) -> Iterator[Finding]:
    """The counts in each version of the statistics must match the files and batches at that time."""
    changes = sorted(_count_changes(table))
    moments = [change.snapshot_id for change in changes]
    rows = [0, *accumulate(change.rows for change in changes)]
    sizes = [0, *accumulate(change.size for change in changes)]
    none = StatsRow(SnapshotId(0), 0, 0, 0)
    versions = [none, *table.rows.stats]
    ends = [version.begin for version in versions[1:]] + [table.dropped]
    for version, end in zip(versions, ends, strict=True):
        shown = kept.newest_in(Period(version.begin, min(end, table.dropped)))
        if shown is None:
            continue
        at = bisect_right(moments, shown)
        for what, recorded, actual in (
            ("rows", version.record_count, rows[at]),
            ("bytes", version.file_size_bytes, sizes[at]),
        ):
            if recorded != actual:
                detail = f"The statistics of the table count {recorded} {what}, and there are {actual}."
                yield Finding("wrong_statistics", table.name, snapshot_id=shown, detail=detail)


def check_row_ids(table: CheckedTable) -> Iterator[Finding]:
    """The next row id must never have been assigned. Requires that the head, and thus its statistics, is kept."""
    following = table.next_row_id
    ends = [row.row_id_start + row.entries for row in table.rows.files if row.row_id_start is not None]
    ends += [row.row_id_start + row.row_count for row in table.rows.batches if row.row_id_start is not None]
    if ends and max(ends) > following:
        detail = f"The next row id is {following}, and row id {max(ends) - 1} is in use."
        yield Finding("low_row_id", table.name, detail=detail)


def check_file_statistics(table: CheckedTable, kept: KeptSnapshots) -> Iterator[Finding]:
    """Every column must have a statistics row, known or not: a file without one is omitted from searches."""
    added = sorted(table.columns.values())
    for period, row in table.files:
        shown = kept.newest_in(period)
        if shown is None or shown != kept.newest_in(Period(0, table.dropped)):
            continue
        expected = bisect_right(added, row.begin)
        found = table.with_statistics.get(row.file_id, 0)
        if found < expected:
            detail = f"Data file {row.file_id} has statistics of {found} columns, and {expected} columns."
            yield Finding("missing_statistics", table.name, snapshot_id=shown, detail=detail)


def _count_changes(table: CheckedTable) -> Iterator[_CountChange]:
    for file_period, file in table.files:
        yield _CountChange(file_period.begin, file.entries, file.size)
        yield _CountChange(file_period.end, -file.entries, -file.size)
    for delete_period, delete in table.deletes:
        yield _CountChange(delete_period.begin, -delete.entries, 0)
        yield _CountChange(delete_period.end, delete.entries, 0)
    ends = {}
    for batch_period, batch in table.batches:
        ends[batch.batch_id] = batch_period.end
        yield _CountChange(batch_period.begin, batch.row_count, 0)
        yield _CountChange(batch_period.end, -batch.row_count, 0)
    for deleted in table.rows.inlined_deletes:
        # Deletes from a batch that has ended are already accounted for.
        end = ends.get(deleted.batch_id, deleted.begin)
        if deleted.begin < end:
            yield _CountChange(deleted.begin, -deleted.deleted, 0)
            yield _CountChange(end, deleted.deleted, 0)
