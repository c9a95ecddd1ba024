"""Fork ancestry: the catalogs that a catalog reads from, each up to a certain snapshot."""

from collections.abc import Collection
from dataclasses import dataclass

from forklake.model.ids import CatalogId, SnapshotId

NO_LIMIT = SnapshotId(2**63 - 1)


@dataclass(frozen=True, slots=True)
class Level:
    """A catalog whose rows are read, and the newest of its snapshots that is visible."""

    catalog_id: CatalogId
    top: SnapshotId


@dataclass(frozen=True, slots=True)
class Lineage:
    """The catalog itself, then its ancestors, nearest first. Does not change after the fork.

    A fork limits all levels above it to its horizon. So whoever has a level has the same levels behind it.
    """

    levels: tuple[Level, ...]

    @property
    def catalog_id(self) -> CatalogId:
        return self.levels[0].catalog_id

    @property
    def ancestors(self) -> tuple[Level, ...]:
        return self.levels[1:]

    def at(self, snapshot_id: SnapshotId, made_by: CatalogId | None = None) -> "Scope":
        """The scope of the catalog at one of its snapshots; `made_by` is the catalog that made the snapshot."""
        return Scope(
            self.catalog_id,
            snapshot_id,
            tuple(level if level.top <= snapshot_id else Level(level.catalog_id, snapshot_id) for level in self.levels),
            made_by,
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """A catalog at a snapshot. Required by every statement against the metadata of a catalog.

    A row of one of the levels is visible if it begins at or before the level's `top`, does not end at or before it, and
    no level has an end marker for it that ends at or before that level's `top`.
    """

    catalog_id: CatalogId
    snapshot_id: SnapshotId
    levels: tuple[Level, ...]
    made_by: CatalogId | None = None
    """The catalog that made the snapshot, which may expire; None if there is no snapshot that could expire."""

    @property
    def is_root(self) -> bool:
        """Whether nothing is inherited, so that no end marker can apply."""
        return len(self.levels) == 1

    @property
    def nearest_ancestor(self) -> Level | None:
        """The level after that of the catalog, which determines those behind it; None for a root."""
        return None if self.is_root else self.levels[1]

    def only(self, catalog_ids: Collection[CatalogId]) -> "Scope":
        """The same scope restricted to these catalogs; the other levels must own nothing relevant."""
        kept = tuple(level for level in self.levels if level.catalog_id in catalog_ids)
        return Scope(self.catalog_id, self.snapshot_id, kept, self.made_by)
