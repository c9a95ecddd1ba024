"""A driver that works until it is killed: `python -m trust.drivers.driver ORDERS`, with orders as JSON.

It starts its Spark, says that it is ready, and waits for a line on its standard input: by table, what its thread has
created before. From then on every operation is in the log before it begins, and again when it was acknowledged.
"""

import json
import os
import random
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError
from trust.drivers.fate import ANY_TIME, Fate
from trust.drivers.lake import SETTINGS, TABLES, Place
from trust.drivers.operations import random_operation, run


@dataclass(frozen=True, slots=True)
class Orders:
    """What a driver is told: where to work, where to note what it does, and when it dies."""

    place: dict[str, Any]
    log: str
    seed: str
    step: str
    last: int

    def to_text(self) -> str:
        return json.dumps(asdict(self))


class Log:
    """Lines that are in the file when `note` returns, whoever dies after that."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def note(self, line: dict[str, Any]) -> None:
        # One call writes the whole line: no other thread comes in between.
        os.write(self._file, json.dumps(line).encode() + b"\n")


def work(orders: Orders, session: Session, name: str, made: list[str], log: Log) -> None:
    """What one thread does with its table, and with the tables that it made before, until the end."""
    rng = random.Random(f"{orders.seed}/{name}")
    own = session.cursor()
    lake = own.catalog(TABLES[name])
    while True:
        operation = random_operation(rng)
        log.note({"table": name, "began": operation.to_json(), "made": made[:1]})
        try:
            run(operation, own, lake, name, made)
        except ForklakeError as error:
            log.note({"table": name, "refused": operation.number, "error": f"{type(error).__name__}: {error}"})
            continue
        log.note({"table": name, "committed": operation.number})
        if operation.kind == "create":
            made.append(operation.made)
        elif operation.kind == "drop":
            made = made[1:]


def main(orders: Orders) -> None:
    log, place = Log(Path(orders.log)), Place.from_json(orders.place)
    with forklake.connect(settings=SETTINGS) as session:
        for catalog in set(TABLES.values()):
            place.attach(session, catalog).table("t0").to_spark().count()
        print("ready", flush=True)
        if not (told := sys.stdin.readline()):
            return
        made: dict[str, list[str]] = json.loads(told)
        if orders.step != ANY_TIME:
            Fate(orders.step, orders.last, random.Random(orders.seed), lambda step: log.note({"died": step})).watch()
        threads = [
            Thread(target=work, args=(orders, session, name, made.get(name, []), log), daemon=True) for name in TABLES
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main(Orders(**json.loads(sys.argv[1])))
