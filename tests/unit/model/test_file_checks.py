"""Files and batches that cannot be right are refused, and nothing else is."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from forklake.errors import InvalidInput
from forklake.model.entities import UNCOMMITTED
from forklake.model.file_checks import (
    LARGEST,
    MOST_INLINED,
    check_batch,
    check_column_stats,
    check_delete_files,
    check_new_files,
    check_totals,
)
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, NewDataFile, ScanFile, TableStats
from forklake.model.ids import BatchId, ColumnId, DataFileId, DeleteFileId, PartitionId, SnapshotId
from forklake.model.partitions import PartitionKey, PartitionSpec
from forklake.model.statistics import ColumnStats

FILE = DataFile(DataFileId(1), "a.parquet", 10, 100, 10, row_id_start=0)
DELETE = DeleteFile(DeleteFileId(2), DataFileId(1), "b.parquet", 5, 100, 10)
STATS = ColumnStats(ColumnId(1), 10, 0, "1", "9", None, 80)
BATCH = InlinedBatch(BatchId(3), SnapshotId(1), 3, b"rows")
SPEC = PartitionSpec(PartitionId(7), (PartitionKey(ColumnId(1), "identity"), PartitionKey(ColumnId(2), "year")))
GOOD = NewDataFile(FILE, (STATS,))

BAD_NUMBERS = [-1, -(2**63), LARGEST + 1, 2**70]
BAD_TEXTS = ["a\0b", "\ud800", "\udc00x"]


@pytest.mark.parametrize("number", BAD_NUMBERS)
@pytest.mark.parametrize(
    "change",
    [
        lambda n: check_new_files([GOOD, replace(GOOD, file=FILE._replace(data_file_id=DataFileId(n)))], None),
        lambda n: check_new_files([GOOD, replace(GOOD, file=FILE._replace(record_count=n))], None),
        lambda n: check_new_files([GOOD, replace(GOOD, file=FILE._replace(file_size_bytes=n))], None),
        lambda n: check_new_files([GOOD, replace(GOOD, file=FILE._replace(footer_size=n))], None),
        lambda n: check_new_files([GOOD, replace(GOOD, file=FILE._replace(row_id_start=n))], None),
        lambda n: check_new_files([GOOD, replace(GOOD, file=FILE._replace(partial_max=SnapshotId(n)))], None),
        lambda n: check_new_files([GOOD, replace(GOOD, column_stats=(STATS._replace(value_count=n),))], None),
        lambda n: check_column_stats([STATS, STATS._replace(null_count=n)]),
        lambda n: check_column_stats([STATS, STATS._replace(column_size_bytes=n)]),
        lambda n: check_delete_files([(ScanFile(FILE), DELETE._replace(delete_file_id=DeleteFileId(n)))]),
        lambda n: check_delete_files([(ScanFile(FILE), DELETE._replace(delete_count=n))]),
        lambda n: check_delete_files([(ScanFile(FILE), DELETE._replace(file_size_bytes=n))]),
        lambda n: check_batch(replace(BATCH, batch_id=BatchId(n))),
        lambda n: check_batch(replace(BATCH, row_count=n)),
        lambda n: check_batch(replace(BATCH, row_id_start=n)),
        lambda n: check_totals(TableStats(record_count=n)),
        lambda n: check_totals(TableStats(next_row_id=n)),
        lambda n: check_totals(TableStats(file_size_bytes=n)),
    ],
)
def test_a_number_that_no_database_holds_is_refused(change: Callable[[int], None], number: int) -> None:
    with pytest.raises(InvalidInput, match=f"must be from 0 to [0-9]+, not {number}"):
        change(number)


@pytest.mark.parametrize("text", BAD_TEXTS, ids=ascii)
@pytest.mark.parametrize(
    "change",
    [
        lambda t: check_new_files([GOOD, replace(GOOD, file=FILE._replace(path=t))], None),
        lambda t: check_new_files([GOOD, replace(GOOD, file=FILE._replace(file_format=t))], None),
        lambda t: check_new_files([GOOD, replace(GOOD, file=FILE._replace(encryption_key=t))], None),
        lambda t: check_new_files(
            [GOOD, replace(GOOD, file=FILE._replace(partition_id=PartitionId(1)), partition_values=(t,))], None
        ),
        lambda t: check_column_stats([STATS, STATS._replace(min_value=t)]),
        lambda t: check_column_stats([STATS, STATS._replace(max_value=t)]),
        lambda t: check_column_stats([STATS, STATS._replace(extra_stats=t)]),
        lambda t: check_delete_files([(ScanFile(FILE), DELETE._replace(path=t))]),
    ],
)
def test_a_text_that_no_database_holds_is_refused(change: Callable[[str], None], text: str) -> None:
    with pytest.raises(InvalidInput, match="NUL or an unpaired surrogate"):
        change(text)


def test_numbers_up_to_the_largest_are_taken() -> None:
    check_new_files([GOOD, replace(GOOD, file=FILE._replace(record_count=LARGEST, table_version=UNCOMMITTED))], None)
    check_new_files([NewDataFile(DataFile(DataFileId(0), "a", 0, 0))], None)
    check_new_files([], None)
    check_batch(replace(BATCH, row_count=MOST_INLINED, table_version=UNCOMMITTED))
    check_totals(TableStats(LARGEST, LARGEST, LARGEST))


@pytest.mark.parametrize("version", [-2, 2**63])
def test_a_version_is_that_of_a_snapshot_or_of_the_transaction(version: int) -> None:
    with pytest.raises(InvalidInput, match="table version"):
        check_new_files([replace(GOOD, file=FILE._replace(table_version=SnapshotId(version)))], None)
    with pytest.raises(InvalidInput, match="table version"):
        check_batch(replace(BATCH, table_version=SnapshotId(version)))


def test_only_rows_of_a_batch_can_be_deleted_from_it() -> None:
    check_batch(replace(BATCH, deleted=frozenset({0, 2})))
    for position in (-1, 3):
        with pytest.raises(InvalidInput, match="3 rows"):
            check_batch(replace(BATCH, deleted=frozenset({position})))


@pytest.mark.parametrize(
    ("partition_id", "values", "fits"),
    [
        (None, (), True),
        (None, ("1", "2"), False),
        (7, ("1", None), True),
        (7, (), False),
        (7, ("1",), False),
        (7, ("1", "2", "3"), False),
        (6, ("1",), True),
        (6, (), False),
    ],
)
def test_a_file_has_a_partition_value_for_each_key(
    partition_id: int | None, values: tuple[str | None, ...], fits: bool
) -> None:
    spec_id = None if partition_id is None else PartitionId(partition_id)
    new = NewDataFile(FILE._replace(partition_id=spec_id), partition_values=values)
    if fits:
        check_new_files([new], SPEC)
        return
    with pytest.raises(InvalidInput, match="a value for each key"):
        check_new_files([new], SPEC)


def test_a_delete_file_holds_more_than_the_one_before() -> None:
    scanned = ScanFile(FILE, DELETE)
    check_delete_files([(scanned, DELETE._replace(delete_count=6))])
    for wrong in (DELETE, DELETE._replace(delete_count=6, data_file_id=DataFileId(9))):
        with pytest.raises(InvalidInput, match="earlier deletes"):
            check_delete_files([(scanned, wrong)])
