"""Implementation of commands that move rows. They call the Python API, and start Spark if needed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from forklake.api.catalog import CatalogHandle
from forklake.catalog.lakes.catalogs import find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.cli.attaching import announced_spark, attached_catalog
from forklake.cli.opening import opened_lake
from forklake.cli.output import OutputRows, rows_from_dataclasses
from forklake.cli.target import LakeTarget
from forklake.errors import ForklakeError, NoSuchCatalog
from forklake.maintenance.checkpoint import Step
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.flush_tables import Flushed
from forklake.maintenance.progress import Progress
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState


def merge_adjacent_files(
    target: LakeTarget,
    progress: Progress,
    *,
    table: str | None,
    schema: str | None,
    min_file_size: int | None,
    max_file_size: int | None,
    max_compacted_files: int | None,
) -> OutputRows:
    with attached_catalog(target, progress) as lake:
        merged = lake.merge_adjacent_files(
            table,
            schema=schema,
            min_file_size=min_file_size,
            max_file_size=max_file_size,
            max_compacted_files=max_compacted_files,
            progress=progress,
        )
    return rows_from_dataclasses(Compacted, merged)


def rewrite_data_files(
    target: LakeTarget, progress: Progress, *, table: str | None, schema: str | None, delete_threshold: float | None
) -> OutputRows:
    with attached_catalog(target, progress) as lake:
        rewritten = lake.rewrite_data_files(table, schema=schema, delete_threshold=delete_threshold, progress=progress)
    return rows_from_dataclasses(Compacted, rewritten)


def flush_inlined_data(target: LakeTarget, progress: Progress, *, table: str | None, schema: str | None) -> OutputRows:
    with attached_catalog(target, progress) as lake:
        return rows_from_dataclasses(Flushed, lake.flush_inlined_data(table, schema=schema))


def add_data_files(
    target: LakeTarget,
    progress: Progress,
    *,
    table: str,
    files: Sequence[str],
    schema: str | None,
    allow_missing: bool,
    ignore_extra_columns: bool,
    hive_partitioning: bool | None,
    allow_duplicates: bool,
) -> OutputRows:
    with attached_catalog(target, progress) as lake:
        added = lake.add_data_files(
            table if schema is None else f"{_quote_name(schema)}.{_quote_name(table)}",
            files,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
            hive_partitioning=hive_partitioning,
            allow_duplicates=allow_duplicates,
            progress=progress,
        )
    return OutputRows(("filename",), [(path,) for path in added], "The files have no rows.")


def checkpoint(target: LakeTarget, progress: Progress) -> OutputRows:
    with attached_catalog(target, progress) as lake:
        return rows_from_dataclasses(Step, lake.checkpoint(progress=progress))


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


def _quote_name(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
