"""What a driver does to its table, and what that makes of the rows.

An operation has a number of its own. All but upkeep leave it in the table `seen` of the catalog, in the same
transaction: it is there if, and only if, the rest of the transaction is.
"""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import pyarrow as pa

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle

Rows = dict[int, int]

CHANGES = ("append", "few", "spark", "spark", "delete", "update", "merge", "overwrite", "several", "create", "drop")
UPKEEP = ("compact", "rewrite", "flush")
PARTS = 5
FEW, MANY = 40, 600
FIRST_ROWS: Rows = dict.fromkeys(range(200), 0)


@dataclass(frozen=True, slots=True)
class Operation:
    """What one transaction does. `number` is also the first key of the rows it brings."""

    kind: str
    number: int
    part: int

    @property
    def is_upkeep(self) -> bool:
        return self.kind in UPKEEP

    @property
    def made(self) -> str:
        """The table that it creates."""
        return f"made_{self.number}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        return cls(**found)


def random_operation(rng: random.Random) -> Operation:
    kind = rng.choice(UPKEEP) if rng.random() < 0.15 else rng.choice(CHANGES)
    return Operation(kind, rng.randrange(10**3, 2**40), rng.randrange(PARTS))


def run(operation: Operation, session: Session, lake: CatalogHandle, name: str, made: Sequence[str]) -> None:
    """Carry an operation out: one transaction, whatever it does."""
    if operation.is_upkeep:
        _keep_up(operation, lake, name)
        return
    with session.transaction():
        _change(operation, session, lake.table(name))
        if operation.kind == "create":
            table = lake.create_table(operation.made, {"id": "bigint"})
            table.append(pa.table({"id": range(FEW)}))
        elif operation.kind == "drop" and made:
            lake.drop_table(made[0])
        lake.table("seen").append([(operation.number,)])


def _keep_up(operation: Operation, lake: CatalogHandle, name: str) -> None:
    match operation.kind:
        case "compact":
            lake.merge_adjacent_files(name)
        case "rewrite":
            lake.rewrite_data_files(name, delete_threshold=0.01)
        case "flush":
            lake.flush_inlined_data(name)


def _change(operation: Operation, session: Session, table: TableHandle) -> None:
    first, part = operation.number, operation.part
    match operation.kind:
        case "append":
            table.append(_rows(first, MANY))
        case "few":
            table.append([(first, 0)])
        case "spark":
            table.append(session.spark.range(first, first + MANY, numPartitions=2).selectExpr("id", f"id - {first}L v"))
        case "delete":
            table.delete(f"id % {PARTS} = {part}")
        case "update":
            table.update({"v": "v + 1"}, where=f"id % {PARTS} = {part}")
        case "merge":
            table.merge(pa.concat_tables([_rows(0, FEW), _rows(first, FEW)]), ["id"])
        case "overwrite":
            table.overwrite(_rows(first, MANY), where=f"id % {PARTS} <> {part}")
        case "several":
            table.append(_rows(first, FEW))
            table.update({"v": "v + 1"}, where=f"id % {PARTS} = {part}")
            table.delete(f"id % {PARTS} = {(part + 1) % PARTS}")


def outcome(operation: Operation, rows: Rows) -> Rows:
    """What the operation makes of the rows."""
    first, part = operation.number, operation.part
    many = {first + n: n for n in range(MANY)}
    few = {first + n: n for n in range(FEW)}
    match operation.kind:
        case "append" | "spark":
            return rows | many
        case "few":
            return rows | {first: 0}
        case "delete":
            return {key: v for key, v in rows.items() if key % PARTS != part}
        case "update":
            return {key: v + (key % PARTS == part) for key, v in rows.items()}
        case "merge":
            return rows | {n: n for n in range(FEW)} | few
        case "overwrite":
            return {key: v for key, v in rows.items() if key % PARTS == part} | many
        case "several":
            changed = {key: v + (key % PARTS == part) for key, v in (rows | few).items()}
            return {key: v for key, v in changed.items() if key % PARTS != (part + 1) % PARTS}
    return rows


def _rows(first: int, count: int) -> pa.Table:
    return pa.table({"id": range(first, first + count), "v": range(count)})
