"""Names of new files, which no other file ever has."""

import secrets
import time
from uuid import UUID


def uuid7() -> UUID:
    """A random uuid that sorts by the millisecond it was made in."""
    milliseconds = time.time_ns() // 10**6
    high = milliseconds << 16 | 0x7000 | secrets.randbits(12)
    low = 0b10 << 62 | secrets.randbits(62)
    return UUID(int=high << 64 | low)


def data_file_name(job: str = "") -> str:
    """The name of a new data file, with the mark of the job that writes it."""
    return f"ducklake-{uuid7()}{_ending(job)}"


def new_job() -> str:
    """A mark for the files of one job."""
    return secrets.token_hex(8)


def is_of_job(path: str, job: str) -> bool:
    """Whether a file was written by a job: it has the job's mark, or is in a folder of the job's own."""
    return path.endswith(_ending(job)) or f"/{job}/" in path


def _ending(job: str) -> str:
    return f"-{job}.parquet" if job else ".parquet"
