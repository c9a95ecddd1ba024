"""Count how often a client waits for PostgreSQL: a relay between them that watches who speaks."""

import selectors
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, quote, urlsplit

_SOCKET = ".s.PGSQL.5432"
_BUFFER = 1 << 16


class Relay:
    """Passes bytes between clients and the server. A round trip begins when a client speaks after the server."""

    def __init__(self, server: Path, listener: socket.socket) -> None:
        self.round_trips = 0
        self._server = server
        self._listener = listener

    def accept(self) -> None:
        """Serve clients until the listener is closed."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, selectors.DefaultSelector() as selector:
            server.connect(str(self._server))
            selector.register(client, selectors.EVENT_READ, server)
            selector.register(server, selectors.EVENT_READ, client)
            clients_turn = False
            while True:
                # The client first: what both say at the same time is one turn of the client.
                for key, _ in sorted(selector.select(), key=lambda ready: ready[0].fileobj is not client):
                    source, target = (client, server) if key.fileobj is client else (server, client)
                    data = source.recv(_BUFFER)
                    if not data:
                        return
                    if source is client and not clients_turn:
                        self.round_trips += 1
                    clients_turn = source is client
                    target.sendall(data)


@contextmanager
def relayed(url: str) -> Iterator[tuple[str, Relay]]:
    """An address that leads to the server of `url` through a relay that counts."""
    [folder] = parse_qs(urlsplit(url).query)["host"]
    with tempfile.TemporaryDirectory(prefix="forklake-relay-") as home, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(home) / _SOCKET))
        listener.listen()
        relay = Relay(Path(folder) / _SOCKET, listener)
        thread = Thread(target=relay.accept, daemon=True)
        thread.start()
        yield url.replace(quote(folder, safe=""), quote(home, safe="")), relay
        # Closing alone does not wake who waits in accept.
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
