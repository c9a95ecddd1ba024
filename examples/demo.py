"""A lake in about a minute: `make demo`, or `python -m examples.demo --help`.

Loads a shop's data on Spark, forks it for three agents that each change it in their own way, and shows that none of
them notices the others. Everything goes into a folder, which is deleted at the end unless `--keep` says otherwise.
"""

import argparse
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import forklake
from forklake import CatalogHandle, Session

T = TypeVar("T")
ITEMS = ["pen", "ink", "paper", "card", "nib", "tape", "glue", "book"]
TASKS = 12
"""Tasks that make a table, at least: so many steps a bar has."""
COUNTRIES = ["DE", "FR", "PL", "ES", "IT", "NL", "SE", "AT"]

console = Console(highlight=False)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000, help="orders to make, default 2,000,000")
    parser.add_argument("--folder", type=Path, help="a new folder for the lake; a temporary one by default")
    parser.add_argument("--keep", action="store_true", help="leave the lake there")
    options = parser.parse_args()
    if options.folder is not None and options.folder.exists():
        # It is deleted at the end.
        parser.error(f"{options.folder} is there already; give a new folder")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="forklake-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    console.print(
        f"This makes {2 * options.rows:,} rows, forks them for {len(AGENTS)} agents, and compares what they do."
    )
    console.print(f"With 4,000,000 rows it takes about a minute and 70 MB, in {folder}.")
    began = perf_counter()
    try:
        with forklake.connect() as session:
            tour(session, folder, options.rows)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    console.print(f"\n[bold]That took {perf_counter() - began:.0f} s.[/]")
    what_next(folder if options.keep else None)
    return 0


def tour(session: Session, folder: Path, rows: int) -> None:
    """Everything, one step after the other."""
    target = f"ducklake:{folder / 'lake.db'}"
    say("1", "A lake is a metadata database, here a SQLite file, and a folder of Parquet files.")
    lake = step(
        "create the lake",
        lambda: session.attach(
            target, "shop", catalog="shop", data_path=str(folder / "data"), create_if_not_exists=True
        ),
    )
    step("start Spark, which only rows need", lambda: session.spark)
    load(session, lake, rows)
    agents = fork(lake)
    change(agents)
    compare(lake, agents)
    travel(lake, agents["pricing"])
    follow(agents["pricing"])
    clean_up(lake)


def load(session: Session, lake: CatalogHandle, rows: int) -> None:
    say("2", f"A shop: customers, {rows:,} orders and as many events, made here by Spark.")
    made: dict[str, tuple[DataFrame, dict[str, Any]]] = {
        "customers": (customers(session, max(1, rows // 20)), {}),
        "orders": (orders(session, rows), {"sorted_by": "day"}),
        "events": (events(session, rows), {"partitioned_by": "kind"}),
    }
    for name, (frame, layout) in made.items():
        write = partial(lake.create_table_as, name, frame, **layout)
        step(f"write {name}", write, spark_progress(session, f"write {name}"))
    counted = step("count all of it, from the metadata", lambda: {name: lake.table(name).count() for name in made})
    console.print("   " + ", ".join(f"{count:,} {name}" for name, count in counted.items()))


def fork(lake: CatalogHandle) -> dict[str, CatalogHandle]:
    say("3", "Every agent gets a private, writable copy of everything. No file is copied.")
    return {name: step(f"fork for the agent '{name}'", partial(lake.fork, name)) for name in AGENTS}


def raise_prices(agent: CatalogHandle) -> str:
    changed = agent.table("orders").update({"price": "CAST(price * 1.1 AS DECIMAL(10,2))"}, where="item = 'ink'")
    return f"made ink a tenth dearer in {changed:,} orders"


def forget_customers(agent: CatalogHandle) -> str:
    gone = agent.table("customers").delete("country = 'SE'")
    agent.table("orders").delete("customer % 100 = 7")
    return f"deleted {gone:,} customers, and orders of some others"


def add_features(agent: CatalogHandle) -> str:
    agent.table("customers").add_column("score", "double", default="0.5")
    agent.drop_table("events")
    return "added a column to customers, and dropped all events"


AGENTS: dict[str, Callable[[CatalogHandle], str]] = {
    "pricing": raise_prices,
    "privacy": forget_customers,
    "features": add_features,
}


def change(agents: dict[str, CatalogHandle]) -> None:
    say("4", "Each agent does something else to its copy.")
    for name, agent in agents.items():
        console.print(f"   [dim]{name}[/] {step(f'let {name} work', partial(AGENTS[name], agent))}")


def compare(lake: CatalogHandle, agents: dict[str, CatalogHandle]) -> None:
    say("5", "Nobody sees what the others did, least of all the shop.")
    table = Table("catalog", "orders", "customers", "tables", "price of ink", "columns of customers", box=None)
    everybody = {"shop": lake, **agents}
    facts = step("ask all four", lambda: {name: _facts(catalog) for name, catalog in everybody.items()})
    for name, cells in facts.items():
        table.add_row(name, *cells)
    console.print(table)


def _facts(catalog: CatalogHandle) -> tuple[str, ...]:
    ink = catalog.table("orders").to_spark().where("item = 'ink'").agg(F.round(F.avg("price"), 2)).collect()[0][0]
    return (
        f"{catalog.table('orders').count():,}",
        f"{catalog.table('customers').count():,}",
        str(len(catalog.tables())),
        str(ink),
        str(len(catalog.table("customers").columns)),
    )


def travel(lake: CatalogHandle, agent: CatalogHandle) -> None:
    say("6", "Every commit is a snapshot, and a fork has the history of its parent too.")
    history = agent.snapshots()
    own = len(history) - len(lake.snapshots())
    console.print(f"   [dim]pricing[/] can travel to {len(history)} snapshots, {own} of its own")
    before = history[-2].snapshot_id
    then = step(
        f"read the orders of pricing at snapshot {before}",
        lambda: agent.table("orders").to_spark(version=before).where("item = 'ink'").agg(F.avg("price")).collect(),
    )
    console.print(f"   ink cost {then[0][0]:.2f} on average then")


def follow(agent: CatalogHandle) -> None:
    say("7", "What changed is a question to the lake: the change feed of the last commit of pricing.")
    head = agent.snapshots()[-1].snapshot_id
    changes = agent.table("orders").changes(head, head).to_spark()
    kinds = step("read the change feed", changes.groupBy("change_type").count().orderBy("change_type").collect)
    console.print("   " + ", ".join(f"{row[1]:,} {row[0]}" for row in kinds))


def clean_up(lake: CatalogHandle) -> None:
    say("8", "An agent that is done is dropped. What only it could see is freed, and nothing else.")
    for name in AGENTS:
        report = step(f"drop {name}", partial(lake.drop_catalog, name))
        console.print(f"   frees {report.files_freed} files, {report.bytes_freed / 1e6:.1f} MB")
    gone = step("delete these files", lambda: lake.cleanup_dropped_catalogs(cleanup_all=True))
    console.print(f"   {len(gone)} files are gone; the shop still has {lake.table('orders').count():,} orders")
    findings = step("check the lake against its files", lambda: lake.verify(deep=True))
    console.print(f"   {len(findings)} problems found")


def customers(session: Session, rows: int) -> DataFrame:
    return session.spark.range(0, rows, 1, TASKS).select(
        F.col("id"),
        F.concat(F.lit("customer "), F.col("id")).alias("name"),
        pick(COUNTRIES, "id", 1).alias("country"),
        F.date_add(F.lit("2020-01-01").cast("date"), (F.hash("id") % 1000).cast("int")).alias("since"),
    )


def orders(session: Session, rows: int) -> DataFrame:
    ids = session.spark.range(0, rows, 1, TASKS)
    return ids.select(
        F.col("id"),
        F.pmod(F.xxhash64("id"), F.lit(max(1, rows // 20))).alias("customer"),
        pick(ITEMS, "id", 2).alias("item"),
        (F.pmod(F.hash("id"), F.lit(9)) + 1).cast("int").alias("quantity"),
        (F.pmod(F.xxhash64("id", F.lit(3)), F.lit(9900)) / 100 + 1).cast("decimal(10,2)").alias("price"),
        F.date_add(F.lit("2025-01-01").cast("date"), (F.col("id") * 365 / rows).cast("int")).alias("day"),
    )


def events(session: Session, rows: int) -> DataFrame:
    return session.spark.range(0, rows, 1, TASKS).select(
        F.col("id"),
        pick(["view", "cart", "buy"], "id", 4).alias("kind"),
        F.pmod(F.xxhash64("id", F.lit(5)), F.lit(max(1, rows // 20))).alias("customer"),
        F.timestamp_seconds(F.lit(1_735_689_600) + F.col("id") * 31_536_000 / rows).alias("at"),
    )


def pick(values: list[str], column: str, seed: int) -> Column:
    chosen = F.pmod(F.xxhash64(column, F.lit(seed)), F.lit(len(values))).cast("int")
    return F.element_at(F.array(*map(F.lit, values)), chosen + 1)


def say(number: str, text: str) -> None:
    console.print(f"\n[bold cyan]{number}[/] [bold]{text}[/]")


def step(what: str, action: Callable[[], T], shown: AbstractContextManager[object] | None = None) -> T:
    """Do something, show meanwhile that it goes on, and tell how long it took."""
    began = perf_counter()
    with shown or console.status(f"   {what} …"):
        result = action()
    seconds = perf_counter() - began
    took = f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
    console.print(f"   {what} [green]{took}[/]")
    return result


@contextmanager
def spark_progress(session: Session, what: str) -> Iterator[None]:
    """A bar for the tasks that Spark has done, as long as it works."""
    columns = (TextColumn("   {task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task, is_done = bar.add_task(f"{what} …", total=None), Event()
        watcher = Thread(target=_follow_tasks, args=(session, bar, task, is_done), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            is_done.set()
            watcher.join()


def _follow_tasks(session: Session, bar: Progress, task: TaskID, is_done: Event) -> None:
    tracker = session.spark.sparkContext.statusTracker()
    while not is_done.wait(0.2):
        found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        stages = [stage for stage in found if stage is not None]
        if stages:
            done = sum(stage.numCompletedTasks for stage in stages)
            bar.update(task, total=sum(stage.numTasks for stage in stages), completed=done)


def what_next(folder: Path | None) -> None:
    console.print("\n[bold]Three things to try[/]")
    for number, (what, command) in enumerate(things_to_try(folder), start=1):
        console.print(f"   {number}. {what}")
        console.print(f"      [cyan]{command}[/]", soft_wrap=True)


def things_to_try(folder: Path | None) -> list[tuple[str, str]]:
    """What each of them is for, and its command."""
    if folder is None:
        return [
            ("Leave the lake there, to look around in it", "make demo ARGS=--keep"),
            ("Make a lake of your own", ".venv/bin/forklake init --lake my_lake.db"),
            ("Type SQL; .help says what the prompt knows", ".venv/bin/forklake sql --lake my_lake.db"),
        ]
    target = f"--lake {shlex.quote(str(folder / 'lake.db'))} --catalog shop"
    count = '"SELECT item, count(*) AS orders FROM orders GROUP BY item"'
    return [
        ("Query the shop", f".venv/bin/forklake sql {target} {count}"),
        ("Fork it once more, for yourself", f".venv/bin/forklake fork mine {target}"),
        ("See what has happened to it", f".venv/bin/forklake snapshots {target}"),
    ]


if __name__ == "__main__":
    sys.exit(main())
