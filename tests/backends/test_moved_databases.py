"""A SQLite file that is no longer where it was is missed, and nothing is committed to it."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from forklake.catalog.lakes.catalogs import create_catalog, list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import StoreUnavailable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lake.db"


@pytest.fixture
def lake(path: Path) -> Iterator[Lake]:
    opened = open_lake(f"sqlite:{path}", create=True, data_path="data")
    create_catalog(opened, "main")
    yield opened
    opened.close()


def test_a_lake_that_was_deleted_is_missed_and_not_made_anew(lake: Lake, path: Path) -> None:
    path.unlink()
    with pytest.raises(StoreUnavailable, match="deleted, moved or replaced"):
        create_catalog(lake, "other")
    with pytest.raises(StoreUnavailable, match="deleted, moved or replaced"):
        list(list_catalogs(lake))
    assert not path.exists()


def test_a_lake_that_was_replaced_is_not_taken_for_the_one_that_was_opened(lake: Lake, path: Path) -> None:
    other = path.with_name("other.db")
    sqlite3.connect(other).close()
    os.replace(other, path)
    with pytest.raises(StoreUnavailable, match="deleted, moved or replaced"):
        list(list_catalogs(lake))


def test_a_lake_that_is_put_back_goes_on(lake: Lake, path: Path) -> None:
    path.rename(path.with_name("away.db"))
    with pytest.raises(StoreUnavailable):
        create_catalog(lake, "other")
    path.with_name("away.db").rename(path)
    create_catalog(lake, "other")
    assert {info.name for info in list_catalogs(lake)} == {"main", "other"}


def test_a_lake_at_a_relative_path_is_found_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lake = open_lake("sqlite:lake.db", create=True, data_path="data")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    create_catalog(lake, "main")
    lake.close()
    assert not (tmp_path / "elsewhere" / "lake.db").exists()
