"""Handles of an open lake and of a catalog, used by all functions of this package."""

from dataclasses import dataclass, field, replace
from math import inf

from forklake.catalog.lakes.lake_cache import IdPool, LakeCache
from forklake.errors import InvalidOption, ReadOnly
from forklake.model.data_paths import absolute_folder
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import Lineage
from forklake.store.connection import Store
from forklake.store.scope import OwnerCache


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """Retries of commits after transient database failures.

    The pause before the n-th retry is about `retry_wait_ms` times `retry_backoff` to the power of n - 1, limited to
    five seconds. A count of 0 disables retries.
    """

    max_retry_count: int = 10
    """The setting `ducklake_max_retry_count`."""
    retry_wait_ms: float = 100
    """The setting `ducklake_retry_wait_ms`."""
    retry_backoff: float = 1.5
    """The setting `ducklake_retry_backoff`."""

    def __post_init__(self) -> None:
        if not isinstance(self.max_retry_count, int) or self.max_retry_count < 0:
            raise InvalidOption(f"ducklake_max_retry_count must be a whole number from 0, not {self.max_retry_count}.")
        # Phrased so that NaN fails too.
        if not 0 <= self.retry_wait_ms < inf:
            raise InvalidOption(f"ducklake_retry_wait_ms must be a number from 0, not {self.retry_wait_ms}.")
        if not 1 <= self.retry_backoff < inf:
            raise InvalidOption(f"ducklake_retry_backoff must be a number from 1, not {self.retry_backoff}.")


@dataclass(frozen=True, slots=True)
class Lake:
    """A handle of a metadata database, with the state shared by its catalogs."""

    store: Store
    data_path: str | None
    retry: RetrySettings
    cache: LakeCache = field(repr=False, compare=False)

    def with_retry(self, retry: RetrySettings) -> "Lake":
        """The same lake with other retry settings; the caches are shared."""
        return replace(self, retry=retry)

    def with_unclaimed_paths(self) -> "Lake":
        """The same lake for another attachment, which verifies the mark of the data path itself."""
        return replace(self, cache=replace(self.cache, claimed_paths=set(), new_marks=set()))

    def absolute_path(self, path: str) -> str:
        """The absolute path of a file below the data path."""
        return absolute_folder(self.data_path or "") + path

    def close(self) -> None:
        self.store.close()


def new_handle(store: Store, data_path: str | None, retry: RetrySettings | None = None) -> Lake:
    """A handle of the lake in a store, with its own caches."""
    return Lake(store, data_path, retry or RetrySettings(), LakeCache(OwnerCache(store), IdPool(store)))


@dataclass(frozen=True, slots=True)
class Catalog:
    """A live catalog as found. `lineage` is immutable; `pinned` is set if it is attached at a snapshot."""

    lake: Lake
    catalog_id: CatalogId
    name: str
    path: str
    lineage: Lineage
    read_only: bool = False
    pinned: SnapshotId | None = None

    @property
    def is_read_only(self) -> bool:
        return self.read_only or self.pinned is not None or self.lake.store.read_only

    def at(self, snapshot_id: SnapshotId) -> "Catalog":
        """The catalog as attached at a snapshot."""
        return replace(self, pinned=snapshot_id)

    def check_writable(self) -> None:
        if self.is_read_only:
            raise ReadOnly(f"Cannot write to catalog '{self.name}': it is attached in read-only mode!")


def is_same_catalog(one: Catalog, other: Catalog) -> bool:
    """Whether two handles refer to the same catalog of the same lake, however they were opened."""
    return (one.catalog_id, one.lake.store.identity) == (other.catalog_id, other.lake.store.identity)
