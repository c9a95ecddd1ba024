"""What a session may do through an attachment, and beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import forklake
from forklake.api.session import Session
from forklake.errors import NoSuchSnapshot, ReadOnly, TransactionError
from tests.attached import attach_main
from tests.conftest import Place


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


def test_it_is_dropped_once_it_is_detached(session: Session, place: Place) -> None:
    session.catalog("lake").fork("other")
    attach_read_only(session, place)
    session.detach("ro")
    session.catalog("lake").drop_catalog("main")
    assert repr(session) == "<forklake.Session of no catalogs>"


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


@pytest.mark.parametrize("options", [{"read_only": True}, {"snapshot_version": 2}], ids=["read-only", "pinned"])
def test_nothing_is_written_through_an_attachment_that_is_read_only(
    session: Session, place: Place, tmp_path: Path, options: dict[str, int]
) -> None:
    shown = session.attach(place.url, "shown", catalog="main", metadata_schema=place.metadata_schema, **options)  # type: ignore[arg-type]
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
