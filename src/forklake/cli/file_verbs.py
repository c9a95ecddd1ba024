"""Runs maintenance operations on metadata and files. None of them moves rows."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from forklake.catalog.lakes.catalogs import drop_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.cli.describing import SNAPSHOTS
from forklake.cli.opening import opened_catalog, opened_lake
from forklake.cli.output import OutputRows
from forklake.cli.target import LakeTarget
from forklake.errors import InvalidInput
from forklake.maintenance.operations import Operation, operation_rows
from forklake.maintenance.progress import Progress
from forklake.model.changes import format_changes


def run_operation(operation: Operation, target: LakeTarget, progress: Progress, **arguments: Any) -> OutputRows:
    in_catalog = operation.takes("catalog")
    opening = opened_catalog(target, read_only=operation.effect == "none") if in_catalog else opened_lake(target)
    with opening as opened:
        lake = opened if isinstance(opened, Lake) else opened.lake
        provided: dict[str, Callable[[], Any]] = {
            "catalog": lambda: opened,
            "lake": lambda: lake,
            "storage": lambda: _storage(lake),
            "drop": lambda: partial(drop_catalog, lake),
            "progress": lambda: progress,
        }
        return operation_output(operation, operation.run(provided, arguments))


def operation_output(operation: Operation, found: Any) -> OutputRows:
    if operation.name != "expire_snapshots":
        return OutputRows(list(operation.row_types()), operation_rows(found), operation.nothing)
    rows = [
        (s.snapshot_id, s.snapshot_time, s.schema_version, format_changes(s.changes), s.author, s.commit_message)
        for s in found
    ]
    return OutputRows(SNAPSHOTS, rows, operation.nothing)


def _storage(lake: Lake) -> Any:
    if lake.data_path is None:
        raise InvalidInput("The lake has no data path yet; set it with --data-path.")
    # Slow to load, and operations on metadata alone do not need it.
    return import_module("forklake.spark.storage.storage").storage_at(lake.data_path)
