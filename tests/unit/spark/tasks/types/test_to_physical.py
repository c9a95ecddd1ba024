from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import InvalidRows, InvalidType
from forklake.model.column_types import ColumnType
from forklake.spark.tasks.types.arrow_types import physical_schema, shown_schema, shown_type, to_physical
from forklake.spark.tasks.types.type_forms import FIELD_ID
from forklake.spark.tasks.types.uuid_text import uuid_bytes, uuid_characters
from tests.unit.spark.tasks.samples import SAMPLES, Sample, columns, shown_batch, write

NESTED = {
    "people": "struct(name varchar, id uuid, tags list(varchar))[]",
    "times": "map(uuid, time)",
    "deep": "struct(a struct(b uint8, c list(map(varchar, uint64))))",
}
ONE = "00000000-0000-0000-0000-000000000001"
TWO = "00000000-0000-0000-0000-000000000002"
NESTED_ROWS = {
    "people": [
        [{"name": "a", "id": ONE, "tags": ["x", None]}, None],
        [],
        None,
        [{"name": None, "id": None, "tags": None}],
    ],
    "times": [[(ONE, "01:02:03"), (TWO, None)], None, [], [(TWO, "24:00:00")]],
    "deep": [
        {"a": {"b": 255, "c": [[("k", Decimal(2**64 - 1))], None, []]}},
        {"a": None},
        None,
        {"a": {"b": None, "c": []}},
    ],
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_duckdb_reads_every_type_as_it_was_written(sample: Sample, tmp_path: Path) -> None:
    path, _ = write(tmp_path, columns(c=sample.type), {"c": [sample.shown[0], None, sample.shown[1]]})
    shown = "epoch_ns(c)" if sample.type == "timestamp_ns" else "c"
    found = _read(path, shown)
    assert duckdb.sql(f"DESCRIBE FROM read_parquet('{path}')").fetchall()[0][:2] == ("c", sample.read_as)
    assert found == [sample.read[0], None, sample.read[1]]


def test_duckdb_reads_nested_values_as_they_were_written(tmp_path: Path) -> None:
    path, _ = write(tmp_path, columns(**NESTED), NESTED_ROWS)
    one, two = UUID(ONE), UUID(TWO)
    assert _read(path, "people") == [
        [{"name": "a", "id": one, "tags": ["x", None]}, None],
        [],
        None,
        [{"name": None, "id": None, "tags": None}],
    ]
    assert _read(path, "times::varchar") == [f"{{{one}='01:02:03', {two}=NULL}}", None, "{}", f"{{{two}='24:00:00'}}"]
    assert _read(path, "deep") == [
        {"a": {"b": 255, "c": [{"k": 2**64 - 1}, None, {}]}},
        {"a": None},
        None,
        {"a": {"b": None, "c": []}},
    ]


def test_a_slice_of_nested_rows_is_only_those_rows() -> None:
    table_columns = columns(**NESTED)
    rows = shown_batch(table_columns, NESTED_ROWS)
    whole = to_physical(rows, table_columns)
    for start in range(4):
        for length in range(5 - start):
            assert to_physical(rows.slice(start, length), table_columns).equals(whole.slice(start, length))


def test_the_chunks_of_a_table_stay_one_after_another() -> None:
    table_columns = columns(**NESTED)
    rows = shown_batch(table_columns, NESTED_ROWS)
    table = pa.Table.from_batches([rows.slice(2), rows.slice(0, 2)])
    whole = to_physical(rows, table_columns)
    assert to_physical(table, table_columns).equals(pa.concat_tables([whole.slice(2), whole.slice(0, 2)]))


def test_bad_values_below_a_null_do_not_matter() -> None:
    [column] = columns(l="uuid[]")
    hidden = pa.ListArray.from_arrays(
        pa.array([0, 1, 2], pa.int32()),
        pa.array(["bad", ONE]),
        type=shown_type(column.type),
        mask=pa.array([True, False]),
    )
    found = to_physical(pa.RecordBatch.from_arrays([hidden], ["l"]), (column,))
    assert found["l"].to_pylist() == [None, [UUID(ONE)]]


def test_every_level_of_a_file_has_its_field_id(tmp_path: Path) -> None:
    table_columns = columns(plain="int32", **NESTED)
    path, _ = write(tmp_path, table_columns, {"plain": [1, 2, 3, 4], **NESTED_ROWS})
    in_file = dict(_ids_of(pq.ParquetFile(path).schema_arrow))
    in_table = {field.column_id for column in table_columns for field in column.walk()}
    assert set(in_file.values()) == in_table
    assert in_file["people.element.id"] == table_columns[1].children[0].children[1].column_id
    assert in_file["times.value"] == table_columns[2].children[1].column_id


def test_reserved_columns_have_their_field_ids() -> None:
    schema = physical_schema(columns(a="int32"), ["_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"])
    assert [int(field.metadata[FIELD_ID]) for field in schema] == [1, 2147483540, 2147483539]


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("uuid", "0123", "Column c of type UUID: '0123' is not a uuid"),
        ("uuid", "01234567-89ab-4def-8123-456789abcdeg", "is not a uuid"),
        ("uuid", "01234567089ab-4def-8123-456789abcdef", "is not a uuid"),
        ("uuid", "ö1234567-89ab-4def-8123-456789abcde", "is not a uuid"),
        ("time", "25:00:00", "Column c of type TIME: '25:00:00' is not a time"),
        ("time", "noon", "'noon' is not a time"),
        ("time", "12:00:00Z", "'12:00:00Z' is not a time"),
        ("uint8", -1, "Column c of type UTINYINT: -1 is out of range"),
        ("uint8", 256, "256 is out of range"),
        ("uint64", Decimal(2**64), "18446744073709551616 is out of range"),
        ("uint128", Decimal(-1), "-1 is out of range"),
    ],
)
def test_a_bad_value_is_named(type_text: str, value: object, message: str) -> None:
    table_columns = columns(c=type_text)
    with pytest.raises(InvalidRows, match=message):
        to_physical(shown_batch(table_columns, {"c": [None, value]}), table_columns)


def test_a_bad_value_deep_inside_is_named_with_its_path() -> None:
    table_columns = columns(a="struct(b uuid[])")
    with pytest.raises(InvalidRows, match=r"Column a\.b\.element of type UUID: 'x' is not a uuid"):
        to_physical(shown_batch(table_columns, {"a": [{"b": ["x"]}]}), table_columns)


def test_columns_in_another_order_are_refused() -> None:
    rows = shown_batch(columns(a="int32", b="int32"), {"a": [1], "b": [2]})
    with pytest.raises(InvalidRows, match="not \\['b', 'a'\\]"):
        to_physical(rows, columns(b="int32", a="int32"))


@pytest.mark.parametrize(
    ("type_text", "given_at", "kept"),
    [
        ("timestamp_s", datetime(2020, 1, 1, 0, 0, 0, 600000), datetime(2020, 1, 1, 0, 0, 1)),
        ("timestamp_s", datetime(1960, 1, 1, 0, 0, 0, 400000), datetime(1960, 1, 1)),
        ("timestamp_ms", datetime(1960, 1, 1, 0, 0, 0, 600), datetime(1960, 1, 1, 0, 0, 0, 1000)),
    ],
)
def test_coarse_timestamps_are_rounded(type_text: str, given_at: datetime, kept: datetime) -> None:
    table_columns = columns(c=type_text)
    found = to_physical(shown_batch(table_columns, {"c": [given_at, None]}), table_columns)
    assert found["c"].to_pylist() == [kept, None]


def test_a_timestamp_of_another_zone_is_the_same_moment() -> None:
    table_columns = columns(c="timestamptz")
    moment = datetime(2020, 1, 1, 12, tzinfo=UTC)
    rows = pa.RecordBatch.from_arrays([pa.array([moment], pa.timestamp("us", "Europe/Berlin"))], ["c"])
    found = to_physical(rows, table_columns)
    assert (found["c"].type, found["c"].to_pylist()) == (pa.timestamp("us", "UTC"), [moment])


def test_a_variant_keeps_its_two_parts(tmp_path: Path) -> None:
    value = {"value": b"\x0c\x01", "metadata": b"\x01\x00\x00"}
    table_columns = columns(v="variant")
    nullable = pa.struct([pa.field("value", pa.binary()), pa.field("metadata", pa.binary())])
    rows = pa.RecordBatch.from_arrays([pa.array([value, None], nullable)], ["v"])
    assert to_physical(rows, table_columns)["v"].to_pylist() == [value, None]
    path, file = write(tmp_path, table_columns, {"v": [value, None]})
    assert pq.read_table(path)["v"].to_pylist() == [value, None]
    assert pq.read_metadata(path).serialized_size == file.footer_size
    # DuckDB knows it for a variant, and so for the number 1.
    assert _read(path, "v") == [1, None]


def test_pyspark_knows_a_variant_by_the_metadata_of_its_field() -> None:
    assert shown_type(ColumnType("variant")).field("metadata").metadata == {b"variant": b"true"}


@pytest.mark.parametrize("name", ["timetz", "time_ns"])
def test_types_that_files_cannot_hold_are_refused(name: str) -> None:
    with pytest.raises(InvalidType, match="cannot be stored"):
        shown_type(ColumnType(name))


def test_shown_types_are_those_that_spark_has() -> None:
    schema = shown_schema(columns(a="ubigint", b="timestamp_ns", c="time", d="map(uuid, utinyint[])"))
    assert schema.types == [
        pa.decimal128(20, 0),
        pa.int64(),
        pa.string(),
        pa.map_(pa.string(), pa.list_(pa.field("element", pa.int16()))),
    ]


@given(st.lists(st.none() | st.uuids(), max_size=20), st.integers(0, 5))
def test_uuids_go_to_bytes_and_back(uuids: list[UUID | None], start: int) -> None:
    text = pa.array([None if uuid is None else str(uuid) for uuid in uuids], pa.string())[start:]
    raw = uuid_bytes(text)
    assert raw.to_pylist() == [None if uuid is None else uuid.bytes for uuid in uuids[start:]]
    if len(raw):
        again = [bytes(row).decode() for row in uuid_characters(raw)]
        assert [found for found, shown in zip(again, text.to_pylist(), strict=True) if shown] == [
            shown for shown in text.to_pylist() if shown
        ]


def _read(path: str, expression: str) -> list[object]:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    rows = connection.execute(f"SELECT {expression} FROM read_parquet('{path}')").fetchall()
    return [_in_utc(row[0]) for row in rows]


def _in_utc(value: object) -> object:
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo else value


def _ids_of(fields: pa.Schema, path: str = "") -> list[tuple[str, int]]:
    found = []
    for field in fields:
        here = f"{path}{field.name}"
        found.append((here, int(field.metadata[FIELD_ID])))
        found += _ids_of(_children(field.type), f"{here}.")
    return found


def _children(kind: pa.DataType) -> list[pa.Field]:
    if pa.types.is_map(kind):
        return [kind.key_field, kind.item_field]
    if pa.types.is_list(kind):
        return [kind.value_field]
    return list(kind) if pa.types.is_struct(kind) else []
