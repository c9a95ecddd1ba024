"""What a session may do through an attachment, and beside it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake.api.session import Session
from forklake.catalog.lakes.lake import is_same_catalog
from forklake.errors import NoSuchSnapshot, ReadOnly, StoreError, TransactionError
from tests.attached import attach_main
from tests.conftest import Place
from tests.postgres_server import TestPostgres


@pytest.fixture
def session(place: Place, tmp_path: Path) -> Iterator[Session]:
    with forklake.connect() as opened:
        lake = attach_main(opened, place, tmp_path)
        lake.create_table("t", {"id": "bigint"}).append([(1,)])
        yield opened


def attach_read_only(session: Session, place: Place) -> None:
    session.attach(place.url, "ro", catalog="main", metadata_schema=place.metadata_schema, read_only=True)


def test_a_catalog_that_is_attached_for_reading_is_not_dropped_through_another_attachment(
    session: Session, place: Place
) -> None:
    attach_read_only(session, place)
    with pytest.raises(ReadOnly, match="as 'ro'; detach that first"):
        session.catalog("lake").drop_catalog("main")
    assert session.catalog("ro").tables() == ["t"]


def other_spelling(place: Place) -> str:
    """The same database, with the default port and a setting of the client."""
    return f"{place.url}{'&' if '?' in place.url else '?'}port=5432&application_name=other"


def test_another_spelling_of_the_same_database_is_the_same_lake(postgres_place: Place, tmp_path: Path) -> None:
    schema = postgres_place.metadata_schema
    with forklake.connect() as session:
        lake = attach_main(session, postgres_place, tmp_path)
        session.attach(other_spelling(postgres_place), "ro", catalog="main", metadata_schema=schema, read_only=True)
        assert is_same_catalog(*(each.catalog for each in session._state.attachments))
        with pytest.raises(ReadOnly, match="as 'ro'; detach that first"):
            lake.drop_catalog("main")


def test_another_spelling_is_read_at_the_same_snapshot(postgres_place: Place, tmp_path: Path) -> None:
    schema = postgres_place.metadata_schema
    with forklake.connect() as session, forklake.connect() as other:
        lake = attach_main(session, postgres_place, tmp_path)
        lake.create_table("t", {"id": "bigint"}).append([(1,)])
        same = session.attach(other_spelling(postgres_place), "same", catalog="main", metadata_schema=schema)
        theirs = attach_main(other, postgres_place, tmp_path).table("t")

        def count_both() -> tuple[int, int]:
            mine = lake.table("t").count()
            theirs.append([(2,)])
            return mine, same.table("t").count()

        assert session._state.transactions.run(count_both) == (1, 1)


def test_lakes_of_other_schemas_and_databases_are_other_lakes(
    postgres_place: Place, postgres: TestPostgres, tmp_path: Path
) -> None:
    here, there, schema = postgres_place.url, f"postgres:{postgres.create_database()}", postgres_place.metadata_schema
    places = [(here, schema), (here, f"{schema}_b"), (there, schema)]
    with forklake.connect() as session:
        for number, (url, schema) in enumerate(places):
            data = str(tmp_path / str(number))
            session.attach(
                url,
                f"l{number}",
                catalog="main",
                metadata_schema=schema,
                data_path=data,
                create_if_not_exists=True,
            )
        assert len({each.lake.store.identity for each in session._state.attachments}) == 3


def test_a_catalog_is_not_dropped_while_a_copy_of_its_lake_is_attached_for_reading(
    sqlite_place: Place, tmp_path: Path
) -> None:
    with forklake.connect() as session:
        lake = attach_main(session, sqlite_place, tmp_path)
        with closing(sqlite3.connect(tmp_path / "lake.db")) as database:
            database.execute("VACUUM INTO ?", [str(tmp_path / "copy.db")])
        session.attach(f"sqlite:{tmp_path / 'copy.db'}", "copy", catalog="main", read_only=True)
        with pytest.raises(ReadOnly, match="as 'copy'; detach that first"):
            lake.drop_catalog("main")


def test_it_is_dropped_once_it_is_detached(session: Session, place: Place) -> None:
    session.catalog("lake").fork("other")
    attach_read_only(session, place)
    session.detach("ro")
    session.catalog("lake").drop_catalog("main")
    assert repr(session) == "<forklake.Session of no catalogs>"


@pytest.mark.parametrize("leave", ["drop", "detach"])
def test_a_handle_of_a_fork_outlives_what_it_was_forked_through(session: Session, leave: str) -> None:
    lake = session.catalog("lake")
    fork = lake.fork("f")
    if leave == "drop":
        lake.drop_catalog("main")
    else:
        session.detach("lake")
    assert fork.tables() == ["t"]
    fork.table("t").append([(2,)])
    session.close()
    with pytest.raises(StoreError, match="was closed"):
        fork.tables()


def test_a_relative_path_to_the_same_file_is_the_same_lake(
    sqlite_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as session:
        lake = attach_main(session, sqlite_place, tmp_path)
        session.attach("sqlite:lake.db", "ro", catalog="main", read_only=True)
        with pytest.raises(ReadOnly, match="as 'ro'; detach that first"):
            lake.drop_catalog("main")


def test_a_fork_in_a_transaction_of_python_is_refused(session: Session) -> None:
    with pytest.raises(TransactionError, match="FORK CATALOG cannot run inside a transaction"), session.transaction():
        session.catalog("lake").fork("x")
    assert session.sql("SELECT catalog_name FROM lake.catalogs()").fetchall() == [("main",)]


def test_a_handle_of_a_pinned_attachment_forks_what_it_shows(session: Session, place: Place) -> None:
    version = session.catalog("lake").snapshots()[-1].snapshot_id
    session.catalog("lake").table("t").append([(2,)])
    old = session.attach(
        place.url, "old", catalog="main", metadata_schema=place.metadata_schema, snapshot_version=version
    )
    assert old.fork("as_it_was").table("t").count() == 1
    with pytest.raises(NoSuchSnapshot, match=f"attached at version {version}"):
        old.fork("later", version=version + 1)
    with pytest.raises(NoSuchSnapshot, match=f"attached at version {version}"):
        old.table("t").count(version=version + 1)
    assert old.snapshots()[-1].snapshot_id == version


@pytest.mark.parametrize(
    "fork", ["FORK CATALOG {} AS {}", "CALL ducklake_fork_catalog('{}', '{}')"], ids=["statement", "function"]
)
def test_a_catalog_that_is_attached_at_a_snapshot_is_forked_from_there_under_its_own_name_too(
    session: Session, place: Place, fork: str
) -> None:
    version = session.catalog("lake").snapshots()[-1].snapshot_id
    session.catalog("lake").table("t").append([(2,)])
    with forklake.connect() as other:
        schema = place.metadata_schema
        other.attach(place.url, "old", catalog="main", metadata_schema=schema, snapshot_version=version)
        for parent, name in (("old", "by_alias"), ("main", "by_name")):
            other.sql(fork.format(parent, name))
            forked = other.attach(place.url, name, catalog=name, metadata_schema=schema)
            assert forked.table("t").count() == 1
        with pytest.raises(NoSuchSnapshot, match=f"attached at version {version}"):
            other.sql(f"FORK CATALOG main AS later AT (VERSION => {version + 1})")


@pytest.mark.parametrize("options", [{"read_only": True}, {"snapshot_version": 2}], ids=["read-only", "pinned"])
def test_nothing_is_written_through_an_attachment_that_is_read_only(
    session: Session, place: Place, tmp_path: Path, options: dict[str, Any]
) -> None:
    shown = session.attach(place.url, "shown", catalog="main", metadata_schema=place.metadata_schema, **options)
    many = [(number,) for number in range(1000)]
    before = sorted(tmp_path.rglob("*"))
    for write in (
        lambda: shown.table("t").append(many),
        lambda: shown.table("t").overwrite(many),
        lambda: shown.create_table_as("u", [{"id": 1}] * 1000),
        lambda: session.sql("INSERT INTO shown.t VALUES " + ", ".join(f"({number})" for number in range(100))),
    ):
        with pytest.raises(ReadOnly, match="read-only"):
            write()
    assert sorted(tmp_path.rglob("*")) == before
