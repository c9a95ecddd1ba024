"""Tables and snapshots as output rows, for commands and the prompt."""

from collections.abc import Iterable, Iterator
from typing import cast

from forklake.api.naming import split_name
from forklake.catalog.reading.table_sizes import table_sizes
from forklake.catalog.reading.view import CatalogView
from forklake.catalog.transaction.names import find_object, get_schema, get_table
from forklake.catalog.transaction.options import options_in_effect
from forklake.catalog.transaction.transaction import Transaction
from forklake.cli.output import OutputRows
from forklake.model.changes import format_changes
from forklake.model.entities import COMMENT, Table, TableDefinition, View
from forklake.model.files import TableStats
from forklake.model.ids import TableId
from forklake.model.names import quote_if_needed
from forklake.model.snapshots import Snapshot

SNAPSHOTS = ("snapshot_id", "snapshot_time", "schema_version", "changes", "author", "commit_message")
_TABLES = ("schema_name", "table_name", "kind", "rows", "files", "bytes")
_PARTS = ("part", "name", "value", "nullable", "default", "comment")
_Part = tuple[str, str, str | None, bool | None, str | None, str | None]


def listed_tables(view: CatalogView) -> OutputRows:
    """The tables and views of a catalog; bytes include data files and delete files."""
    entries = view.all_objects()
    schemas = {entry.object_id: entry.name for entry in entries if entry.kind == "schema"}
    sizes = table_sizes(view)
    stats = view.stats_of_tables([TableId(table.object_id) for table, _ in sizes])
    rows: list[tuple[str, str, str, int | None, int | None, int | None]] = []
    for table, size in sizes:
        count = stats.get(TableId(table.object_id), TableStats()).record_count
        total = size.file_size_bytes + size.delete_file_size_bytes
        rows.append((schemas[table.schema_id], table.name, "table", count, size.file_count, total))
    rows += [(schemas[e.schema_id], e.name, "view", None, None, None) for e in entries if e.kind == "view"]
    return OutputRows(_TABLES, sorted(rows), "There are no tables.")


def describe_table_or_view(tx: Transaction, name: str) -> OutputRows:
    """The definition of a table, one part per row; for a view, its query."""
    schema, table = split_name(name)
    view = find_object(tx, get_schema(tx, schema), table, "view")
    if view is not None:
        found = cast("View", view)
        return OutputRows(
            _PARTS, [("view", found.name, found.definition.sql, None, None, found.definition.tags.get(COMMENT))]
        )
    return OutputRows(_PARTS, list(_table_parts(tx, get_table(tx, schema, table))))


def _table_parts(tx: Transaction, table: Table) -> Iterator[_Part]:
    definition = table.definition
    yield "table", table.name, None, None, None, definition.tags.get(COMMENT)
    for column in definition.columns:
        kind, comment = column.type.sql(), column.tags.get(COMMENT)
        yield "column", column.name, kind, column.nulls_allowed, column.default_sql, comment
    for key in partition_texts(definition):
        yield "partition", key, None, None, None, None
    for sort in definition.sort.keys if definition.sort else ():
        yield "sort", sort.expression, f"{sort.direction} {sort.null_order.replace('_', ' ')}", None, None, None
    for key, option in sorted(options_in_effect(tx, table).items()):
        yield "option", key, option.value, None, None, f"set for the {option.scope}"


def partition_texts(definition: TableDefinition) -> Iterator[str]:
    """The partition keys in SQL syntax, such as `day(at)`."""
    names = {column.column_id: column.name for column in definition.fields()}
    for key in definition.partition.keys if definition.partition else ():
        name, transform = quote_if_needed(names[key.column_id]), key.transform
        if transform == "identity":
            yield name
        else:
            # bucket(16) becomes bucket(16, name)
            yield f"{transform[:-1]}, {name})" if transform.endswith(")") else f"{transform}({name})"


def snapshot_rows(view: CatalogView, snapshots: Iterable[Snapshot]) -> list[tuple[object, ...]]:
    """Snapshots with ids of objects replaced by names, as far as the objects still exist."""
    entries = view.all_objects()
    schemas = {entry.object_id: entry.name for entry in entries if entry.kind == "schema"}
    names = {
        str(entry.object_id): entry.name if entry.kind == "schema" else f"{schemas[entry.schema_id]}.{entry.name}"
        for entry in entries
    }
    return [
        (s.snapshot_id, s.snapshot_time, s.schema_version, _changes_text(s, names), s.author, s.commit_message)
        for s in snapshots
    ]


def _changes_text(snapshot: Snapshot, names: dict[str, str]) -> str:
    entries = (format_changes([change]) or "" for change in snapshot.changes)
    parts = (entry.partition(":") for entry in entries)
    # The only numbers that are not object ids are catalog ids.
    return ", ".join(
        f"{tag}:{subject if tag == 'forked_from' else names.get(subject, subject)}" for tag, _, subject in parts
    )
