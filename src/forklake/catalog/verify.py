"""Check the metadata of a catalog against itself."""

from collections.abc import Iterator

from forklake.catalog.checks.lineage import check_lineage
from forklake.catalog.checks.look import Look, look_at
from forklake.catalog.checks.objects import SeenObjects, check_objects, seen_objects
from forklake.catalog.checks.seen_table import SeenTable
from forklake.catalog.checks.tables import checked_tables
from forklake.catalog.lake import Catalog
from forklake.model.findings import Finding


def verify_metadata(catalog: Catalog) -> list[Finding]:
    """What is wrong with the metadata of a catalog, what it has inherited included; nothing, if it is sound."""
    look = look_at(catalog)
    findings, tables = checked_metadata(look)
    return [*findings, *(finding for _, found in tables for finding in found)]


def checked_metadata(look: Look) -> tuple[list[Finding], Iterator[tuple[SeenTable, list[Finding]]]]:
    """What is wrong with the catalog as a whole, and then its tables one by one, each with what is wrong with it."""
    objects, findings = _checked_objects(look)
    return [*check_lineage(look), *findings], checked_tables(look, objects)


def _checked_objects(look: Look) -> tuple[SeenObjects, list[Finding]]:
    objects = seen_objects(look)
    found = list(check_objects(objects, look.kept))
    if found:
        # Expiry may have come between two statements: what is really wrong is wrong when it is read again.
        objects = seen_objects(look)
        found = list(check_objects(objects, look.kept_now()))
    return objects, found
