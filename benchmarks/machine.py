"""What a measurement ran on: without it a number says little."""

import hashlib
import os
import platform
import sqlite3
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psycopg

import forklake
from benchmarks.report import Facts
from benchmarks.timing import measure_in_turns

_FSYNCS = 100


def source_digest() -> str:
    """Changes whenever the code under measurement does."""
    package = Path(forklake.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(path for path in package.rglob("*") if path.suffix in (".py", ".sql")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def machine_facts(postgres_url: str | None, packages: Sequence[str]) -> dict[str, Facts]:
    """The machine and the versions of everything that was measured."""
    versions: dict[str, str] = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    if postgres_url is not None:
        versions["postgres"] = _postgres_version(postgres_url)
    versions |= {name: version(name) for name in ("forklake", "psycopg", *packages)}
    versions["source"] = source_digest()
    return {
        "machine": {
            "date": datetime.now(tz=UTC).date().isoformat(),
            "cores": len(os.sched_getaffinity(0)),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
            "system": f"{platform.system()} {platform.machine()}",
            "fsync_us": round(_fsync_seconds() * 1e6),
            "load_at_start": round(os.getloadavg()[0], 1),
        },
        "versions": versions,
    }


def _postgres_version(url: str) -> str:
    with psycopg.connect(url) as connection:
        return connection.info.parameter_status("server_version") or "unknown"


def _fsync_seconds() -> float:
    """What the disk asks for making a page durable: the floor under every commit."""
    with tempfile.TemporaryDirectory(prefix="forklake-fsync-") as folder, (Path(folder) / "page").open("wb") as page:

        def write() -> None:
            page.seek(0)
            page.write(b"x" * 8192)
            page.flush()
            os.fdatasync(page.fileno())

        return measure_in_turns({"fsync": write}, _FSYNCS)["fsync"].median
