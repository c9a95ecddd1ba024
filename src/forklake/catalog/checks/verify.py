"""Consistency check of the metadata of a catalog."""

from collections.abc import Iterator

from forklake.catalog.checks.checked_catalog import CheckContext, make_check_context
from forklake.catalog.checks.lineage import check_lineage
from forklake.catalog.checks.objects import CheckedObjects, check_objects, read_checked_objects
from forklake.catalog.checks.tables import check_tables
from forklake.catalog.checks.visible_table import CheckedTable
from forklake.catalog.lakes.lake import Catalog
from forklake.model.findings import Finding


def verify_metadata(catalog: Catalog) -> list[Finding]:
    """The problems in the metadata of a catalog, including inherited metadata; empty if it is consistent."""
    look = make_check_context(catalog)
    findings, tables = check_metadata(look)
    return [*findings, *(finding for _, found in tables for finding in found)]


def check_metadata(look: CheckContext) -> tuple[list[Finding], Iterator[tuple[CheckedTable, list[Finding]]]]:
    """The findings for the catalog as a whole, and an iterator over its tables with their findings."""
    objects, findings = _check_objects_twice(look)
    return [*check_lineage(look), *findings], check_tables(look, objects)


def _check_objects_twice(look: CheckContext) -> tuple[CheckedObjects, list[Finding]]:
    objects = read_checked_objects(look)
    found = list(check_objects(objects, look.kept))
    if found:
        # Expiry may have run between two statements: real problems are found again on the second read.
        objects = read_checked_objects(look)
        found = list(check_objects(objects, look.kept_now()))
    return objects, found
