"""What a process keeps of a lake: values that never change, ids drawn ahead, and data paths that were checked."""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.files import ScanFile, TableStats
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lineage import Scope
from forklake.model.lru_cache import LruCache
from forklake.model.process_forks import register_for_forks
from forklake.store.connection import Store
from forklake.store.dialect import read_drawn_ids
from forklake.store.options import OptionRow
from forklake.store.scope import OwnerCache

LONG_LISTING = 1_000
"""Minimum number of files for which the list of a table's files is cached: a shorter one is read as fast."""
_LISTED_FILES = 100_000
"""Maximum number of files in all cached lists, each of them about a kilobyte."""


class SnapshotFacts:
    """What a process knows of the snapshots it committed last, one for each catalog: the statistics of the tables
    that it wrote to one after the other, and the catalog's options. Shared by threads."""

    def __init__(self, size: int = 10_000) -> None:
        """Remember so many tables and options in all, each of them some kilobytes at most."""
        self._size = size
        self._used = 0
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._lock = Lock()
        register_for_forks(self)

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
        register_for_forks(self)

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
                left += read_drawn_ids(rows, wanted)
            taken, self._left[sequence] = left[:count], left[count:]
            return taken


@dataclass(frozen=True, slots=True)
class LakeCache:
    """The caches of one lake in one process. Handles of the lake share them, whatever their settings."""

    owners: OwnerCache
    ids: IdPool
    facts: SnapshotFacts = field(default_factory=SnapshotFacts)
    objects: LruCache[tuple[int, int, int, str], list[LakeObject[Definition]]] = field(default_factory=LruCache)
    """By catalog, schema version, schema and name."""
    versions: LruCache[tuple[TableId, SnapshotId], TableDefinition] = field(default_factory=LruCache)
    """Definitions of tables by the snapshot they begin with; the same in every catalog that sees the version."""
    listings: LruCache[tuple[TableId, Scope], tuple[ScanFile, ...]] = field(
        default_factory=lambda: LruCache(_LISTED_FILES)
    )
    """The files of tables that have many."""
    claimed_paths: set[str] = field(default_factory=set)
    """Data paths that are known to be marked as this lake's."""
    new_marks: set[str] = field(default_factory=set)
    """Data paths that this process has marked, and below which it has committed no file yet."""
