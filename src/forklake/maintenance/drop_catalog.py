"""Drop a catalog, and report the effect on its files."""

from collections.abc import Callable

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.retention.file_holders import DropReport, drop_report


def drop_catalog(lake: Lake, drop: Callable[[str], None], catalog_name: str, *, dry_run: bool = False) -> DropReport:
    """Drop a catalog, and report the effect on files; a dry run only reports."""
    report = drop_report(lake, catalog_name)
    if not dry_run:
        drop(catalog_name)
    return report
