"""Clean-up knows whose file it is, however the file came there and whatever it is called."""

import itertools
import os
import time
from pathlib import Path

import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.maintenance.cleanup import old_files as cleanup
from forklake.spark.storage.data_path_mark import claim_data_path
from forklake.spark.storage.storage import Storage
from forklake.spark.work import storage_of
from tests.backends.adding import files_of
from tests.conftest import Place
from tests.foreign_files import write_file


def attach(session: Session, place: Place, data: Path | None, catalog: str = "main") -> CatalogHandle:
    return session.attach(
        place.url,
        f"a{next(numbers)}",
        catalog=catalog,
        data_path=None if data is None else str(data),
        metadata_schema=place.metadata_schema,
        create_if_not_exists=True,
    )


numbers = itertools.count(1)


def make_old(path: Path | str) -> None:
    then = time.time() - 10 * 86400
    os.utime(path, (then, then))


@pytest.mark.parametrize("linked", [False, True])
def test_a_file_of_a_table_stays_when_its_folder_becomes_that_of_a_new_catalog(
    session: Session, sqlite_place: Place, tmp_path: Path, linked: bool
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    data = tmp_path / ("link" if linked else "real") / "data"
    lake = attach(session, sqlite_place, data)
    path = write_file(data / "incoming" / "a.parquet", {"id": [1, 2]})
    make_old(path)
    lake.create_table("t", {"id": "bigint"}).add_files(str(path))
    assert attach(session, sqlite_place, None, "incoming").delete_orphaned_files() == []
    assert Path(path).exists()


def test_a_file_that_came_with_an_old_time_is_no_orphan_before_the_commit(
    session: Session, sqlite_place: Place, tmp_path: Path
) -> None:
    lake = attach(session, sqlite_place, tmp_path / "data")
    table = lake.create_table("t", {"id": "bigint"})
    path = write_file(tmp_path / "data" / "main" / "main" / "t" / "a.parquet", {"id": [1, 2]})
    make_old(path)
    with session.transaction():
        table.add_files(str(path))
        with forklake.connect() as other:
            assert attach(other, sqlite_place, None).delete_orphaned_files() == []
    assert Path(path).exists()


def test_a_folder_that_has_gone_to_a_new_catalog_is_left_alone(
    session: Session, sqlite_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = attach(session, sqlite_place, tmp_path / "data")._attachment.catalog
    create_catalog(main.lake, "x")
    drop_catalog(main.lake, "x")
    stale = list(dropped_catalogs(main.lake))
    for info in stale:
        collect_dropped(main.lake, info)
        assert forget_dropped(main.lake, info)
    again = create_catalog(main.lake, "x")
    claim_data_path(main.lake, storage_of(main.lake))
    path = write_file(tmp_path / "data" / again.path / "main" / "t" / "a.parquet", {"id": [1, 2]})
    monkeypatch.setattr(cleanup, "dropped_catalogs", lambda lake: iter(stale))
    assert cleanup.cleanup_dropped_catalogs(main, storage_of(main.lake), cleanup_all=True) == []
    assert Path(path).exists()


@pytest.mark.parametrize("ignores_case", [False, True])
def test_names_that_differ_in_case_are_one_where_the_file_system_says_so(
    session: Session, sqlite_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ignores_case: bool
) -> None:
    lake = attach(session, sqlite_place, tmp_path / "data", "Sales")
    other = attach(session, sqlite_place, None, "sales")
    table = lake.create_table("t", {"id": "bigint"})
    table.append([(number,) for number in range(5)])
    [file] = files_of(table)
    path = tmp_path / "data" / file.data.path
    # What such a file system would list in the other folder.
    (tmp_path / "data" / "sales" / "main" / "t").mkdir(parents=True)
    listed = tmp_path / "data" / str(file.data.path).replace("Sales", "sales")
    os.link(path, listed)
    make_old(listed)
    monkeypatch.setattr(Storage, "ignores_case", property(lambda storage: ignores_case))
    assert other.delete_orphaned_files() == ([] if ignores_case else [str(listed)])


def test_a_linked_folder_of_a_catalog_is_not_followed(session: Session, sqlite_place: Place, tmp_path: Path) -> None:
    lake = attach(session, sqlite_place, tmp_path / "data")
    precious = tmp_path / "elsewhere" / "precious.parquet"
    precious.parent.mkdir()
    precious.write_bytes(b"not yours")
    make_old(precious)
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "main").symlink_to(precious.parent)
    assert lake.delete_orphaned_files(cleanup_all=True) == []
    assert precious.exists()
