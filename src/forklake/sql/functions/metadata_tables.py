"""The metadata of an attached catalog as tables."""

import pyarrow as pa

from forklake.catalog.reading.metadata_views import metadata_rows
from forklake.catalog.transaction.transaction import Transaction
from forklake.sql.results.arrow_rows import MOMENT, arrow_rows

_TYPES = {
    "bigint": pa.int64(),
    "text": pa.string(),
    "uuid": pa.string(),
    "boolean": pa.bool_(),
    "time": MOMENT,
}


def metadata_table(tx: Transaction, name: str) -> pa.Table | None:
    """The rows of a view such as `ducklake_snapshot` for a catalog; None if there is no such view."""
    found = metadata_rows(tx.view, name)
    if found is None:
        return None
    return arrow_rows(pa.schema([(column, _TYPES[kind]) for column, kind in found.columns]), found.rows)
