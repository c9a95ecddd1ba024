"""HTML representations of catalogs and tables for notebooks, from metadata only."""

from html import escape

import pyarrow as pa

from forklake.catalog.planning.aggregates import exact_count
from forklake.catalog.reading.table_sizes import table_sizes
from forklake.catalog.transaction.names import list_schemas
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.entities import Table
from forklake.sql.results.text_table import draw_table_as_html

_MOST_ROWS = 50


def catalog_html(tx: Transaction) -> str:
    """The tables of a catalog with their file counts and sizes."""
    schemas = {schema.object_id: schema.name for schema in list_schemas(tx)}
    rows = [
        {
            "schema": schemas.get(table.schema_id, ""),
            "table": table.name,
            "files": size.file_count,
            "bytes": size.file_size_bytes,
        }
        for table, size in table_sizes(tx.view)
    ]
    columns = {"schema": pa.string(), "table": pa.string(), "files": pa.int64(), "bytes": pa.int64()}
    tables = pa.Table.from_pylist(rows, pa.schema(list(columns.items())))
    return _with_title(f"catalog {tx.catalog.name}, snapshot {tx.base}", draw_table_as_html(tables, _MOST_ROWS))


def table_html(tx: Transaction, schema: str, table: Table) -> str:
    """The columns of a table and its row count."""
    columns = table.definition.columns
    shown = pa.table(
        {
            "column": [column.name for column in columns],
            "type": [column.type.sql() for column in columns],
            "nulls": pa.array([column.nulls_allowed for column in columns], pa.bool_()),
        }
    )
    title = f"table {schema}.{table.name}, {exact_count(tx, table):,} rows"
    return _with_title(title, draw_table_as_html(shown, len(columns)))


def _with_title(title: str, body: str) -> str:
    return f"<div><strong>{escape(title)}</strong>{body}</div>"
