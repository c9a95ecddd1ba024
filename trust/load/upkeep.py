"""What keeps the lake of the soak at one size: rows and snapshots of the shared catalogs go, and dropped forks."""

from datetime import timedelta
from random import Random

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from trust.load.soak import BASE, TABLE, Soak
from trust.load.tally import Tally

KEPT_SECONDS = 3
"""How long snapshots of shared catalogs are kept: long enough for most who travel to them."""
ATTEMPTS = 50
"""A delete is refused when somebody has inserted meanwhile, and here somebody always may have."""


class Emptier:
    """Empties a shared catalog, again and again. The books: how many rows it has deleted."""

    def __init__(self, soak: Soak, owner: Session, name: str, tally: Tally) -> None:
        self.name = name
        self.deleted = 0
        self._emptied = 0
        self._catalog = _share(owner, name)
        self._tally = tally
        self._rng = Random(f"{soak.seed}/load/{name}")

    def step(self) -> None:
        if not any(self._truncate() for _ in range(ATTEMPTS)):
            self._tally.find(f"{self.name} could not be emptied in {ATTEMPTS} attempts")
        with self._tally.operation("expire", self.name):
            self._catalog.expire_snapshots(older_than=timedelta(seconds=KEPT_SECONDS))

    def pause(self) -> float:
        return self._rng.uniform(0.5, 1)

    def _truncate(self) -> bool:
        before = self._emptied
        with self._tally.operation("truncate", self.name):
            self.deleted += self._catalog.table(TABLE).delete()
            self._emptied += 1
        return self._emptied > before


class Cleaner:
    """Deletes what dropped catalogs have left."""

    def __init__(self, owner: Session, tally: Tally) -> None:
        self._base = owner.cursor().catalog(BASE)
        self._tally = tally

    def step(self) -> None:
        with self._tally.operation("clean up", "upkeep"):
            self._base.cleanup_dropped_catalogs(cleanup_all=True)

    def pause(self) -> float:
        return 0.5


def _share(owner: Session, name: str) -> CatalogHandle:
    return owner.cursor().catalog(BASE).fork(name, if_not_exists=True)
