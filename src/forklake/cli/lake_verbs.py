"""Implementation of commands on catalogs and tables. Metadata only: Spark is not even imported."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from forklake.api.naming import split_name
from forklake.catalog.lakes.catalogs import catalog_info, find_catalog, list_with_parents
from forklake.catalog.lakes.forks import CatalogNode, catalog_tree, fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.compare import Difference, compare
from forklake.catalog.reading.history import last_snapshots
from forklake.catalog.reading.view import CatalogView, view_at, view_at_head
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.cli.describing import SNAPSHOTS, describe_table_or_view, listed_tables, snapshot_rows
from forklake.cli.opening import opened_catalog, opened_lake
from forklake.cli.output import OutputRows, rows_from_dataclasses
from forklake.cli.target import LakeTarget
from forklake.errors import InvalidInput
from forklake.maintenance.progress import Progress
from forklake.model.files import DataFile, DeleteFile
from forklake.model.ids import CatalogId, TableId
from forklake.model.secrets import without_passwords

_CATALOGS = ("catalog_name", "parent", "fork_snapshot", "head_snapshot")
_FILES = ("path", "rows", "deleted_rows", "bytes", "delete_path", "delete_bytes", "begin_snapshot")


def init(target: LakeTarget, progress: Progress) -> OutputRows:
    with opened_catalog(target, create=True) as catalog:
        lake = catalog.lake
        if lake.data_path is None:
            raise InvalidInput("The lake has no data path yet; set it with --data-path.")
        row = (without_passwords(lake.store.location), catalog.name, lake.data_path, view_at_head(catalog).snapshot_id)
    return OutputRows(("lake", "catalog_name", "data_path", "head_snapshot"), [row])


def catalogs(target: LakeTarget, progress: Progress) -> OutputRows:
    with opened_lake(target) as lake:
        found = list_with_parents(lake)
    rows = [(info.name, parent, info.fork_snapshot, info.head_snapshot) for info, parent in found]
    return OutputRows(_CATALOGS, rows, "There are no catalogs yet; create one with init.")


def tree(target: LakeTarget, progress: Progress) -> OutputRows:
    """The catalog and its descendants, each followed by its own forks."""
    with opened_lake(target) as lake:
        nodes = catalog_tree(lake, target.catalog)
    names: dict[CatalogId | None, str] = {node.info.catalog_id: node.info.name for node in nodes}
    rows, drawn = [], []
    for depth, node in _walk_tree(nodes):
        info = node.info
        parent = names.get(info.parent_id)
        rest = info.fork_snapshot, info.head_snapshot, node.own_rows, node.forks_below, info.end_snapshot is not None
        rows.append((info.name, parent, *rest))
        drawn.append(("   " * (depth - 1) + "└─ " * (depth > 0) + info.name, parent, *rest))
    return OutputRows((*_CATALOGS, "own_rows", "forks_below", "dropped"), rows, drawn=drawn)


def _walk_tree(nodes: Sequence[CatalogNode]) -> Iterator[tuple[int, CatalogNode]]:
    """Catalogs in depth-first order, with their depth below the first."""
    below: dict[CatalogId | None, list[CatalogNode]] = {}
    for node in nodes[1:]:
        below.setdefault(node.info.parent_id, []).append(node)
    left = [(0, nodes[0])]
    while left:
        depth, node = left.pop()
        yield depth, node
        left += [(depth + 1, fork) for fork in reversed(below.get(node.info.catalog_id, []))]


def fork(
    target: LakeTarget,
    progress: Progress,
    *,
    parent: str | None,
    name: str,
    version: int | None,
    timestamp: datetime | None,
    if_not_exists: bool,
) -> OutputRows:
    parent = parent or target.catalog
    with opened_lake(target) as lake:
        forked, created = fork_catalog(
            lake, parent, name, version=version, timestamp=timestamp, if_not_exists=if_not_exists
        )
        info = catalog_info(forked)
    row = (info.name, parent, info.fork_snapshot, info.head_snapshot, created)
    return OutputRows((*_CATALOGS, "created"), [row])


def tables(target: LakeTarget, progress: Progress, *, version: int | None) -> OutputRows:
    with opened_catalog(target, read_only=True) as catalog:
        return listed_tables(_view_at_version(catalog, version))


def describe(target: LakeTarget, progress: Progress, *, table: str, version: int | None) -> OutputRows:
    with _read_transaction(target, version) as tx:
        return describe_table_or_view(tx, table)


def snapshots(target: LakeTarget, progress: Progress, *, limit: int | None) -> OutputRows:
    with opened_catalog(target, read_only=True) as catalog:
        found = last_snapshots(catalog, None if limit is None else limit + 1)
        shown = found[:limit]
        rows = snapshot_rows(view_at_head(catalog), shown)
    note = "" if len(found) == len(shown) else "There are older snapshots; --limit 0 shows all."
    return OutputRows(SNAPSHOTS, rows, note=note)


def diff(target: LakeTarget, progress: Progress, *, versions: Sequence[int], other: str | None) -> OutputRows:
    with opened_catalog(target, read_only=True) as catalog:
        if other is not None:
            before, after = view_at_head(catalog), view_at_head(find_catalog(catalog.lake, other))
        else:
            before = _view_at_version(catalog, versions[0])
            after = _view_at_version(catalog, versions[1] if len(versions) > 1 else None)
        return rows_from_dataclasses(Difference, compare(before, after), "There are no differences.")


def files(target: LakeTarget, progress: Progress, *, table: str, version: int | None) -> OutputRows:
    with _read_transaction(target, version) as tx:
        lake = tx.catalog.lake
        found = tx.view.files(TableId(get_table(tx, *split_name(table)).object_id))
        rows = [
            (
                _full_path(lake, file.data),
                file.data.record_count,
                file.delete.delete_count if file.delete else 0,
                file.data.file_size_bytes,
                _full_path(lake, file.delete) if file.delete else None,
                file.delete.file_size_bytes if file.delete else None,
                file.data.begin_snapshot,
            )
            for file in sorted(found, key=lambda file: file.data.data_file_id)
        ]
    return OutputRows(_FILES, rows, "The table has no files.")


def _full_path(lake: Lake, file: DataFile | DeleteFile) -> str:
    return lake.absolute_path(file.path) if file.path_is_relative else file.path


@contextmanager
def _read_transaction(target: LakeTarget, version: int | None) -> Iterator[Transaction]:
    with opened_catalog(target, read_only=True) as catalog:
        yield begin(catalog if version is None else catalog.at(_view_at_version(catalog, version).snapshot_id))


def _view_at_version(catalog: Catalog, version: int | None) -> CatalogView:
    return view_at_head(catalog) if version is None else view_at(catalog, version=version)
