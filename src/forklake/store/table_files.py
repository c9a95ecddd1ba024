"""The data files, delete files and inlined rows of a table, as seen by a catalog at a snapshot."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from forklake.errors import CorruptMetadata
from forklake.model.documents import read_column_stats, read_json, read_mapping
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, ScanFile, TableStats
from forklake.model.ids import BatchId, CatalogId, ColumnId, DataFileId, MappingId, SnapshotId, TableId
from forklake.model.lineage import Level, Scope
from forklake.model.mappings import NameMapping
from forklake.model.statistics import ColumnStats
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind
from forklake.store.scope import fetch_at_snapshot, visible_condition

# In the order of the fields of DataFile and DeleteFile.
DATA_COLUMNS = (
    "f.data_file_id, f.path, f.record_count, f.file_size_bytes, f.footer_size, f.path_is_relative, f.file_format,"
    " f.row_id_start, f.partition_id, f.mapping_id, f.partial_max, f.encryption_key, f.begin_snapshot, f.catalog_id,"
    " f.table_version"
)
DELETE_COLUMNS = (
    "f.delete_file_id, f.data_file_id, f.path, f.delete_count, f.file_size_bytes, f.footer_size, f.path_is_relative,"
    " f.format, f.partial_max, f.encryption_key, f.begin_snapshot, f.catalog_id"
)
Item = TypeVar("Item")

BATCH_COLUMNS = "b.batch_id, b.table_version, b.row_count, b.payload, b.row_id_start, b.begin_snapshot, b.catalog_id"


@dataclass(frozen=True, slots=True)
class Visible(Generic[Item]):
    """The files or batches that a catalog sees, and which of them its ancestors contribute, before its own changes.

    Nothing is ever added below a horizon, and nothing that is visible there is removed while the catalog exists.
    """

    items: list[Item]
    inherited: tuple[Item, ...]


def table_files(
    store: Store, scope: Scope, table_id: TableId, only: Collection[DataFileId] | None = None
) -> list[ScanFile]:
    """All visible data files with their delete files, or `only` some of them, in one round trip."""
    return visible_files(store, scope, table_id, only=only).items


def visible_files(
    store: Store,
    scope: Scope,
    table_id: TableId,
    inherited: tuple[ScanFile, ...] | None = None,
    *,
    only: Collection[DataFileId] | None = None,
) -> Visible[ScanFile]:
    """The same with what is inherited; of ancestors, nothing is read if that is given."""
    if scope.is_root:
        inherited = ()
    levels = scope.levels if inherited is None else scope.levels[:1]
    answers = fetch_at_snapshot(store, scope, _file_statements(store.dialect, scope, levels, table_id, only))
    if inherited is None:
        theirs = [[row for row in rows if row[-1] != scope.catalog_id] for rows in answers]
        inherited = tuple(_files_on_top((), theirs)) if any(theirs) else ()
        answers = [[row for row in rows if row[-1] == scope.catalog_id] for rows in answers] if any(theirs) else answers
    return Visible(_files_on_top(inherited, answers), inherited)


def _files_on_top(below: Sequence[ScanFile], answers: list[list[Row]]) -> list[ScanFile]:
    """The files after the rows of some levels, which are read by `_file_statements`, are applied."""
    data_rows, delete_rows, *markers = answers
    ended_data = {row[1] for marker in markers for row in marker if row[0] == RowKind.DATA_FILE}
    ended_deletes = {row[1] for marker in markers for row in marker if row[0] == RowKind.DELETE_FILE}
    deletes: dict[int, DeleteFile] = {}
    for row in delete_rows:
        if row[0] in ended_deletes:
            continue
        if row[1] in deletes:
            raise _two_deletes(row[1], row[0], deletes[row[1]].delete_file_id)
        deletes[row[1]] = DeleteFile._make(row[:-1])
    changed = bool(ended_data or ended_deletes or deletes)
    found = list(_changed(below, ended_data, ended_deletes, deletes)) if changed else list(below)
    found += [ScanFile(DataFile._make(row[:-1]), deletes.get(row[0])) for row in data_rows if row[0] not in ended_data]
    return found


def _changed(
    files: Iterable[ScanFile],
    ended_data: Collection[int],
    ended_deletes: Collection[int],
    deletes: Mapping[int, DeleteFile],
) -> Iterator[ScanFile]:
    for scanned in files:
        file_id = scanned.data.data_file_id
        if file_id in ended_data:
            continue
        kept = scanned.delete
        if kept is not None and kept.delete_file_id in ended_deletes:
            kept = None
        new = deletes.get(file_id)
        if kept is not None and new is not None:
            raise _two_deletes(file_id, new.delete_file_id, kept.delete_file_id)
        yield ScanFile(scanned.data, new or kept)


def _two_deletes(file_id: int, one: int, other: int) -> CorruptMetadata:
    return CorruptMetadata(f"Data file {file_id} has two live delete files, {one} and {other}.")


def _file_statements(
    dialect: StoreDialect,
    scope: Scope,
    levels: Sequence[Level],
    table_id: TableId,
    only: Collection[DataFileId] | None,
) -> list[Statement]:
    """Select files, delete files and end markers of some levels, each with its owner as the last column."""
    params = {"table_id": table_id, **dialect.level_params(levels)}
    which = "TRUE"
    if only is not None:
        params["only"] = list(only)
        which = dialect.any_of("f.data_file_id", "only")
    statements = [
        Statement(
            f"SELECT {columns}, l.catalog_id FROM {dialect.levels}"
            f" JOIN {table} f ON f.catalog_id = l.catalog_id AND f.table_id = :table_id"
            f" WHERE {visible_condition('f')} AND {which}",
            params,
        )
        for columns, table in ((DATA_COLUMNS, "lake_data_file"), (DELETE_COLUMNS, "lake_delete_file"))
    ]
    if not scope.is_root:
        statements.append(_markers_statement(dialect, levels, table_id, (RowKind.DATA_FILE, RowKind.DELETE_FILE)))
    return statements


def _markers_statement(
    dialect: StoreDialect, levels: Sequence[Level], table_id: TableId, kinds: Iterable[RowKind]
) -> Statement:
    """Selects kind, id and owner of the end marker for rows of a table that were ended by forks."""
    listed = ", ".join(str(int(kind)) for kind in kinds)
    return Statement(
        f"SELECT e.kind, e.object_id, e.catalog_id FROM {dialect.levels} JOIN lake_row_end e"
        f" ON e.catalog_id = l.catalog_id AND e.kind IN ({listed}) AND e.scope_id = :table_id"
        " WHERE e.end_snapshot <= l.top",
        {"table_id": table_id, **dialect.level_params(levels)},
    )


def visible_batches(
    store: Store, scope: Scope, table_id: TableId, inherited: tuple[InlinedBatch, ...] | None = None
) -> Visible[InlinedBatch]:
    """The visible inlined batches, each with the positions of its deleted rows; see `visible_files`."""
    dialect = store.dialect
    if scope.is_root:
        inherited = ()
    levels = scope.levels if inherited is None else scope.levels[:1]
    params = {"table_id": table_id, **dialect.level_params(levels)}
    of_batches = Statement(
        f"SELECT {BATCH_COLUMNS} FROM {dialect.levels} JOIN lake_inlined_batch b"
        f" ON b.catalog_id = l.catalog_id AND b.table_id = :table_id WHERE {visible_condition('b')}",
        params,
    )
    of_deletes = [
        Statement(
            f"SELECT d.batch_id, d.position, d.catalog_id FROM {dialect.levels} JOIN lake_inlined_delete d"
            " ON d.catalog_id = l.catalog_id AND d.table_id = :table_id WHERE d.begin_snapshot <= l.top",
            params,
        )
    ]
    if not scope.is_root:
        of_deletes.append(_markers_statement(dialect, levels, table_id, [RowKind.INLINED_BATCH]))
    if inherited:
        answers = fetch_at_snapshot(store, scope, [of_batches, *of_deletes])
    else:
        [batches] = fetch_at_snapshot(store, scope, [of_batches])
        if not batches:
            # The usual case: no need to query deletes.
            return Visible([], ())
        answers = [batches, *fetch_at_snapshot(store, scope, of_deletes)]
    if inherited is None:
        theirs = [[row for row in rows if row[-1] != scope.catalog_id] for rows in answers]
        inherited = tuple(_batches_on_top((), theirs))
        answers = [[row for row in rows if row[-1] == scope.catalog_id] for rows in answers]
    return Visible(_batches_on_top(inherited, answers), inherited)


def _batches_on_top(below: Sequence[InlinedBatch], answers: list[list[Row]]) -> list[InlinedBatch]:
    rows, deleted, *markers = answers
    ended = {row[1] for marker in markers for row in marker}
    positions: dict[int, set[int]] = defaultdict(set)
    for batch_id, position, _ in deleted:
        positions[batch_id].add(position)
    kept = (batch for batch in below if batch.batch_id not in ended)
    found = [
        replace(batch, deleted=batch.deleted | positions[batch.batch_id]) if batch.batch_id in positions else batch
        for batch in kept
    ]
    found += [read_batch(row, positions.get(row[0], ())) for row in rows if row[0] not in ended]
    return sorted(found, key=lambda batch: batch.batch_id)


def read_batch(row: Row, deleted: Collection[int] = ()) -> InlinedBatch:
    """Converts a row of `BATCH_COLUMNS`."""
    return InlinedBatch(
        batch_id=BatchId(row[0]),
        table_version=SnapshotId(row[1]),
        row_count=row[2],
        payload=bytes(row[3]),
        row_id_start=row[4],
        begin_snapshot=SnapshotId(row[5]),
        owner=CatalogId(row[6]),
        deleted=frozenset(deleted),
    )


def file_stats(store: Store, scope: Scope, table_id: TableId, column_id: ColumnId) -> dict[DataFileId, ColumnStats]:
    """Statistics of one column for all files that the table ever had, visible or not."""
    dialect = store.dialect
    asked = Statement(
        "SELECT s.data_file_id, s.value_count, s.null_count, s.min_value, s.max_value, s.contains_nan"
        f" FROM {dialect.levels} JOIN lake_file_column_stats s"
        " ON s.catalog_id = l.catalog_id AND s.table_id = :table_id AND s.column_id = :column_id",
        {"table_id": table_id, "column_id": column_id, **dialect.level_params(scope.levels)},
    )
    [rows] = fetch_at_snapshot(store, scope, [asked])
    # SQLite has no booleans.
    return {
        DataFileId(file_id): ColumnStats(column_id, values, nulls, low, high, None if nan is None else bool(nan))
        for file_id, values, nulls, low, high, nan in rows
    }


def table_mappings(store: Store, scope: Scope, table_id: TableId) -> dict[MappingId, NameMapping]:
    """The column mappings of a table, including inherited ones: they never end."""
    dialect = store.dialect
    asked = Statement(
        f"SELECT m.mapping_id, m.mapping FROM {dialect.levels} JOIN lake_column_mapping m"
        " ON m.catalog_id = l.catalog_id AND m.table_id = :table_id WHERE m.begin_snapshot <= l.top",
        {"table_id": table_id, **dialect.level_params(scope.levels)},
    )
    [rows] = fetch_at_snapshot(store, scope, [asked])
    return {MappingId(mapping_id): read_mapping(document) for mapping_id, document in rows}


def stats_statement(dialect: StoreDialect, scope: Scope, table_ids: Iterable[TableId]) -> Statement:
    """Selects the newest statistics of each table; read the result with `read_stats`.

    Later versions supersede earlier ones, and those of a fork are later than all inherited ones, so the newest applies.
    """
    mine = "s.catalog_id = l.catalog_id AND s.table_id = t.value"
    newest = (
        f"FROM lake_table_stats s WHERE {mine} AND s.begin_snapshot <= l.top ORDER BY s.begin_snapshot DESC LIMIT 1"
    )
    columns = "s.table_id, s.begin_snapshot, s.record_count, s.next_row_id, s.file_size_bytes, s.column_stats"
    if dialect.is_postgres:
        tables = "unnest(CAST(:table_ids AS bigint[])) AS t(value)"
        sql = f"SELECT {columns} FROM {tables} CROSS JOIN {dialect.levels} CROSS JOIN LATERAL (SELECT s.* {newest}) s"
    else:
        sql = (
            f"SELECT {columns} FROM json_each(:table_ids) AS t CROSS JOIN {dialect.levels}"
            f" JOIN lake_table_stats s ON {mine} AND s.begin_snapshot = (SELECT s.begin_snapshot {newest})"
        )
    return Statement(sql, {"table_ids": list(table_ids), **dialect.level_params(scope.levels)})


def read_stats(rows: list[Row]) -> dict[TableId, TableStats]:
    newest: dict[int, Row] = {}
    for row in rows:
        if row[0] not in newest or newest[row[0]][1] < row[1]:
            newest[row[0]] = row
    return {TableId(table_id): _table_stats(row) for table_id, row in newest.items()}


def _table_stats(row: Row) -> TableStats:
    document = read_json(row[5])
    return TableStats(row[2], row[3], row[4], *read_column_stats(document))


def table_stats(store: Store, scope: Scope, table_ids: Collection[TableId]) -> dict[TableId, TableStats]:
    """The newest statistics of the tables that have any."""
    if not table_ids:
        return {}
    return read_stats(fetch_at_snapshot(store, scope, [stats_statement(store.dialect, scope, table_ids)])[0])
