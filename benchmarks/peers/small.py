"""Small work: where it is not rows but the way to them that costs."""

from collections.abc import Iterator

from benchmarks.peers.bench import Bench
from benchmarks.peers.many_planned import planning
from benchmarks.peers.small_commits import commits
from benchmarks.peers.small_ddl import definitions
from benchmarks.peers.small_reads import reads, time_travel
from benchmarks.report import Figure

_PARTS = (commits, definitions, reads, time_travel, planning)


def small(bench: Bench) -> Iterator[Figure]:
    """Commits of one row, definitions, lookups, time travel, and planning of very many files."""
    for part in _PARTS:
        yield from part(bench)
