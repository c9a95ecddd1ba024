"""The eight tables of TPC-H in a lake of ours, as files that are registered and not copied."""

from benchmarks.peers.bench import Bench
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.tpch_data import tpch_files
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.planning.aggregates import exact_count
from forklake.catalog.transaction.names import list_tables
from forklake.catalog.transaction.transaction import begin

CATALOG = "main"
Counts = dict[str, int]


def register_tables(bench: Bench, engine: Forklake) -> None:
    """Create the tables with the columns of their files, and add the files where they are."""
    for name, source in tpch_files(bench).items():
        engine.run(f"CREATE TABLE {engine.table(name)} AS SELECT * FROM parquet.`{source}` WHERE false")
        engine.catalog.add_data_files(name, str(source))


def table_counts(lake: Lake, catalog: str) -> Counts:
    """The rows of every table that a catalog has."""
    tx = begin(find_catalog(lake, catalog))
    return {table.name: exact_count(tx, table) for table in list_tables(tx, "main")}
