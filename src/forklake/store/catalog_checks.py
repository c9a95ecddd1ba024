"""Unvalidated metadata of a catalog for verification: lineage, snapshots, objects and options.

Other readers fetch what is visible; checks fetch everything that could be visible and validate it themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from forklake.model.entities import ObjectKind
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import Scope
from forklake.store.connection import Row, Statement, Store
from forklake.store.row_kinds import RowKind

_PAGE = 10_000
_VERSIONED = (
    "lake_object",
    "lake_option",
    "lake_data_file",
    "lake_delete_file",
    "lake_inlined_batch",
)
_OF_TABLES = (
    "lake_data_file",
    "lake_delete_file",
    "lake_inlined_batch",
    "lake_inlined_delete",
    "lake_table_stats",
    "lake_column_mapping",
)


class Ancestor(NamedTuple):
    """A row of the lineage, joined with the catalog that it names."""

    depth: int
    catalog_id: CatalogId
    max_snapshot: SnapshotId
    found: int | None
    """The id of the catalog again; None if the catalog does not exist."""
    begin_snapshot: SnapshotId
    head_snapshot: SnapshotId
    fork_snapshot: SnapshotId | None
    parent_id: CatalogId | None


class CatalogState(NamedTuple):
    """The current state of a catalog, its newest snapshot, and values that must agree with them."""

    head_snapshot: SnapshotId
    head_time: Any
    schema_version: int
    depth: int
    parent_depth: int | None
    """None without a parent, or if the parent does not exist."""
    recorded_time: Any
    """The time in the snapshot row of the head; None if there is no such row."""
    recorded_version: int | None
    newest_snapshot: SnapshotId | None


@dataclass(frozen=True, slots=True)
class IdUsage:
    """The last allocated and the largest used ids, by sequence; -1 for none."""

    drawn: dict[str, int]
    used: dict[str, int]


class SnapshotRow(NamedTuple):
    snapshot_id: SnapshotId
    catalog_id: CatalogId
    previous: SnapshotId | None
    time: datetime
    schema_version: int
    changes: str | None


class ObjectRow(NamedTuple):
    """A version of a schema, table, view or macro; `top` is the top of its level."""

    top: SnapshotId
    catalog_id: CatalogId
    object_id: int
    begin: SnapshotId
    end: SnapshotId | None
    kind: ObjectKind
    schema_id: int
    name: str
    name_key: str
    definition: Any
    """None for tables, whose definitions are read one at a time."""


class OptionVersionRow(NamedTuple):
    top: SnapshotId
    catalog_id: CatalogId
    option_id: int
    begin: SnapshotId
    end: SnapshotId | None
    scope: str
    scope_id: int
    key: str


class EndMarker(NamedTuple):
    """An effective end marker, with the catalog that set it."""

    catalog_id: CatalogId
    kind: int
    scope_id: int
    object_id: int
    begin: SnapshotId
    end: SnapshotId


def lineage_rows(store: Store, catalog_id: CatalogId) -> list[Ancestor]:
    rows = store.fetch(
        "SELECT a.depth, a.ancestor_id, a.max_snapshot, c.catalog_id, c.begin_snapshot, c.head_snapshot,"
        " c.fork_snapshot, c.parent_catalog_id FROM lake_catalog_ancestor a"
        " LEFT JOIN lake_catalog c ON c.catalog_id = a.ancestor_id WHERE a.catalog_id = :catalog_id ORDER BY a.depth",
        {"catalog_id": catalog_id},
    )
    return [Ancestor._make(row) for row in rows]


def catalog_state(store: Store, catalog_id: CatalogId) -> CatalogState | None:
    """Uses a single statement to exclude concurrent commits; None if the catalog was dropped."""
    rows = store.fetch(
        "SELECT c.head_snapshot, c.head_time, c.schema_version, c.depth, p.depth, s.snapshot_time, s.schema_version,"
        " (SELECT max(n.snapshot_id) FROM lake_snapshot n WHERE n.catalog_id = c.catalog_id)"
        " FROM lake_catalog c LEFT JOIN lake_catalog p ON p.catalog_id = c.parent_catalog_id"
        " LEFT JOIN lake_snapshot s ON s.catalog_id = c.catalog_id AND s.snapshot_id = c.head_snapshot"
        " WHERE c.catalog_id = :catalog_id AND c.end_snapshot IS NULL",
        {"catalog_id": catalog_id},
    )
    return CatalogState._make(rows[0]) if rows else None


def read_id_usage(store: Store, catalog_id: CatalogId) -> IdUsage:
    """Reads the used ids first: all of them were allocated before the last allocated ids are read."""
    used = {
        "snapshot": "SELECT max(head_snapshot) FROM lake_catalog WHERE catalog_id = :catalog_id",
        "entity": "SELECT max(object_id) FROM lake_object WHERE catalog_id = :catalog_id",
        "file": "SELECT max(id) FROM ("
        "SELECT max(data_file_id) AS id FROM lake_data_file WHERE catalog_id = :catalog_id"
        " UNION ALL SELECT max(delete_file_id) FROM lake_delete_file WHERE catalog_id = :catalog_id"
        " UNION ALL SELECT max(batch_id) FROM lake_inlined_batch WHERE catalog_id = :catalog_id) AS ids",
    }
    mine = {"catalog_id": catalog_id}
    statements = [Statement(sql, mine) for sql in used.values()]
    statements += [Statement(store.dialect.last_id(sequence), {}) for sequence in used]
    numbers = [-1 if rows[0][0] is None else rows[0][0] for rows in store.fetch_all(statements)]
    return IdUsage(
        dict(zip(used, numbers[len(used) :], strict=True)), dict(zip(used, numbers[: len(used)], strict=True))
    )


def snapshots_in_scope(store: Store, scope: Scope) -> Iterator[SnapshotRow]:
    """All snapshots available for time travel, oldest first, read page by page."""
    dialect, after = store.dialect, -1
    while True:
        rows = store.fetch(
            "SELECT s.snapshot_id, s.catalog_id, s.previous_snapshot_id, s.snapshot_time, s.schema_version,"
            f" s.changes_made FROM {dialect.levels} JOIN lake_snapshot s ON s.catalog_id = l.catalog_id"
            " WHERE s.snapshot_id <= l.top AND s.snapshot_id > :after ORDER BY s.snapshot_id LIMIT :page",
            {"after": after, "page": _PAGE, **dialect.level_params(scope.levels)},
        )
        for row in rows:
            yield SnapshotRow(row[0], row[1], row[2], dialect.from_database_time(row[3]), row[4], row[5])
        if len(rows) < _PAGE:
            return
        after = rows[-1][0]


def kept_snapshot_ids(store: Store, scope: Scope) -> list[SnapshotId]:
    """The ids of the snapshots available for time travel."""
    dialect = store.dialect
    rows = store.fetch(
        f"SELECT s.snapshot_id FROM {dialect.levels} JOIN lake_snapshot s ON s.catalog_id = l.catalog_id"
        " WHERE s.snapshot_id <= l.top",
        dialect.level_params(scope.levels),
    )
    return [row[0] for row in rows]


def object_rows(store: Store, scope: Scope) -> list[ObjectRow]:
    """All versions of all objects that could be visible in any snapshot of the scope."""
    columns = (
        "l.top, r.catalog_id, r.object_id, r.begin_snapshot, r.end_snapshot, r.kind, r.schema_id, r.name, r.name_key,"
        " CASE WHEN r.kind <> 'table' THEN r.definition END"
    )
    return [ObjectRow._make(row) for row in _rows_in_scope(store, scope, columns, "lake_object")]


def option_rows(store: Store, scope: Scope) -> list[OptionVersionRow]:
    columns = "l.top, r.catalog_id, r.option_id, r.begin_snapshot, r.end_snapshot, r.scope, r.scope_id, r.key"
    return [OptionVersionRow._make(row) for row in _rows_in_scope(store, scope, columns, "lake_option")]


def _rows_in_scope(store: Store, scope: Scope, columns: str, table: str) -> list[Row]:
    dialect = store.dialect
    return store.fetch(
        f"SELECT {columns} FROM {dialect.levels} JOIN {table} r ON r.catalog_id = l.catalog_id"
        " WHERE r.begin_snapshot <= l.top",
        dialect.level_params(scope.levels),
    )


def object_markers(store: Store, scope: Scope) -> list[EndMarker]:
    """The end markers of objects and options."""
    dialect = store.dialect
    rows = store.fetch(
        "SELECT e.catalog_id, e.kind, e.scope_id, e.object_id, e.begin_snapshot, e.end_snapshot"
        f" FROM {dialect.levels} JOIN lake_row_end e ON e.catalog_id = l.catalog_id"
        " WHERE e.end_snapshot <= l.top AND e.kind IN (:object, :option)",
        {"object": int(RowKind.OBJECT), "option": int(RowKind.OPTION), **dialect.level_params(scope.levels)},
    )
    return [EndMarker._make(row) for row in rows]


def tables_with_rows(store: Store, scope: Scope) -> set[int]:
    """The tables, known or not, that have any row or end marker."""
    dialect = store.dialect
    asked = [
        f"SELECT DISTINCT r.table_id FROM {dialect.levels} JOIN {table} r ON r.catalog_id = l.catalog_id"
        " WHERE r.begin_snapshot <= l.top"
        for table in _OF_TABLES
    ]
    asked.append(
        f"SELECT DISTINCT e.scope_id FROM {dialect.levels} JOIN lake_row_end e ON e.catalog_id = l.catalog_id"
        f" WHERE e.end_snapshot <= l.top AND e.kind NOT IN ({int(RowKind.OBJECT)}, {int(RowKind.OPTION)})"
    )
    params = dialect.level_params(scope.levels)
    return {row[0] for rows in store.fetch_all([Statement(sql, params) for sql in asked]) for row in rows}


def rows_beyond_head(store: Store, catalog_id: CatalogId) -> list[tuple[str, int]]:
    """Metadata tables with the number of rows that begin or end after the head of their catalog.

    Each is read in one statement, which sees a commit either completely or not at all.
    """
    head = "SELECT head_snapshot FROM lake_catalog WHERE catalog_id = :catalog_id"
    beyond = dict.fromkeys(_VERSIONED, f"begin_snapshot > ({head}) OR end_snapshot > ({head})")
    beyond |= {table: f"begin_snapshot > ({head})" for table in _OF_TABLES if table not in _VERSIONED}
    beyond["lake_row_end"] = f"end_snapshot > ({head})"
    mine = {"catalog_id": catalog_id}
    answers = store.fetch_all(
        [
            Statement(f"SELECT count(*) FROM {table} WHERE catalog_id = :catalog_id AND ({where})", mine)
            for table, where in beyond.items()
        ]
    )
    return [(table, rows[0][0]) for table, rows in zip(beyond, answers, strict=True) if rows[0][0]]


def scheduled_in_use(store: Store, catalog_id: CatalogId) -> list[tuple[str, bool]]:
    """Files scheduled for deletion that a row of any catalog refers to: the path, and whether it is relative."""
    named = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} f WHERE f.{column} = w.{of_waiting})"
        for table, file_id in (("lake_data_file", "data_file_id"), ("lake_delete_file", "delete_file_id"))
        for column, of_waiting in ((file_id, "file_id"), ("path", "path"))
    )
    rows = store.fetch(
        "SELECT w.path, w.path_is_relative FROM lake_scheduled_file w"
        f" WHERE w.catalog_id = :catalog_id AND ({named}) ORDER BY w.file_id",
        {"catalog_id": catalog_id},
    )
    return [(path, bool(is_relative)) for path, is_relative in rows]
