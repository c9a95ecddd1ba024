"""The tables and the queries of TPC-H, as DuckDB generates them."""

import re
from pathlib import Path

from benchmarks.peers.bench import Bench
from benchmarks.peers.duckdb_engine import connect_duckdb
from benchmarks.peers.engines import Engine

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
"""From the smallest to the largest."""

_FROM = re.compile(r"((?:FROM|JOIN)\s+)((?:\w+(?:\s+[a-z]\d)?,\s*)*\w+)")
"""What follows are tables with or without an alias, but for `extract(year FROM a_date)`, which names none of ours."""
_TABLE = re.compile(rf"\b({'|'.join(TABLES)})\b")


def tpch_files(bench: Bench, scale: float | None = None) -> dict[str, Path]:
    """A Parquet file for each table, made by the first who asks."""
    wanted = bench.sizes.scale if scale is None else scale
    if wanted not in bench.sources:
        bench.sources[wanted] = _generate(bench.databases.new_folder(), wanted)
    return bench.sources[wanted]


def tpch_queries() -> dict[str, str]:
    """The 22 queries by name, with `{lineitem}` for the full name of a table, as `named` puts it in."""
    with connect_duckdb("tpch") as connection:
        rows = connection.execute("SELECT query_nr, query FROM tpch_queries()").fetchall()
    return {f"q{number:02}": _with_places(query.strip().rstrip(";")) for number, query in rows}


def name_tables(query: str, engine: Engine) -> str:
    """The query on the tables of an engine, whatever is in use there."""
    return query.format_map({table: engine.table(table) for table in TABLES})


def _generate(folder: Path, scale: float) -> dict[str, Path]:
    files = {table: folder / f"{table}.parquet" for table in TABLES}
    with connect_duckdb("tpch") as connection:
        connection.execute(f"CALL dbgen(sf = {scale})")
        for table, file in files.items():
            connection.execute(f"COPY {table} TO '{file}' (FORMAT parquet)")
    return files


def _with_places(query: str) -> str:
    return _FROM.sub(lambda found: found[1] + _TABLE.sub(r"{\1}", found[2]), query)
