"""Procedures that expire history and delete files, and functions that report why a file is kept.

None of them can be rolled back, so none runs inside a transaction.
"""

from collections.abc import Callable
from dataclasses import astuple
from datetime import datetime
from typing import Any

import pyarrow as pa

from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.retention.file_holders import catalog_storage, drop_report, file_holders
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.spark.storage.storage import Storage
from forklake.spark.work import storage_of
from forklake.sql.functions.read_functions import snapshot_rows
from forklake.sql.functions.signatures import COUNT, COUNTS, FLAG, TEXT, TIME, Function, FunctionCall, Parameter
from forklake.sql.results.arrow_rows import MOMENT, arrow_rows
from forklake.sql.session.catalog_changes import drop_and_detach, refuse_in_transaction

_PATHS = pa.schema([("path", pa.string())])
_PATHS_OF_CATALOGS = pa.schema([("catalog_name", pa.string()), ("path", pa.string())])
_HOLDERS = pa.schema(
    [
        ("catalog_name", pa.string()),
        ("reason", pa.string()),
        ("first_snapshot", pa.int64()),
        ("last_snapshot", pa.int64()),
        ("snapshots", pa.int64()),
        ("since", MOMENT),
    ]
)
_STORAGE = pa.schema(
    [
        ("catalog_name", pa.string()),
        ("files_alone", pa.int64()),
        ("bytes_alone", pa.int64()),
        ("files_shared", pa.int64()),
        ("bytes_shared", pa.int64()),
    ]
)
_DROPPED = pa.schema(
    [
        ("catalog_name", pa.string()),
        ("files_freed", pa.int64()),
        ("bytes_freed", pa.int64()),
        ("files_kept", pa.int64()),
        ("bytes_kept", pa.int64()),
        ("forks", pa.int64()),
        ("some_forks", pa.list_(pa.string())),
    ]
)


def refuse_call_in_transaction(call: FunctionCall, name: str) -> None:
    """Reject a call inside a transaction, unless it is a dry run, which changes nothing."""
    if not call.get("dry_run"):
        refuse_in_transaction(call.state, f"ducklake_{name}")


def _expire_snapshots(call: FunctionCall) -> pa.Table:
    refuse_call_in_transaction(call, "expire_snapshots")
    return snapshot_rows(
        expire_snapshots(
            call.attachment.catalog,
            versions=call.get("versions"),
            older_than=call.get("older_than"),
            dry_run=bool(call.get("dry_run")),
        )
    )


def _age_arguments(call: FunctionCall, name: str) -> dict[str, Any]:
    refuse_call_in_transaction(call, name)
    older_than: datetime | None = call.get("older_than")
    flags = {flag: bool(call.get(flag)) for flag in ("cleanup_all", "dry_run")}
    return {"older_than": older_than, **flags}


def _cleanup_procedure(
    name: str, verb: Callable[..., list[Any]], schema: pa.Schema
) -> Callable[[FunctionCall], pa.Table]:
    def run(call: FunctionCall) -> pa.Table:
        found = verb(call.attachment.catalog, _storage(call), **_age_arguments(call, name))
        return arrow_rows(schema, [row if isinstance(row, tuple) else (row,) for row in found])

    return run


def _file_holders(call: FunctionCall) -> pa.Table:
    path = _storage(call).stored_path(call.get("path"))
    limit = call.get("limit")
    found = file_holders(call.attachment.lake, path, **({} if limit is None else {"limit": limit}))
    return arrow_rows(_HOLDERS, [astuple(holder) for holder in found])


def _catalog_storage(call: FunctionCall) -> pa.Table:
    return arrow_rows(_STORAGE, [astuple(catalog_storage(call.attachment.catalog))])


def _drop_catalog(call: FunctionCall) -> pa.Table:
    """Drop a catalog of the lake, or only report what that would free."""
    refuse_call_in_transaction(call, "drop_catalog")
    name, lake = call.get("catalog_name"), call.attachment.lake
    report = drop_report(lake, name)
    if not call.get("dry_run"):
        drop_and_detach(call.state, call.attachment, name)
    return arrow_rows(_DROPPED, [(*astuple(report)[:-1], list(report.some_forks))])


def _storage(call: FunctionCall) -> Storage:
    return storage_of(call.attachment.lake)


_DRY_RUN = Parameter("dry_run", FLAG, by_name=True)
_AGES = (Parameter("older_than", TIME, by_name=True), Parameter("cleanup_all", FLAG, by_name=True), _DRY_RUN)
_VERBS: tuple[tuple[str, Callable[..., list[Any]], pa.Schema], ...] = (
    ("cleanup_old_files", cleanup_old_files, _PATHS),
    ("delete_orphaned_files", delete_orphaned_files, _PATHS),
    ("cleanup_orphaned_files", delete_orphaned_files, _PATHS),
    ("cleanup_dropped_catalogs", cleanup_dropped_catalogs, _PATHS_OF_CATALOGS),
)
CLEANUP = (
    Function(
        "expire_snapshots",
        (Parameter("older_than", TIME, by_name=True), Parameter("versions", COUNTS, by_name=True), _DRY_RUN),
        _expire_snapshots,
    ),
    *(Function(name, _AGES, _cleanup_procedure(name, verb, schema)) for name, verb, schema in _VERBS),
    Function(
        "file_holders",
        (Parameter("path", TEXT, required=True), Parameter("limit", COUNT, by_name=True)),
        _file_holders,
    ),
    Function("catalog_storage", (), _catalog_storage),
    Function("drop_catalog", (Parameter("catalog_name", TEXT, required=True), _DRY_RUN), _drop_catalog),
)
