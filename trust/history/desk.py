"""What a process works with: its lake, its pen, its chance, and the catalogs it knows of."""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from forklake.catalog.lakes.catalogs import catalog_info, find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.transaction.transaction import Transaction
from trust.history.decide import Hand
from trust.history.look import look
from trust.history.records import Looked, Met, Pen, now


@dataclass(frozen=True, slots=True)
class Desk:
    lake: Lake
    pen: Pen
    rng: random.Random
    committing: Callable[[], AbstractContextManager[None]] = nullcontext
    """Around whatever writes to the database."""
    known: dict[str, Catalog] = field(default_factory=dict)

    def hand(self, tx: str) -> Hand:
        return Hand(self.rng, _tokens(tx))

    def find(self, name: str) -> Catalog:
        """A catalog by name. A handle may be old: what it says never changes."""
        if name not in self.known:
            found = find_catalog(self.lake, name)
            self.meet(found)
            self.known[name] = found
        return self.known[name]

    def meet(self, catalog: Catalog) -> None:
        """Write down what can never change of it."""
        info = catalog_info(catalog)
        levels = [[level.catalog_id, level.top] for level in catalog.lineage.levels]
        parent, point, birth = info.parent_id, info.fork_snapshot, info.begin_snapshot
        self.pen.write(Met(now(), catalog.catalog_id, catalog.name, parent, point, birth, levels))

    def look(self, tx: str, seen: Transaction, tables: list[str] | None = None, *, own: bool = False) -> Looked:
        """Read and write down what a transaction shows."""
        picture = look(seen, tables)
        looked = Looked(tx, now(), seen.catalog.catalog_id, seen.base, picture, tables, own)
        self.pen.write(looked)
        return looked


def _tokens(tx: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{tx}-{number}"
