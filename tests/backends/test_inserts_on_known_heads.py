"""INSERT of literal rows takes one round trip once its process has committed, and nobody can tell the difference."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.catalog.lakes.lake import RetrySettings, new_handle
from forklake.catalog.transaction.options import set_instance_option
from forklake.errors import CommitMessageRequired, InvalidRows, NoSuchCatalog, NoSuchTable
from tests.attached import attach_main
from tests.backends.counting_store import CountingStore
from tests.backends.test_lost_answers import LosingStore
from tests.conftest import Place

INSERT = "INSERT INTO t VALUES (7, 'new')"


@pytest.fixture
def theirs(place: Place, tmp_path: Path) -> Iterator[CatalogHandle]:
    """The catalog as another process has it, with the tables `t` and `u`."""
    with forklake.connect() as other:
        lake = attach_main(other, place, tmp_path)
        set_instance_option(lake._attachment.lake, "data_inlining_row_limit", 10)
        for name in ("t", "u"):
            lake.create_table(name, {"id": "bigint", "item": "varchar"}).append([(0, "old")])
        yield lake


@pytest.fixture
def session(theirs: CatalogHandle, place: Place, tmp_path: Path) -> Iterator[Session]:
    """A session that has inserted a row, and knows everything that its next insert needs."""
    with forklake.connect() as opened:
        attach_main(opened, place, tmp_path)
        opened.sql("USE lake")
        opened.sql("SET forklake_small_queries = 'driver'")
        store_of(opened, CountingStore)
        opened.sql(INSERT)
        opened.sql(INSERT)
        yield opened
        assert not opened._state.provider.is_running


def store_of(session: Session, kind: type[CountingStore]) -> CountingStore:
    """A store of this kind below the session, which has no caches from before."""
    attachments = session._state.attachments
    [attachment] = attachments
    store = kind(attachment.lake.store)
    lake = new_handle(store, attachment.lake.data_path, RetrySettings(3, 1, 1))
    attachments._by_name["lake"] = replace(attachment, catalog=replace(attachment.catalog, lake=lake))
    return store


def counts(session: Session) -> CountingStore:
    [attachment] = session._state.attachments
    store = attachment.lake.store
    assert isinstance(store, CountingStore)
    store.reset()
    return store


def rows(theirs: CatalogHandle, name: str = "t") -> list[dict[str, Any]]:
    return sorted(theirs.table(name).to_arrow().to_pylist(), key=str)


@pytest.mark.parametrize("limit", [0, 10], ids=["file", "inlined"])
def test_a_row_of_literals_takes_one_round_trip(session: Session, theirs: CatalogHandle, limit: int) -> None:
    theirs.set_option("data_inlining_row_limit", limit)
    texts = [INSERT, "INSERT INTO lake.t VALUES (7, 'new')", "INSERT INTO lake.main.t (item, id) VALUES ('new', 7)"]
    for text in texts:
        # There might be a schema of this name, which is looked up once.
        session.sql(text)
    store = counts(session)
    for text in texts:
        session.sql(text)
    session.sql("INSERT INTO t VALUES (?, ?)", [7, "new"])
    assert (store.trips, store.short, store.long) == (4, 4, 0)
    assert len(rows(theirs)) == 1 + 2 + 7


def test_rows_go_on_top_of_what_others_have_inserted(session: Session, theirs: CatalogHandle) -> None:
    store = counts(session)
    for _ in range(3):
        theirs.table("t").append([(1, "theirs")])
        theirs.table("u").append([(1, "theirs")])
        session.sql(INSERT)
    # The first time, the commit tries to follow the last one of the process.
    assert (store.trips, store.short, store.long) == (4, 3, 0)
    assert len(rows(theirs)) == 1 + 2 + 6
    assert theirs.verify() == []


def _drop_and_create(theirs: CatalogHandle) -> None:
    theirs.drop_table("t")
    theirs.create_table("t", {"id": "bigint", "item": "varchar", "more": "bigint"})


CHANGES: dict[str, Callable[[CatalogHandle], object]] = {
    "delete": lambda theirs: theirs.table("t").delete("id = 0"),
    "create": lambda theirs: theirs.create_table("other", {"id": "bigint"}),
    "option": lambda theirs: theirs.set_option("target_file_size", 1000),
    "inlining off": lambda theirs: theirs.set_option("data_inlining_row_limit", 0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_after_any_other_change_the_statement_begins_anew(
    session: Session, theirs: CatalogHandle, change: Callable[[CatalogHandle], object]
) -> None:
    change(theirs)
    store = counts(session)
    session.sql(INSERT)
    assert store.short + store.long == 1
    assert sum(row["id"] == 7 for row in rows(theirs)) == 3
    store.reset()
    session.sql(INSERT)
    assert (store.short, store.long) == (1, 0)
    assert theirs.verify() == []


def test_files_of_the_first_attempt_are_discarded(session: Session, theirs: CatalogHandle, tmp_path: Path) -> None:
    theirs.set_option("data_inlining_row_limit", 0)
    session.sql(INSERT)
    theirs.table("u").delete("id = 0")
    assert len(list(tmp_path.rglob("*.parquet"))) == 1
    store = counts(session)
    session.sql(INSERT)
    assert store.short + store.long == 1
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    assert theirs.verify() == []


def test_the_definition_of_the_table_is_the_newest(session: Session, theirs: CatalogHandle) -> None:
    _drop_and_create(theirs)
    with pytest.raises(InvalidRows, match="has 3 columns but 2"):
        session.sql(INSERT)
    session.sql("INSERT INTO t VALUES (7, 'new', 8)")
    assert rows(theirs) == [{"id": 7, "item": "new", "more": 8}]


def test_a_table_is_found_as_soon_as_others_have_created_it(session: Session, theirs: CatalogHandle) -> None:
    theirs.create_table("fresh", {"id": "bigint"})
    session.sql("INSERT INTO fresh VALUES (1)")
    assert rows(theirs, "fresh") == [{"id": 1}]
    theirs.drop_table("fresh")
    with pytest.raises(NoSuchTable):
        session.sql("INSERT INTO fresh VALUES (2)")


def test_a_table_of_the_catalog_in_use_hides_another_catalog_as_soon_as_it_is_there(
    session: Session, theirs: CatalogHandle, place: Place, tmp_path: Path
) -> None:
    theirs.fork("side")
    session.attach(
        place.url, "side", catalog="side", data_path=str(tmp_path / "data"), metadata_schema=place.metadata_schema
    )
    session.sql("INSERT INTO side.t VALUES (1, 'fork')")
    session.sql("INSERT INTO side.t VALUES (1, 'fork')")
    theirs.create_schema("side")
    theirs.create_table("side.t", {"id": "bigint", "item": "varchar"})
    session.sql("INSERT INTO side.t VALUES (1, 'schema')")
    assert [row["item"] for row in theirs.table("side.t").to_arrow().to_pylist()] == ["schema"]


def test_options_of_the_instance_apply_at_once(session: Session, theirs: CatalogHandle, tmp_path: Path) -> None:
    lake = theirs._attachment.lake
    set_instance_option(lake, "data_inlining_row_limit", 0)
    session.sql(INSERT)
    assert list((tmp_path / "data").rglob("*.parquet"))
    set_instance_option(lake, "require_commit_message", True)
    with pytest.raises(CommitMessageRequired):
        session.sql(INSERT)
    set_instance_option(lake, "require_commit_message", None)
    session.sql(INSERT)
    assert theirs.verify() == []


def test_a_dropped_catalog_is_missed(session: Session, theirs: CatalogHandle, place: Place, tmp_path: Path) -> None:
    theirs.fork("gone")
    with forklake.connect() as other:
        other.attach(
            place.url, "gone", catalog="gone", data_path=str(tmp_path / "data"), metadata_schema=place.metadata_schema
        )
        other.sql("INSERT INTO gone.t VALUES (1, 'a')")
        other.sql("INSERT INTO gone.t VALUES (1, 'a')")
        session.sql("DROP CATALOG gone")
        with pytest.raises(NoSuchCatalog):
            other.sql("INSERT INTO gone.t VALUES (1, 'a')")


def test_an_open_transaction_reads_the_newest_snapshot(session: Session, theirs: CatalogHandle) -> None:
    theirs.table("u").append([(1, "theirs")])
    with session.transaction():
        session.sql(INSERT)
        assert len(session.sql("SELECT * FROM u").fetchall()) == 2


def test_a_row_whose_answer_is_lost_is_there_once(session: Session, theirs: CatalogHandle) -> None:
    store = store_of(session, LosingStore)
    assert isinstance(store, LosingStore)
    session.sql(INSERT)
    session.sql(INSERT)
    before = len(rows(theirs))
    store.meanwhile = lambda: theirs.table("t").append([(1, "theirs")])
    store.loses = True
    session.sql(INSERT)
    assert not store.loses
    assert len(rows(theirs)) == before + 2


def test_the_session_knows_what_it_has_committed(session: Session, theirs: CatalogHandle) -> None:
    theirs.table("t").append([(1, "theirs")])
    session.sql(INSERT)
    [(last,)] = session.sql("SELECT * FROM lake.last_committed_snapshot()").fetchall()
    assert last == theirs.snapshots()[-1].snapshot_id
