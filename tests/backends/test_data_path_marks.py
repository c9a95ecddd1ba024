"""A data path belongs to one lake: no other writes there, and none deletes what may be another's."""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import lake_facts, open_lake
from forklake.errors import DataPathTaken, ForklakeError, InvalidInput, UnwritableFile
from forklake.spark.storage.data_path_mark import claim_data_path
from forklake.spark.storage.storage import MARK, storage_at
from tests.conftest import Place


def attach(session: Session, url: str, data: Path, name: str, **options: Any) -> CatalogHandle:
    return session.attach(
        url,
        name,
        catalog="main",
        data_path=str(data),
        create_if_not_exists=True,
        **options,
    )


def lake_with_rows(session: Session, folder: Path, data: Path, name: str) -> CatalogHandle:
    lake = attach(session, f"sqlite:{folder / name}.db", data, name)
    lake.create_table("t", {"id": "bigint"}).append([(1,), (2,)])
    return lake


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def test_the_first_file_marks_the_data_path_with_the_id_of_the_lake(
    session: Session, place: Place, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    lake = attach(session, place.url, data, "lake", metadata_schema=place.metadata_schema)
    table = lake.create_table("t", {"id": "bigint"})
    assert not data.exists()
    table.append([(1,)])
    opened = open_lake(place.url, metadata_schema=place.metadata_schema, read_only=True)
    assert json.loads((data / MARK).read_text()) == {"lake_uuid": lake_facts(opened).uuid}
    opened.close()
    assert lake.delete_orphaned_files(cleanup_all=True, dry_run=True) == []


def test_a_second_lake_neither_writes_nor_lists_nor_deletes_the_files_of_the_first(
    session: Session, tmp_path: Path
) -> None:
    first = lake_with_rows(session, tmp_path, tmp_path / "data", "first")
    before = files(tmp_path / "data")
    second = attach(session, f"sqlite:{tmp_path}/second.db", tmp_path / "data", "second")
    table = second.create_table("t", {"id": "bigint"})
    with pytest.raises(DataPathTaken, match=r"belongs to the lake \w+.*this is the lake \w+"):
        table.append([(3,)])
    for dry_run in (True, False):
        with pytest.raises(DataPathTaken, match="belongs to the lake"):
            second.delete_orphaned_files(cleanup_all=True, dry_run=dry_run)
    assert files(tmp_path / "data") == before
    assert first.table("t").count() == 2


@pytest.mark.parametrize(("one", "other"), [("data", "data/main/main"), ("data/main/main", "data")])
def test_a_lake_inside_the_data_path_of_another_is_refused(
    session: Session, tmp_path: Path, one: str, other: str
) -> None:
    lake_with_rows(session, tmp_path, tmp_path / one, "first")
    second = attach(session, f"sqlite:{tmp_path}/second.db", tmp_path / other, "second")
    with pytest.raises(DataPathTaken, match=r"lies in|holds that of"):
        second.create_table("t", {"id": "bigint"}).append([(1,)])


def test_cleanup_leaves_out_the_data_path_of_a_lake_inside(session: Session, tmp_path: Path) -> None:
    lake = lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    inside = tmp_path / "data" / "main" / "inside"
    inside.mkdir()
    (inside / MARK).write_text('{"lake_uuid": "another"}')
    (inside / "theirs.parquet").write_bytes(b"x")
    (tmp_path / "data" / "main" / "stray.parquet").write_bytes(b"x")
    assert lake.delete_orphaned_files(cleanup_all=True) == [str(tmp_path / "data" / "main" / "stray.parquet")]
    assert (inside / "theirs.parquet").exists()


def test_files_of_a_ducklake_are_nobody_elses_to_clean(session: Session, tmp_path: Path) -> None:
    theirs = tmp_path / "data" / "main" / "orders" / "ducklake-0197.parquet"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"x")
    lake = attach(session, f"sqlite:{tmp_path}/lake.db", tmp_path / "data", "lake")
    with pytest.raises(DataPathTaken, match="holds files of another lake or of a DuckLake"):
        lake.create_table("t", {"id": "bigint"}).append([(1,)])
    with pytest.raises(DataPathTaken, match="has no mark"):
        lake.delete_orphaned_files(cleanup_all=True)
    assert theirs.exists()


def test_without_a_mark_nothing_is_deleted_until_the_lake_writes_again(session: Session, tmp_path: Path) -> None:
    lake = lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    (tmp_path / "data" / MARK).unlink()
    stray = tmp_path / "data" / "main" / "stray.parquet"
    stray.write_bytes(b"x")
    with pytest.raises(DataPathTaken, match="has no mark"):
        lake.delete_orphaned_files(cleanup_all=True)
    again = session.attach(f"sqlite:{tmp_path}/lake.db", "again", catalog="main")
    again.table("t").append([(3,)])
    assert again.delete_orphaned_files(cleanup_all=True) == [str(stray)]


def test_a_session_that_has_marked_the_data_path_marks_it_again_when_the_mark_was_lost(
    session: Session, tmp_path: Path
) -> None:
    lake = lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    (tmp_path / "data" / MARK).unlink()
    stray = tmp_path / "data" / "main" / "stray.parquet"
    stray.write_bytes(b"x")
    with pytest.raises(DataPathTaken, match="write a file to this lake, in this session or in a new one"):
        lake.delete_orphaned_files(cleanup_all=True)
    lake.table("t").append([(3,)])
    assert lake.delete_orphaned_files(cleanup_all=True) == [str(stray)]


def test_a_lake_that_has_only_leftovers_is_claimed_with_the_file_that_the_error_names(
    session: Session, tmp_path: Path
) -> None:
    leftover = tmp_path / "data" / "main" / "main" / "t" / "ducklake-0197.parquet"
    leftover.parent.mkdir(parents=True)
    leftover.write_bytes(b"x")
    lake = attach(session, f"sqlite:{tmp_path}/lake.db", tmp_path / "data", "lake")
    table = lake.create_table("t", {"id": "bigint"})
    with pytest.raises(DataPathTaken, match="create the file"):
        lake.delete_orphaned_files(cleanup_all=True)
    with pytest.raises(DataPathTaken) as error:
        table.append([(1,)])
    [(mark, content)] = re.findall(r"create the file '(.*?)' with the content ({.*?})", str(error.value))
    Path(mark).write_text(content)
    table.append([(1,)])
    assert lake.delete_orphaned_files(cleanup_all=True) == [str(leftover)]
    assert table.count() == 1


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"lake_uuid"'])
def test_a_damaged_mark_stops_writing_and_cleanup(session: Session, tmp_path: Path, content: str) -> None:
    lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    (tmp_path / "data" / MARK).write_text(content)
    again = session.attach(f"sqlite:{tmp_path}/lake.db", "again", catalog="main")
    with pytest.raises(DataPathTaken, match="is damaged"):
        again.table("t").append([(3,)])
    assert again.table("t").count() == 2


def test_a_data_path_that_cannot_be_marked_says_so(session: Session, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    lake = attach(session, f"sqlite:{tmp_path}/lake.db", tmp_path / "data", "lake")
    with pytest.raises(UnwritableFile):
        lake.create_table("t", {"id": "bigint"}).append([(1,)])


def test_readers_leave_no_mark(session: Session, tmp_path: Path) -> None:
    lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    (tmp_path / "data" / MARK).unlink()
    reader = session.attach(f"sqlite:{tmp_path}/lake.db", "reader", catalog="main", read_only=True)
    assert reader.table("t").count() == 2
    assert not (tmp_path / "data" / MARK).exists()


def test_a_copy_of_the_metadata_is_the_same_lake(session: Session, tmp_path: Path) -> None:
    lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    shutil.copy(tmp_path / "lake.db", tmp_path / "copy.db")
    for suffix in ("-wal",):
        if (tmp_path / f"lake.db{suffix}").exists():
            shutil.copy(tmp_path / f"lake.db{suffix}", tmp_path / f"copy.db{suffix}")
    copy = session.attach(f"sqlite:{tmp_path}/copy.db", "copy", catalog="main")
    copy.table("t").append([(3,)])
    assert copy.table("t").count() == 3


def test_of_many_lakes_that_want_a_data_path_one_gets_it(tmp_path: Path) -> None:
    lakes = [open_lake(f"sqlite:{tmp_path}/{n}.db", create=True, data_path=f"{tmp_path}/data/") for n in range(8)]
    storage = storage_at(f"{tmp_path}/data/")

    def won(lake: Lake) -> bool:
        try:
            claim_data_path(lake, storage)
        except ForklakeError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(won, lakes)) == 1
    assert [path.name for path in files(tmp_path / "data")] == [MARK]
    for lake in lakes:
        lake.close()


def test_a_mark_that_another_lake_has_replaced_is_noticed_before_the_first_commit(
    session: Session, tmp_path: Path
) -> None:
    """On an object store, of two that find no mark both write one, and the second stays."""
    lake = attach(session, f"sqlite:{tmp_path}/lake.db", tmp_path / "data", "lake")
    table = lake.create_table("t", {"id": "bigint"})
    session.begin()
    table.append([(number,) for number in range(1000)])
    theirs = '{"lake_uuid": "another"}'
    (tmp_path / "data" / MARK).write_text(theirs)
    with pytest.raises(DataPathTaken, match="belongs to the lake another"):
        session.commit()
    assert table.count() == 0
    assert [path.name for path in files(tmp_path / "data")] == [MARK]
    with pytest.raises(DataPathTaken, match="belongs to the lake another"):
        table.append([(1,)])
    assert (tmp_path / "data" / MARK).read_text() == theirs


def moved(session: Session, tmp_path: Path, to: Path) -> CatalogHandle:
    return session.attach(
        f"sqlite:{tmp_path}/lake.db", "moved", catalog="main", data_path=str(to), override_data_path=True
    )


def test_a_copy_of_the_files_can_be_read_but_not_written_or_cleaned(session: Session, tmp_path: Path) -> None:
    """Others would look for the new files in the data path of the lake."""
    lake = lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    before = files(tmp_path / "copy")
    elsewhere = moved(session, tmp_path, tmp_path / "copy")
    assert elsewhere.table("t").count() == 2
    with pytest.raises(InvalidInput, match="OVERRIDE_DATA_PATH"):
        elsewhere.table("t").append([(3,)])
    assert files(tmp_path / "copy") == before
    assert lake.table("t").count() == 2


@pytest.mark.parametrize("keeps_mark", [True, False])
def test_a_lake_that_was_moved_is_written_where_it_is(session: Session, tmp_path: Path, keeps_mark: bool) -> None:
    lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    (tmp_path / "data").rename(tmp_path / "new")
    if not keeps_mark:
        (tmp_path / "new" / MARK).unlink()
    lake = moved(session, tmp_path, tmp_path / "new")
    lake.table("t").append([(3,)])
    assert lake.table("t").count() == 3
    assert (tmp_path / "new" / MARK).exists()


def test_the_same_folder_by_another_name_is_the_data_path(session: Session, tmp_path: Path) -> None:
    lake = lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    moved(session, tmp_path, tmp_path / "link").table("t").append([(3,)])
    assert lake.table("t").count() == 3


def test_an_empty_folder_is_not_the_lake_moved(session: Session, tmp_path: Path) -> None:
    lake_with_rows(session, tmp_path, tmp_path / "data", "lake")
    elsewhere = moved(session, tmp_path, tmp_path / "empty")
    with pytest.raises(InvalidInput, match="OVERRIDE_DATA_PATH"):
        elsewhere.table("t").append([(3,)])
    assert not (tmp_path / "empty").exists()
