"""A metadata server that cannot be reached: at the start, and in the middle of work."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import forklake
from forklake.errors import CommitFailed, StoreUnavailable
from forklake.store.postgres import PostgresStore
from tests.backends.cutting_proxy import CuttingProxy
from trust.surroundings.house import House
from trust.surroundings.setting import Setting
from trust.surroundings.tally import Tally
from trust.trial import Line

_WAIT_SECONDS = 0.3
"""For a connection, instead of half a minute."""


def unreachable_servers(setting: Setting) -> Iterator[Line]:
    outcome = "StoreUnavailable names host, port and database"
    tally = setting.tally("the metadata server cannot be reached at the start", 2 * setting.times, outcome)
    for _ in range(setting.times):
        unreachable_at_the_start(tally, setting.folder())
    yield tally.line()
    outcome = "StoreUnavailable or CommitFailed; goes on by itself when the server is back"
    tally = setting.tally("the metadata server goes away in the middle", 4 * setting.times, outcome)
    with CuttingProxy(setting.database) as proxy:
        for number in range(setting.times):
            with setting.house_at(f"postgres:{proxy.conninfo}", f"away_{number}", retries=1) as house:
                away_in_the_middle(tally, house, proxy)
    yield tally.line()


def unreachable_at_the_start(tally: Tally, folder: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for url, words in (
        (f"postgresql://anna:geheim@127.0.0.1:{port}/lakes", (f"127.0.0.1:{port}/lakes", "cannot be reached")),
        (f"host={folder / 'nowhere'} dbname=lakes user=anna", ("nowhere", "cannot be reached")),
    ):
        tally.refused("attach", StoreUnavailable, words, partial(_attach, f"postgres:{url}", folder))


def _attach(url: str, folder: Path) -> None:
    with forklake.connect() as session:
        session.attach(url, "lake", catalog="main", data_path=str(folder), create_if_not_exists=True)


def away_in_the_middle(tally: Tally, house: House, proxy: CuttingProxy) -> None:
    """Before a transaction, and between its beginning and its end."""
    store = house.lake._attachment.lake.store
    assert isinstance(store, PostgresStore)
    rows = house.new_rows()
    with _away(proxy, store):
        tally.refused("a commit without a server", StoreUnavailable, ("postgres:",), lambda: house.table.append(rows))
        tally.refused("reading without a server", StoreUnavailable, ("postgres:",), house.table.count)
    tally.take("the server is back", house.wrongs())
    house.session.begin()
    house.table.append(rows)
    with _away(proxy, store):
        tally.refused("COMMIT without a server", (StoreUnavailable, CommitFailed), ("",), house.session.commit)
    tally.take("the server is back", house.wrongs())
    with house.session.transaction():
        house.append(rows)
        tally.tried += 1
        with _away(proxy, store):
            pass
    tally.take("the server was away between two statements", house.wrongs())


@contextmanager
def _away(proxy: CuttingProxy, store: PostgresStore) -> Iterator[None]:
    """Every connection ends, and no new one comes to be."""
    patience, store._pool.timeout = store._pool.timeout, _WAIT_SECONDS
    proxy.refuse = True
    for each in proxy._sockets[1:]:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
    try:
        yield
    finally:
        proxy.refuse = False
        store._pool.timeout = patience
