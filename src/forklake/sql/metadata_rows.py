"""The metadata of an attached catalog as tables."""

import pyarrow as pa

from forklake.catalog.metadata_views import metadata_rows
from forklake.sql.arrow_rows import MOMENT, arrow_rows
from forklake.sql.attachments import Attachment
from forklake.sql.state import SessionState

_TYPES = {
    "bigint": pa.int64(),
    "text": pa.string(),
    "uuid": pa.string(),
    "boolean": pa.bool_(),
    "time": MOMENT,
}


def metadata_table(state: SessionState, attachment: Attachment, name: str) -> pa.Table | None:
    """The rows of a view such as `ducklake_snapshot` about the attached catalog; None if there is no such view."""
    found = metadata_rows(state.transaction(attachment).view, name)
    if found is None:
        return None
    return arrow_rows(pa.schema([(column, _TYPES[kind]) for column, kind in found.columns]), found.rows)
