"""A small soak finds nothing, and one of a product with a bug of each class finds them all."""

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import psycopg
import pytest

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.store.postgres import PostgresStore
from tests.postgres_server import TestPostgres
from trust.load import run_soak as running
from trust.load.meter import held_now
from trust.load.part import lines
from trust.load.record import Record
from trust.load.run_soak import run_soak
from trust.load.server import named_url
from trust.load.session import Own, SoakSession
from trust.load.show import as_json, kind_lines
from trust.load.soak import Soak
from trust.load.verdict import judge

STARVING = 3


@pytest.fixture(scope="module")
def sound(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A soak of the product as it is, in processes of its own."""
    return _soak(postgres, tmp_path_factory.mktemp("sound"), processes=1)


@pytest.fixture(scope="module")
def broken(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """A soak of a product with all the bugs below; in this process, where it can be broken."""
    kept: list[psycopg.Connection[Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        _lose_and_repeat_commits(patch)
        _raise_what_is_not_ours(patch)
        _keep_a_connection(patch, kept)
        _starve_a_session(patch)
        _leak_memory(patch)
        patch.setattr(CatalogHandle, "cleanup_dropped_catalogs", lambda *_, **__: [])
        # Nobody needs to wait so long for a connection that never goes.
        patch.setattr(running, "QUIET_SECONDS", 2)
        record = _soak(postgres, tmp_path_factory.mktemp("broken"), processes=0)
    yield record
    for connection in kept:
        connection.close()


def _soak(postgres: TestPostgres, folder: Path, processes: int) -> Record:
    url = named_url(f"postgres:{postgres.create_database()}")
    soak = Soak(url, f"{folder}/", seed=7, seconds=3, sessions=6, processes=processes, pause=0.01)
    return run_soak(soak, lambda _: None)


def _lose_and_repeat_commits(patch: pytest.MonkeyPatch) -> None:
    append, numbers = TableHandle.append, itertools.count(1)

    def sometimes(table: TableHandle, data: Any) -> int:
        number = next(numbers)
        if number % 4 == 1:
            return 1
        return append(table, [*data, *data] if number % 4 == 2 else data)

    patch.setattr(TableHandle, "append", sometimes)


def _raise_what_is_not_ours(patch: pytest.MonkeyPatch) -> None:
    def fail(session: SoakSession, own: object) -> None:
        raise KeyError("snapshot_id")

    patch.setattr(SoakSession, "_list", fail)


def _keep_a_connection(patch: pytest.MonkeyPatch, kept: list[psycopg.Connection[Any]]) -> None:
    connection, numbers = PostgresStore._connection, itertools.count(1)

    @contextmanager
    def keep_one(store: PostgresStore) -> Iterator[psycopg.Connection[Any]]:
        if next(numbers) == 50:
            kept.append(store._pool.getconn())
        with connection(store) as given:
            yield given

    patch.setattr(PostgresStore, "_connection", keep_one)


def _starve_a_session(patch: pytest.MonkeyPatch) -> None:
    step = SoakSession.step

    def hold_up(session: SoakSession) -> None:
        if session._number != STARVING:
            step(session)

    patch.setattr(SoakSession, "step", hold_up)


def _leak_memory(patch: pytest.MonkeyPatch) -> None:
    """A fifth of what this process holds, each second: much or little, however fast the machine is at the moment."""
    read, leaked, one_at_a_time = SoakSession._read, bytearray(), Lock()
    began, rate = monotonic(), held_now().memory / 5

    def keep(session: SoakSession, own: Own | None) -> None:
        with one_at_a_time:
            leaked.extend(b"x" * int((monotonic() - began) * rate - len(leaked)))
        read(session, own)

    patch.setattr(SoakSession, "_read", keep)


def test_a_small_soak_finds_nothing(sound: Record) -> None:
    # So short a soak is all warming up.
    assert {what: found for what, found in judge(sound).items() if found and what != "memory"} == {}
    assert sound.verified > 4


def test_it_tells_how_it_went(sound: Record) -> None:
    total = sound.total()
    assert {"commit", "read", "truncate", "clean up"} <= total.times.keys()
    assert any(line.startswith("commit") and "p99.9" in line for line in kind_lines(total))
    told = json.loads(json.dumps(as_json(sound, judge(sound))))
    assert told["operations"]["commit"]["count"] > 0
    assert len(told["moments"]) >= 4


def test_a_soak_that_is_too_small_does_not_count(sound: Record) -> None:
    assert not any(line.passed for line in lines(sound, times=10))


def test_a_lost_commit_is_noticed(broken: Record) -> None:
    assert any("were acknowledged" in sentence for sentence in judge(broken)["rows"])


def test_a_commit_that_lands_twice_is_noticed(broken: Record) -> None:
    assert any("has rows twice" in sentence for sentence in judge(broken)["rows"])


def test_a_session_that_does_not_read_what_it_wrote_is_noticed(broken: Record) -> None:
    assert any("were acknowledged" in sentence for sentence in judge(broken)["errors"])


def test_an_error_that_is_not_ours_is_noticed(broken: Record) -> None:
    assert any("list failed with KeyError" in sentence for sentence in judge(broken)["errors"])


def test_a_connection_that_is_never_given_back_is_noticed(broken: Record) -> None:
    assert judge(broken)["connections"] == ("1 connections were still open after everything was closed",)


def test_a_leak_of_memory_is_noticed(broken: Record) -> None:
    assert any(sentence.startswith("client 0: memory grew") for sentence in judge(broken)["memory"])


def test_a_session_that_starves_is_noticed(broken: Record) -> None:
    [sentence] = judge(broken)["fairness"]
    assert sentence.startswith(f"session {STARVING} starved: 0 operations")


def test_what_is_never_cleaned_up_is_noticed(broken: Record) -> None:
    assert any("dropped catalogs are still there" in sentence for sentence in judge(broken)["rows"])
