"""Files of others become files of a table, without Spark: which are meant, whose they are, and who may add them."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest

from forklake.errors import CommitConflict, InvalidInput, NoSuchTable
from tests.attached import read_table
from tests.backends.adding import Adding, adding_to, files_of, paths_of, refused
from tests.conftest import Place
from tests.foreign_files import write_file


@pytest.fixture
def adding(place: Place, tmp_path: Path) -> Iterator[Adding]:
    """A lake on each backend in turn."""
    with adding_to(place, tmp_path) as opened:
        yield opened


@pytest.fixture
def local(sqlite_place: Place, tmp_path: Path) -> Iterator[Adding]:
    """A lake on SQLite alone, for what does not depend on the metadata database."""
    with adding_to(sqlite_place, tmp_path) as opened:
        yield opened


@dataclass(slots=True)
class Told:
    """Notes what it is told of progress."""

    begun: list[tuple[str, int, int]] = field(default_factory=list)
    advanced: int = 0
    ended: int = 0

    def begin(self, what: str, files: int, size: int) -> None:
        self.begun.append((what, files, size))

    def advance(self, files: int, size: int) -> None:
        self.advanced += files

    def end(self) -> None:
        self.ended += 1


# Which files are meant


FILES = ("a.parquet", "b.parquet", "sub/c.parquet", "sub/deep/d.parquet", ".e.parquet", "[1]*.parquet", "x=1/f.parquet")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("", sorted(FILES)),
        ("/", sorted(FILES)),
        ("/**/*.parquet", sorted(FILES)),
        ("/*.parquet", [".e.parquet", "[1]*.parquet", "a.parquet", "b.parquet"]),
        ("/?.parquet", ["a.parquet", "b.parquet"]),
        ("/[!a].parquet", ["b.parquet"]),
        ("/*/[c-f].parquet", ["linked/c.parquet", "x=1/f.parquet"]),
        ("/**/d.parquet", ["sub/deep/d.parquet"]),
        ("/sub/**", ["sub/c.parquet", "sub/deep/d.parquet"]),
        ("/[1]*.parquet", ["[1]*.parquet"]),
        ("/sub/./../sub//c.parquet", ["sub/c.parquet"]),
        ("/linked/c.parquet", ["linked/c.parquet"]),
    ],
)
def test_paths_folders_and_patterns_name_files(local: Adding, given: str, meant: list[str]) -> None:
    for at, name in enumerate(FILES):
        write_file(local.given / name, {"id": [at]})
    (local.given / "notes.txt").write_text("no Parquet")
    os.symlink(local.given / "sub", local.given / "linked")
    table = local.lake.create_table("t", {"id": "bigint"})
    expected = [str(local.given / name) for name in meant]
    assert table.add_files(f"{local.given}{given}") == expected
    assert paths_of(table) == [(path, False) for path in expected]


def test_a_file_counts_once_in_a_call_whatever_its_names_are(adding: Adding, monkeypatch: pytest.MonkeyPatch) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    path = write_file(adding.given / "a.parquet", {"id": [1, 2]})
    os.symlink(path, adding.given / "b.parquet")
    monkeypatch.chdir(adding.given)
    given = ["a.parquet", f"file://{path}", "../given/a.parquet", str(adding.given), "b.parquet", "*.parquet"]
    assert table.add_files(given) == [str(path)]
    assert table.count() == 2
    # In another call it must be meant, other than in DuckLake.
    refused(table, "b.parquet", "is in the table already")
    assert table.add_files("b.parquet", allow_duplicates=True) == [str(adding.given / "b.parquet")]
    assert table.count() == 4


def test_what_leads_to_no_file_is_named(local: Adding) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    good = str(write_file(local.given / "a.parquet", {"id": [1]}))
    (local.given / "empty").mkdir()
    for missing in ("b.parquet", "*.orc", "empty", "none/*.parquet", "a.parquet/*"):
        refused(
            table,
            [good, str(local.given / missing)],
            f'No files found that match the pattern "{local.given}/{missing}"',
        )
    refused(table, [good, "s3://bucket/x.parquet"], "neither local nor on the file system of the lake")
    refused(table, [good, "x\0.parquet"], "NUL")
    assert table.add_files([]) == []


def test_files_without_rows_are_left_out_but_must_fit(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    empty = str(write_file(adding.given / "empty.parquet", {"id": pa.array([], pa.int64())}))
    before = read_table(table)[0].base
    assert table.add_files(empty) == []
    assert read_table(table)[0].base == before
    full = str(write_file(adding.given / "full.parquet", {"id": [1]}))
    assert table.add_files([empty, full]) == [full]
    write_file(Path(empty), {"other": pa.array([], pa.int64())})
    refused(table, [empty, full], 'Column "id" exists in table "t" but was not found in file')


def test_the_table_may_be_named_with_its_schema_or_behind_it(local: Adding) -> None:
    local.lake.create_schema("a.b")
    table = local.lake.create_table('"a.b".t', {"id": "bigint"})
    first, second = (str(write_file(local.given / f"{name}.parquet", {"id": [1]})) for name in "xy")
    assert local.lake.add_data_files('"a.b".t', first) == [first]
    assert local.lake.add_data_files("t", second, schema="a.b") == [second]
    assert table.count() == 2


# Whose they are


def test_files_elsewhere_stay_the_users(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    path = write_file(adding.given / "a.parquet", {"id": [1]})
    imported = write_file(adding.data / "import" / "b.parquet", {"id": [2]})
    table.add_files([str(path), str(imported)])
    assert paths_of(table) == [(str(path), False), (str(imported), False)]
    adding.lake.drop_table("t")
    adding.lake.expire_snapshots(versions=[snapshot.snapshot_id for snapshot in adding.lake.snapshots()[:-1]])
    adding.lake.cleanup_old_files(cleanup_all=True)
    adding.lake.delete_orphaned_files(cleanup_all=True)
    assert path.exists()
    assert imported.exists()


def test_a_file_of_another_catalog_is_refused(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    fork = adding.lake.fork("agent").table("t")
    own = write_file(adding.data / "main" / "main" / "t" / "own.parquet", {"id": [1]})
    theirs = write_file(adding.data / "agent" / "x.parquet", {"id": [1]})
    os.symlink(theirs, adding.given.parent / "link.parquet")
    hint = "Fork that catalog to use its rows, or copy the file"
    refused(table, theirs, hint)
    refused(table, adding.given.parent / "link.parquet", hint)
    refused(table, f"{adding.data}/import/../agent/x.parquet", hint)
    refused(fork, own, hint)
    adding.lake.drop_catalog("agent")
    refused(table, theirs, hint)


def test_a_file_in_the_own_folder_is_taken_once(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    table.append([(at,) for at in range(20)])
    [(written, _)] = paths_of(table)
    already = "already belongs to this lake"
    refused(table, adding.data / written, already)
    lost = write_file(adding.data / "main" / "main" / "t" / "lost.parquet", {"id": [1, 2]})
    adding.session.begin()
    table.add_files(str(lost))
    with pytest.raises(InvalidInput, match=already):
        table.add_files(str(lost))
    adding.session.rollback()
    table.add_files(str(lost))
    assert paths_of(table)[-1] == ("main/main/t/lost.parquet", True)
    os.symlink(lost, adding.given.parent / "link.parquet")
    refused(table, adding.given.parent / "link.parquet", already)
    table.delete()
    refused(table, lost, already)
    adding.lake.expire_snapshots(versions=[snapshot.snapshot_id for snapshot in adding.lake.snapshots()[:-1]])
    refused(table, lost, already)
    adding.lake.cleanup_old_files(cleanup_all=True)
    assert not lost.exists()


def test_a_link_in_the_own_folder_stands_for_the_file_it_leads_to(local: Adding) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    path = write_file(local.given / "a.parquet", {"id": [1]})
    (local.data / "main").mkdir(parents=True)
    os.symlink(path, local.data / "main" / "link.parquet")
    table.add_files(str(local.data / "main" / "link.parquet"))
    assert paths_of(table) == [(str(path), False)]


# Who may add them, and when


def test_files_are_added_by_sql_and_by_both_handles(adding: Adding) -> None:
    adding.lake.create_schema("s")
    adding.lake.create_table("s.t", {"id": "bigint", "x": "int"})
    paths = [str(write_file(adding.given / f"{name}.parquet", {"id": [1], "y": [2]})) for name in ("a", "b", "c'")]
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths[1:])
    call = (
        f"CALL ducklake_add_data_files('lake', 't', [{listed}], schema => 's', allow_missing => true,"
        " ignore_extra_columns => true)"
    )
    assert adding.session.sql(call).fetchall() == [(path,) for path in paths[1:]]
    added = adding.lake.add_data_files("s.t", paths[0], allow_missing=True, ignore_extra_columns=True)
    assert added == paths[:1]
    shown = adding.session.sql(
        f"SELECT * FROM ducklake_add_data_files('lake', 't', '{paths[0]}', schema => 's', allow_missing => true,"
        " ignore_extra_columns => true, hive_partitioning => false, allow_duplicates => true)"
    )
    assert shown.to_arrow().column_names == ["filename"]
    assert adding.lake.table("s.t").count() == 4
    with pytest.raises(NoSuchTable):
        adding.lake.add_data_files("t", paths[0])


def test_one_mapping_serves_all_files_of_a_call_that_are_alike(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    alike = [str(write_file(adding.given / f"{at}.parquet", {"ID": [at]})) for at in range(3)]
    other = str(write_file(adding.given / "other.parquet", {"Id": [3]}))
    table.add_files([*alike, other])
    ids = [file.data.mapping_id for file in files_of(table)]
    assert len(set(ids[:3])) == 1
    assert ids[3] not in (None, ids[0])
    tx, table_id = read_table(table)
    assert {mapping.columns[0].source_name for mapping in tx.mappings(table_id).values()} == {"ID", "Id"}


def test_a_file_as_we_write_it_for_the_table_needs_no_mapping(local: Adding) -> None:
    types = {"id": "bigint", "h": "hugeint", "i": "interval", "s": "struct(a int[], b timestamp_s)"}
    table = local.lake.create_table("t", types)
    table.append([(at, at, "1 day", {"a": [at], "b": None}) for at in range(20)])
    [(written, _)] = paths_of(table)
    copy = shutil.copy(local.data / written, local.given.parent / "copy.parquet")
    table.add_files(str(copy))
    first, second = files_of(table)
    assert second.data.mapping_id is None
    assert second.data.table_version == first.data.table_version
    table.rename_column("id", "key")
    refused(table, str(copy), 'Column "key" exists in table "t" but was not found in file')


def test_what_was_added_goes_with_its_transaction(adding: Adding) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    path = write_file(adding.given / "a.parquet", {"ID": [1, 2]})
    adding.session.begin()
    table.add_files(str(path))
    assert table.count() == 2
    adding.session.rollback()
    assert table.count() == 0
    assert path.exists()
    with adding.session.transaction():
        table.add_files(str(path))
        table.rename_column("id", "key")
        table.truncate()
    assert table.count() == 0


def test_added_files_conflict_as_inserted_rows_do(adding: Adding, place: Place) -> None:
    table = adding.lake.create_table("t", {"id": "bigint"})
    path = str(write_file(adding.given / "a.parquet", {"id": [1]}))
    other = adding.session.cursor()
    adding.session.begin()
    table.add_files(path)
    other.catalog("lake").table("t").add_files(path)
    adding.session.commit()
    assert table.count() == 2
    assert [file.data.row_id_start for file in files_of(table)] == [0, 1]
    adding.session.begin()
    table.add_files(path, allow_duplicates=True)
    other.catalog("lake").drop_table("t")
    with pytest.raises(CommitConflict):
        adding.session.commit()


def test_progress_is_told(local: Adding) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    paths = [str(write_file(local.given / f"{at}.parquet", {"id": [at]})) for at in range(3)]
    told = Told()
    table.add_files(paths, progress=told)
    assert told.begun == [("Adding files", 3, sum(Path(path).stat().st_size for path in paths))]
    assert told.advanced == 3
    (local.given / "bad.parquet").write_bytes(b"x" * 100)
    with pytest.raises(InvalidInput):
        table.add_files(str(local.given), progress=told)
    assert told.ended == 2
