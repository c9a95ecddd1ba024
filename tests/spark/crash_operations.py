"""Operations on a table until somebody kills the process: `python -m tests.spark.crash_operations PLACE LOG SEED`.

What is about to happen goes to a log before it happens, and that it is committed afterwards; both are on disk before
the work goes on. The same operations on a dictionary tell what the table should hold.
"""

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import forklake
from forklake.api.session import Session
from forklake.api.table import TableHandle
from tests.spark.conftest import SETTINGS

Rows = dict[int, int]
Operation = dict[str, Any]

KINDS = ["append", "inline", "delete", "update", "merge", "overwrite", "several"]


def new_operation(rng: random.Random, kind: str) -> Operation:
    return {"kind": kind, "from": rng.randrange(1, 2**40), "part": rng.randrange(5)}


def run(operation: Operation, session: Session, table: TableHandle) -> None:
    """Carry out an operation on the table."""
    first, part = operation["from"], operation["part"]
    match operation["kind"]:
        case "append":
            table.append(_new_rows(session, first))
        case "inline":
            table.append([(first, 1)])
        case "delete":
            table.delete(f"id % 5 = {part}")
        case "update":
            table.update({"v": "v + 1"}, where=f"id % 5 = {part}")
        case "merge":
            known = table.to_spark().where(f"id % 5 = {part}").selectExpr("id", "-1L AS v")
            table.merge(known.union(_new_rows(session, first)), ["id"])
        case "overwrite":
            table.overwrite(_new_rows(session, first), where=f"id % 5 <> {part}")
        case "several":
            with session.transaction():
                table.append(_new_rows(session, first))
                table.update({"v": "v + 1"}, where=f"id % 5 = {part}")
                table.delete(f"id % 5 = {(part + 1) % 5}")


def outcome(operation: Operation, rows: Rows) -> Rows:
    """What the operation makes of the rows."""
    first, part = operation["from"], operation["part"]
    new = {first + n: n for n in range(1000)}
    match operation["kind"]:
        case "append":
            return rows | new
        case "inline":
            return rows | {first: 1}
        case "delete":
            return {key: v for key, v in rows.items() if key % 5 != part}
        case "update":
            return {key: v + (key % 5 == part) for key, v in rows.items()}
        case "merge":
            return {key: -1 if key % 5 == part else v for key, v in rows.items()} | new
        case "overwrite":
            return {key: v for key, v in rows.items() if key % 5 == part} | new
    updated = outcome({**operation, "kind": "update"}, rows | new)
    return outcome({**operation, "kind": "delete", "part": (part + 1) % 5}, updated)


def _new_rows(session: Session, first: int) -> Any:
    return session.spark.range(first, first + 1000, numPartitions=2).selectExpr("id", f"id - {first}L AS v")


def main(place: dict[str, Any], log: Path, seed: int) -> None:
    rng = random.Random(seed)
    with forklake.connect(settings=SETTINGS) as session, log.open("a") as file:

        def note(line: object) -> None:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

        table = session.attach(name="lake", catalog="main", **place).table("t")
        table.to_spark().count()
        note("ready")
        while True:
            for kind in rng.sample(KINDS, len(KINDS)):
                operation = new_operation(rng, kind)
                note(operation)
                run(operation, session, table)
                note("committed")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
