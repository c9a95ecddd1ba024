"""Measure small work without Spark: `python -m benchmarks.small --help`."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path

import pyarrow as pa

from benchmarks.command import Command, chosen_sizes, show_run
from benchmarks.databases import Backend, Databases
from benchmarks.machine import machine_facts
from benchmarks.report import Bar, Facts, Figure, against, at_most
from benchmarks.small.engines import INLINED, OPEN, PREFIXES, Engine
from benchmarks.small.many_files import multiply_files
from benchmarks.small.writers import writers
from benchmarks.timing import measure_in_turns

PEERS = ("duckdb", "duckdb-extension-ducklake", "pyarrow")
_FIRST_ROW = """
import duckdb, sys
from tests.ducklake_oracle import connect_oracle
connection = connect_oracle("sqlite_scanner")
connection.execute(f"ATTACH 'ducklake:sqlite:{sys.argv[1]}' AS lake (DATA_PATH '{sys.argv[2]}')")
print(connection.execute("SELECT * FROM lake.orders WHERE id = 1").fetchall())
"""
_MERGE = """
MERGE INTO {table} AS t USING (SELECT {number} AS id, 'merged' AS item, 2.5 AS price) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET item = s.item WHEN NOT MATCHED THEN INSERT (id, item, price) VALUES (s.id, s.item, s.price)
"""


@dataclass(frozen=True, slots=True)
class Sizes:
    rows: int = 10_000
    """Of the table in which single rows are read and changed."""
    many_rows: int = 1_000_000
    files: int = 100_000
    """Of the table in whose first file single rows are read."""
    repeats: int = 30
    starts: int = 7
    seconds: float = 3.0
    """Of each race of writers."""
    rounds: int = 3


QUICK = Sizes(rows=1_000, many_rows=10_000, files=1_000, repeats=3, starts=1, seconds=0.3, rounds=1)


def single_rows(databases: Databases, backend: Backend, sizes: Sizes) -> Iterator[Figure]:
    """One row found, changed, deleted and added by its key, each in tables of its own."""
    rows = _orders(sizes.rows)
    insert = (rows, "INSERT INTO {table} VALUES ({number}, 'new', 1.5)", at_most(1 / 3))
    yield from _compared(
        databases,
        backend,
        {
            "one row by key": (rows, "SELECT * FROM {table} WHERE id = {number}", at_most(1)),
            "UPDATE of one row": (rows, "UPDATE {table} SET item = 'changed' WHERE id = {number}", at_most(1)),
            "MERGE of one row": (rows, _MERGE, at_most(1)),
            "DELETE of one row": (rows, "DELETE FROM {table} WHERE id = {number}", at_most(1)),
            "INSERT of one row": insert,
        },
        sizes.repeats,
    )
    yield from _compared(databases, backend, {"INSERT of one row as a file": insert}, sizes.repeats, inlined=0)


def many_files(databases: Databases, backend: Backend, sizes: Sizes) -> Iterator[Figure]:
    """One row found by its key in a table of many files."""
    rows = _orders(100)
    with ExitStack() as stack:
        actions: dict[str, Callable[[], object]] = {}
        for name, open_engine in OPEN.items():
            place, folder = databases.new_place(backend), databases.new_folder()
            with closing(open_engine(place, folder)) as engine:
                engine.load("orders", rows)
            multiply_files(place, PREFIXES[name, backend], sizes.files, rows.num_rows)
            again = stack.enter_context(closing(open_engine(place, folder)))
            assert again.run("SELECT * FROM orders WHERE id = 42") == [tuple(rows.slice(42, 1).to_pylist()[0].values())]
            actions[name] = _next(again, "SELECT * FROM {table} WHERE id = {number}", "orders", below=rows.num_rows)
        times = measure_in_turns(actions, sizes.repeats, warm_up=max(sizes.repeats // 5, 1))
        label = f"one row by key of {sizes.files:,} files : DuckLake"
        yield against("small", backend, label, times["Forklake"], times["DuckLake"], at_most(1))


def queries(databases: Databases, backend: Backend, sizes: Sizes) -> Iterator[Figure]:
    """Queries that read all rows of a table of a million."""
    rows = _orders(sizes.many_rows)
    texts = {
        "top ten": "SELECT id, price FROM {table} ORDER BY price DESC, id LIMIT 10",
        "filtered count": "SELECT count(*) FROM {table} WHERE price > 500",
        "min and max": "SELECT min(item), max(item) FROM {table} WHERE id >= 0",
        "group": "SELECT item, count(*) FROM {table} GROUP BY item ORDER BY item LIMIT 5",
    }
    statements = {name: (rows, text, at_most(2)) for name, text in texts.items()}
    yield from _compared(databases, backend, statements, max(sizes.repeats // 3, 1))


def first_row(databases: Databases, backend: Backend, sizes: Sizes) -> Iterator[Figure]:
    """From the start of a process to a row: the command line without and with Spark, and Python with DuckDB."""
    if backend != "sqlite":
        return
    places = {name: databases.new_place(backend) for name in OPEN}
    folders = {name: databases.new_folder() for name in OPEN}
    for name, open_engine in OPEN.items():
        with closing(open_engine(places[name], folders[name])) as engine:
            engine.load("orders", _orders(2))
    command = [str(Path(sys.executable).with_name("forklake")), "sql", "--lake", places["Forklake"].url]
    peer = [sys.executable, "-c", _FIRST_ROW, places["DuckLake"].address, str(folders["DuckLake"])]
    actions = {
        "Forklake": partial(_run, [*command, "-c", "SELECT * FROM orders WHERE id = 1"]),
        "Spark": partial(_run, [*command, "-c", "SELECT id % 7, sum(id) FROM orders GROUP BY 1"]),
        "DuckLake": partial(_run, peer),
    }
    times = measure_in_turns(actions, sizes.starts, warm_up=1)
    ours = times["Forklake"]
    yield Figure("first_row", backend, "process start to first row", ours.median, "s", at_most(0.7))
    yield against("first_row", backend, "process start to first row : DuckLake", ours, times["DuckLake"])
    yield Figure("first_row", backend, "process start to first row of Spark", times["Spark"].median, "s", at_most(6))


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def many_writers(databases: Databases, backend: Backend, sizes: Sizes) -> Iterator[Figure]:
    """Processes that insert single rows at the same time."""
    yield from writers(databases, backend, sizes.seconds, sizes.rounds)


def _compared(
    databases: Databases,
    backend: Backend,
    statements: Mapping[str, tuple[pa.Table, str, Bar]],
    repeats: int,
    inlined: int = INLINED,
) -> Iterator[Figure]:
    with ExitStack() as stack:
        engines: dict[str, Engine] = {
            name: stack.enter_context(
                closing(open_engine(databases.new_place(backend), databases.new_folder(), inlined))
            )
            for name, open_engine in OPEN.items()
        }
        for at, (label, (rows, text, bar)) in enumerate(statements.items()):
            table = f"t{at}"
            for engine in engines.values():
                engine.load(table, rows)
            actions = {name: _next(engine, text, table) for name, engine in engines.items()}
            times = measure_in_turns(actions, repeats, warm_up=max(repeats // 5, 1))
            answers = {name: sorted(map(str, engine.run(f"SELECT * FROM {table}"))) for name, engine in engines.items()}
            assert answers["Forklake"] == answers["DuckLake"], f"{label}: the rows differ"
            yield against("small", backend, f"{label} : DuckLake", times["Forklake"], times["DuckLake"], bar)


def _next(engine: Engine, text: str, table: str, below: int = 10**9) -> Callable[[], object]:
    numbers = count(7, 13)
    return lambda: engine.run(text.format(table=table, number=next(numbers) % below))


def _orders(rows: int) -> pa.Table:
    ids = range(rows)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "item": [f"item {number % 1000}" for number in ids],
            "price": [number * 7919 % 100_000 / 100 for number in ids],
        }
    )


BENCHMARKS = {
    "single_rows": single_rows,
    "many_files": many_files,
    "queries": queries,
    "first_row": first_row,
    "writers": many_writers,
}
BACKENDS: dict[str, tuple[Backend, ...]] = {
    "sqlite": ("sqlite",),
    "postgres": ("postgres",),
    "both": ("sqlite", "postgres"),
}


def main(arguments: Sequence[str]) -> int:
    """Run, print, write; 1 if a bar was missed or a measurement is not to be believed."""
    command = Command("small", __doc__, list(BENCHMARKS))
    command.parser.add_argument("--backend", choices=sorted(BACKENDS), default="both")
    command.add_sizes(Sizes(), QUICK)
    options = command.parse(arguments)
    sizes = chosen_sizes(options, Sizes(), QUICK)
    figures: list[Figure] = []
    with Databases() as databases:
        server = databases.server.url() if options.backend != "sqlite" else None
        facts: dict[str, Facts] = {**machine_facts(server, PEERS), "sizes": asdict(sizes)}
        for backend in BACKENDS[options.backend]:
            for name in options.only:
                figures += show_run(f"{name} on {backend}", partial(BENCHMARKS[name], databases, backend, sizes))
    return command.finish(options, figures, facts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
