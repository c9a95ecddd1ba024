"""The columns that every table has beside its own, for those who ask."""

from pyspark.sql import DataFrame
from pyspark.sql import types as st

from forklake.spark.tasks.files.write_changes import ADDRESS as ADDRESS
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID

POSITION_BITS = 40
"""An address says where a row is: the number of its file or batch in the scan, and its position there."""

FOR_USERS = ("rowid", "snapshot_id", "filename", "file_row_number")
"""Those that users may name."""
VIRTUAL: dict[str, st.DataType] = {
    "rowid": st.LongType(),
    "snapshot_id": st.LongType(),
    "filename": st.StringType(),
    "file_row_number": st.LongType(),
    ROW_ID: st.LongType(),
    SNAPSHOT_ID: st.LongType(),
    ADDRESS: st.LongType(),
}
"""The first four are for users; the others have names that no table can have."""
ROW_IDS = frozenset({"rowid", ROW_ID})
"""The two names of the row id."""
SNAPSHOT_IDS = frozenset({"snapshot_id", SNAPSHOT_ID})
"""The two names of the snapshot that a row came with."""

_SENT_ALONG = 1_000_000
"""Rows that are known by ids or addresses: sixteen bytes for each."""


def broadcast_if_small(known: DataFrame, count: int) -> DataFrame:
    """Ids or addresses of rows, sent to where the rows are unless they are many; Spark does not know how many."""
    return known.hint("broadcast") if count <= _SENT_ALONG else known
