"""Options of the instance, and of catalogs, schemas and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import Scope
from forklake.store.connection import AppendCommit, Row, Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind
from forklake.store.scope import end_marker_statements, expired_error, fetch_at_snapshot, visible_condition


@dataclass(frozen=True, slots=True)
class OptionRow:
    owner: CatalogId
    option_id: int
    begin_snapshot: SnapshotId
    scope: str
    """'instance', 'catalog', 'schema' or 'table'"""
    scope_id: int
    key: str
    value: str


def catalog_options(store: Store, scope: Scope) -> list[OptionRow]:
    """The effective options of a catalog at a snapshot, including inherited ones, and those of the instance."""
    return read_options(fetch_at_snapshot(store, scope, option_statements(store.dialect, scope)))


def instance_options(store: Store, scope: Scope) -> list[OptionRow]:
    """Only the options of the instance, if the others at this snapshot are known; raises if it has expired."""
    rows = store.fetch(
        "SELECT i.key, i.value FROM lake_snapshot s"
        " LEFT JOIN lake_instance_option i ON TRUE WHERE s.catalog_id = :made_by AND s.snapshot_id = :snapshot_id",
        {"made_by": scope.made_by, "snapshot_id": scope.snapshot_id},
    )
    if not rows:
        raise expired_error(scope)
    return as_instance_options({key: value for key, value in rows if key is not None})


def as_instance_options(values: Mapping[str, str]) -> list[OptionRow]:
    """Options of the instance, which have no owner, id or snapshot, by key."""
    return [OptionRow(CatalogId(-1), -1, SnapshotId(-1), "instance", 0, key, value) for key, value in values.items()]


def option_statements(dialect: StoreDialect, scope: Scope, *, instance_key: str | None = None) -> list[Statement]:
    """Select options, and those of the instance or just one of them; read the results with `read_options`."""
    which = "" if instance_key is None else " WHERE i.key = :instance_key"
    options = Statement(
        "SELECT o.catalog_id, o.option_id, o.begin_snapshot, o.scope, o.scope_id, o.key, o.value"
        f" FROM {dialect.levels} JOIN lake_option o ON o.catalog_id = l.catalog_id WHERE {visible_condition('o')}"
        f" UNION ALL SELECT -1, -1, -1, 'instance', 0, i.key, i.value FROM lake_instance_option i{which}",
        {"instance_key": instance_key, **dialect.level_params(scope.levels)},
    )
    return [options, *end_marker_statements(dialect, scope, RowKind.OPTION, 0)]


def read_options(answers: Sequence[list[Row]]) -> list[OptionRow]:
    rows, *markers = answers
    ended = {row[0] for marker in markers for row in marker}
    return [OptionRow(*row) for row in rows if row[1] not in ended]


def lake_info(store: Store) -> dict[str, str]:
    return dict(store.fetch("SELECT key, value FROM lake_info", {}))


INSTANCE_VALUES = Statement("SELECT key, value FROM lake_instance_option", {})
"""Selects all options of the instance."""


def permits_append(values: Mapping[str, str], append: AppendCommit) -> bool:
    """Whether the options of the instance are those that an append relies on, and require no message that it lacks."""
    has_message = bool(append.info.author and append.info.message)
    requires_message = values.get("require_commit_message") == "true"
    return append.instance_options in (None, values) and (has_message or not requires_message)


def write_instance_option(key: str, value: str | None) -> Statement:
    """Sets an option of the instance; None removes it."""
    if value is None:
        return Statement("DELETE FROM lake_instance_option WHERE key = :key", {"key": key})
    upsert = (
        "INSERT INTO lake_instance_option (key, value) VALUES (:key, :value)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    return Statement(upsert, {"key": key, "value": value})


def add_lake_info(key: str, value: str) -> Statement:
    """Stores a property of the lake, unless it is already set."""
    insert = "INSERT INTO lake_info (key, value) VALUES (:key, :value) ON CONFLICT DO NOTHING"
    return Statement(insert, {"key": key, "value": value})
