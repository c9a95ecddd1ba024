"""Runs maintenance operations that move rows. They call the Python API, and start Spark if needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from forklake.api.catalog import CatalogHandle
from forklake.catalog.lakes.catalogs import find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.cli.attaching import announced_spark, attached_catalog
from forklake.cli.file_verbs import operation_output
from forklake.cli.opening import opened_lake
from forklake.cli.output import OutputRows
from forklake.cli.target import LakeTarget
from forklake.errors import ForklakeError, NoSuchCatalog
from forklake.maintenance.operations import Operation
from forklake.maintenance.progress import Progress
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState


def run_operation(operation: Operation, target: LakeTarget, progress: Progress, **arguments: Any) -> OutputRows:
    positional = [arguments.pop(parameter.name) for parameter in operation.parameters if not parameter.by_name]
    shown = {"progress": progress} if operation.takes("progress") else {}
    with attached_catalog(target, progress) as lake:
        return operation_output(operation, getattr(lake, operation.name)(*positional, **arguments, **shown))


def maintain(target: LakeTarget, progress: Progress, *, every: bool) -> OutputRows:
    """Checkpoint one catalog or all, and clean up after dropped catalogs.

    A catalog whose checkpoint fails does not stop the others.
    """
    rows: list[tuple[str | None, str, int]] = []
    failures: list[str] = []
    with _catalog_handles(target, progress, every=every) as handles:
        last: CatalogHandle | None = None
        for lake in handles:
            try:
                rows += [(lake.name, step.step, step.done) for step in lake.checkpoint(progress=progress)]
                last = lake
            except ForklakeError as error:
                failures.append(f"catalog '{lake.name}': {error}")
        if last is not None:
            rows.append((None, "cleanup_dropped_catalogs", len(last.cleanup_dropped_catalogs(progress=progress))))
    return OutputRows(("catalog_name", "step", "done"), rows, failures=failures)


@contextmanager
def _catalog_handles(target: LakeTarget, progress: Progress, *, every: bool) -> Iterator[Iterator[CatalogHandle]]:
    """The target catalog, or all catalogs of the lake one after the other."""
    if not every:
        with attached_catalog(target, progress) as handle:
            yield iter([handle])
        return
    state = SessionState(announced_spark(progress), "spark")

    def handles(lake: Lake) -> Iterator[CatalogHandle]:
        for info in list_catalogs(lake):
            try:
                catalog = find_catalog(lake, info.name)
            except NoSuchCatalog:
                # Dropped since it was listed.
                continue
            yield CatalogHandle(state, Attachment(info.name, catalog))

    with opened_lake(target) as lake:
        yield handles(lake)
