"""Row groups that cannot match are not read; whatever is not proven is."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.predicates import And, Comparison, IsNull, Or, Predicate
from forklake.model.pruning import Columns, PrunableColumn, file_filter
from forklake.spark.reading.row_groups import repeating_strings, row_groups_that_may_match

TYPES = {"id": "bigint", "price": "double", "name": "varchar"}
COLUMNS = [Column(ColumnId(at), name, parse_type(text)) for at, (name, text) in enumerate(TYPES.items(), 1)]
PRUNABLE: Columns = {(column.name,): PrunableColumn(column.column_id, column.type) for column in COLUMNS}
ROWS = pa.table(
    {
        "id": pa.array(range(400), pa.int64()),
        "price": [None if each < 100 else float(each) for each in range(400)],
        "name": [f"name {each % 3}" if each < 200 else f"name {each}" for each in range(400)],
    }
)


@pytest.fixture
def metadata(tmp_path: Path) -> pq.FileMetaData:
    """Four row groups of a hundred rows each."""
    pq.write_table(ROWS, tmp_path / "rows.parquet", row_group_size=100)
    return pq.read_metadata(tmp_path / "rows.parquet")


@pytest.mark.parametrize(
    ("predicate", "groups"),
    [
        (Comparison(("id",), "=", 150), [1]),
        (Comparison(("id",), ">", 298), [2, 3]),
        (Or((Comparison(("id",), "=", 5), Comparison(("id",), "=", 399))), [0, 3]),
        (And((Comparison(("id",), ">", 150), Comparison(("name",), "=", "name 2"))), [1]),
        (IsNull(("price",)), [0]),
        (Comparison(("price",), "=", 250.0), [2]),
        # A group may have NaN, which is greater than everything.
        (Comparison(("price",), ">", 250.0), [1, 2, 3]),
        (Comparison(("id",), "=", 1000), []),
        (And(()), [0, 1, 2, 3]),
        (Comparison(("other",), "=", 1), [0, 1, 2, 3]),
    ],
)
def test_row_groups_are_read_unless_statistics_exclude_them(
    metadata: pq.FileMetaData, predicate: Predicate, groups: list[int]
) -> None:
    wanted = file_filter(predicate, PRUNABLE)
    assert row_groups_that_may_match(metadata, wanted, COLUMNS, SnapshotId(1)) == groups


def test_a_column_that_the_files_do_not_have_excludes_nothing(metadata: pq.FileMetaData) -> None:
    wanted = file_filter(Comparison(("id",), "=", 150), PRUNABLE)
    assert row_groups_that_may_match(metadata, wanted, COLUMNS[1:], SnapshotId(1)) == [0, 1, 2, 3]


def test_strings_that_repeat_are_found_by_their_size(metadata: pq.FileMetaData) -> None:
    assert repeating_strings(metadata, [0, 1], COLUMNS) == ["name"]
    assert repeating_strings(metadata, [0, 1, 2], COLUMNS) == []
