"""Names of metadata tables, which can be queried like others."""

import pyarrow as pa

from forklake.model.names import fold
from forklake.sql.metadata_rows import metadata_table
from forklake.sql.state import SessionState
from forklake.sql.statements import Name


def find_metadata(state: SessionState, name: Name) -> pa.Table | None:
    """The rows of `__ducklake_metadata_lake.ducklake_snapshot` and the like; None for other names."""
    if len(name) < 2:
        return None
    for attachment in state.attachments:
        if fold(name[0]) == fold(attachment.metadata_name):
            return metadata_table(state, attachment, name[-1])
    return None
