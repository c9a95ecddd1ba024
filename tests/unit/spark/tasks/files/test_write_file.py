import pickle
import time
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.errors import InvalidRows
from forklake.model.entities import Column
from forklake.model.ids import PartitionId
from forklake.model.partitions import PartitionKey, PartitionSpec
from forklake.spark.tasks.files import write_file
from forklake.spark.tasks.files.file_names import uuid7
from forklake.spark.tasks.files.write_file import WrittenFile, from_table, to_batch, write_rows
from forklake.spark.tasks.partitions.partitioning import Partitioning, partitioning_of
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from tests.effort import examples
from tests.unit.spark.tasks.samples import SAMPLES, columns, order_in, shown_batch

PLACES = columns(region="varchar", day="date", n="integer")


def _by(table_columns: tuple[Column, ...], **transforms: str) -> Partitioning:
    ids = {column.name: column.column_id for column in table_columns}
    keys = tuple(PartitionKey(ids[name], transform) for name, transform in transforms.items())
    return partitioning_of(PartitionSpec(PartitionId(1), keys), table_columns)


def _rows(regions: list[str | None]) -> pa.RecordBatch:
    count = len(regions)
    return shown_batch(PLACES, {"region": regions, "day": [None] * count, "n": list(range(count))})


def _files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _numbers(folder: Path, file: WrittenFile) -> list[int]:
    return [int(number) for number in pq.ParquetFile(folder / file.path).read(["n"])["n"].to_pylist()]


def test_a_file_gets_its_final_name_below_the_folder_of_the_table(tmp_path: Path) -> None:
    [file] = write_rows(order_in(tmp_path, PLACES), [_rows(["a"])])
    folder, name = file.path.rsplit("/", 1)
    assert folder == "main/t"
    assert name.startswith("ducklake-")
    assert name.endswith(".parquet")
    assert [str(path.relative_to(tmp_path)) for path in _files_in(tmp_path)] == [file.path]


def test_no_rows_make_no_file(tmp_path: Path) -> None:
    assert list(write_rows(order_in(tmp_path, PLACES), [])) == []
    assert list(write_rows(order_in(tmp_path, PLACES), [_rows([])])) == []
    assert _files_in(tmp_path) == []


def test_small_batches_share_a_row_group(tmp_path: Path) -> None:
    [file] = write_rows(order_in(tmp_path, PLACES), [_rows(["a"] * 10)] * 20)
    assert pq.read_metadata(tmp_path / file.path).num_row_groups == 1
    assert file.record_count == 200


def test_row_groups_have_the_rows_that_were_asked_for(tmp_path: Path) -> None:
    [file] = write_rows(order_in(tmp_path, PLACES, row_group_rows=7), [_rows(["a"] * 10)] * 2)
    metadata = pq.read_metadata(tmp_path / file.path)
    assert [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)] == [7, 7, 6]


def test_row_groups_are_limited_by_bytes(tmp_path: Path) -> None:
    [file] = write_rows(order_in(tmp_path, PLACES, row_group_bytes=10_000), [_rows(["x" * 1000] * 50)])
    metadata = pq.read_metadata(tmp_path / file.path)
    assert 5 <= metadata.num_row_groups <= 7


def test_files_roll_at_the_target_size(tmp_path: Path) -> None:
    data = columns(b="blob")
    random = np.random.default_rng(1)
    batch = shown_batch(data, {"b": [random.bytes(1000) for _ in range(1000)]})
    files = list(write_rows(order_in(tmp_path, data, target_bytes=200_000), [batch, batch]))
    assert 8 <= len(files) <= 11
    assert all(200_000 <= file.file_size_bytes < 450_000 for file in files[:-1])
    assert sum(file.record_count for file in files) == 2000


def test_partitions_get_folders_and_values(tmp_path: Path) -> None:
    rows = shown_batch(
        PLACES,
        {
            "region": ["a/b", None, "a/b", "é x"],
            "day": _days("2020-01-02", "2021-12-31", "2020-02-02", None),
            "n": [1, 2, 3, 4],
        },
    )
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity", day="year"))
    files = {file.partition_values: file for file in write_rows(order, [rows])}
    folders = {values: file.path.removeprefix("main/t/").rsplit("/", 1)[0] for values, file in files.items()}
    assert folders == {
        ("a/b", "2020"): "region=a%2Fb/year=2020",
        (None, "2021"): "region=__HIVE_DEFAULT_PARTITION__/year=2021",
        ("é x", None): "region=%C3%A9%20x/year=__HIVE_DEFAULT_PARTITION__",
    }
    assert _numbers(tmp_path, files["a/b", "2020"]) == [1, 3]
    assert {str(path.relative_to(tmp_path)) for path in _files_in(tmp_path)} == {file.path for file in files.values()}


def _days(*texts: str | None) -> list[object]:
    return list(pa.array(texts).cast(pa.date32()).to_pylist())


def test_without_hive_folders_the_values_are_only_told(tmp_path: Path) -> None:
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity"), hive=False)
    files = list(write_rows(order, [_rows(["a", "b"])]))
    assert sorted(file.partition_values for file in files) == [("a",), ("b",)]
    assert {file.path.rsplit("/", 1)[0] for file in files} == {"main/t"}


def test_two_keys_of_the_same_transform_have_two_folder_names() -> None:
    table_columns = columns(a="date", b="date")
    assert _by(table_columns, a="year", b="year").directories == ("year", "year_b")


def test_a_value_too_long_for_a_folder_gets_none(tmp_path: Path) -> None:
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity"))
    [file] = write_rows(order, [_rows(["é" * 100])])
    assert file.partition_values == ("é" * 100,)
    assert file.path.rsplit("/", 1)[0] == "main/t"


def test_sorted_rows_go_on_in_the_file_of_the_batch_before(tmp_path: Path) -> None:
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity"))
    files = list(write_rows(order, [_rows(["a", "a"]), _rows(["a", "b"]), _rows(["b", "c"])]))
    assert [(file.partition_values, file.record_count) for file in files] == [(("a",), 3), (("b",), 2), (("c",), 1)]


def test_few_files_are_open_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_file, "_MOST_OPEN", 2)
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity"))
    files = list(
        write_rows(order, [_rows(["a"]), _rows(["b"]), _rows(["a"]), _rows(["c"]), _rows(["a"]), _rows(["b"])])
    )
    assert Counter(file.partition_values for file in files) == {("a",): 1, ("b",): 2, ("c",): 1}
    assert sum(file.record_count for file in files) == 6


def test_rows_in_memory_are_written_before_they_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_file, "_MOST_WAITING_BYTES", 1000)
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity"))
    files = list(write_rows(order, [_rows(["a" * 600]), _rows(["b" * 600]), _rows(["a" * 600])]))
    groups = {file.record_count: pq.read_metadata(tmp_path / file.path).num_row_groups for file in files}
    assert groups == {2: 2, 1: 1}


@settings(max_examples=examples(10))
@given(regions=st.lists(st.lists(st.none() | st.sampled_from("abc"), max_size=9), max_size=4))
def test_every_row_is_in_the_file_of_its_partition(
    regions: list[list[str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lake")
    order = order_in(folder, PLACES, partition=_by(PLACES, region="identity"))
    found: Counter[tuple[str | None, int]] = Counter()
    for file in write_rows(order, [_rows(batch) for batch in regions]):
        [value] = file.partition_values
        found.update((value, n) for n in _numbers(folder, file))
    assert found == Counter((value, n) for batch in regions for n, value in enumerate(batch))


def test_slices_of_a_batch_are_written_as_those_rows(tmp_path: Path) -> None:
    table_columns = columns(region="varchar", n="integer", l="struct(x uuid)[]")
    one = "00000000-0000-0000-0000-000000000001"
    rows = {"region": list("abab"), "n": [0, 1, 2, 3], "l": [None, [{"x": one}], [], [None, {"x": None}]]}
    batch = shown_batch(table_columns, rows).slice(1)
    order = order_in(tmp_path, table_columns, partition=_by(table_columns, region="identity"))
    files = {file.partition_values: _numbers(tmp_path, file) for file in write_rows(order, [batch])}
    assert files == {("b",): [1, 3], ("a",): [2]}
    found = duckdb.sql(f"SELECT n, l::VARCHAR FROM '{tmp_path}/main/t/*/*.parquet' ORDER BY n").fetchall()
    assert found == [(1, f"[{{'x': {one}}}]"), (2, "[]"), (3, "[NULL, {'x': NULL}]")]


def test_reserved_columns_stand_behind_those_of_the_table(tmp_path: Path) -> None:
    rows = _rows(["a", "a"]).append_column(ROW_ID, pa.array([7, 3])).append_column(SNAPSHOT_ID, pa.array([4, 9]))
    order = order_in(tmp_path, PLACES, reserved=(ROW_ID, SNAPSHOT_ID))
    [file] = write_rows(order, [rows])
    assert pq.read_schema(tmp_path / file.path).names == ["region", "day", "n", ROW_ID, SNAPSHOT_ID]
    assert file.max_snapshot_id == 9
    assert [stats.column_id for stats in file.column_stats] == [1, 2, 3]


def test_a_file_without_snapshot_ids_has_no_largest_one(tmp_path: Path) -> None:
    [file] = write_rows(order_in(tmp_path, PLACES), [_rows(["a"])])
    assert file.max_snapshot_id is None


def _failing() -> Iterator[pa.RecordBatch]:
    yield _rows(["a", "b"])
    raise RuntimeError("no more")


def test_nothing_is_left_when_the_rows_end_with_an_error(tmp_path: Path) -> None:
    order = order_in(tmp_path, PLACES, partition=_by(PLACES, region="identity"))
    with pytest.raises(RuntimeError, match="no more"):
        list(write_rows(order, _failing()))
    assert _files_in(tmp_path) == []


def test_nothing_is_left_when_a_value_is_bad(tmp_path: Path) -> None:
    table_columns = columns(u="uuid")
    good, bad = (shown_batch(table_columns, {"u": [text]}) for text in ("0" * 8 + "-0000-0000-0000-" + "0" * 12, "x"))
    with pytest.raises(InvalidRows, match="'x' is not a uuid"):
        list(write_rows(order_in(tmp_path, table_columns, target_bytes=1, row_group_rows=1), [good, bad]))
    assert _files_in(tmp_path) == []


def test_nothing_is_left_when_nobody_takes_the_rest(tmp_path: Path) -> None:
    writing = write_rows(order_in(tmp_path, PLACES, target_bytes=1, row_group_rows=1), [_rows(["a", "b"])])
    next(writing)
    assert _files_in(tmp_path)
    assert isinstance(writing, Generator)
    writing.close()
    assert _files_in(tmp_path) == []


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw"])
def test_every_codec_can_be_used_with_any_level(codec: str, tmp_path: Path) -> None:
    order = order_in(tmp_path, PLACES, compression=codec, compression_level=22)
    [file] = write_rows(order, [_rows(["a"])])
    expected = {"lz4_raw": "LZ4"}.get(codec, codec.upper())
    assert pq.read_metadata(tmp_path / file.path).row_group(0).column(0).compression == expected
    assert duckdb.sql(f"SELECT n FROM '{tmp_path / file.path}'").fetchall() == [(0,)]


@pytest.mark.parametrize("version", ["V1", "V2"])
def test_both_versions_keep_every_type(version: str, tmp_path: Path) -> None:
    table_columns = columns(ns="timestamp_ns", u="uinteger")
    [file] = write_rows(
        order_in(tmp_path, table_columns, version=version), [shown_batch(table_columns, {"ns": [1], "u": [2**32 - 1]})]
    )
    found = duckdb.sql(f"SELECT epoch_ns(ns), u FROM '{tmp_path / file.path}'").fetchall()
    assert found == [(1, 2**32 - 1)]


def test_a_root_with_unusual_characters_is_used_as_it_is(tmp_path: Path) -> None:
    root = tmp_path / "a b%20é"
    for uri in (f"file://{root}", str(root)):
        [file] = write_rows(order_in(root, PLACES, root=uri), [_rows(["a"])])
        assert (root / file.path).is_file()


def test_orders_and_files_travel(tmp_path: Path) -> None:
    types = {f"c{at}": sample.type for at, sample in enumerate(SAMPLES.values())}
    table_columns = columns(**types)
    values = {name: [SAMPLES[text].shown[0], None] for name, text in types.items()}
    order = order_in(tmp_path, table_columns, partition=_by(table_columns, c0="identity"))
    assert pickle.loads(pickle.dumps(order)) == order
    files = list(write_rows(order, [shown_batch(table_columns, values)]))
    assert len(files) == 2
    assert from_table(pa.Table.from_batches([to_batch(files[:1]), to_batch(files[1:])])) == files
    assert pickle.loads(pickle.dumps(files)) == files
    assert to_batch([]).schema == pa.schema([("file", pa.string())])


def test_names_sort_by_the_time_they_were_made() -> None:
    first = uuid7()
    time.sleep(0.002)
    second = uuid7()
    assert first < second
    assert (first.version, first.variant) == (7, "specified in RFC 4122")
