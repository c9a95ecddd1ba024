"""Checks of the rows of a table."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from forklake.catalog.checks.checked_catalog import CheckContext
from forklake.catalog.checks.objects import CheckedObjects, check_markers
from forklake.catalog.checks.statistics import check_file_statistics, check_row_ids, check_statistics
from forklake.catalog.checks.visible_table import CheckedTable, read_checked_table
from forklake.model.checked_rows import BatchRow, DeleteRow, FileRow
from forklake.model.findings import Finding
from forklake.model.ids import SnapshotId, TableId
from forklake.model.periods import KeptSnapshots, Period, overlapping_rows, uncovered_periods
from forklake.store.catalog_checks import tables_with_rows
from forklake.store.row_kinds import RowKind
from forklake.store.table_checks import batch_payloads

_Rows = Sequence[tuple[Period, FileRow]] | Sequence[tuple[Period, DeleteRow]] | Sequence[tuple[Period, BatchRow]]


def check_tables(look: CheckContext, objects: CheckedObjects) -> Iterator[tuple[CheckedTable, list[Finding]]]:
    """Yields every table that has any rows, with its findings; one is in memory at a time."""
    existing, names = objects.tables(), objects.names()
    for table_id in sorted(existing.keys() | tables_with_rows(look.store, look.scope)):
        asked = (look, TableId(table_id), names.get(table_id, str(table_id)), existing.get(table_id, []))
        table = read_checked_table(*asked)
        found = list(check_table(look, table, look.kept))
        if found:
            # Expiry may have run between two statements: real problems are found again on the second read.
            table = read_checked_table(*asked)
            found = list(check_table(look, table, look.kept_now()))
        yield table, found


def check_table(look: CheckContext, table: CheckedTable, kept: KeptSnapshots) -> Iterator[Finding]:
    yield from table.unreadable
    yield from _check_markers(table)
    for what, rows in _rows_by_kind(table):
        yield from _check_periods(table, what, rows, kept)
    yield from _check_names_in_files(table, kept)
    yield from _check_deletes(look, table, kept)
    yield from _check_inlined_deletes(table)
    yield from check_statistics(table, kept)
    if look.scope.snapshot_id in kept:
        yield from check_row_ids(table)
    yield from check_file_statistics(table, kept)


def read_payloads(look: CheckContext, table: CheckedTable, batches: Sequence[BatchRow]) -> dict[int, bytes]:
    """The payloads of inlined batches."""
    return batch_payloads(look.store, look.scope, table.table_id, [batch.batch_id for batch in batches])


def _rows_by_kind(table: CheckedTable) -> Iterator[tuple[str, _Rows]]:
    yield "data file", table.files
    yield "delete file", table.deletes
    yield "inlined batch", table.batches


def _check_markers(table: CheckedTable) -> Iterator[Finding]:
    known: set[tuple[int, int, int]] = {(int(RowKind.DATA_FILE), row.file_id, row.begin) for row in table.rows.files}
    known |= {(int(RowKind.DELETE_FILE), row.file_id, row.begin) for row in table.rows.deletes}
    known |= {(int(RowKind.INLINED_BATCH), row.batch_id, row.begin) for row in table.rows.batches}
    if known or table.existing or table.rows.stats:
        known.add((int(RowKind.TABLE_CONTENTS), 0, SnapshotId(0)))
    yield from check_markers(table.rows.markers, known, table.name)


def _check_periods(table: CheckedTable, what: str, rows: _Rows, kept: KeptSnapshots) -> Iterator[Finding]:
    """Rows must end after they begin, be unique, and be visible only while the table exists."""
    homeless: list[tuple[int, SnapshotId]] = []
    for period, row in rows:
        row_id = row[2]
        if row.end is not None and row.end <= row.begin:
            detail = f"{what.capitalize()} {row_id} begins with snapshot {row.begin} and ends with {row.end}."
            yield Finding("bad_period", table.name, snapshot_id=row.begin, detail=detail)
        for gap in uncovered_periods(period, table.existing):
            if (shown := kept.newest_in(gap)) is not None:
                homeless.append((row_id, shown))
                break
    for row_id, count in Counter(row[2] for _, row in rows).items():
        if count > 1:
            detail = f"{what.capitalize()} {row_id} is there {count} times."
            yield Finding("two_versions", table.name, detail=detail)
    if homeless:
        row_id, shown = max(homeless, key=lambda found: found[1])
        detail = f"{_count_text(len(homeless), what)}, such as {row_id}, of table {table.table_id}, which is not there."
        yield Finding("no_table", table.name, snapshot_id=shown, detail=detail)


def _check_names_in_files(table: CheckedTable, kept: KeptSnapshots) -> Iterator[Finding]:
    """Table versions and mappings needed by files and batches must exist. One finding for all that lack the same."""
    versions: dict[SnapshotId, list[str]] = defaultdict(list)
    mappings: dict[int, list[str]] = defaultdict(list)
    for period, file in table.files:
        if kept.newest_in(period) is None:
            continue
        if file.table_version is not None and file.table_version not in table.rows.versions:
            versions[file.table_version].append(f"data file {file.file_id}")
        if file.mapping_id is not None and file.mapping_id not in table.rows.mappings:
            mappings[file.mapping_id].append(f"data file {file.file_id}")
    for period, batch in table.batches:
        if batch.table_version not in table.rows.versions and kept.newest_in(period) is not None:
            versions[batch.table_version].append(f"inlined batch {batch.batch_id}")
    for version, users in versions.items():
        detail = f"Version {version} of the table is not there, and {_users_text(users)} need it."
        yield Finding("no_version", table.name, snapshot_id=version, detail=detail)
    for mapping_id, users in mappings.items():
        detail = f"Column mapping {mapping_id} is not there, and {_users_text(users)} need it."
        yield Finding("no_mapping", table.name, detail=detail)


def _check_deletes(look: CheckContext, table: CheckedTable, kept: KeptSnapshots) -> Iterator[Finding]:
    """A data file must have at most one delete file at a time, not longer than itself, and not visible without it."""
    files = {row.file_id: (period, row) for period, row in table.files}
    of_file: dict[int, list[tuple[Period, DeleteRow]]] = defaultdict(list)
    for period, row in table.deletes:
        of_file[row.data_file_id].append((period, row))
        path = look.shown(row.path, bool(row.path_is_relative))
        data_period, data = files.get(row.data_file_id, (None, None))
        covers = [] if data_period is None else [data_period]
        shown = next(filter(None, (kept.newest_in(gap) for gap in uncovered_periods(period, covers))), None)
        if shown is not None:
            detail = f"It deletes from data file {row.data_file_id}, which is not there."
            yield Finding("no_target", table.name, path, shown, detail)
        if data is not None and row.entries > data.entries:
            detail = f"It deletes {row.entries} rows of data file {data.file_id}, which has {data.entries}."
            yield Finding("too_many_deletes", table.name, path, kept.newest_in(period), detail)
    for data_file_id, rows in of_file.items():
        for first, second, both in overlapping_rows(rows):
            detail = f"Data file {data_file_id} has two delete files at once, {first.file_id} and {second.file_id}."
            yield Finding("two_versions", table.name, snapshot_id=kept.newest_in(both), detail=detail)


def _check_inlined_deletes(table: CheckedTable) -> Iterator[Finding]:
    batches = {row.batch_id: row for row in table.rows.batches}
    deleted: Counter[int] = Counter()
    largest: dict[int, int] = {}
    for row in table.rows.inlined_deletes:
        deleted[row.batch_id] += row.deleted
        largest[row.batch_id] = max(row.largest, largest.get(row.batch_id, 0))
    for batch_id, count in deleted.items():
        batch = batches.get(batch_id)
        if batch is None:
            detail = f"{_count_text(count, 'row')} of inlined batch {batch_id}, which is not there, are deleted."
            yield Finding("no_target", table.name, detail=detail)
        elif count > batch.row_count or largest[batch_id] >= batch.row_count:
            detail = f"{_count_text(count, 'row')}, up to number {largest[batch_id]}, of inlined batch {batch_id} are"
            yield Finding("too_many_deletes", table.name, detail=f"{detail} deleted, which has {batch.row_count}.")


def _count_text(count: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}{'es' if what.endswith('ch') else 's'}"
    return f"{count} {what if count == 1 else plural}"


def _users_text(users: list[str]) -> str:
    return users[0] if len(users) == 1 else f"{len(users)} files and batches, such as {users[0]},"
