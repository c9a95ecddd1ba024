"""An open lake, and a catalog of it: the two handles that every verb of this package takes."""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from threading import Lock
from typing import Generic, TypeAlias, TypeVar

from forklake.errors import InvalidOption, ReadOnly
from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.files import ScanFile, TableStats
from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.lineage import Lineage, Scope
from forklake.model.process_forks import tell_of_forks
from forklake.store.connection import Store
from forklake.store.dialect import drawn_ids
from forklake.store.options import OptionRow
from forklake.store.scope import OwnerCache

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """How often, and how patiently, a commit is tried again when the database fails for a passing reason.

    Before the n-th retry there is a pause of about `retry_wait_ms` times `retry_backoff` to the power of n - 1, and
    never of more than five seconds. A count of 0 means that nothing is tried again.
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
        # Written so that NaN fails too.
        if not 0 <= self.retry_wait_ms < inf:
            raise InvalidOption(f"ducklake_retry_wait_ms must be a number from 0, not {self.retry_wait_ms}.")
        if not 1 <= self.retry_backoff < inf:
            raise InvalidOption(f"ducklake_retry_backoff must be a number from 1, not {self.retry_backoff}.")


LONG_LISTING = 1_000
"""From so many files on, the list of a table's files is kept: a shorter one is read as fast as it is looked up."""
_LISTED_FILES = 100_000
"""So many files are in the lists that are kept, each of them about a kilobyte."""


class RecentlyUsed(Generic[K, V]):
    """What was looked up and never changes, as far as it was used recently. Shared by threads."""

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._used = 0
        self._found: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()
        tell_of_forks(self)

    def before_fork(self) -> None:
        """What was found is the same for every process."""

    def after_fork(self) -> None:
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: K) -> V | None:
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key: K, found: V, weight: int = 1) -> None:
        """Keep it, for as long as all that was used since weighs no more than there is room for."""
        with self._lock:
            if key in self._found:
                self._used -= self._found.pop(key)[1]
            self._found[key] = (found, weight)
            self._used += weight
            while self._used > self._size:
                _, (_, gone) = self._found.popitem(last=False)
                self._used -= gone

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._found.clear()
            self._used = 0


class SnapshotFacts:
    """What a process knows of the snapshots it committed last, one for each catalog: the statistics of the tables
    that it wrote to one after the other, and the catalog's options. Shared by threads."""

    def __init__(self, size: int = 10_000) -> None:
        """Remember so many tables and options in all, each of them some kilobytes at most."""
        self._size = size
        self._used = 0
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._lock = Lock()
        tell_of_forks(self)

    def before_fork(self) -> None:
        """What is known of a snapshot is the same for every process."""

    def after_fork(self) -> None:
        self._lock = Lock()

    def stats(
        self, catalog_id: int, snapshot_id: int, table_ids: Collection[TableId]
    ) -> dict[TableId, TableStats] | None:
        """The statistics of all these tables, or None."""
        known, stats, _ = self._known.get(catalog_id, _NOTHING)
        if known != snapshot_id or any(table_id not in stats for table_id in table_ids):
            return None
        return {table_id: stats[table_id] for table_id in table_ids}

    def options(self, catalog_id: int, snapshot_id: int) -> Sequence[OptionRow] | None:
        """The options in force, inherited ones included, without those of the instance; or None.

        Options of what was dropped may be among them for longer than they are in the database.
        """
        known, _, options = self._known.get(catalog_id, _NOTHING)
        return options if known == snapshot_id else None

    def learn(
        self,
        catalog_id: int,
        before: int,
        snapshot_id: int,
        stats: Mapping[TableId, TableStats],
        options: Sequence[OptionRow] | None,
    ) -> None:
        """Remember a snapshot. What was known of other tables in the one right before it still holds."""
        with self._lock:
            known, earlier, _ = self._known.get(catalog_id, _NOTHING)
            if known == before:
                others = [each for each in earlier.items() if each[0] not in stats]
                stats = {**dict(others[-_KNOWN_TABLES:]), **stats}
            if catalog_id in self._known:
                self._used -= _weight(self._known.pop(catalog_id))
            self._known[catalog_id] = (snapshot_id, stats, options)
            self._used += _weight(self._known[catalog_id])
            while self._used > self._size:
                _, gone = self._known.popitem(last=False)
                self._used -= _weight(gone)


def _weight(known: "_Known") -> int:
    _, stats, options = known
    return 1 + len(stats) + len(options or ())


_KNOWN_TABLES = 250
"""Of so many tables that others were written after, statistics are remembered for each catalog."""
_Known: TypeAlias = tuple[int, Mapping[TableId, TableStats], Sequence[OptionRow] | None]
_NOTHING: _Known = (-1, {}, None)


class IdPool:
    """Ids drawn from the database a few at a time; those left over when the process ends are never used.

    Only for ids whose order means nothing. Snapshot ids are never drawn ahead.
    """

    def __init__(self, store: Store, ahead: int = 32) -> None:
        self._store = store
        self._ahead = ahead
        self._left: dict[str, list[int]] = {}
        self._lock = Lock()
        tell_of_forks(self)

    def before_fork(self) -> None:
        """Ids that were drawn stay with the process that has drawn them."""

    def after_fork(self) -> None:
        self._left, self._lock = {}, Lock()

    def take(self, sequence: str, count: int) -> list[int]:
        with self._lock:
            left = self._left.setdefault(sequence, [])
            if len(left) < count:
                wanted = max(count, self._ahead)
                rows = self._store.fetch(self._store.dialect.next_ids(sequence), {"count": wanted})
                left += drawn_ids(rows, wanted)
            taken, self._left[sequence] = left[:count], left[count:]
            return taken


@dataclass(frozen=True, slots=True)
class Lake:
    """A metadata database with everything that is shared by its catalogs."""

    store: Store
    data_path: str | None
    retry: RetrySettings = field(default_factory=RetrySettings)
    owners: OwnerCache = field(init=False, repr=False)
    objects: RecentlyUsed[tuple[int, int, int, str], list[LakeObject[Definition]]] = field(init=False, repr=False)
    """By catalog, schema version, schema and name."""
    versions: RecentlyUsed[tuple[TableId, SnapshotId], TableDefinition] = field(init=False, repr=False)
    """What tables were from a snapshot on; the same in every catalog that sees the version."""
    listings: RecentlyUsed[tuple[TableId, Scope], tuple[ScanFile, ...]] = field(init=False, repr=False)
    """The files of tables that have many."""
    claimed: set[str] = field(init=False, repr=False, compare=False)
    """Data paths that are known to be marked as this lake's."""
    new_marks: set[str] = field(init=False, repr=False, compare=False)
    """Those that were marked here, and where no file is committed since."""
    ids: IdPool = field(init=False, repr=False)
    facts: SnapshotFacts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "owners", OwnerCache(self.store))
        object.__setattr__(self, "objects", RecentlyUsed())
        object.__setattr__(self, "versions", RecentlyUsed())
        object.__setattr__(self, "listings", RecentlyUsed(_LISTED_FILES))
        object.__setattr__(self, "claimed", set())
        object.__setattr__(self, "new_marks", set())
        object.__setattr__(self, "ids", IdPool(self.store))
        object.__setattr__(self, "facts", SnapshotFacts())

    def with_retry(self, retry: RetrySettings) -> "Lake":
        return replace(self, retry=retry)

    def close(self) -> None:
        self.store.close()


def database_time(lake: Lake) -> datetime:
    """What time it is for the database."""
    dialect = lake.store.dialect
    return dialect.time_out(lake.store.fetch(f"SELECT {dialect.clock}", {})[0][0])


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

    @property
    def is_read_only(self) -> bool:
        return self.read_only or self.pinned is not None or self.lake.store.read_only

    def check_writable(self) -> None:
        if self.is_read_only:
            raise ReadOnly(f"Cannot write to catalog '{self.name}': it is attached in read-only mode!")


def is_same_catalog(one: Catalog, other: Catalog) -> bool:
    """Whether two handles are of the same catalog of the same lake, however each of them was opened."""
    return (one.catalog_id, one.lake.store.identity) == (other.catalog_id, other.lake.store.identity)
