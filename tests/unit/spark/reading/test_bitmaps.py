"""Positions in files as bits behind each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forklake.model.files import DataFile, ScanFile
from forklake.model.ids import DataFileId
from forklake.spark.reading.deleted_rows import build_bitmaps

COUNTS = st.sampled_from([0, 1, 63, 64, 65, 130, 300])


@given(data=st.data(), rows=st.lists(COUNTS, min_size=1, max_size=6))
def test_exactly_the_positions_of_each_file_are_set(data: st.DataObject, rows: list[int]) -> None:
    files = [ScanFile(DataFile(DataFileId(at), f"{at}.parquet", count, 1, 1)) for at, count in enumerate(rows)]
    chosen = [sorted(data.draw(st.sets(st.integers(0, count - 1)))) if count else [] for count in rows]
    found = build_bitmaps(files, [np.array(positions, np.int64) for positions in chosen])
    for count, start, positions in zip(rows, found.starts, chosen, strict=True):
        are_set = [at for at in range(count) if int(found.words[start + (at >> 6)]) >> (at & 63) & 1]
        assert are_set == positions


def test_files_without_positions_take_the_room_of_the_longest_of_them() -> None:
    files = [ScanFile(DataFile(DataFileId(at), f"{at}.parquet", 640, 1, 1)) for at in range(100)]
    nothing = np.zeros(0, np.int64)
    assert len(build_bitmaps(files, [nothing] * 100).words) == 10
    assert len(build_bitmaps(files, [*[nothing] * 99, np.array([5])]).words) == 20
