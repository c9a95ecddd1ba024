"""An open lake, and a catalog of it: the two handles that every verb of this package takes."""

from dataclasses import dataclass, field, replace

from forklake.errors import ReadOnly
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import Lineage
from forklake.store.connection import Store
from forklake.store.scope import OwnerCache


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """How often, and how patiently, a commit is tried again when the database fails for a passing reason."""

    max_retry_count: int = 10
    retry_wait_ms: float = 100
    retry_backoff: float = 1.5


@dataclass(frozen=True, slots=True)
class Lake:
    """A metadata database with everything that is shared by its catalogs."""

    store: Store
    data_path: str | None
    retry: RetrySettings = field(default_factory=RetrySettings)
    owners: OwnerCache = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "owners", OwnerCache(self.store))

    def with_retry(self, retry: RetrySettings) -> "Lake":
        return replace(self, retry=retry)

    def close(self) -> None:
        self.store.close()


@dataclass(frozen=True, slots=True)
class Catalog:
    """A live catalog as it was found. `lineage` never changes; `pinned` is set when attached at a snapshot."""

    lake: Lake
    catalog_id: CatalogId
    name: str
    path: str
    lineage: Lineage
    read_only: bool = False
    pinned: SnapshotId | None = None

    def check_writable(self) -> None:
        if self.read_only or self.pinned is not None or self.lake.store.read_only:
            raise ReadOnly(f"Cannot write to catalog '{self.name}': it is attached in read-only mode!")
