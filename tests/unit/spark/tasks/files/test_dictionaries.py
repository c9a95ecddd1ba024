"""Which columns are written with a dictionary."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.files.dictionaries import paths_of_repeated_values
from forklake.spark.tasks.files.write_file import WriteOrder, write_rows

ROWS = 40_000
NUMBERS = range(ROWS)


def test_columns_with_repeated_values_have_a_dictionary_at_every_level() -> None:
    rows = pa.table(
        {
            "id": NUMBERS,
            "few": [n % 100 for n in NUMBERS],
            "flag": [n % 2 == 0 for n in NUMBERS],
            "s": [{"unique": str(n), "few": str(n % 7)} for n in NUMBERS],
            "tags": [[f"a{n}", f"b{n}"] for n in NUMBERS],
            "words": [["a", "b"] for _ in NUMBERS],
        }
    )
    assert paths_of_repeated_values(rows) == ["few", "flag", "s.few", "words.list.element"]


def test_values_that_repeat_later_in_a_row_group_have_a_dictionary() -> None:
    assert paths_of_repeated_values(pa.table({"v": [n % (ROWS // 4) for n in NUMBERS]})) is True
    assert paths_of_repeated_values(pa.table({"v": [n // 3 for n in NUMBERS]})) is True


@pytest.mark.parametrize("values", [[None] * ROWS, [*[None] * (ROWS - 5), *range(5)]])
def test_columns_with_hardly_any_values_keep_their_dictionary(values: list[int | None]) -> None:
    assert paths_of_repeated_values(pa.table({"v": pa.array(values, pa.int64())})) is True


def test_nothing_is_decided_from_few_rows() -> None:
    assert paths_of_repeated_values(pa.table({"id": range(9_999)})) is True


def test_two_columns_with_one_path_are_written_alike() -> None:
    rows = pa.table({"a.b": NUMBERS, "a": [{"b": n % 10} for n in NUMBERS]})
    assert paths_of_repeated_values(rows) == []


def test_files_have_the_same_rows_and_bounds_with_and_without_dictionaries(tmp_path: Path) -> None:
    texts = ["uuid", "json", "varchar", "int32"]
    columns = tuple(Column(ColumnId(at), f"c{at}", parse_type(text)) for at, text in enumerate(texts, start=1))
    rows = pa.table(
        {
            "c1": [f"{n:08x}-0000-4000-8000-{n:012x}" for n in NUMBERS],
            "c2": [f'{{"n":{n}}}' for n in NUMBERS],
            "c3": [f"text {n}" for n in NUMBERS],
            "c4": pa.array([n % 9 for n in NUMBERS], pa.int32()),
        }
    )
    order = WriteOrder(root=str(tmp_path), folder="t/", columns=columns)
    [written] = write_rows(order, rows.to_batches())
    file = pq.ParquetFile(tmp_path / written.path)
    found = file.read()
    assert [str(value) for value in found["c1"].to_pylist()] == rows["c1"].to_pylist()
    assert [found[f"c{at}"].to_pylist() for at in (2, 3, 4)] == [rows[f"c{at}"].to_pylist() for at in (2, 3, 4)]
    group = file.metadata.row_group(0)
    assert [group.column(at).has_dictionary_page for at in range(4)] == [False, False, False, True]
    bounds = [(each.min_value, each.max_value, each.null_count) for each in written.column_stats]
    assert bounds[2:] == [("text 0", "text 9999", 0), ("0", "8", 0)]
    assert bounds[0][:2] == (rows["c1"][0].as_py(), rows["c1"][ROWS - 1].as_py())
