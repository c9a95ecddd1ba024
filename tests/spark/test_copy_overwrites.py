"""COPY … TO replaces earlier exports, and nothing else; a failing one leaves what was there."""

import sqlite3
from pathlib import Path

import pytest

import forklake
from forklake.errors import DataPathTaken, InvalidInput, QueryFailed
from tests.spark.conftest import Lakehouse


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
