"""Rows from sources that can be read only once, or that are more than rows."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from tests.backends.test_expiry_meanwhile import expirer
from tests.spark.conftest import Lakehouse


@pytest.mark.parametrize("at", range(3))
def test_a_reader_is_merged_whole_when_the_snapshot_expires_meanwhile(
    local: Lakehouse, tmp_path: Path, at: int
) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([(0,)])
    with expirer(local.session, local.place, tmp_path, reads=range(at + 1)) as expired:
        merged = local.session.catalog("lake").table("t")
        merged.merge(pa.table({"id": range(100, 200)}).to_reader(max_chunksize=10), ["id"])
    assert expired
    assert table.count("id >= 100") == 100


def test_a_filtered_frame_of_pandas_comes_without_its_index(local: Lakehouse) -> None:
    frame = pd.DataFrame({"id": [1, 2, 3]})
    made = local.lake.create_table_as("t", frame[frame["id"] > 1])
    made.append(frame[frame["id"] > 2])
    assert made.to_arrow().sort_by("id").to_pydict() == {"id": [2, 3, 3]}
