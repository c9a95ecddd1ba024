"""Row groups that cannot match are not read; whatever is not proven is."""

from collections.abc import Sequence

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
def source() -> pa.BufferReader:
    """Four row groups of a hundred rows each."""
    sink = pa.BufferOutputStream()
    pq.write_table(ROWS, sink, row_group_size=100)
    return pa.BufferReader(sink.getvalue())


def _groups(source: pa.NativeFile, predicate: Predicate, columns: Sequence[Column] = COLUMNS) -> list[int]:
    wanted = file_filter(predicate, PRUNABLE)
    return row_groups_that_may_match(source, pq.read_metadata(source), wanted, columns, SnapshotId(1))


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
    source: pa.BufferReader, predicate: Predicate, groups: list[int]
) -> None:
    assert _groups(source, predicate) == groups


def test_a_column_that_the_files_do_not_have_excludes_nothing(source: pa.BufferReader) -> None:
    assert _groups(source, Comparison(("id",), "=", 150), COLUMNS[1:]) == [0, 1, 2, 3]


def test_strings_that_repeat_are_found_by_their_size(source: pa.BufferReader) -> None:
    metadata = pq.read_metadata(source)
    assert repeating_strings(metadata, [0, 1], COLUMNS) == ["name"]
    assert repeating_strings(metadata, [0, 1, 2], COLUMNS) == []
