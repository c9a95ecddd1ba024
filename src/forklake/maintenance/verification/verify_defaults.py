"""Checks whether columns can hold their defaults, which are stored as text."""

from collections.abc import Iterator

from forklake.catalog.checks.visible_table import CheckedTable
from forklake.errors import InvalidInput
from forklake.model.column_tree import path_text
from forklake.model.entities import Column
from forklake.model.findings import Finding
from forklake.model.lineage import NO_LIMIT
from forklake.spark.values.check_default import check_default


def check_defaults(table: CheckedTable) -> Iterator[Finding]:
    """The defaults in the newest definition of a table that columns cannot hold."""
    if not table.definitions or table.dropped != NO_LIMIT:
        return
    version = max(table.definitions)
    for path, column in table.definitions[version].leaves():
        for text in _literal_defaults(column):
            try:
                check_default(text, column)
            except InvalidInput as error:
                yield Finding("bad_default", table.name, None, version, f"Column {path_text(path)}: {error}")


def _literal_defaults(column: Column) -> set[str]:
    for_new_rows = None if column.default_value_type == "expression" else column.default_value
    return {text for text in (column.initial_default, for_new_rows) if text is not None}
