"""A process that opens very many attachments or sessions; it prints seconds, KiB and connections."""

import gc
import sys
from pathlib import Path
from time import perf_counter

import psycopg

import forklake
from benchmarks.metadata.bulk_forks import bulk_fork_name


def main(what: str, url: str, number: int) -> None:
    """Open them, and read the name of the tables of each."""
    first = forklake.connect()
    first.attach(url, "warm", catalog="parent").tables()
    gc.collect()
    before, start = _resident(), perf_counter()
    kept: list[object] = []
    for i in range(number):
        session = first if what == "attachments" else forklake.connect()
        catalog = session.attach(url, f"a{i}", catalog=bulk_fork_name(i))
        assert catalog.tables() == ["events"]
        kept.append((session, catalog))
    seconds = perf_counter() - start
    gc.collect()
    print(seconds / number, (_resident() - before) / number, _connections(url))


def _resident() -> float:
    """KiB of memory of this process."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
    return float(line.split()[1])


def _connections(url: str) -> int:
    if not url.startswith("postgres:"):
        return sum(".db" in str(link.resolve()) for link in Path("/proc/self/fd").iterdir())
    with psycopg.connect(url.removeprefix("postgres:")) as session:
        own = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
        [(found,)] = session.execute(own).fetchall()
    return int(found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
