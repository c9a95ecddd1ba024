"""Compares what drivers have left with what they were told: nothing lost, nothing twice, nothing by half."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forklake.api.catalog import CatalogHandle
from forklake.errors import ForklakeError
from tests.spark.every_snapshot import named_files, parquet_files
from trust.drivers.lake import TABLES, Place
from trust.drivers.operations import FIRST_ROWS, Operation, Rows, outcome


@dataclass(frozen=True, slots=True)
class Begun:
    """An operation of which nobody was told how it ended, or that it has."""

    operation: Operation
    dropped: tuple[str, ...]
    """What it drops, if that is what it does."""


@dataclass(slots=True)
class Expected:
    """What a table must hold, and what its thread has left elsewhere in the catalog."""

    rows: Rows = field(default_factory=lambda: dict(FIRST_ROWS))
    numbers: set[int] = field(default_factory=set)
    made: list[str] = field(default_factory=list)
    under_way: Begun | None = None

    def after(self, begun: Begun) -> "Expected":
        """The same when the operation has happened."""
        operation = begun.operation
        made = [name for name in self.made if name not in begun.dropped or operation.kind != "drop"]
        made += [operation.made] if operation.kind == "create" else []
        numbers = self.numbers if operation.is_upkeep else self.numbers | {operation.number}
        return Expected(outcome(operation, self.rows), numbers, made)

    def is_as(self, rows: Rows, numbers: set[int], made: set[str]) -> bool:
        return self.rows == rows and self.numbers == numbers and set(self.made) == made


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of one driver."""

    transactions: int
    """That were begun, whatever became of them."""
    committed: int
    died: str | None
    """At which step, if it got to one."""
    orphans: int
    made: dict[str, list[str]]
    found: list[str]


class Checker:
    """Knows what every table must hold; checks it after each driver, with a Spark of its own."""

    def __init__(self, place: Place, lakes: dict[str, CatalogHandle]) -> None:
        self._place, self._lakes = place, lakes
        self._expected = {name: Expected() for name in TABLES}

    def check(self, log: Path) -> Checked:
        """Take in what a driver has noted, and look at everything that it has left."""
        transactions, died, found = self._take_in(log)
        committed = sum(len(expected.numbers) for expected in self._expected.values())
        for catalog in self._lakes:
            found += self._checked_rows(catalog)
        unknown = parquet_files(self._place.folder) - named_files(self._lakes["main"]._attachment.lake)
        found += self._checked_files(unknown)
        made = {name: expected.made for name, expected in self._expected.items()}
        return Checked(transactions, committed, died, len(unknown), made, [f"{log.name}: {each}" for each in found])

    def _take_in(self, log: Path) -> tuple[int, str | None, list[str]]:
        transactions, died, found = 0, None, list[str]()
        for line in map(json.loads, log.read_text().splitlines() if log.exists() else []):
            if "died" in line:
                died = str(line["died"])
                continue
            expected = self._expected[line["table"]]
            if "began" in line:
                transactions += 1
                expected.under_way = Begun(Operation.from_json(line["began"]), tuple(line["made"]))
            elif "committed" in line and expected.under_way is not None:
                self._expected[line["table"]] = expected.after(expected.under_way)
            else:
                expected.under_way = None
                found += [] if line["error"].startswith("CommitConflict") else [f"An operation failed: {line}"]
        return transactions, died, found

    def _checked_rows(self, catalog: str) -> Iterator[str]:
        """Every table of a catalog is as it was before an operation that was under way, or as it is after it."""
        lake = self._lakes[catalog]
        names = [name for name, of in TABLES.items() if of == catalog]
        numbers = lake.table("seen").scan().to_arrow()["number"].to_pylist()
        if len(numbers) != len(set(numbers)):
            yield f"A transaction is in {catalog} twice: {sorted(numbers)}"
        made = {name for name in lake.tables() if name.startswith("made_")}
        for name in names:
            found = lake.table(name).scan().fetchall()
            if len(found) != len(dict(found)) or len(found) != lake.table(name).count():
                yield f"Rows of {catalog}.{name} are there twice, or are counted wrong."
            yield from self._settle(name, dict(found), set(numbers), made)
        known: dict[str, set[Any]] = defaultdict(set)
        for name in names:
            known["numbers"] |= self._expected[name].numbers
            known["made"] |= set(self._expected[name].made)
        if known["numbers"] != set(numbers) or known["made"] != made:
            yield f"{catalog} has transactions or tables of nobody, or lacks some: {set(numbers) ^ known['numbers']}"

    def _settle(self, name: str, rows: Rows, numbers: set[int], made: set[str]) -> Iterator[str]:
        """Find out which of the two it is, and go on from there."""
        expected = self._expected[name]
        possible = [expected]
        if expected.under_way is not None:
            possible.append(expected.after(expected.under_way))
        mine = {n for each in possible for n in each.numbers}
        names = {n for each in possible for n in each.made}
        fitting = [each for each in possible if each.is_as(rows, numbers & mine, made & names)]
        if not fitting:
            first = expected.rows
            yield (
                f"Table {name} holds what no order of events explains, after {expected.under_way}: {len(rows)} rows"
                f" instead of {len(first)}, sum {sum(rows.values())} instead of {sum(first.values())},"
                f" transactions missing {sorted(expected.numbers - numbers)}."
            )
        self._expected[name] = fitting[-1] if fitting else Expected(rows, numbers & mine, sorted(made & names))
        self._expected[name].under_way = None

    def _checked_files(self, unknown: set[str]) -> Iterator[str]:
        """Orphans are all that is left over, and go when they are told to."""
        told: set[str] = set()
        for catalog, lake in self._lakes.items():
            findings = lake.verify(deep=True)
            told |= {self._relative(found.path or "") for found in findings if found.problem == "unknown_file"}
            yield from (f"verify of {catalog}: {found}" for found in findings if found.problem != "unknown_file")
        if told != unknown:
            yield f"verify does not name the orphans as they are: {sorted(told ^ unknown)}"
        gone = {path for lake in self._lakes.values() for path in lake.delete_orphaned_files(cleanup_all=True)}
        deleted = {self._relative(path) for path in gone if not Path(path).name.startswith(".")}
        if deleted != unknown:
            yield f"delete_orphaned_files deleted other files than the orphans: {sorted(deleted ^ unknown)}"
        for catalog, lake in self._lakes.items():
            yield from (f"verify of {catalog} after the orphans went: {found}" for found in lake.verify(deep=True))

    def _relative(self, path: str) -> str:
        return path.removeprefix("file://").removeprefix(f"{self._place.data.rstrip('/')}/")


def explain_failures(check: "Checker", log: Path) -> Checked:
    """The same; a reader that fails has found something."""
    try:
        return check.check(log)
    except ForklakeError as error:
        return Checked(0, 0, None, 0, {}, [f"{log.name}: reading failed with {type(error).__name__}: {error}"])
