"""What must be true of files that others have written before a table takes them, compared with the real DuckLake."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.maintenance.footers import read_footer as footers
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from tests.attached import read_table
from tests.backends.adding import Adding, adding_to, partitions_of, refused
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle
from tests.foreign_files import write_file


@pytest.fixture
def adding(sqlite_place: Place, tmp_path: Path) -> Iterator[Adding]:
    with adding_to(sqlite_place, tmp_path) as opened:
        yield opened


# Hostile files


def _bytes(path: Path) -> bytearray:
    return bytearray(write_file(path, {"id": [1, 2, 3]}).read_bytes())


def _long_footer(good: bytearray) -> bytearray:
    good[-8:-4] = (2**31 - 1).to_bytes(4, "little")
    return good


def _broken_footer(good: bytearray) -> bytearray:
    length = int.from_bytes(good[-8:-4], "little")
    good[-8 - length : -8] = b"\xff" * length
    return good


HOSTILE: dict[str, tuple[Callable[[bytearray], bytes | bytearray], str]] = {
    "nothing": (lambda _: b"", "too small to be a Parquet file"),
    "marks alone": (lambda _: b"PAR1PAR1", "too small to be a Parquet file"),
    "text": (lambda _: b"no Parquet at all, but long enough", "No magic bytes found at end of file"),
    "cut at the end": (lambda good: good[:-1], "No magic bytes found at end of file"),
    "cut in the middle": (lambda good: good[: len(good) // 2], "No magic bytes found at end of file"),
    "cut at the start": (lambda good: good[60:], "is incomplete: its footer refers to rows beyond its end"),
    "encrypted": (lambda good: good[:-4] + b"PARE", "is encrypted"),
    "a footer longer than the file": (_long_footer, "is incomplete: its footer should have 2147483647 bytes"),
    "a footer of rubbish": (_broken_footer, "cannot be read as Parquet"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_whole_parquet_file_is_refused(adding: Adding, kind: str) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    good = str(write_file(adding.given / "good.parquet", {"id": [1]}))
    change, message = HOSTILE[kind]
    bad = adding.given / "bad.parquet"
    bad.write_bytes(change(_bytes(bad)))
    refused(table, [good, str(bad)], message)
    refused(table, [good, str(bad)], str(bad))


def test_a_footer_that_is_far_too_long_is_not_read(adding: Adding, monkeypatch: pytest.MonkeyPatch) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    path = write_file(adding.given / "long.parquet", {"id": [1]})
    monkeypatch.setattr(footers, "MOST_BYTES", 100)
    refused(table, path, "more than 100")


def test_a_description_of_other_files_is_refused(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    collected: list[pq.FileMetaData] = []
    rows = pa.table({"id": [1, 2]})
    pq.write_to_dataset(rows, adding.given, metadata_collector=collected)
    pq.write_metadata(rows.schema, adding.given / "_metadata", collected)
    refused(table, adding.given / "_metadata", "only describes the rows of other files")


def test_a_file_without_columns_is_refused(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    path = adding.given / "none.parquet"
    adding.given.mkdir()
    pq.write_table(pa.table({"id": [1, 2]}).select([]), path)
    refused(table, path, 'Column "id" exists in table "t" but was not found')
    refused(table, path, "has none of the columns", allow_missing=True)


def test_columns_that_are_nested_far_too_deep_are_refused(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    kind = pa.int64()
    for _ in range(150):
        kind = pa.struct([("x", kind)])
    path = write_file(adding.given / "deep.parquet", {"id": [1], "deep": pa.nulls(1, kind)}, store_schema=False)
    refused(table, path, "too deeply nested", ignore_extra_columns=True)


def test_many_columns_are_no_trouble(adding: Adding) -> None:
    names = [f"c{at}" for at in range(2000)]
    table = adding.lake.create_table("t", dict.fromkeys(names, "bigint"))
    table.add_files(str(write_file(adding.given / "wide.parquet", {name: [1] for name in names})))
    assert table.count() == 1


# The same verdicts as DuckLake


@dataclass(frozen=True, slots=True)
class Case:
    """A table, a file and options; `message` says why the file is refused, and `differs` why DuckLake decides else."""

    columns: Mapping[str, str]
    file: Mapping[str, Any]
    path: str = "f.parquet"
    options: Mapping[str, Any] = field(default_factory=dict)
    partitioned_by: Sequence[Any] = ()
    message: str | None = None
    differs: str | None = None


MISSING = {"allow_missing": True}
EXTRA = {"ignore_extra_columns": True}
STRUCT = {"s": pa.array([{"a": 1, "b": "x"}])}
NESTED = {
    "l": pa.array([[{"x": 1}]]),
    "m": pa.array([[("k", {"y": 2})]], pa.map_(pa.string(), pa.struct({"y": pa.int64()}))),
}
DAYS = {"id": [1, 2], "d": [date(2020, 1, 5), date(2020, 1, 7)]}
CASES = {
    "other order and case": Case({"id": "bigint", "Name": "varchar"}, {"NAME": ["x"], "Id": [1]}),
    "a column too few": Case({"id": "bigint", "x": "int"}, {"id": [1]}, message='Column "x" exists in table "t" but'),
    "a column too few, allowed": Case({"id": "bigint", "x": "int"}, {"id": [1]}, options=MISSING),
    "a column too many": Case({"id": "bigint"}, {"id": [1], "x": [1]}, message='Column "x" exists in file'),
    "a column too many, ignored": Case({"id": "bigint"}, {"id": [1], "x": [1]}, options=EXTRA),
    "another column": Case({"id": "bigint"}, {"x": [1]}, options=MISSING, message='Column "x" exists in file'),
    "a field too few": Case(
        {"s": "struct(a bigint, b varchar, c int)"}, STRUCT, message='Column "s.c" exists in table'
    ),
    "a field too few, allowed": Case({"s": "struct(a bigint, b varchar, c int)"}, STRUCT, options=MISSING),
    "a field too many": Case({"s": "struct(a bigint)"}, STRUCT, message='Column "s.b" exists in file'),
    "a field too many, ignored": Case({"s": "struct(A bigint)"}, STRUCT, options=EXTRA),
    "nested": Case({"l": "struct(x bigint)[]", "m": "map(varchar, struct(y bigint))"}, NESTED),
    "nested, too few": Case(
        {"l": "struct(x bigint, z int)[]", "m": "map(varchar, struct(y bigint))"},
        NESTED,
        message='"l.list.z" exists in',
    ),
    "nested, too few, allowed": Case(
        {"l": "struct(x bigint, z int)[]", "m": "map(varchar, struct(y bigint))"}, NESTED, options=MISSING
    ),
    "nested, too wide": Case(
        {"l": "struct(x int)[]", "m": "map(varchar, struct(y bigint))"},
        NESTED,
        message='Failed to map column "l.list.x" from file',
    ),
    "too wide": Case(
        {"id": "int"},
        {"id": [1]},
        message="Expected one of INTEGER, UTINYINT, TINYINT, USMALLINT, SMALLINT, found type BIGINT",
    ),
    "another kind": Case({"s": "bigint[]"}, STRUCT, message='Expected type "BIGINT[]" but found type "STRUCT"'),
    "too many digits": Case(
        {"n": "decimal(4,1)"},
        {"n": pa.array([Decimal("1.25")], pa.decimal128(10, 4))},
        message="Incompatible decimal precision/scale - found precision 10, scale 4",
    ),
    "digits that fit": Case({"n": "decimal(4,2)"}, {"n": pa.array([Decimal("99")], pa.decimal128(4, 0))}),
    "digits that do not fit": Case(
        {"n": "decimal(4,2)"},
        {"n": pa.array([Decimal("100")], pa.decimal128(4, 0))},
        message="too large for DECIMAL(4,2)",
    ),
    "names that differ in case": Case(
        {"id": "bigint"},
        {"id": [1], "ID": [2]},
        options=EXTRA,
        message="do not differ but in case",
        differs="takes the first",
    ),
    "names that differ in case, left out": Case({"id": "bigint"}, {"id": [1], "x": [2], "X": [2]}, options=EXTRA),
    "nothing in common": Case({"id": "bigint"}, {"x": [1]}, options=MISSING | EXTRA, message="has none of the columns"),
    "NULL where there must be none": Case(
        {"id": "bigint not null"},
        {"id": [1, None]},
        message="NOT NULL constraint failed: t.id",
        differs="does not look",
    ),
    "no NULL where there must be none": Case({"id": "bigint not null"}, {"id": [1, 2]}),
    "nothing where there must be something": Case(
        {"id": "bigint", "x": "int not null"},
        {"id": [1]},
        options=MISSING,
        message="NOT NULL constraint failed: t.x",
        differs="does not look",
    ),
    "values in the path": Case({"id": "bigint", "p": "int", "q": "varchar"}, {"id": [1]}, "p=5/q=a%2Fb/f.parquet"),
    "values in the path, not asked": Case(
        {"id": "bigint", "p": "int"},
        {"id": [1]},
        "p=5/f.parquet",
        {"hive_partitioning": False},
        message='Column "p" exists in table "t" but was not found',
    ),
    "other values in the path": Case({"id": "bigint"}, {"id": [1]}, "p=5/f.parquet", {"hive_partitioning": True}),
    "a value in the path that is none": Case(
        {"id": "bigint", "p": "int"},
        {"id": [1]},
        "p=x/f.parquet",
        message="Unable to cast 'x' (from hive partition column",
    ),
    "a value in the path that is too large": Case(
        {"id": "bigint", "p": "utinyint"}, {"id": [1]}, "p=256/f.parquet", message="Unable to cast '256'"
    ),
    "a value in the path that would be rounded": Case(
        {"id": "bigint", "p": "int"}, {"id": [1]}, "p=1.5/f.parquet", message="Unable to cast '1.5'", differs="rounds"
    ),
    "a list in the path": Case(
        {"id": "bigint", "p": "int[]"}, {"id": [1]}, "p=1/f.parquet", message='Column "p" exists in'
    ),
    "NULL in the path where there must be none": Case(
        {"id": "bigint", "p": "int not null"},
        {"id": [1]},
        "p=__HIVE_DEFAULT_PARTITION__/f.parquet",
        message="NOT NULL constraint failed: t.p",
        differs="does not look",
    ),
    "a value in the path and the file": Case(
        {"id": "bigint", "p": "bigint"}, {"id": [1, 2], "p": [5, 5]}, "p=5/f.parquet"
    ),
    "another value in the path than in the file": Case(
        {"id": "bigint", "p": "bigint"},
        {"id": [1, 2], "p": [5, 6]},
        "p=5/f.parquet",
        message='contains other values in column "p" than its path',
        differs="forgets those of the file",
    ),
    "a partition in the path": Case(
        {"id": "bigint", "r": "varchar"}, {"id": [1]}, "r=a/f.parquet", partitioned_by=["r"]
    ),
    "a partition nowhere": Case(
        {"id": "bigint", "r": "varchar"},
        {"id": [1, 2], "r": ["a", "b"]},
        partitioned_by=["r"],
        message="contains an invalid partition value for the table configuration",
    ),
    "a partition in the file alone": Case(
        {"id": "bigint", "r": "varchar"},
        {"id": [1, 2], "r": ["a", "a"]},
        partitioned_by=["r"],
        differs="wants it in the path",
    ),
    "a partition of months": Case(
        {"id": "bigint", "d": "date"},
        DAYS,
        "year=2020/month=01/f.parquet",
        partitioned_by=[("d", "year"), ("d", "month")],
    ),
    "a partition that cannot be": Case(
        {"id": "bigint", "d": "date"},
        DAYS,
        "day=x/f.parquet",
        partitioned_by=[("d", "day")],
        message="invalid partition value",
    ),
}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("oracle")
    with connect_oracle() as connection:
        connection.execute(f"ATTACH 'ducklake:{folder}/oracle.db' AS lake (DATA_PATH '{folder}/oracle/')")
        yield connection


def _add_to_ducklake(oracle: duckdb.DuckDBPyConnection, case: Case, path: Path) -> None:
    columns = ", ".join(f"{name} {text}" for name, text in case.columns.items())
    oracle.execute(f"CREATE OR REPLACE TABLE lake.t ({columns})")
    if case.partitioned_by:
        keys = [key if isinstance(key, str) else f"{key[1]}({key[0]})" for key in case.partitioned_by]
        oracle.execute(f"ALTER TABLE lake.t SET PARTITIONED BY ({', '.join(keys)})")
    options = "".join(f", {name} => {value}" for name, value in case.options.items())
    oracle.execute(f"CALL ducklake_add_data_files('lake', 't', '{path}'{options})")


@pytest.mark.parametrize("name", CASES)
def test_files_are_taken_or_refused_as_by_ducklake(
    adding: Adding, oracle: duckdb.DuckDBPyConnection, name: str
) -> None:
    case = CASES[name]
    path = adding.given / case.path
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table(list(map(pa.array, case.file.values())), names=list(case.file)), path)
    specs = [
        ColumnSpec(name, parse_type(text.removesuffix(" not null")), not text.endswith(" not null"))
        for name, text in case.columns.items()
    ]
    table = adding.lake.create_table("t", specs, partitioned_by=case.partitioned_by)
    if case.message is None:
        assert table.add_files(str(path), **case.options) == [str(path)]
        assert table.count() == len(next(iter(case.file.values())))
    else:
        refused(table, path, case.message, **case.options)
    refused_by_ducklake = (case.message is None) == (case.differs is not None)
    if refused_by_ducklake:
        with pytest.raises(duckdb.Error):
            _add_to_ducklake(oracle, case, path)
    else:
        _add_to_ducklake(oracle, case, path)


# What only the footer knows


def test_a_column_that_does_not_say_whether_it_has_nulls_is_refused_where_there_must_be_none(adding: Adding) -> None:
    specs = [ColumnSpec("id", parse_type("bigint"), nulls_allowed=False)]
    table = adding.lake.create_table("t", specs)
    silent = write_file(adding.given / "a.parquet", {"id": [1]}, write_statistics=False)
    refused(table, silent, "does not say that it has no NULL in this column")
    required = pa.table({"id": [1]}, pa.schema([pa.field("id", pa.int64(), nullable=False)]))
    pq.write_table(required, silent, write_statistics=False)
    assert table.add_files(str(silent)) == [str(silent)]


def test_a_nested_column_without_nulls_is_told_by_its_leaves(adding: Adding) -> None:
    specs = [ColumnSpec("s", parse_type("struct(a bigint, b bigint)"), nulls_allowed=False)]
    table = adding.lake.create_table("t", specs)
    kind = pa.struct({"a": pa.int64(), "b": pa.int64()})
    full = write_file(adding.given / "full.parquet", {"s": pa.array([{"a": 1, "b": None}], kind)})
    refused(table, write_file(adding.given / "null.parquet", {"s": pa.array([None], kind)}), "does not say")
    assert table.add_files(str(full)) == [str(full)]


@pytest.mark.parametrize(
    ("transform", "days", "folder", "expected"),
    [
        ("year", [date(2020, 1, 1), date(2020, 12, 31)], "", "2020"),
        ("year", [date(2020, 1, 1), date(2020, 12, 31)], "year=1999/", "2020"),
        ("year", [date(2019, 12, 31), date(2020, 1, 1)], "", None),
        ("year", [date(2019, 12, 31), date(2020, 1, 1)], "year=2020/", None),
        ("month", [date(2020, 1, 1), date(2020, 1, 31)], "", "1"),
        ("month", [date(2020, 1, 1), date(2021, 1, 31)], "", None),
        ("month", [date(2020, 1, 1), date(2021, 1, 31)], "month=01/", "1"),
        ("month", [date(2020, 1, 1), date(2021, 1, 31)], "month=13/", None),
        ("day", [date(2020, 1, 2), date(2020, 1, 2)], "", "2"),
        ("hour", [date(2020, 1, 2), date(2020, 1, 2)], "", "0"),
        ("identity", [date(2020, 1, 2), date(2020, 1, 2)], "", "2020-01-02"),
        ("identity", [date(2020, 1, 2), None], "", None),
        ("identity", [None, None], "", "NULL"),
        ("identity", [None, None], "d=__HIVE_DEFAULT_PARTITION__/", "NULL"),
        ("bucket(4)", [date(2020, 1, 2), date(2020, 1, 2)], "", "2"),
        ("bucket(4)", [date(2020, 1, 2), date(2020, 1, 2)], "bucket=1/", "2"),
        ("bucket(4)", [date(2020, 1, 1), date(2020, 1, 3)], "bucket=4/", None),
    ],
)
def test_the_partition_of_a_file_is_what_its_bounds_prove_or_its_path_says(
    adding: Adding, transform: str, days: list[date | None], folder: str, expected: str | None
) -> None:
    table = adding.lake.create_table("t", {"d": "date"}, partitioned_by=[("d", transform)])
    path = write_file(adding.given / f"{folder}f.parquet", {"d": pa.array(days, pa.date32())})
    if expected is None:
        refused(table, path, "contains an invalid partition value for the table configuration")
        return
    table.add_files(str(path))
    assert partitions_of(table) == [(None if expected == "NULL" else expected,)]


def test_a_partition_in_the_path_counts_where_a_file_has_no_bounds(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint", "r": "varchar"}, partitioned_by=["r"])
    path = adding.given / "r=a" / "f.parquet"
    write_file(path, {"id": [1, 2], "r": ["b", "c"]}, write_statistics=False)
    table.add_files(str(path))
    assert partitions_of(table) == [("a",)]
    # Then rows have that value: they must be where queries look for them.
    tx, table_id = read_table(table)
    [mapping] = tx.mappings(table_id).values()
    assert [(column.source_name, column.is_partition) for column in mapping.columns] == [("id", False), ("r", True)]


def test_an_instant_in_the_path_of_a_partitioned_table_is_in_utc(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "int", "at": "timestamptz"}, partitioned_by=[("at", "day"), "at"])
    path = write_file(adding.given / "at=2020-01-02 23%3A00%3A00-03/f.parquet", {"id": pa.array([1], pa.int32())})
    table.add_files(str(path))
    assert partitions_of(table) == [("3", "2020-01-03 02:00:00+00")]


def test_values_of_the_word_null_in_our_own_files_are_not_null(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint", "r": "varchar"}, partitioned_by=["r"])
    path = write_file(adding.given / "r=NULL" / "f.parquet", {"id": [1], "r": ["NULL"]})
    table.add_files(str(path))
    assert partitions_of(table) == [("NULL",)]
