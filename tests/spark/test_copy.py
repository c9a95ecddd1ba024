"""COPY: what goes out to a file comes back as it was, and DuckDB reads and writes the same."""

import math
import sqlite3
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import forklake
from forklake.errors import DataPathTaken, InvalidInput, InvalidRows, QueryFailed
from tests.spark.conftest import Lakehouse

TEXTS = [
    None,
    "",
    " ",
    "  both sides  ",
    "\ttab\t",
    "a\nb",
    "a\rb",
    "a\r\nb",
    "\n",
    "\r\n",
    'say "hi"',
    '"',
    '""',
    "it's",
    "a,b;c|d",
    "back\\slash",
    "\\",
    '\\"',
    "\\n",
    "NULL",
    "null",
    "zoë 🦆 \u2028 \x85",
    "#comment",
    "-- x",
    "é" * 5000,
]
MOMENTS = [
    datetime(1, 1, 1),
    datetime(1582, 10, 10, 1, 2, 3, 4),
    datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime(2024, 3, 31, 2, 30, 0, 1),
    datetime(9999, 12, 31, 23, 59, 59, 999999),
    None,
]
COLUMNS = {
    "id": "int",
    "v": "varchar",
    "x": "double",
    "f": "float",
    "n": "decimal(38,10)",
    "d": "date",
    "ts": "timestamp",
    "tz": "timestamptz",
    "b": "blob",
    "flag": "boolean",
}
DOUBLES = [math.nan, math.inf, -math.inf, -0.0, 5e-324, 0.1, 1e300, None]
DECIMALS = [Decimal("-1E-10"), Decimal("9" * 28 + "." + "9" * 10), Decimal(0), None]
BYTES = [b"", bytes(range(256)), b"abc", None]


def _rows() -> list[tuple[Any, ...]]:
    found = []
    for at, text in enumerate(TEXTS):
        moment = MOMENTS[at % len(MOMENTS)]
        with_zone = None if moment is None or moment.year in (1, 9999) else moment.replace(tzinfo=UTC)
        day = None if moment is None else moment.date()
        single = [math.nan, math.inf, -math.inf, -0.0, 0.5, None][at % 6]
        values = (
            DOUBLES[at % 8],
            single,
            DECIMALS[at % 4],
            day,
            moment,
            with_zone,
            BYTES[at % 4],
            [True, False, None][at % 3],
        )
        found.append((at, text, *values))
    return found


def _shown(rows: list[Any]) -> list[str]:
    """Rows as texts: NaN equals itself, and -0.0 is not 0.0."""
    return sorted(repr(tuple(row)) for row in rows)


def _fresh(lake: Lakehouse, name: str, columns: dict[str, str]) -> None:
    lake.lake.create_table(name, columns)


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
@pytest.mark.parametrize("file_format", ["csv", "json", "parquet"])
def test_every_value_comes_back(local: Lakehouse, tmp_path: Path, file_format: str, dialect: str) -> None:
    _fresh(local, "t", COLUMNS)
    _fresh(local, "back", COLUMNS)
    local.lake.table("t").append(_rows())
    session = local.session if dialect == "spark" else forklake.connect(dialect=dialect, spark=local.spark)
    if dialect == "duckdb":
        session.attach(local.place.url, "lake", catalog="main")
    file = tmp_path / f"out.{file_format}"
    before = local.spark.conf.get("spark.sql.session.timeZone") or "UTC"
    try:
        # Ancient moments of this zone are off by minutes and seconds.
        local.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
        session.sql(f"COPY lake.t TO '{file}'")
        session.sql(f"COPY lake.back FROM '{file}'")
    finally:
        local.spark.conf.set("spark.sql.session.timeZone", before)
    assert _shown(local.session.sql("SELECT * FROM lake.back").fetchall()) == _shown(
        local.session.sql("SELECT * FROM lake.t").fetchall()
    )


def test_nested_values_come_back_from_json(local: Lakehouse, tmp_path: Path) -> None:
    columns = {
        "id": "int",
        "l": "double[]",
        "s": "struct(a varchar, b struct(c timestamp))",
        "m": "map(varchar, double)",
    }
    moment = datetime(1, 1, 1, 0, 0, 0, 1)
    _fresh(local, "t", columns)
    _fresh(local, "back", columns)
    local.lake.table("t").append(
        [
            (
                1,
                [math.nan, None, math.inf],
                {"a": "", "b": {"c": moment}},
                {"": None, " k ": -0.0},
            ),
            (2, [], {"a": None, "b": None}, {}),
            (3, None, None, None),
        ]
    )
    local.session.sql(f"COPY lake.t TO '{tmp_path}/out.json'")
    local.session.sql(f"COPY lake.back FROM '{tmp_path}/out.json'")
    assert _shown(local.session.sql("SELECT * FROM lake.back").fetchall()) == _shown(
        local.session.sql("SELECT * FROM lake.t").fetchall()
    )


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    rows=st.lists(
        st.tuples(
            st.none() | texts | st.text("\n\r\", \\\t;'", max_size=6),
            st.none() | st.floats() | st.just(-0.0),
            st.none()
            | st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(lambda moment: moment.replace(fold=0)),
        ),
        min_size=1,
        max_size=200,
    )
)
@pytest.mark.parametrize("file_format", ["csv", "json"])
def test_whatever_is_copied_out_comes_back(
    local: Lakehouse, tmp_path: Path, file_format: str, rows: list[tuple[Any, ...]]
) -> None:
    columns = {"v": "varchar", "x": "double", "ts": "timestamp"}
    for name in ("t", "back"):
        local.session.sql(f"DROP TABLE IF EXISTS lake.{name}")
        _fresh(local, name, columns)
    local.lake.table("t").append(rows)
    local.session.sql(f"COPY lake.t TO '{tmp_path}/any.{file_format}' (OVERWRITE true)")
    local.session.sql(f"COPY lake.back FROM '{tmp_path}/any.{file_format}'")
    assert _shown(local.session.sql("SELECT * FROM lake.back").fetchall()) == _shown(rows)


def test_duckdb_reads_what_is_copied_out_and_writes_what_is_copied_in(local: Lakehouse, tmp_path: Path) -> None:
    columns = {"id": "int", "v": "varchar", "d": "date", "ts": "timestamp", "b": "blob"}
    rows = [
        (at, text, date(1582, 10, 10), datetime(2024, 1, 1, 0, 0, 0, 7), b"a\x00\xff") for at, text in enumerate(TEXTS)
    ]
    _fresh(local, "t", columns)
    _fresh(local, "back", columns)
    local.lake.table("t").append(rows)
    local.session.sql(f"COPY lake.t TO '{tmp_path}/out.csv'")
    other = duckdb.connect()
    other.execute("CREATE TABLE t (id INT, v VARCHAR, d DATE, ts TIMESTAMP, b BLOB)")
    other.execute(
        f"COPY t FROM '{tmp_path}/out.csv/part-*.csv' (HEADER true, NULLSTR '', ALLOW_QUOTED_NULLS false, "
        "DELIMITER ',', QUOTE '\"', ESCAPE '\"')"
    )
    assert _shown(other.execute("SELECT * FROM t").fetchall()) == _shown(rows)
    other.execute(f"COPY t TO '{tmp_path}/theirs.csv'")
    local.session.sql(f"COPY lake.back FROM '{tmp_path}/theirs.csv'")
    assert _shown(local.session.sql("SELECT * FROM lake.back").fetchall()) == _shown(rows)


def test_formats_of_dates_and_times_count_in_both_directions(local: Lakehouse, tmp_path: Path) -> None:
    columns = {"id": "int", "d": "date", "ts": "timestamp"}
    _fresh(local, "t", columns)
    _fresh(local, "back", columns)
    local.lake.table("t").append([(1, date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5))])
    formats = "(DATEFORMAT 'dd/MM/yyyy', TIMESTAMPFORMAT 'dd.MM.yyyy HH-mm-ss')"
    local.session.sql(f"COPY lake.t TO '{tmp_path}/out.csv' {formats}")
    assert "02/01/2024" in next((tmp_path / "out.csv").glob("part-*")).read_text()
    local.session.sql(f"COPY lake.back FROM '{tmp_path}/out.csv' {formats}")
    assert local.session.sql("SELECT * FROM lake.back").fetchall() == [
        (1, date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5))
    ]


def test_a_null_in_the_only_column_needs_a_text_that_stands_for_it(local: Lakehouse, tmp_path: Path) -> None:
    _fresh(local, "t", {"v": "varchar"})
    local.lake.table("t").append([("",), (None,), ("a",)])
    with pytest.raises(forklake.ForklakeError, match="NULL 'none'"):
        local.session.sql(f"COPY lake.t TO '{tmp_path}/bad.csv'")
    local.session.sql(f"COPY lake.t TO '{tmp_path}/out.csv' (NULL 'none')")
    _fresh(local, "back", {"v": "varchar"})
    local.session.sql(f"COPY lake.back FROM '{tmp_path}/out.csv' (NULL 'none')")
    assert _shown(local.session.sql("SELECT * FROM lake.back").fetchall()) == _shown([("",), (None,), ("a",)])


@pytest.mark.parametrize(
    ("name", "content", "phrase"),
    [
        ("short.csv", "id,v\n1\n", None),
        ("long.csv", "id,v\n1,a,b\n", None),
        ("bad.json", '{"id": 1, "v": "a"}\n{"id": \n', None),
        ("extra.json", '{"id": 1, "other": "a"}\n', "not a column of the table"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    local: Lakehouse, tmp_path: Path, name: str, content: str, phrase: str | None
) -> None:
    _fresh(local, "t", {"id": "int", "v": "varchar"})
    (tmp_path / name).write_text(content)
    with pytest.raises(forklake.ForklakeError, match=phrase):
        local.session.sql(f"COPY lake.t FROM '{tmp_path / name}'")
    assert local.session.sql("SELECT count(*) FROM lake.t").fetchall() == [(0,)]


@pytest.mark.parametrize("place", ["data", "data/main", "data/main/main/t", "."])
@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_the_files_of_a_lake_are_not_overwritten(
    local: Lakehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, file_format: str
) -> None:
    monkeypatch.chdir(tmp_path)
    local.lake.set_option("data_inlining_row_limit", 0)
    local.lake.create_table("t", {"id": "int"}).append([(1,)])
    with pytest.raises(DataPathTaken, match="lake"):
        local.session.sql(f"COPY (SELECT 1 AS a) TO '{place}' (FORMAT {file_format}, OVERWRITE true)")
    assert local.session.sql("SELECT id FROM lake.t").fetchall() == [(1,)]


def test_a_link_to_the_files_of_a_lake_is_not_overwritten(local: Lakehouse, tmp_path: Path) -> None:
    local.lake.set_option("data_inlining_row_limit", 0)
    local.lake.create_table("t", {"id": "int"}).append([(1,)])
    (tmp_path / "link").symlink_to(local.data)
    with pytest.raises(DataPathTaken):
        local.session.sql(f"COPY (SELECT 1 AS a) TO '{tmp_path}/link' (FORMAT csv, OVERWRITE true)")
    assert local.session.sql("SELECT id FROM lake.t").fetchall() == [(1,)]


@pytest.fixture
def beside(local: Lakehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `meta/lake.db`, the metadata of a second lake of the session, which has one row."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "beside"
    (folder / "meta").mkdir(parents=True)
    url = f"ducklake:{folder}/meta/lake.db"
    other = local.session.attach(url, "other", catalog="main", create_if_not_exists=True, data_path=f"{folder}/data")
    other.create_table("t", {"id": "int"}).append([(1,)])
    return folder


@pytest.mark.parametrize(
    "place",
    [
        "{beside}/meta/lake.db",
        "{beside}/meta/lake.db-wal",
        "{beside}/meta/lake.db-shm",
        "{beside}/meta/lake.db-journal",
        "{beside}/meta/lake.db-journal/rows.csv",
        "{beside}/meta",
        "{beside}/meta/",
        "{beside}",
        "beside/meta/../meta/lake.db",
        "file://{beside}/meta/lake.db",
        "file:{beside}/meta",
        "file://localhost{beside}/meta",
        "link",
        "link/lake.db",
        "file://{beside}/../link",
    ],
)
@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_the_metadata_of_a_lake_are_not_overwritten(
    local: Lakehouse, tmp_path: Path, beside: Path, place: str, file_format: str
) -> None:
    (tmp_path / "link").symlink_to(beside / "meta")
    before = sorted((beside / "meta").iterdir())
    for options in (f"(FORMAT {file_format}, OVERWRITE true)", f"(FORMAT {file_format})"):
        with pytest.raises(forklake.ForklakeError):
            local.session.sql(f"COPY (SELECT 1 AS a) TO '{place.format(beside=beside)}' {options}")
    assert sorted((beside / "meta").iterdir()) == before
    assert local.session.sql("SELECT id FROM other.t").fetchall() == [(1,)]


@pytest.mark.parametrize("name", ["mine.csv", "out/part-00000-1.csv", "out/.mine", "out/deep/mine.db"])
def test_no_other_sqlite_database_is_overwritten(local: Lakehouse, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(tmp_path / name)
    connection.execute("CREATE TABLE mine (id INT)")
    connection.close()
    content = (tmp_path / name).read_bytes()
    with pytest.raises(InvalidInput, match="SQLite database"):
        local.session.sql(f"COPY (SELECT 1 AS a) TO '{tmp_path}/{name.split('/')[0]}' (FORMAT csv, OVERWRITE true)")
    assert (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("name", ["precious.txt", "rows.csv", "deep/part-00000-1.csv", ".ssh/key", "part-1.txt"])
def test_a_folder_with_more_than_exports_is_not_overwritten(local: Lakehouse, tmp_path: Path, name: str) -> None:
    place = tmp_path / "home"
    local.session.sql(f"COPY (SELECT 1 AS a) TO '{place}' (FORMAT csv)")
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text("mine")
    with pytest.raises(InvalidInput, match="holds files that no export has written"):
        local.session.sql(f"COPY (SELECT 2 AS a) TO '{place}' (FORMAT csv, OVERWRITE true)")
    assert (place / name).read_text() == "mine"
    assert [file.read_text() for file in place.glob("part-*-c000.csv")] == ["a\n1\n"]


def test_a_file_that_is_no_export_is_not_overwritten(local: Lakehouse, tmp_path: Path) -> None:
    (tmp_path / "letter.odt").write_text("mine")
    with pytest.raises(InvalidInput, match="whose name does not end as those of exports do"):
        local.session.sql(f"COPY (SELECT 1 AS a) TO '{tmp_path}/letter.odt' (FORMAT csv, OVERWRITE true)")
    assert (tmp_path / "letter.odt").read_text() == "mine"


def test_exports_of_any_format_are_overwritten_and_hidden_files_stay(local: Lakehouse, tmp_path: Path) -> None:
    place = tmp_path / "out"
    options = ["csv, COMPRESSION gzip", "csv, COMPRESSION deflate", "json", "json, COMPRESSION bzip2", "parquet", "csv"]
    for number, option in enumerate(options):
        local.session.sql(f"COPY (SELECT {number} AS a) TO 'file://{place}' (FORMAT {option}, OVERWRITE true)")
        (place / ".DS_Store").write_text("mine")
        assert len(list(place.glob("part-*"))) == 1
    assert [file.read_text() for file in place.glob("part-*")] == ["a\n5\n"]
    assert sorted(file.name for file in place.glob(".*") if "part" not in file.name) == [".DS_Store", "._SUCCESS.crc"]


@pytest.mark.parametrize("path", ["", "  "])
@pytest.mark.parametrize("what", ["TO", "FROM"])
def test_an_empty_path_is_not_the_current_folder(
    local: Lakehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, what: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("mine.csv").write_text("id\n1\n")
    local.lake.create_table("t", {"id": "int"})
    options = "(FORMAT csv, OVERWRITE true)" if what == "TO" else "(FORMAT csv)"
    with pytest.raises(InvalidInput, match="The path is empty"):
        local.session.sql(f"COPY lake.t {what} '{path}' {options}")
    assert [file.name for file in Path.cwd().iterdir()] == ["mine.csv"]
    assert local.lake.table("t").count() == 0


def test_what_a_link_leads_to_is_not_overwritten(local: Lakehouse, tmp_path: Path) -> None:
    place, kept = tmp_path / "out", tmp_path / "elsewhere"
    local.session.sql(f"COPY (SELECT 1 AS a) TO '{place}' (FORMAT csv)")
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")
    (place / "link").symlink_to(kept)
    local.session.sql(f"COPY (SELECT 2 AS a) TO '{place}' (FORMAT csv, OVERWRITE true)")
    assert (kept / "mine.txt").read_text() == "mine"
    assert [file.read_text() for file in place.glob("*.csv")] == ["a\n2\n"]


@pytest.mark.parametrize(
    "query", ["SELECT 1 / (id - id) AS id FROM lake.t", "SELECT id + 1 AS id FROM parquet.`{place}`"]
)
def test_what_is_overwritten_stays_until_all_is_written(local: Lakehouse, tmp_path: Path, query: str) -> None:
    place = tmp_path / "out"
    local.lake.create_table("t", {"id": "int"}).append([(1,), (2,)])
    local.session.sql(f"COPY lake.t TO '{place}' (FORMAT parquet)")
    copy = f"COPY ({query.format(place=place)}) TO '{place}' (FORMAT parquet, OVERWRITE true)"
    if "/ (" in query:
        with pytest.raises(QueryFailed, match="DIVIDE_BY_ZERO"):
            local.session.sql(copy)
        expected = [1, 2]
    else:
        local.session.sql(copy)
        expected = [2, 3]
    found = local.spark.read.parquet(str(place)).collect()
    assert sorted(row.id for row in found) == expected
    assert len(list(place.glob("*.parquet"))) == 1


def test_a_file_that_is_overwritten_comes_back_when_the_copy_fails(local: Lakehouse, tmp_path: Path) -> None:
    place = tmp_path / "out.csv"
    place.write_text("mine")
    with pytest.raises(QueryFailed, match="DIVIDE_BY_ZERO"):
        local.session.sql(f"COPY (SELECT 1 / (id - id) AS x FROM range(2)) TO '{place}' (OVERWRITE true)")
    assert place.read_text() == "mine"
    local.session.sql(f"COPY (SELECT 1 AS x) TO '{place}' (OVERWRITE true)")
    assert place.is_dir()
    assert not list(tmp_path.glob("out.csv.*"))


BAD_FILES = {
    "value.csv": ("id,d\n1,2020-01-01\nx,2020-01-01\n", "Column id of type INTEGER cannot hold 'x'"),
    "date.csv": ("id,d\n1,2020-13-01\n", "Column d of type DATE cannot hold '2020-13-01'"),
    "short.csv": ("id,d\n1\n", "Row 2 does not have 2 fields"),
    "value.json": ('{"id": 1}\n{"id": "x"}\n', ""),
    "broken.json": ('{"id": 1}\n{"id": \n', ""),
    "null.csv": ("id,d\n,2020-01-01\n", "NOT NULL"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_rows_that_do_not_fit_are_told_with_their_file(local: Lakehouse, tmp_path: Path, name: str) -> None:
    local.session.sql("CREATE TABLE t (id INT NOT NULL, d DATE)")
    (tmp_path / name).write_text(BAD_FILES[name][0])
    with pytest.raises(InvalidRows) as raised:
        local.session.sql(f"COPY t FROM '{tmp_path / name}'")
    assert str(tmp_path / name) in str(raised.value)
    assert BAD_FILES[name][1] in str(raised.value)
    assert local.lake.table("t").count() == 0


def test_of_several_files_the_one_with_the_bad_row_is_named(local: Lakehouse, tmp_path: Path) -> None:
    local.session.sql("CREATE TABLE t (id INT)")
    for name, text in {"one.csv": "id\n1\n", "two.csv": "id\nx\n"}.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InvalidRows, match=r"two\.csv\)$"):
        local.session.sql(f"COPY t FROM '{tmp_path}/*.csv'")


WRONG_CSV = {
    "a quote that nothing closes": b'id,v\n1,a\n2,"b\n3,c\n',
    "a quote in the header that nothing closes": b'"id,v\n1,a\n',
    "text behind a closing quote": b'id,v\n1,a\n2,"b"c\n',
    "a quote within a quoted field": b'id,v\n1,a\n2,"b"c"\n',
    "a blank before an opening quote": b'id,v\n1,a\n2, "b"\n',
    "too few fields": b"id,v\n1,a\n2\n",
    "too many fields": b"id,v\n1,a\n2,b,c\n",
    "far too many fields": b"id,v\n1,a\n2,b,,,c\n",
    "a carriage return within a field": b"id,v\n1,a\n2,b\rc\n",
    "line breaks of Windows everywhere": b'id,v\r\n1,a\r\n2,"b\r\nc"\r\n',
    "two kinds of line breaks": b"id,v\n1,a\n2,b\r\n",
    "bytes that are no UTF-8": b"id,v\n1,a\n2,\xff\n",
}


@pytest.mark.parametrize("what", WRONG_CSV)
def test_csv_that_spark_would_read_otherwise_is_refused_with_file_and_row(
    local: Lakehouse, tmp_path: Path, what: str
) -> None:
    _fresh(local, "t", {"id": "int", "v": "varchar"})
    file = tmp_path / "wrong file.csv"
    file.write_bytes(WRONG_CSV[what])
    with pytest.raises(InvalidRows) as raised:
        local.session.sql(f"COPY lake.t FROM '{file}'")
    assert str(raised.value).endswith(f"(in {file})")
    assert (" 1 " if "header" in what else " 3 ") in str(raised.value)
    assert local.lake.table("t").count() == 0


RIGHT_CSV = {
    "quotes within fields without quotes": (b'id,v\n1,5" pipe\n2,a""b\n', "", ['5" pipe', 'a""b']),
    "lines of Windows": (b'id,v\r\n1,"a\nb"\r\n2,c\r\n', "", ["a\nb", "c"]),
    "line breaks of Windows within a field": (b'id,v\n1,"a\r\nb\r"\n', "", ["a\r\nb\r"]),
    "a mark of the byte order and blank lines": (b"\xef\xbb\xbfid,v\n\n1,a\n\n", "", ["a"]),
    "no line break at the end": (b'id,v\n1,"a"', "", ["a"]),
    "blanks behind a closing quote": (b'id,v\n"1" ,"a"\t\n', "", ["a"]),
    "bytes that are zero": (b'id,v\n1,a\x00b\n2,"\x00"\n', "", ["a\x00b", "\x00"]),
    "another quote": (b"id;v\n1;'it''s;'\n2;\"\n", "(DELIMITER ';', QUOTE '''')", ["it's;", '"']),
    "another escape": (b'id,v\n1,"a\\"b\\\\"\n', "(ESCAPE '\\')", ['a"b\\']),
    "a longer delimiter": (b'id||v\n1||a|b\n2||"||"\n', "(DELIMITER '||')", ["a|b", "||"]),
    "tabs": (b'id\tv\n1\t"a"\n2\t\n', "(DELIMITER '\t')", ["a", None]),
    "a long field": (b'id,v\n1,"' + b'x\n""' * 300_000 + b'"\n', "", ['x\n"' * 300_000]),
}


@pytest.mark.parametrize("what", RIGHT_CSV)
def test_csv_that_can_only_mean_one_thing_is_read(local: Lakehouse, tmp_path: Path, what: str) -> None:
    content, options, expected = RIGHT_CSV[what]
    session = forklake.connect(dialect="duckdb", spark=local.spark)
    session.attach(local.place.url, "lake", catalog="main")
    _fresh(local, "t", {"id": "int", "v": "varchar"})
    (tmp_path / "right.csv").write_bytes(content)
    session.sql(f"COPY lake.t FROM '{tmp_path}/right.csv' {options}")
    assert [row[0] for row in session.sql("SELECT v FROM lake.t ORDER BY id").fetchall()] == expected


WRONG_JSON = {
    "two objects": b'{"id":1} {"id":2}',
    "two objects with a comma": b'{"id":1},{"id":2}',
    "a word behind an object": b'{"id":1} xyz',
    "a comment behind an object": b'{"id":1} // xyz',
    "a bracket behind an object": b'{"id":1}]',
    "two arrays": b'[{"id":1}] [{"id":2}]',
    "a key that comes twice": b'{"id":1,"id":2}',
    "a key within a value that comes twice": b'{"id":1,"s":{"a":1,"a":2}}',
    "a key in two spellings": b'{"id":1,"ID":2}',
    "a key within a value in two spellings": b'{"id":1,"s":{"a":1,"A":2}}',
    "half of an object": b'{"id":1,',
    "a number": b"5",
    "a text": b'"x"',
    "a nothing": b"null",
    "bytes that are no UTF-8": b'{"v":"\xff"}',
}


@pytest.mark.parametrize("what", WRONG_JSON)
def test_json_of_which_something_would_be_left_out_is_refused_with_its_file(
    local: Lakehouse, tmp_path: Path, what: str
) -> None:
    _fresh(local, "t", {"id": "int", "v": "varchar", "s": "struct(a int)"})
    file = tmp_path / "wrong.json"
    file.write_bytes(b'{"id":7}\n\n' + WRONG_JSON[what] + b'\n{"id":8}\n')
    with pytest.raises((InvalidRows, QueryFailed)) as raised:
        local.session.sql(f"COPY lake.t FROM '{file}'")
    assert str(file) in str(raised.value)
    assert local.lake.table("t").count() == 0


def test_the_line_is_told_in_which_json_is_wrong(local: Lakehouse, tmp_path: Path) -> None:
    _fresh(local, "t", {"id": "int"})
    (tmp_path / "a.json").write_text('{"id":1}\n')
    (tmp_path / "b.json").write_text('{"id":2}\n\n{"id":3} {"id":4}\n')
    with pytest.raises(InvalidRows, match=r"Line 3 must be one JSON value.*\(in .*b\.json\)$"):
        local.session.sql(f"COPY lake.t FROM '{tmp_path}/*.json'")


@pytest.mark.parametrize(
    "content",
    [
        b'{"id":1}\n{"id":2}',
        b'\xef\xbb\xbf{"id":1}\r\n\r\n  \n {"id":2} \r\n',
        b'[{"id":1},{"id":2}]\n',
        b'\xef\xbb\xbf\n[\n  {"id":1},\n  {"id":2}\n]\n',
        b'{"id":1, "v": "' + b"x" * 3_000_000 + b'"}\n{"id":2}\n',
    ],
    ids=["lines", "blank lines", "one line", "many lines", "long lines"],
)
def test_json_is_read_to_its_end(local: Lakehouse, tmp_path: Path, content: bytes) -> None:
    _fresh(local, "t", {"id": "int", "v": "varchar"})
    (tmp_path / "right.json").write_bytes(content)
    local.session.sql(f"COPY lake.t FROM '{tmp_path}/right.json'")
    assert local.session.sql("SELECT id FROM lake.t ORDER BY id").fetchall() == [(1,), (2,)]


@pytest.mark.parametrize(
    "text", ['[\n{"id":1}\n]\n{"id":2}\n', '[\n{"id":1}\n],"x":[{"id":2}]', '[{"id":1}],"x":[{"id":2}]\n']
)
def test_an_array_with_something_behind_it_is_refused(local: Lakehouse, tmp_path: Path, text: str) -> None:
    _fresh(local, "t", {"id": "int"})
    (tmp_path / "wrong.json").write_text(text)
    with pytest.raises(InvalidRows, match="must be one JSON value"):
        local.session.sql(f"COPY lake.t FROM '{tmp_path}/wrong.json'")


@pytest.mark.parametrize("options", ["", "(OVERWRITE true)"])
def test_a_copy_that_fails_leaves_nothing_behind(local: Lakehouse, tmp_path: Path, options: str) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    for place in ("out.csv", "new/one/out.csv"):
        with pytest.raises(QueryFailed, match="DIVIDE_BY_ZERO"):
            local.session.sql(f"COPY (SELECT 1 / (id - id) AS x FROM range(2)) TO '{folder / place}' {options}")
    assert list(folder.iterdir()) == []


def test_a_copy_that_finds_something_in_its_place_leaves_it(local: Lakehouse, tmp_path: Path) -> None:
    place = tmp_path / "out.csv"
    local.session.sql(f"COPY (SELECT 1 AS x) TO '{place}'")
    with pytest.raises(forklake.ForklakeError):
        local.session.sql(f"COPY (SELECT 2 AS x) TO '{place}'")
    assert [file.read_text() for file in place.glob("*.csv")] == ["x\n1\n"]
