"""A catalog as of a snapshot: lookup by name, and listing."""

from collections.abc import Collection, Iterable
from datetime import datetime

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.lakes.lake_cache import LONG_LISTING
from forklake.errors import CorruptMetadata, InvalidInput, NoSuchCatalog, NoSuchSnapshot
from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.files import DataFile, InlinedBatch, ScanFile, TableStats
from forklake.model.ids import CatalogId, DataFileId, MappingId, SchemaId, SnapshotId, TableId
from forklake.model.lineage import NO_LIMIT, Scope
from forklake.model.mappings import NameMapping
from forklake.model.names import fold
from forklake.store import catalogs, objects, table_files
from forklake.store.connection import Store
from forklake.store.file_partitions import PartitionValues, file_partitions
from forklake.store.scope import check_snapshot_exists
from forklake.store.snapshots import first_snapshots, newest_snapshot, wait_for_commit


class CatalogView:
    """The committed state of a catalog at a snapshot. Repeatable: results never change."""

    def __init__(
        self, catalog: Catalog, snapshot_id: SnapshotId, schema_version: int, made_by: CatalogId | None = None
    ) -> None:
        """`made_by` is the catalog that made the snapshot, if it is not this one."""
        self.catalog = catalog
        self.snapshot_id = snapshot_id
        self.schema_version = schema_version
        self.scope: Scope = catalog.lineage.at(snapshot_id, catalog.catalog_id if made_by is None else made_by)

    def objects_named(self, schema_id: SchemaId, name: str) -> list[LakeObject[Definition]]:
        """The objects with this name in a schema, at most one of each kind; schemas are in schema 0."""
        # Objects change only together with the schema version, so catalog and schema version identify them.
        key = (self.catalog.catalog_id, self.schema_version, schema_id, fold(name))
        found = self.catalog.lake.cache.objects.get(key)
        if found is None:
            found = objects.objects_named(self._store, self.object_scope, schema_id, [name])
            self.catalog.lake.cache.objects.put(key, found)
        return found

    def objects_in(self, schema_id: SchemaId) -> list[LakeObject[Definition]]:
        return objects.objects_in_schema(self._store, self.object_scope, schema_id)

    def objects_with_ids(self, object_ids: Collection[int]) -> list[LakeObject[Definition]]:
        return objects.objects_with_ids(self._store, self.object_scope, object_ids)

    def all_objects(self) -> list[LakeObject[Definition]]:
        return objects.all_objects(self._store, self.object_scope)

    def table_versions(self, table_id: TableId, versions: Collection[SnapshotId]) -> dict[SnapshotId, TableDefinition]:
        """The definitions of a table that began at these snapshots; one statement for all that are not cached."""
        cache = self.catalog.lake.cache.versions
        known = {version: cache.get((table_id, version)) for version in versions}
        found = {version: definition for version, definition in known.items() if definition is not None}
        missing = known.keys() - found.keys()
        if missing:
            read = objects.table_versions(self._store, self.object_scope, table_id, missing)
            for version, definition in read.items():
                cache.put((table_id, version), definition)
            found |= read
        if unknown := missing - found.keys():
            raise CorruptMetadata(f"Table {table_id} has no version {min(unknown)} in catalog '{self.catalog.name}'.")
        return found

    def files(self, table_id: TableId, only: Collection[DataFileId] | None = None) -> list[ScanFile]:
        """The data files of a table with their delete files.

        Long lists are cached, as a snapshot is immutable, and so is what a fork inherits.
        """
        cache, scope = self.catalog.lake.cache, self.table_scope(table_id)
        listings = cache.listings
        known = listings.get((table_id, scope)) if only is None else None
        if known is not None:
            check_snapshot_exists(self._store, scope)
            return list(known)
        if only is not None:
            return table_files.table_files(self._store, scope, table_id, only)
        above = (table_id, scope.nearest_ancestor)
        inherited = cache.inherited_files.get(above)
        found = table_files.visible_files(self._store, scope, table_id, inherited)
        if inherited is None and not scope.is_root:
            cache.inherited_files.put(above, found.inherited, max(1, len(found.inherited)))
        if len(found.items) - len(found.inherited) >= LONG_LISTING:
            listings.put((table_id, scope), tuple(found.items), len(found.items))
        return found.items

    def batches(self, table_id: TableId) -> list[InlinedBatch]:
        """The inlined rows of a table; what a fork inherits is cached."""
        cache, scope = self.catalog.lake.cache, self.table_scope(table_id)
        above = (table_id, scope.nearest_ancestor)
        inherited = cache.inherited_batches.get(above)
        found = table_files.visible_batches(self._store, scope, table_id, inherited)
        if inherited is None and not scope.is_root:
            weight = sum(1 + len(batch.payload) // 1_000 for batch in found.inherited)
            cache.inherited_batches.put(above, found.inherited, 1 + weight)
        return found.items

    def mappings(self, table_id: TableId) -> dict[MappingId, NameMapping]:
        """The column mappings that files of the table may refer to."""
        return table_files.table_mappings(self._store, self.table_scope(table_id), table_id)

    def stats(self, table_id: TableId) -> TableStats:
        return table_files.table_stats(self._store, self.table_scope(table_id), [table_id]).get(table_id, TableStats())

    def stats_of_tables(self, table_ids: Collection[TableId]) -> dict[TableId, TableStats]:
        """The statistics of these tables, in one round trip; tables without rows may be omitted."""
        return table_files.table_stats(self._store, self.scope, table_ids)

    def partition_values(self, table_id: TableId, files: Iterable[DataFile]) -> dict[DataFileId, PartitionValues]:
        """The partition values of committed files; unpartitioned files are omitted."""
        partitioned = [file.data_file_id for file in files if file.partition_id is not None]
        if not partitioned:
            return {}
        return file_partitions(self._store, self.table_scope(table_id), table_id, partitioned)

    def table_scope(self, table_id: TableId) -> Scope:
        """The scope without ancestors that own nothing of the table, as most of a long lineage do."""
        return self.catalog.lake.cache.owners.of_table(self.scope, self.catalog.lineage.ancestors, table_id)

    @property
    def object_scope(self) -> Scope:
        """The scope without ancestors that own no object and no option."""
        return self.catalog.lake.cache.owners.of_catalog(self.scope, self.catalog.lineage.ancestors)

    @property
    def _store(self) -> Store:
        return self.catalog.lake.store


def view_at_head(catalog: Catalog) -> CatalogView:
    """The current state of the catalog, or the one it is attached at."""
    if catalog.pinned is not None:
        return view_at(catalog, version=catalog.pinned)
    head = catalogs.head_of(catalog.lake.store, catalog.catalog_id)
    if head is None:
        raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
    return CatalogView(catalog, *head)


def view_at(
    catalog: Catalog,
    *,
    version: int | None = None,
    timestamp: datetime | None = None,
    seen: SnapshotId | None = None,
) -> CatalogView:
    """The catalog at a version (the newest snapshot not above it) or at a time. Repeatable.

    A catalog attached at a snapshot shows nothing after it. `seen` is the newest snapshot that a time may resolve to:
    that of the current transaction.

    A commit in progress may still get a version or time above the head but below the requested one. Such commits are
    awaited first. Only a time in the future may show more when it is requested again.
    """
    if (version is None) == (timestamp is None):
        raise InvalidInput("Give either a version or a timestamp.")
    if timestamp is not None and timestamp.tzinfo is None:
        raise InvalidInput(f"The time {timestamp} has no time zone; give one, such as UTC.")
    top = (NO_LIMIT if seen is None else seen) if version is None else SnapshotId(version)
    where = f"version {version}" if version is not None else f"timestamp {timestamp}"
    _wait_for_commits_below(catalog, version, timestamp)
    snapshot = newest_snapshot(catalog.lake.store, catalog.lineage, top, timestamp)
    if snapshot is None:
        raise NoSuchSnapshot(f"No snapshot found at {where} in catalog '{catalog.name}'.")
    if catalog.pinned is not None and snapshot.snapshot_id > catalog.pinned:
        raise NoSuchSnapshot(
            f"Cannot read catalog '{catalog.name}' at {where}: it is attached at version {catalog.pinned}, and"
            " nothing after that can be seen through this attachment."
        )
    return CatalogView(catalog, snapshot.snapshot_id, snapshot.schema_version, snapshot.catalog_id)


def first_if_zero(catalog: Catalog, version: int) -> int:
    """The version itself, or for 0 the very first: in DuckLake, 0 is the state before anything was created."""
    if version != 0:
        return version
    root = catalog.lineage.levels[-1]
    [(birth, _)] = first_snapshots(catalog.lake.store, [root]).values()
    return birth


def is_kept(catalog: Catalog, snapshot_id: SnapshotId) -> bool:
    """Whether a snapshot of a catalog has not expired."""
    found = newest_snapshot(catalog.lake.store, catalog.lineage, snapshot_id)
    return found is not None and found.snapshot_id == snapshot_id


def _wait_for_commits_below(catalog: Catalog, version: int | None, timestamp: datetime | None) -> None:
    store = catalog.lake.store
    newest = catalogs.newest_of(store, catalog.catalog_id)
    if newest is None:
        raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
    if version is not None and not 1 <= version <= newest.last_id:
        raise NoSuchSnapshot(f"No snapshot found at version {version} in catalog '{catalog.name}'.")
    # All future commits are later than the head, in version and in time.
    settled = version <= newest.head if version is not None else timestamp is None or timestamp <= newest.head_time
    if not settled:
        wait_for_commit(store, catalog.catalog_id)
