"""Selection and grouping of files to compact.

Files of different table versions can be combined: the output has the current columns of the table. Files of different
partitions are never combined, and the output keeps partition and partition spec of its sources: compaction reduces the
number of files, but does not repartition.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from forklake.errors import InvalidInput
from forklake.model.files import ScanFile
from forklake.model.ids import DataFileId, PartitionId

PartitionValues = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CompactionGroup:
    """Files of one partition to be compacted into one, in row order."""

    files: tuple[ScanFile, ...]
    partition_values: PartitionValues = ()

    @property
    def partition_id(self) -> PartitionId | None:
        return self.files[0].data.partition_id

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        return sum(file.data.file_size_bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """The sizes of files to merge, and the target size."""

    target: int
    smallest: int = 0
    largest: int | None = None
    """Only files below this size are merged; by default, those below the target."""

    def __post_init__(self) -> None:
        if self.largest is not None and self.largest <= 0:
            raise InvalidInput("The max_file_size option must be greater than zero.")
        if self.largest is not None and self.smallest >= self.largest:
            raise InvalidInput("The min_file_size must be less than max_file_size.")

    def include(self, size: int) -> bool:
        return self.smallest <= size < (self.target if self.largest is None else self.largest)


Partitions = Mapping[DataFileId, PartitionValues]


def groups_to_merge(files: Iterable[ScanFile], partitions: Partitions, sizes: SizeBounds) -> list[CompactionGroup]:
    """Groups of small files without deleted rows that together reach the target size; at least two files each."""
    small = [file for file in files if file.delete is None and sizes.include(file.data.file_size_bytes)]
    packed = _pack_groups(small, partitions, sizes.target)
    return [group for group in packed if len(group.files) > 1]


def groups_to_rewrite(
    files: Iterable[ScanFile], partitions: Partitions, target: int, threshold: float
) -> list[CompactionGroup]:
    """Groups of files with at least this share of deleted rows, whose remaining rows together reach the target size."""
    return list(_pack_groups([file for file in files if _is_worth_rewriting(file, threshold)], partitions, target))


def check_threshold(threshold: float) -> None:
    # Phrased so that NaN fails too.
    if not 0 <= threshold <= 1:
        raise InvalidInput("The delete_threshold option must be between 0 and 1")


def check_count(most: int | None) -> None:
    """Check the maximum number of files to create."""
    if most is not None and most <= 0:
        raise InvalidInput("The max_compacted_files option must be greater than zero.")


def first_groups(groups: Sequence[CompactionGroup], most_files: int, most_bytes: int) -> list[CompactionGroup]:
    """The first groups up to this number of files and bytes, but at least one."""
    chosen: list[CompactionGroup] = []
    files = size = 0
    for group in groups:
        files, size = files + len(group.files), size + group.size
        if chosen and (files > most_files or size > most_bytes):
            break
        chosen.append(group)
    return chosen


def _is_worth_rewriting(file: ScanFile, threshold: float) -> bool:
    gone = file.data.record_count - file.live_rows
    return gone > 0 and gone >= threshold * file.data.record_count


def _pack_groups(files: Iterable[ScanFile], partitions: Partitions, target: int) -> Iterator[CompactionGroup]:
    by_partition: dict[tuple[PartitionId | None, PartitionValues], list[ScanFile]] = {}
    for file in sorted(files, key=_row_order):
        values = partitions.get(file.data.data_file_id, ())
        by_partition.setdefault((file.data.partition_id, values), []).append(file)
    for (_, values), members in by_partition.items():
        group: list[ScanFile] = []
        size = 0
        for file in members:
            group.append(file)
            size += _live_bytes(file)
            if size >= target:
                yield CompactionGroup(tuple(group), values)
                group, size = [], 0
        if group:
            yield CompactionGroup(tuple(group), values)


def _row_order(file: ScanFile) -> tuple[int, int, int]:
    """Insertion order: by snapshot, then by row id. Files with embedded row ids come before the others."""
    data = file.data
    first = -1 if data.row_id_start is None else data.row_id_start
    return data.begin_snapshot, first, data.data_file_id


def _live_bytes(file: ScanFile) -> int:
    """The approximate size of the live rows of a file."""
    return file.data.file_size_bytes * file.live_rows // max(1, file.data.record_count)
