"""Tables that can be put back to what they were, so that one change can be measured several times."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import count

from benchmarks.peers.engines import Engine, Rows
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.spark_engines import Delta, Iceberg

TABLE = "lineitem"


class Target(ABC):
    """The table TABLE of an engine, at a marked version or changed since."""

    def __init__(self, engine: Engine) -> None:
        self.name = engine.name
        self.engine = engine
        self._is_changed = False
        self.mark()

    def change(self, statement: str) -> None:
        """Run a statement that has `{table}` in it."""
        self._is_changed = True
        self.engine.run(statement.format(table=self.engine.table(TABLE)))

    def compact(self) -> None:
        self._is_changed = True
        self.engine.compact(TABLE)

    def answer(self, query: str) -> Rows:
        return self.engine.run(query.format(table=self.engine.table(TABLE)))

    def freshen(self) -> None:
        """Go back to the marked version, unless the table is there."""
        if self._is_changed:
            self._go_back()
        self._is_changed = False

    @abstractmethod
    def mark(self) -> None:
        """The table as it is now is what it is put back to."""

    @abstractmethod
    def _go_back(self) -> None: ...


class OnForklake(Target):
    """Every change is made in a new fork: the catalog itself stays as it was."""

    engine: Forklake

    def __init__(self, engine: Forklake) -> None:
        self._numbers = count()
        super().__init__(engine)

    def mark(self) -> None:
        self._marked = self.engine
        self._go_back()
        self._is_changed = False

    def _go_back(self) -> None:
        if self.engine is not self._marked:
            self.engine.close()
        self.engine = self._marked.fork(f"{self._marked.attachment}_{next(self._numbers)}")


class OnIceberg(Target):
    engine: Iceberg

    def mark(self) -> None:
        table = self.engine.table(TABLE)
        [[self._marked]] = self.engine.run(f"SELECT snapshot_id FROM {table}.refs WHERE name = 'main'")
        self._is_changed = False

    def _go_back(self) -> None:
        self.engine.run(f"CALL ice.system.set_current_snapshot('{self.engine.schema}.{TABLE}', {self._marked})")


class OnDelta(Target):
    engine: Delta

    def mark(self) -> None:
        self._marked = delta_version(self.engine, TABLE)
        self._is_changed = False

    def _go_back(self) -> None:
        self.engine.run(f"RESTORE TABLE {self.engine.table(TABLE)} TO VERSION AS OF {self._marked}")


Targets = Mapping[str, Target]


def delta_version(engine: Delta, table: str) -> int:
    """The number of the current version."""
    rows = engine.run(f"DESCRIBE HISTORY {engine.table(table)} LIMIT 1")
    return int(rows[0][0])


def freshen_all(targets: Targets) -> None:
    for target in targets.values():
        target.freshen()
