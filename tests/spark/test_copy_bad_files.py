"""COPY … FROM refuses what cannot be read in one way only, and names file and row."""

from pathlib import Path

import pytest

import forklake
from forklake.errors import InvalidRows, QueryFailed
from tests.spark.conftest import Lakehouse


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
    local.lake.create_table("t", {"id": "int", "v": "varchar"})
    (tmp_path / name).write_text(content)
    with pytest.raises(forklake.ForklakeError, match=phrase):
        local.session.sql(f"COPY lake.t FROM '{tmp_path / name}'")
    assert local.session.sql("SELECT count(*) FROM lake.t").fetchall() == [(0,)]


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
    local.lake.create_table("t", {"id": "int", "v": "varchar"})
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
    local.lake.create_table("t", {"id": "int", "v": "varchar"})
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
    local.lake.create_table("t", {"id": "int", "v": "varchar", "s": "struct(a int)"})
    file = tmp_path / "wrong.json"
    file.write_bytes(b'{"id":7}\n\n' + WRONG_JSON[what] + b'\n{"id":8}\n')
    with pytest.raises((InvalidRows, QueryFailed)) as raised:
        local.session.sql(f"COPY lake.t FROM '{file}'")
    assert str(file) in str(raised.value)
    assert local.lake.table("t").count() == 0


def test_the_line_is_told_in_which_json_is_wrong(local: Lakehouse, tmp_path: Path) -> None:
    local.lake.create_table("t", {"id": "int"})
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
    local.lake.create_table("t", {"id": "int", "v": "varchar"})
    (tmp_path / "right.json").write_bytes(content)
    local.session.sql(f"COPY lake.t FROM '{tmp_path}/right.json'")
    assert local.session.sql("SELECT id FROM lake.t ORDER BY id").fetchall() == [(1,), (2,)]


@pytest.mark.parametrize(
    "text", ['[\n{"id":1}\n]\n{"id":2}\n', '[\n{"id":1}\n],"x":[{"id":2}]', '[{"id":1}],"x":[{"id":2}]\n']
)
def test_an_array_with_something_behind_it_is_refused(local: Lakehouse, tmp_path: Path, text: str) -> None:
    local.lake.create_table("t", {"id": "int"})
    (tmp_path / "wrong.json").write_text(text)
    with pytest.raises(InvalidRows, match="must be one JSON value"):
        local.session.sql(f"COPY lake.t FROM '{tmp_path}/wrong.json'")
