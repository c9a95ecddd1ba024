"""Attachments of one lake in a session share its connections, as long as it is the same lake."""

import os
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from forklake.api.session import Session
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import InvalidInput, NoSuchCatalog
from tests.conftest import Place
from tests.postgres_server import TestPostgres


def _attach(session: Session, place: Place, name: str, **options: object) -> object:
    session.attach(
        place.url,
        name,
        catalog="main",
        metadata_schema=place.metadata_schema,
        **{"create_if_not_exists": True, "data_path": "/nowhere/data/", **options},  # type: ignore[arg-type]
    )
    return session._state.attachments.get(name).lake.store


def test_attachments_share_a_store_that_is_closed_with_the_last_of_them(session: Session, place: Place) -> None:
    stores = [_attach(session, place, name) for name in ("a", "b", "c")]
    assert stores[0] is stores[1] is stores[2]
    session.detach("a")
    session.sql("CREATE TABLE b.t (id BIGINT)")
    session.detach("b")
    assert session.catalog("c").tables() == ["t"]
    session.detach("c")
    assert _attach(session, place, "d") is not stores[0]


def test_other_ways_to_open_a_lake_have_stores_of_their_own(session: Session, place: Place) -> None:
    first = _attach(session, place, "a")
    assert _attach(session, place, "b", read_only=True, create_if_not_exists=False) is not first
    assert _attach(session, place, "c", data_path="/elsewhere/", override_data_path=True) is not first
    assert _attach(session, place, "d", data_path=None) is first
    with pytest.raises(InvalidInput, match="does not match"):
        _attach(session, place, "e", data_path="/elsewhere/")


def test_a_failed_attachment_leaves_the_shared_store_open(session: Session, place: Place) -> None:
    _attach(session, place, "a")
    with pytest.raises(NoSuchCatalog):
        session.attach(place.url, "b", catalog="missing", metadata_schema=place.metadata_schema)
    assert session.catalog("a").tables() == []


def test_a_lake_that_was_created_in_the_place_of_another_is_opened_anew(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "lake.db"
    old = Place(f"sqlite:{path}", None, "sqlite")
    first = _attach(session, old, "a")
    for file in tmp_path.iterdir():
        if file.is_file():
            file.unlink()
    open_lake(old.url, create=True, data_path="/nowhere/data/").close()
    assert _attach(session, old, "b") is not first
    assert session.catalog("b").tables() == []


def test_a_relative_path_is_another_lake_in_another_folder(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        _attach(session, Place("sqlite:lake.db", None, "sqlite"), folder)
    session.sql("CREATE TABLE one.t (id BIGINT)")
    assert session.catalog("two").tables() == []
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


def test_a_server_that_the_environment_names_is_another_when_that_changes(
    session: Session, postgres: TestPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = [postgres.create_database() for _ in range(2)]
    for url, name in zip(urls, ("one", "two"), strict=True):
        parts = conninfo_to_dict(url)
        monkeypatch.setenv("PGHOST", str(parts["host"]))
        monkeypatch.setenv("PGUSER", str(parts["user"]))
        monkeypatch.setenv("PGDATABASE", str(parts["dbname"]))
        _attach(session, Place("postgres:", "lake", "postgres"), name)
    session.sql("CREATE TABLE one.t (id BIGINT)")
    assert session.catalog("two").tables() == []
