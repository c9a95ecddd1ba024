"""The columns that every table has beside its own, for those who ask."""

from pyspark.sql import types as st

from forklake.spark.tasks.reserved import ROW_ID, SNAPSHOT_ID
from forklake.spark.tasks.write_changes import ADDRESS as ADDRESS

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
