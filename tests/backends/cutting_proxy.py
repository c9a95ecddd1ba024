"""A TCP proxy before PostgreSQL's Unix socket that loses or stalls connections at the worst moment: around COMMIT."""

import re
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import sleep
from types import TracebackType
from typing import Literal, Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from forklake.catalog.lakes.lake import RetrySettings

QUICK_RETRIES = RetrySettings(max_retry_count=5, retry_wait_ms=5, retry_backoff=1)

Loss = Literal[
    "the answer is lost",
    "the commit is lost",
    "the commit is stuck",
    "the client is cut off",
    "the commit is stalled",
    "the answer is stalled",
]
LOSSES: tuple[Loss, ...] = (
    "the answer is lost",
    "the commit is lost",
    "the commit is stuck",
    "the client is cut off",
)
STALLS: tuple[Loss, ...] = ("the commit is stalled", "the answer is stalled")
"""Late, but not lost."""

# As a whole query: READ COMMITTED is no commit.
COMMIT = b"COMMIT\0"
BEGIN = b"BEGIN ISOLATION LEVEL READ COMMITTED\0"
LOCK = b"WITH locked AS MATERIALIZED"
APPEND = b"lake_append"
FORK = b"ducklake_fork_catalog"
MARKERS = (COMMIT, BEGIN, LOCK, APPEND, FORK)
_DONE = (b"Z\0\0\0\5I", b"Z\0\0\0\5E")
"""The server is ready again: it has committed, or the transaction has failed."""


class CuttingProxy:
    """Forwards everything, but for the next commits: each of them meets one of the `losses`, in order.

    A commit is a message with the `marker` in it.
    """

    def __init__(self, conninfo: str) -> None:
        self.losses: list[Loss] = []
        self.marker = COMMIT
        self.then: Callable[[], object] = lambda: None
        self.refuse = False
        self.stall_seconds = 0.2
        self.happened: Counter[Loss] = Counter()
        """What the clients have met so far."""
        self._conninfo = conninfo
        host = conninfo_to_dict(conninfo)["host"]
        assert isinstance(host, str)
        self._server = Path(host) / ".s.PGSQL.5432"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = [self._listener]
        Thread(target=self._accept, daemon=True).start()

    @property
    def conninfo(self) -> str:
        """How to reach the database through the proxy."""
        port = self._listener.getsockname()[1]
        return make_conninfo(self._conninfo, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")

    def lose(
        self, losses: Sequence[Loss], then: Callable[[], object] = lambda: None, *, marker: bytes = COMMIT
    ) -> None:
        """What happens to the next commits, and what happens `then`, before the client gets to know."""
        self.losses = list(losses)
        self.marker = marker
        self.then = then

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _close(*self._sockets)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refuse:
                _close(client)
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._server))
            except OSError:
                _close(client, server)
                continue
            self._sockets += [client, server]
            link = _Link(self, client, server)
            Thread(target=link.up, daemon=True).start()
            Thread(target=link.down, daemon=True).start()


class _Link:
    """One client's connection."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._loss: Loss | None = None
        self._prepared: dict[bytes, set[bytes]] = {marker: set() for marker in MARKERS}

    def up(self) -> None:
        """From the client to the server, until a commit that is to be lost."""
        while data := _receive(self._client):
            if self._is_marked(data) and self._proxy.losses:
                self._loss = self._proxy.losses.pop(0)
                self._proxy.happened[self._loss] += 1
            if self._loss == "the commit is stalled":
                sleep(self._proxy.stall_seconds)
                self._loss = None
            if self._loss == "the commit is stuck":
                # The server goes on waiting, with the catalog locked.
                return self._tell_client()
            if self._loss == "the commit is lost":
                _close(self._server)
                return self._tell_client()
            _send(self._server, data)
            if self._loss == "the client is cut off":
                # The server goes on with what it was asked to do.
                return self._tell_client()
        return None if self._loss else _close(self._client, self._server)

    def _is_marked(self, data: bytes) -> bool:
        """A statement that was prepared before goes by its name."""
        for marker, names in self._prepared.items():
            found = re.findall(rb"(_pg3_\d+)\0[^\0]*" + re.escape(marker), data)
            names |= {b"\0" + name + b"\0" for name in found}
        marker = self._proxy.marker
        return marker in data or any(name in data for name in self._prepared[marker])

    def down(self) -> None:
        """From the server to the client; when the answer is to be lost, until the server has done it."""
        while data := _receive(self._server):
            if self._loss == "the answer is stalled":
                sleep(self._proxy.stall_seconds)
                self._loss = None
            if self._loss is None:
                _send(self._client, data)
            elif any(ready in data for ready in _DONE):
                break
        if self._loss == "the answer is lost":
            _close(self._server)
            self._tell_client()
        elif self._loss is None:
            _close(self._client, self._server)

    def _tell_client(self) -> None:
        self._proxy.then()
        _close(self._client)


def _receive(source: socket.socket) -> bytes:
    try:
        return source.recv(1 << 16)
    except OSError:
        return b""


def _send(target: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        target.sendall(data)


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
