"""One session of the soak: it works on forks of its own and on catalogs that all share, and keeps the books."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from threading import Semaphore

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from trust.load.soak import BASE, BASE_ROWS, HOT, TABLE, Soak
from trust.load.tally import Tally

MIX = {"commit": 32, "read": 30, "travel": 12, "list": 12, "fork": 6, "attach": 2}
"""How often each operation is chosen. A fork is a drop when the session has as many as it may have."""
_KEYS_OF_A_SESSION = 10**9
_OWN_SHARE = 0.75
"""How much of the work is on forks of one's own."""
_DEEPEST = 3
"""Forks of forks of forks; what is dropped below them goes when they go."""


@dataclass(slots=True)
class Own:
    """A fork that only one session writes to, with the rows it must have."""

    catalog: CatalogHandle
    rows: int
    depth: int


class SoakSession:
    """The books: rows of every own fork, rows added to every shared catalog, and how many operations went well."""

    def __init__(self, soak: Soak, number: int, owner: Session, tally: Tally, attaching: Semaphore) -> None:
        self._soak, self._number, self._tally, self._attaching = soak, number, tally, attaching
        self._rng = Random(f"{soak.seed}/load/{number}")
        self._session = owner.cursor()
        self._base = self._session.catalog(BASE)
        self._shared = [self._base.fork(name, if_not_exists=True) for name in HOT]
        self._made = 0
        self._rows = 0
        # All forks from the beginning: what they take would look like growth if they came one by one.
        self.own = [self._fork_of_base() for _ in range(soak.own_forks)]
        self.added: Counter[str] = Counter()
        self.done = 0

    def step(self) -> None:
        """One operation."""
        [kind] = self._rng.choices(list(MIX), list(MIX.values()))
        if kind == "fork" and len(self.own) >= self._soak.own_forks:
            kind = "drop"
        own = self._some_own()
        label = kind if own is not None or kind in ("fork", "drop") else f"{kind} hot"
        work: Callable[[Own | None], None] = getattr(self, f"_{kind}")
        with self._attaching if kind == "attach" else _AT_ONCE, self._tally.operation(label, f"session {self._number}"):
            work(own)
            self.done += 1

    def pause(self) -> float:
        """How long to wait for the next."""
        return self._rng.uniform(0, 2 * self._soak.pause)

    def _commit(self, own: Own | None) -> None:
        self._rows += 1
        row = {"k": self._number * _KEYS_OF_A_SESSION + self._rows, "v": f"{self._rng.random()}"}
        catalog = self._catalog(own)
        catalog.table(TABLE).append([row])
        if own is None:
            self.added[catalog.name] += 1
        else:
            own.rows += 1

    def _read(self, own: Own | None) -> None:
        rows = self._catalog(own).table(TABLE).scan().to_arrow().num_rows
        if own is not None:
            self._expect(own, rows)

    def _travel(self, own: Own | None) -> None:
        catalog = self._catalog(own)
        snapshot = self._rng.choice(catalog.snapshots()[-20:])
        rows = catalog.table(TABLE).count(version=snapshot.snapshot_id)
        if own is not None and own.depth == 1 and not BASE_ROWS <= rows <= own.rows:
            self._tally.find(f"{own.catalog.name} had {rows} rows at {snapshot.snapshot_id}, and has {own.rows}")

    def _list(self, own: Own | None) -> None:
        if self._rng.random() < 0.2:
            rows = self._session.sql("SHOW CATALOGS").to_arrow().num_rows
            if rows < len(HOT) + 1:
                self._tally.find(f"session {self._number}: SHOW CATALOGS has {rows} rows")
        else:
            self._catalog(own).snapshots()

    def _fork(self, parent: Own | None) -> None:
        if parent is not None and parent.depth < _DEEPEST and self._rng.random() < 0.3:
            self.own.append(Own(parent.catalog.fork(self._new_name()), parent.rows, parent.depth + 1))
        elif self._rng.random() < 0.4:
            self.own.append(self._fork_of_shared())
        else:
            self.own.append(self._fork_of_base())

    def _fork_of_base(self) -> Own:
        return Own(self._base.fork(self._new_name()), BASE_ROWS, 1)

    def _fork_of_shared(self) -> Own:
        """Of now, or of a past that may just expire."""
        parent = self._rng.choice(self._shared)
        version = self._rng.choice(parent.snapshots()[-20:]).snapshot_id if self._rng.random() < 0.3 else None
        made = parent.fork(self._new_name(), version=version)
        return Own(made, made.table(TABLE).count(), 2)

    def _new_name(self) -> str:
        self._made += 1
        return f"s{self._number}_{self._made}"

    def _drop(self, _: Own | None) -> None:
        """The oldest."""
        own = self.own[0]
        self._expect(own, own.catalog.table(TABLE).count())
        self._base.drop_catalog(own.catalog.name)
        self.own.pop(0)

    def _attach(self, own: Own | None) -> None:
        name = self._catalog(own).name
        with forklake.connect() as other:
            other.attach(self._soak.url, "a", catalog=name)
            other.sql(f"SELECT count(*) FROM a.main.{TABLE}").to_arrow()

    def _some_own(self) -> Own | None:
        """The fork to work on; None for a shared catalog."""
        return self._rng.choice(self.own) if self.own and self._rng.random() < _OWN_SHARE else None

    def _catalog(self, own: Own | None) -> CatalogHandle:
        return self._rng.choice(self._shared) if own is None else own.catalog

    def _expect(self, own: Own, rows: int) -> None:
        if rows != own.rows:
            self._tally.find(f"{own.catalog.name} has {rows} rows, and {own.rows} were acknowledged")


class _Open:
    """In place of a semaphore where any number may go on at once."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


_AT_ONCE = _Open()
