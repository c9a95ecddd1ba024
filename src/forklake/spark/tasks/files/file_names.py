"""Unique names of new files."""

import secrets
import time
from uuid import UUID


def uuid7() -> UUID:
    """A random uuid, ordered by creation time in milliseconds."""
    milliseconds = time.time_ns() // 10**6
    high = milliseconds << 16 | 0x7000 | secrets.randbits(12)
    low = 0b10 << 62 | secrets.randbits(62)
    return UUID(int=high << 64 | low)


def data_file_name() -> str:
    """The name of a new data file."""
    return f"ducklake-{uuid7()}.parquet"
