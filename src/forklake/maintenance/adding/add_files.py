"""Adds existing Parquet files to a table, unchanged and in place."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from forklake.catalog.transaction.names import get_table
from forklake.errors import InvalidInput
from forklake.maintenance.adding.file_matching import MatchingRules
from forklake.maintenance.adding.file_places import PlacedFile, check_not_in_table, place_files
from forklake.maintenance.adding.find_files import find_files
from forklake.maintenance.adding.foreign_file import ForeignFile, TargetTable
from forklake.maintenance.commits import Commits, Place
from forklake.maintenance.footers.footer_canary import DEADLY, deadly_footers
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.entities import Table
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import DataFileId, MappingId
from forklake.model.mappings import NameMapping
from forklake.model.names import DEFAULT_SCHEMA
from forklake.spark.storage.data_path_mark import claim_data_path
from forklake.spark.work import Work

_READERS = 16


def add_data_files(
    commits: Commits,
    place: Place,
    files: Sequence[str],
    *,
    allow_missing: bool = False,
    ignore_extra_columns: bool = False,
    hive_partitioning: bool | None = None,
    allow_duplicates: bool = False,
    progress: Progress = QUIET,
) -> list[str]:
    """Add Parquet files to a table, reading only their footers; returns the full paths of the added files.

    A path may be a pattern, or a folder for all files below it. Columns are matched by name. Those missing in a file
    get values from its path (`region=a/`) unless `hive_partitioning` is False, or, with `allow_missing`, their initial
    defaults. Files without rows are skipped. A file that is already in the table is rejected, unless `allow_duplicates`
    indicates that its rows are meant to occur twice. Files outside of the catalog's own folder remain the user's: they
    are never deleted here.
    """
    rules = MatchingRules(allow_missing, ignore_extra_columns)
    with commits.writing() as work:
        table = get_table(work.tx, place.schema or DEFAULT_SCHEMA, place.table or "")
        work.tx.check_changeable()
        target = TargetTable(table, rules, reads_paths=hive_partitioning is not False)
        fitting = _fitting_files(work, target, files, progress)
        if not allow_duplicates:
            check_not_in_table(work, table, [file.placed for file in fitting])
        if fitting:
            _stage_foreign_files(work, table, fitting)
    return [file.placed.file.name for file in fitting]


def _fitting_files(work: Work, target: TargetTable, files: Sequence[str], progress: Progress) -> list[ForeignFile]:
    """The files that have rows; all must fit the table."""
    placed = place_files(work, find_files(work.storage, files))
    _check_footers_readable(placed)
    progress.begin("Adding files", len(placed), sum(each.file.size for each in placed))
    try:
        return [file for file in _inspect_files(target, placed, progress) if file.record_count]
    finally:
        progress.end()


def _check_footers_readable(placed: Sequence[PlacedFile]) -> None:
    """Reject files whose footers would crash this process."""
    deadly = deadly_footers([(each.file.files, each.file.path) for each in placed])
    for each in placed:
        if each.file.path in deadly:
            raise InvalidInput(f"File '{each.file.name}' cannot be read as Parquet: {DEADLY}.")


def _inspect_files(target: TargetTable, placed: Sequence[PlacedFile], progress: Progress) -> Iterator[ForeignFile]:
    """The files in order; footers are read concurrently, and reading stops at the first file that does not fit."""
    threads = ThreadPoolExecutor(max_workers=_READERS)
    try:
        for file in threads.map(target.inspect_file, placed):
            progress.advance(1, file.placed.file.size)
            yield file
    finally:
        threads.shutdown(cancel_futures=True)


def _stage_foreign_files(work: Work, table: Table, files: Sequence[ForeignFile]) -> None:
    mapping_ids = _stage_mappings(work, table, files)
    partition = table.definition.partition
    ids = work.tx.new_ids("file", len(files))
    new = [
        NewDataFile(
            DataFile(
                DataFileId(file_id),
                file.placed.path,
                file.record_count,
                file.file_size_bytes,
                file.footer_size,
                path_is_relative=file.placed.is_relative,
                partition_id=None if partition is None else partition.partition_id,
                mapping_id=None if file.mapping is None else mapping_ids[file.mapping],
                table_version=work.tx.version_of(table) if file.mapping is None else None,
            ),
            file.column_stats,
            file.partition_values,
        )
        for file_id, file in zip(ids, files, strict=True)
    ]
    if any(file.placed.is_relative for file in files):
        claim_data_path(work.tx.catalog.lake, work.storage)
    for file in files:
        if file.placed.is_relative:
            # Until the commit only its age distinguishes it from an orphan, and it may have kept an old one when it was
            # copied.
            work.storage.touch(file.placed.path)
    work.tx.append_files(table, new)


def _stage_mappings(work: Work, table: Table, files: Sequence[ForeignFile]) -> dict[NameMapping, MappingId]:
    """One mapping for all files with the same names."""
    mappings = list(dict.fromkeys(file.mapping for file in files if file.mapping is not None))
    ids = [MappingId(i) for i in work.tx.new_ids("entity", len(mappings))] if mappings else []
    for mapping_id, mapping in zip(ids, mappings, strict=True):
        work.tx.add_mapping(table, mapping_id, mapping)
    return dict(zip(mappings, ids, strict=True))
