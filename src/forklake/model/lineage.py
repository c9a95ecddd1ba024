"""Fork ancestry: from which catalogs, each up to which snapshot, a catalog reads."""

from collections.abc import Collection
from dataclasses import dataclass

from forklake.model.ids import CatalogId, SnapshotId

NO_LIMIT = SnapshotId(2**63 - 1)


@dataclass(frozen=True, slots=True)
class Level:
    """A catalog whose rows count, and the newest of its snapshots that may be seen."""

    catalog_id: CatalogId
    top: SnapshotId


@dataclass(frozen=True, slots=True)
class Lineage:
    """The catalog itself, then its ancestors, nearest first. Never changes after the fork."""

    levels: tuple[Level, ...]

    @property
    def catalog_id(self) -> CatalogId:
        return self.levels[0].catalog_id

    @property
    def ancestors(self) -> tuple[Level, ...]:
        return self.levels[1:]

    def at(self, snapshot_id: SnapshotId, made_by: CatalogId | None = None) -> "Scope":
        """What the catalog sees at one of its snapshots; `made_by` is the catalog of the chain that made it."""
        return Scope(
            self.catalog_id,
            snapshot_id,
            tuple(Level(level.catalog_id, min(level.top, snapshot_id)) for level in self.levels),
            made_by,
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """A catalog at a snapshot. Every statement against the metadata of a catalog takes one.

    A row of one of the levels is visible when it begins at or before the level's `top`, does not end at or
    before it, and no level has an end marker for it that ends at or before that level's `top`.
    """

    catalog_id: CatalogId
    snapshot_id: SnapshotId
    levels: tuple[Level, ...]
    made_by: CatalogId | None = None
    """The catalog that made the snapshot, which may expire; None for what is no snapshot, and cannot."""

    @property
    def is_root(self) -> bool:
        """Nothing is inherited, so no end marker can hide anything."""
        return len(self.levels) == 1

    def only(self, catalog_ids: Collection[CatalogId]) -> "Scope":
        """The same scope without the levels known to own nothing that is asked for."""
        kept = tuple(level for level in self.levels if level.catalog_id in catalog_ids)
        return Scope(self.catalog_id, self.snapshot_id, kept, self.made_by)
