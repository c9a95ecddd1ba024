"""Which files are compacted, and which of them together."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import InvalidInput
from forklake.maintenance.compaction.compaction_choice import (
    CompactionGroup,
    SizeBounds,
    check_count,
    check_threshold,
    first_groups,
    groups_to_merge,
    groups_to_rewrite,
)
from forklake.model.files import DataFile, DeleteFile, ScanFile
from forklake.model.ids import DataFileId, DeleteFileId, PartitionId, SnapshotId


def file(
    number: int,
    size: int = 10,
    *,
    rows: int = 100,
    deleted: int = 0,
    begin: int | None = None,
    row_id: int | None = None,
    spec: int | None = None,
) -> ScanFile:
    data = DataFile(
        DataFileId(number),
        f"{number}.parquet",
        rows,
        size,
        row_id_start=row_id,
        partition_id=None if spec is None else PartitionId(spec),
        begin_snapshot=SnapshotId(number if begin is None else begin),
    )
    delete = DeleteFile(DeleteFileId(1000 + number), data.data_file_id, "d", deleted, 1) if deleted else None
    return ScanFile(data, delete)


def numbers(groups: Iterable[CompactionGroup]) -> list[list[int]]:
    return [[found.data.data_file_id for found in group.files] for group in groups]


def test_files_are_packed_until_they_have_the_target_size() -> None:
    files = [file(number, 10) for number in range(7)]
    assert numbers(groups_to_merge(files, {}, SizeBounds(25))) == [[0, 1, 2], [3, 4, 5]]
    assert numbers(groups_to_merge(files, {}, SizeBounds(1000))) == [[0, 1, 2, 3, 4, 5, 6]]
    assert groups_to_merge(files, {}, SizeBounds(10)) == []


def test_only_files_of_the_sizes_asked_for_and_without_deleted_rows_are_merged() -> None:
    files = [file(1, 5), file(2, 10), file(3, 99), file(4, 100), file(5, 20, deleted=1), file(6, 30)]
    assert numbers(groups_to_merge(files, {}, SizeBounds(100))) == [[1, 2, 3]]
    assert numbers(groups_to_merge(files, {}, SizeBounds(1000, smallest=10, largest=100))) == [[2, 3, 6]]
    # Larger than the target, if that was asked for.
    assert numbers(groups_to_merge(files, {}, SizeBounds(20, largest=1000))) == [[1, 2, 3]]


def test_files_are_merged_in_the_order_in_which_their_rows_came() -> None:
    files = [
        file(4, begin=2, row_id=0),
        file(3, begin=1, row_id=20),
        file(2, begin=1, row_id=10),
        file(1, begin=2),
        file(5, begin=2, row_id=0),
    ]
    assert numbers(groups_to_merge(files, {}, SizeBounds(1000))) == [[2, 3, 1, 4, 5]]


def test_partitions_and_partitionings_stay_apart() -> None:
    files = [file(1), file(2, spec=7), file(3, spec=7), file(4, spec=7), file(5, spec=8), file(6, spec=8), file(7)]
    values = {2: ("a",), 3: ("b",), 4: ("a",), 5: ("a", None), 6: ("a", None)}
    groups = groups_to_merge(files, {DataFileId(key): of_file for key, of_file in values.items()}, SizeBounds(1000))
    assert numbers(groups) == [[1, 7], [2, 4], [5, 6]]
    assert [(group.partition_id, group.partition_values) for group in groups] == [
        (None, ()),
        (7, ("a",)),
        (8, ("a", None)),
    ]


@pytest.mark.parametrize(
    ("threshold", "chosen"), [(0, [[1, 2, 3]]), (0.01, [[1, 2, 3]]), (0.5, [[2, 3]]), (0.51, [[3]]), (1, [[3]])]
)
def test_files_are_rewritten_from_a_share_of_deleted_rows_on(threshold: float, chosen: list[list[int]]) -> None:
    files = [file(0), file(1, deleted=1), file(2, deleted=50), file(3, deleted=100)]
    assert numbers(groups_to_rewrite(files, {}, 1000, threshold)) == chosen


def test_what_is_left_of_rewritten_files_is_packed() -> None:
    files = [file(number, 100, deleted=90) for number in range(5)]
    assert numbers(groups_to_rewrite(files, {}, 20, 0.5)) == [[0, 1], [2, 3], [4]]


def test_a_commit_takes_in_a_part_of_the_work_but_never_nothing() -> None:
    groups = [CompactionGroup((file(number, 10), file(number + 1, 10))) for number in range(0, 10, 2)]
    assert first_groups(groups, 100, 1000) == groups
    assert first_groups(groups, 5, 1000) == groups[:2]
    assert first_groups(groups, 100, 60) == groups[:3]
    assert first_groups(groups, 1, 1) == groups[:1]
    assert first_groups([], 1, 1) == []


def test_limits_that_make_no_sense_are_refused() -> None:
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(InvalidInput, match="between 0 and 1"):
            check_threshold(wrong)
    for count in (0, -1):
        with pytest.raises(InvalidInput, match="max_compacted_files"):
            check_count(count)
    with pytest.raises(InvalidInput, match="max_file_size option must be greater than zero"):
        SizeBounds(1, largest=0)
    with pytest.raises(InvalidInput, match="min_file_size must be less"):
        SizeBounds(1, smallest=5, largest=5)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.sampled_from([0, 0, 30]), st.sampled_from([None, 1, 2])), max_size=30),
    st.integers(1, 100),
)
def test_every_chosen_file_is_in_one_group_of_its_partition(
    sizes: list[tuple[int, int, int | None]], target: int
) -> None:
    files = [file(n, size, deleted=gone, spec=spec) for n, (size, gone, spec) in enumerate(sizes)]
    groups = groups_to_merge(files, {}, SizeBounds(target))
    chosen = [number for group in numbers(groups) for number in group]
    assert len(set(chosen)) == len(chosen)
    for group in groups:
        assert len(group.files) > 1
        assert len({member.data.partition_id for member in group.files}) == 1
        assert all(member.delete is None and member.data.file_size_bytes < target for member in group.files)
        # Without its last file a group would be too small.
        assert sum(member.data.file_size_bytes for member in group.files[:-1]) < target
    # What is left is a single file of its partition.
    left = [found for found in files if found.data.data_file_id not in chosen]
    small = [found.data.partition_id for found in left if found.delete is None and found.data.file_size_bytes < target]
    assert len(set(small)) == len(small)
