"""Reading a fork of a fork of a fork, each of which has written."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial

from pyspark.sql import functions as F

from benchmarks.databases import Backend
from benchmarks.metadata.tables import scan
from benchmarks.peers.bench import Bench
from benchmarks.peers.rows import write_rows
from benchmarks.report import Figure, against
from benchmarks.timing import measure_in_turns
from forklake.api.catalog import CatalogHandle
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.open_lake import open_lake

NAME = "branching"
DEPTHS = (1, 10, 100, 1_000)
_READ, _WRITTEN = "read", "written"
_PUBLISHED = "; others' penalties, published by BranchBench: 5 to 4,000 times"


def depths(bench: Bench, backend: Backend) -> Iterator[Figure]:
    """A table that all levels inherit, through Spark and in the metadata alone, against the root's."""
    engine = bench.forklake(backend)
    engine.load(_READ, write_rows(bench.databases.new_folder() / "read.parquet", bench.sizes.lookup_rows))
    engine.create(_WRITTEN, {"id": "BIGINT"})
    chain = {0: engine.catalog, **_chain(engine.catalog, bench.sizes.depth)}
    expected = _read(engine.catalog)
    for depth, handle in chain.items():
        if _read(handle) != expected or handle.table(_WRITTEN).count() != depth:
            raise AssertionError(f"the fork at depth {depth} does not see what it should")
    rounds = 3 * bench.sizes.small_rounds
    reads = measure_in_turns({str(depth): partial(_read, handle) for depth, handle in chain.items()}, rounds)
    with closing(open_lake(engine.place.url)) as lake:
        catalogs = {depth: find_catalog(lake, handle.name) for depth, handle in chain.items()}
        plans = measure_in_turns(
            {str(d): partial(scan, catalog, _READ) for d, catalog in catalogs.items()}, 10 * rounds
        )
    for depth in list(chain)[1:]:
        figure = against(NAME, backend, f"read at depth {depth:,} : of the root", reads[str(depth)], reads["0"])
        more = _PUBLISHED if depth == max(chain) else ""
        yield Figure(NAME, backend, figure.name, figure.value, "x", None, figure.detail + more)
        yield against(NAME, backend, f"the metadata's part at depth {depth:,}", plans[str(depth)], plans["0"])


def _chain(root: CatalogHandle, deepest: int) -> dict[int, CatalogHandle]:
    """Forks at the depths that are measured; every level has a row of its own in another table."""
    found, above = {}, root
    for level in range(1, deepest + 1):
        above = above.fork(f"level-{level}")
        above.table(_WRITTEN).append([(level,)])
        if level in DEPTHS:
            found[level] = above
    return found


def _read(catalog: CatalogHandle) -> list[tuple[object, ...]]:
    rows = catalog.table(_READ).to_spark()
    return [tuple(row) for row in rows.agg(F.count("*"), F.sum("id"), F.max("amount")).collect()]
