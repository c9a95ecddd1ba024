"""Virtual columns, available in every table on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forklake.spark.tasks.files.write_changes import ADDRESS as ADDRESS
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

POSITION_BITS = 40
"""An address consists of the number of the file or batch in the scan, and the position of the row in it."""

FOR_USERS = ("rowid", "snapshot_id", "filename", "file_row_number")
"""Names available to users."""
VIRTUAL: Mapping[str, str] = {
    "rowid": "long",
    "snapshot_id": "long",
    "filename": "string",
    "file_row_number": "long",
    ROW_ID: "long",
    SNAPSHOT_ID: "long",
    ADDRESS: "long",
}
"""Their types in Spark. The first four are for users; the names of the others are reserved."""
ROW_IDS = frozenset({"rowid", ROW_ID})
"""The two names of the row id."""
SNAPSHOT_IDS = frozenset({"snapshot_id", SNAPSHOT_ID})
"""The two names of the snapshot in which a row was inserted."""

_SENT_ALONG = 1_000_000
"""Maximum number of ids or addresses to broadcast, sixteen bytes each."""


def broadcast_if_small(known: DataFrame, count: int) -> DataFrame:
    """Broadcasts ids or addresses of rows unless there are too many; Spark does not know their number."""
    return known.hint("broadcast") if count <= _SENT_ALONG else known
