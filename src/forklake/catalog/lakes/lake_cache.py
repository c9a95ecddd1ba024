"""Per-process state of a lake: immutable values, preallocated ids, and verified data paths."""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.files import InlinedBatch, ScanFile, TableStats
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lineage import Level, Scope
from forklake.model.lru_cache import LruCache
from forklake.model.process_forks import register_for_forks
from forklake.store.connection import Store
from forklake.store.options import OptionRow
from forklake.store.scope import OwnerCache

LONG_LISTING = 1_000
"""Minimum number of files for which the file list of a table is cached; shorter lists are read just as fast."""
_LISTED_FILES = 100_000
"""Maximum number of files in all cached lists; each takes about a kilobyte."""


@dataclass(frozen=True, slots=True)
class KnownHead:
    """The last snapshot that this process committed to a catalog, and what applied to rows inserted there."""

    snapshot_id: SnapshotId
    schema_version: int
    options: Sequence[OptionRow]
    instance_options: Mapping[str, str]
    """Not versioned: as they were read last."""


class SnapshotFacts:
    """Cached facts about the last snapshot that this process committed to each catalog. Thread-safe.

    These are the statistics of the tables written in consecutive commits, and the options of the catalog. The options
    of the instance are those that were read last.
    """

    def __init__(self, size: int = 10_000) -> None:
        """`size` limits the number of cached tables and options, each of at most a few kilobytes."""
        self._size = size
        self._used = 0
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._instance_options: Mapping[str, str] | None = None
        self._lock = Lock()
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: facts about a snapshot are valid in every process."""

    def after_fork(self) -> None:
        self._lock = Lock()

    def stats(
        self, catalog_id: int, snapshot_id: int, table_ids: Collection[TableId]
    ) -> dict[TableId, TableStats] | None:
        """The statistics of all these tables, or None if not cached."""
        known, _, stats, _ = self._known.get(catalog_id, _NOTHING)
        if known != snapshot_id or any(table_id not in stats for table_id in table_ids):
            return None
        return {table_id: stats[table_id] for table_id in table_ids}

    def options(self, catalog_id: int, snapshot_id: int) -> Sequence[OptionRow] | None:
        """The effective options, including inherited ones but without those of the instance; None if not cached.

        Options of dropped objects may remain here after they were deleted from the database.
        """
        known, _, _, options = self._known.get(catalog_id, _NOTHING)
        return options if known == snapshot_id else None

    def last_commit(self, catalog_id: int) -> tuple[SnapshotId, Sequence[OptionRow]] | None:
        """The last snapshot that this process committed to a catalog, and its options; None if not cached."""
        known, _, _, options = self._known.get(catalog_id, _NOTHING)
        return None if options is None or known == _NOTHING[0] else (SnapshotId(known), options)

    def known_head(self, catalog_id: int) -> KnownHead | None:
        """The last snapshot that this process committed to a catalog, with all options; None if not cached."""
        known, schema_version, _, options = self._known.get(catalog_id, _NOTHING)
        instance_options = self._instance_options
        if options is None or instance_options is None or known == _NOTHING[0]:
            return None
        return KnownHead(SnapshotId(known), schema_version, options, instance_options)

    def learn_instance_options(self, values: Mapping[str, str]) -> None:
        """Cache the options of the instance, which others may change at any time."""
        self._instance_options = values

    def learn(
        self,
        catalog_id: int,
        before: int,
        snapshot_id: int,
        schema_version: int,
        stats: Mapping[TableId, TableStats],
        options: Sequence[OptionRow] | None,
    ) -> None:
        """Cache a snapshot. Facts about other tables in its direct predecessor are still valid."""
        with self._lock:
            known, _, earlier, _ = self._known.get(catalog_id, _NOTHING)
            if known == before:
                others = [each for each in earlier.items() if each[0] not in stats]
                stats = {**dict(others[-_KNOWN_TABLES:]), **stats}
            if catalog_id in self._known:
                self._used -= _weight(self._known.pop(catalog_id))
            self._known[catalog_id] = (snapshot_id, schema_version, stats, options)
            self._used += _weight(self._known[catalog_id])
            while self._used > self._size:
                _, gone = self._known.popitem(last=False)
                self._used -= _weight(gone)


def _weight(known: "_Known") -> int:
    _, _, stats, options = known
    return 1 + len(stats) + len(options or ())


_KNOWN_TABLES = 250
"""Maximum number of previously written tables per catalog whose statistics are cached."""
_Known: TypeAlias = tuple[int, int, Mapping[TableId, TableStats], Sequence[OptionRow] | None]
"""Snapshot, schema version, statistics, options."""
_NOTHING: _Known = (-1, 0, {}, None)


class IdPool:
    """Ids allocated in small batches; those left over when the process ends are never used.

    Only for ids whose order is irrelevant. Snapshot ids are never preallocated.
    """

    def __init__(self, store: Store, ahead: int = 32) -> None:
        self._store = store
        self._ahead = ahead
        self._left: dict[str, list[int]] = {}
        self._lock = Lock()
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: allocated ids remain with the process that allocated them."""

    def after_fork(self) -> None:
        self._left, self._lock = {}, Lock()

    def take(self, sequence: str, count: int) -> list[int]:
        with self._lock:
            left = self._left.setdefault(sequence, [])
            if len(left) < count:
                wanted = max(count, self._ahead)
                left += self._store.draw_ids(sequence, wanted)
            taken, self._left[sequence] = left[:count], left[count:]
            return taken


@dataclass(frozen=True, slots=True)
class LakeCache:
    """The caches of one lake in one process, shared by handles of the lake with different settings."""

    owners: OwnerCache
    ids: IdPool
    facts: SnapshotFacts = field(default_factory=SnapshotFacts)
    objects: LruCache[tuple[int, int, int, str], list[LakeObject[Definition]]] = field(default_factory=LruCache)
    """By catalog, schema version, schema and name."""
    versions: LruCache[tuple[TableId, SnapshotId], TableDefinition] = field(default_factory=LruCache)
    """Table definitions by begin snapshot; the same in every catalog that sees the version."""
    listings: LruCache[tuple[TableId, Scope], tuple[ScanFile, ...]] = field(
        default_factory=lambda: LruCache(_LISTED_FILES)
    )
    """File lists of tables with many files."""
    inherited_files: LruCache[tuple[TableId, Level | None], tuple[ScanFile, ...]] = field(
        default_factory=lambda: LruCache(_LISTED_FILES)
    )
    """What a table contains in the ancestors of a catalog, by the nearest of them, which determines the others."""
    inherited_batches: LruCache[tuple[TableId, Level | None], tuple[InlinedBatch, ...]] = field(
        default_factory=LruCache
    )
    claimed_paths: set[str] = field(default_factory=set)
    """Data paths verified to carry the marker of this lake."""
    new_marks: set[str] = field(default_factory=set)
    """Data paths that this process has marked, without committed files so far."""
