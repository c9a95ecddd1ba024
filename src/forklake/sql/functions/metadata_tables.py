"""The metadata of an attached catalog as tables, which can be queried like others."""

import pyarrow as pa

from forklake.catalog.reading.metadata_views import metadata_rows
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.names import fold
from forklake.sql.binding.names import Context, in_use, read_transaction
from forklake.sql.parsing.statements import Name
from forklake.sql.results.arrow_rows import MOMENT, arrow_rows
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState

OWN_METADATA = "__ducklake_metadata"
"""Metadata schema of the current catalog, whatever its attachment name."""
_TYPES = {
    "bigint": pa.int64(),
    "text": pa.string(),
    "uuid": pa.string(),
    "boolean": pa.bool_(),
    "time": MOMENT,
}


def find_metadata(state: SessionState, context: Context, name: Name) -> pa.Table | None:
    """The rows of `__ducklake_metadata_lake.ducklake_snapshot` and the like; None for other names."""
    attachment = metadata_owner(state, context, name)
    return None if attachment is None else metadata_table(read_transaction(state, context, attachment), name[-1])


def metadata_owner(state: SessionState, context: Context, name: Name) -> Attachment | None:
    """The catalog whose metadata a name refers to."""
    if len(name) < 2:
        return None
    for attachment in () if context.is_kept else state.attachments:
        if fold(name[0]) == fold(attachment.metadata_name):
            return attachment
    return in_use(state, context) if fold(name[0]) == OWN_METADATA else None


def metadata_table(tx: Transaction, name: str) -> pa.Table | None:
    """The rows of a view such as `ducklake_snapshot` for a catalog; None if there is no such view."""
    found = metadata_rows(tx.view, name)
    if found is None:
        return None
    return arrow_rows(pa.schema([(column, _TYPES[kind]) for column, kind in found.columns]), found.rows)
