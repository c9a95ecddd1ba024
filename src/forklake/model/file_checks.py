"""Validation of new files and batches before they are staged, in bulk because there may be many."""

from collections.abc import Iterable, Sequence
from typing import Any

from forklake.errors import InvalidInput
from forklake.model.entities import UNCOMMITTED
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, NewDataFile, ScanFile, TableStats
from forklake.model.ids import SnapshotId
from forklake.model.names import check_text, is_storable
from forklake.model.partitions import PartitionSpec
from forklake.model.statistics import ColumnStats

LARGEST = 2**63 - 1
"""The largest integer that the databases can store."""
MOST_INLINED = 2**31 - 1

_FILE_NUMBERS = (
    "data_file_id",
    "record_count",
    "file_size_bytes",
    "footer_size",
    "row_id_start",
    "partition_id",
    "mapping_id",
    "partial_max",
)
_FILE_TEXTS = ("path", "file_format", "encryption_key")
_DELETE_NUMBERS = ("delete_file_id", "delete_count", "file_size_bytes", "footer_size", "partial_max")
_DELETE_TEXTS = ("path", "format", "encryption_key")
_STATS_NUMBERS = ("column_id", "value_count", "null_count", "column_size_bytes")
_STATS_TEXTS = ("min_value", "max_value", "extra_stats")


def check_new_files(files: Sequence[NewDataFile], partition: PartitionSpec | None) -> None:
    """Reject data files with numbers or texts that cannot be stored, or with incomplete partition values."""
    _check_fields([new.file for new in files], DataFile._fields, _FILE_NUMBERS, _FILE_TEXTS)
    _check_versions(new.file.table_version for new in files)
    check_column_stats([stats for new in files for stats in new.column_stats])
    _check_texts("partition value", [value for new in files for value in new.partition_values])
    for new in files:
        _check_partition(new, partition)


def check_delete_files(deletes: Sequence[tuple[ScanFile, DeleteFile]]) -> None:
    """Reject delete files that cannot be stored, or that undo earlier deletes from their data files."""
    _check_fields([delete for _, delete in deletes], DeleteFile._fields, _DELETE_NUMBERS, _DELETE_TEXTS)
    for scanned, delete in deletes:
        already = scanned.delete.delete_count if scanned.delete else 0
        if delete.delete_count <= already or delete.data_file_id != scanned.data.data_file_id:
            raise InvalidInput(
                "A delete file must contain all earlier deletes of its data file, and at least one more."
            )


def check_batch(batch: InlinedBatch) -> None:
    """Reject a batch with impossible counts."""
    _check_numbers("batch id", [batch.batch_id, batch.row_id_start])
    _check_numbers("row count", [batch.row_count], MOST_INLINED)
    _check_versions([batch.table_version])
    if any(not 0 <= position < batch.row_count for position in batch.deleted):
        raise InvalidInput(f"The batch has {batch.row_count} rows, but others are deleted from it.")


def check_column_stats(stats: Sequence[ColumnStats]) -> None:
    """Reject statistics with numbers or texts that cannot be stored."""
    _check_fields(stats, ColumnStats._fields, _STATS_NUMBERS, _STATS_TEXTS)


def check_totals(stats: TableStats) -> None:
    """Reject table statistics that exceed what can be stored."""
    _check_numbers("number of rows of the table", [stats.record_count, stats.next_row_id])
    _check_numbers("size of the table", [stats.file_size_bytes])


def _check_partition(new: NewDataFile, partition: PartitionSpec | None) -> None:
    partition_id, values = new.file.partition_id, len(new.partition_values)
    if partition_id is None:
        fits = values == 0
    elif partition is not None and partition_id == partition.partition_id:
        fits = values == len(partition.keys)
    else:
        # An older partition spec of the table, whose keys are not kept.
        fits = values > 0
    if not fits:
        raise InvalidInput(f"Data file {new.file.data_file_id} must have a partition id and a value for each key.")


def _check_fields(
    entries: Sequence[tuple[Any, ...]], fields: Sequence[str], numbers: Iterable[str], texts: Iterable[str]
) -> None:
    if not entries:
        return
    # Transposed once, because there may be a hundred thousand rows.
    columns = dict(zip(fields, zip(*entries, strict=True), strict=True))
    for name in numbers:
        _check_numbers(name, columns[name])
    for name in texts:
        _check_texts(name, columns[name])


def _check_numbers(what: str, numbers: Iterable[int | None], most: int = LARGEST) -> None:
    # Zero is always valid and can be skipped like None.
    known = list(filter(None, numbers))
    if known and (min(known) < 0 or max(known) > most):
        wrong = next(number for number in known if not 0 <= number <= most)
        raise InvalidInput(f"The {what.replace('_', ' ')} must be from 0 to {most}, not {wrong}.")


def _check_versions(versions: Iterable[SnapshotId | None]) -> None:
    _check_numbers("table version", (version for version in versions if version != UNCOMMITTED))


def _check_texts(what: str, texts: Iterable[str | None]) -> None:
    known = list(filter(None, texts))
    if not is_storable("".join(known)):
        for text in known:
            check_text(text, what.replace("_", " "))
