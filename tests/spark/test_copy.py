"""COPY: what goes out to a file comes back as it was, and DuckDB reads and writes the same."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import forklake
from forklake.errors import InvalidInput, InvalidRows, InvalidType
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


NESTED_JSON: dict[str, tuple[str, list[Any]]] = {
    "keys of maps in two spellings": ("map(varchar, int)", [{"a": 1, "A": 2}, {"A": 3}]),
    "maps that are all empty": ("map(varchar, int)", [{}, {}, None]),
    "empty maps in structs": ("struct(a map(varchar, int))", [{"a": {}}, {"a": None}, None]),
    "structs in maps": ("map(varchar, struct(a int))", [{"x": {"a": 1}, "X": {"a": None}}, {}]),
}


@pytest.mark.parametrize("what", NESTED_JSON)
def test_nested_values_of_any_form_come_back_from_json(local: Lakehouse, tmp_path: Path, what: str) -> None:
    kind, values = NESTED_JSON[what]
    for name in ("t", "back"):
        _fresh(local, name, {"v": kind})
    local.lake.table("t").append([(value,) for value in values])
    local.session.sql(f"COPY lake.t TO '{tmp_path}/out.json'")
    local.session.sql(f"COPY lake.back FROM '{tmp_path}/out.json'")
    assert _shown(local.session.sql("SELECT * FROM lake.back").fetchall()) == _shown(
        local.session.sql("SELECT * FROM lake.t").fetchall()
    )


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("SELECT map(1, 'a') AS m", "m are INT"),
        ("SELECT named_struct('m', map(DATE'2020-01-01', 1)) AS s", "s.m are DATE"),
        ("SELECT array(map('a', map(1.5, 1))) AS l", "l.element.value are DECIMAL"),
        ("SELECT named_struct('a', 1, 'A', 2) AS s", "Two fields of s"),
    ],
)
@pytest.mark.parametrize("options", ["", "(OVERWRITE true)"])
def test_json_that_could_not_be_read_back_is_not_written(
    local: Lakehouse, tmp_path: Path, query: str, name: str, options: str
) -> None:
    local.session.sql(f"COPY (SELECT 1 AS id) TO '{tmp_path}/there.json'")
    for place in ("new/out.json", "there.json"):
        with pytest.raises(InvalidType, match=name):
            local.session.sql(f"COPY ({query}) TO '{tmp_path}/{place}' {options}")
    assert [file.name for file in tmp_path.glob("*.json")] == ["there.json"]
    assert not (tmp_path / "new").exists()
    assert [file.read_text() for file in tmp_path.glob("there.json/part-*")] == ['{"id":1}\n']


def test_fields_of_json_are_found_in_any_spelling(local: Lakehouse, tmp_path: Path) -> None:
    _fresh(local, "t", {"s": "struct(a int, b int)", "l": "struct(a int)[]", "m": "map(varchar, struct(a int))"})
    (tmp_path / "in.json").write_text('{"S": {"A": 1}, "L": [{"A": 2}], "M": {"k": {"A": 3}}}\n')
    local.session.sql(f"COPY lake.t FROM '{tmp_path}/in.json'")
    found = local.session.sql("SELECT s.a, s.b, l[0].a, m['k'].a FROM lake.t").fetchall()
    assert found == [(1, None, 2, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"s": {"a": 1}}\n{"S": {"a": 1}}\n', "field S in two spellings|field s in two spellings"),
        ('{"s": {"a": 1}}\n{"s": {"A": 1}}\n', "field s.[aA] in two spellings"),
        ('{"m": {"k": {"A": 1}, "j": {"a": 1}}}\n', "values of the map m have fields in two spellings"),
        ('{"m": {"k": {"a": 1, "b": 2}}}\n', "Column m.value has no field 'b'"),
        ('{"n": {"1": 2}}\n', "keys of the map n are INT"),
    ],
)
def test_fields_of_json_that_would_be_dropped_are_refused(
    local: Lakehouse, tmp_path: Path, text: str, message: str
) -> None:
    _fresh(local, "t", {"s": "struct(a int)", "m": "map(varchar, struct(a int))", "n": "map(int, int)"})
    (tmp_path / "in.json").write_text(text)
    with pytest.raises((InvalidRows, InvalidType), match=message):
        local.session.sql(f"COPY lake.t FROM '{tmp_path}/in.json'")
    assert local.lake.table("t").count() == 0


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


def test_a_file_whose_name_has_signs_of_patterns_is_that_file(local: Lakehouse, tmp_path: Path) -> None:
    local.lake.create_table("t", {"v": "int"})
    odd, other = tmp_path / "a [1]*?{b}.csv", tmp_path / "a 1.csv"
    odd.write_text("v\n1\n", encoding="utf-8")
    other.write_text("v\n2\n", encoding="utf-8")
    assert local.session.sql(f"COPY t FROM '{odd}' (HEADER true)").fetchall() == [(1,)]
    local.session.sql(f"COPY t TO '{tmp_path}/out [1]' (FORMAT csv)")
    assert local.session.sql(f"COPY t FROM '{tmp_path}/out [1]' (FORMAT csv)").fetchall() == [(1,)]
    assert local.session.sql(f"COPY t FROM '{tmp_path}/a *.csv' (HEADER true)").fetchall() == [(2,)]
    assert sorted(local.lake.table("t").scan().fetchall()) == [(1,), (1,), (1,), (2,)]


def test_a_folder_that_exists_is_refused_with_what_to_do(local: Lakehouse, tmp_path: Path) -> None:
    local.lake.create_table("t", {"v": "int"}).append([(1,)])
    local.session.sql(f"COPY t TO '{tmp_path}/out' (FORMAT csv)")
    with pytest.raises(InvalidInput, match="out already exists; the option to overwrite"):
        local.session.sql(f"COPY t TO '{tmp_path}/out' (FORMAT csv)")
    local.session.sql(f"COPY t TO '{tmp_path}/out' (FORMAT csv, OVERWRITE true)")
