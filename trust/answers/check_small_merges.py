"""Small MERGEs: carried out by the driver as by Spark, or left to Spark."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from trust.answers.check_small import SmallStatements
from trust.answers.check_small_changes import SmallChangeCheck
from trust.answers.kinds import Column
from trust.answers.tables import KEY, MadeTable

CARRIED_OUT = "merges carried out by the driver"
LEFT = "merges left to Spark"
_COMPARISONS = ("=", "=", "<>", "<", ">=")
_KEYS = ("text", "int", "small", "big", "date", "ts", "ntz", "bool", "dec2", "dec4", "wide")
"""Kinds of columns by which the driver joins."""


@dataclass(slots=True)
class SmallMergeCheck(SmallChangeCheck):
    """Judges MERGEs in the same way. Rows that a transaction has inserted have no row ids yet."""

    carried_out: ClassVar[str] = CARRIED_OUT
    left: ClassVar[str] = LEFT

    def statement(self, rng: random.Random, table: MadeTable) -> str:
        return SmallMerges(rng, table, self.subject.tables, self.dialect).merge()


@dataclass(slots=True)
class SmallMerges:
    """Makes MERGEs into one table, most of which the driver can carry out."""

    rng: random.Random
    table: MadeTable
    tables: Sequence[MadeTable]
    dialect: str

    def merge(self) -> str:
        key = self._key()
        others = [column for column in self._plain() if column != key]
        source = [key, *self.rng.sample(others, min(len(others), self.rng.randint(0, 4)))]
        on = [f"t.{key.name} = s.{key.name}"]
        if self.rng.random() < 0.2:
            on.append(self._condition(source, "matched"))
        clauses = [self._clause(source) for _ in range(self.rng.choice((1, 1, 2, 3)))]
        self.rng.shuffle(on)
        return (
            f"MERGE INTO {self.table.name} AS t USING {self._source(source)} ON {' AND '.join(on)} {' '.join(clauses)}"
        )

    def _key(self) -> Column:
        """Mostly the unique column: by others, several rows often match one."""
        [unique] = [column for column in self.table.columns if column.name == KEY]
        compared = [column for column in self._plain() if column.kind in _KEYS]
        return unique if self.rng.random() < 0.6 else self.rng.choice(compared * 5 + self._plain())

    def _plain(self) -> list[Column]:
        return [column for column in self.table.columns if column.family not in ("struct", "list", "map", "bin")]

    def _statements(self, table: MadeTable) -> SmallStatements:
        return SmallStatements(self.rng, table, self.dialect)

    def _source(self, columns: Sequence[Column]) -> str:
        chance = self.rng.random()
        if chance < 0.35:
            rows = ", ".join(
                f"({', '.join(map(self._literal, columns))})" for _ in range(self.rng.choice((1, 2, 3, 6)))
            )
            names = ", ".join(column.name for column in columns)
            return f"(VALUES {rows}) AS s({names})" if chance < 0.2 else f"(VALUES {rows} AS v({names})) AS s"
        if chance < 0.5:
            return f"(SELECT {', '.join(f'{self._literal(column)} AS {column.name}' for column in columns)}) AS s"
        other = self.rng.choice(self.tables)
        shown = [f"{self._of_kind(other, column).name} AS {column.name}" for column in columns]
        where = f" WHERE {self._statements(other).where()}" if self.rng.random() < 0.35 else ""
        return f"(SELECT {', '.join(shown)} FROM {other.name}{where}) AS s"

    def _of_kind(self, other: MadeTable, column: Column) -> Column:
        """A column of another table, of the same type if it has one."""
        if column.name == KEY and self.rng.random() < 0.9:
            return column
        same = [each for each in other.columns if each.kind == column.kind]
        return self.rng.choice(same or [each for each in other.columns if each.family == column.family] or [column])

    def _literal(self, column: Column) -> str:
        if column.name == KEY and self.rng.random() < 0.8:
            return str(self.rng.randint(1, 60))
        return self._statements(self.table).value(column)

    def _clause(self, source: Sequence[Column]) -> str:
        when = self.rng.choice(("matched", "matched", "matched", "not matched", "not matched", "not matched by source"))
        condition = f" AND {self._condition(source, when)}" if self.rng.random() < 0.6 else ""
        return f"WHEN {when.upper()}{condition} THEN {self._action(source, when)}"

    def _action(self, source: Sequence[Column], when: str) -> str:
        chance = self.rng.random()
        if when == "not matched":
            if chance < 0.3:
                return "INSERT *"
            columns = self.rng.sample(list(self.table.columns), self.rng.randint(1, 4))
            values = ", ".join(self._value(column, source, when) for column in columns)
            return f"INSERT ({', '.join(column.name for column in columns)}) VALUES ({values})"
        if chance < 0.2:
            return "DELETE"
        if chance < 0.25:
            return "DO NOTHING"
        if chance < 0.4 and when == "matched":
            return "UPDATE SET *"
        columns = self.rng.sample(list(self.table.columns), self.rng.randint(1, 3))
        return f"UPDATE SET {', '.join(f'{column.name} = {self._value(column, source, when)}' for column in columns)}"

    def _value(self, column: Column, source: Sequence[Column], when: str) -> str:
        """What a clause sets a column to: mostly a value of its kind."""
        known = self._known(source, when)
        alike = [each for each in known if each.kind == column.kind] or [
            each for each in known if each.family == column.family
        ]
        chance = self.rng.random()
        if alike and chance < 0.6:
            return self.rng.choice(alike).name
        if column.family in ("int", "dec", "dbl") and chance < 0.75:
            return self._statements(self.table).sum(column, known)
        return "DEFAULT" if chance < 0.8 else self._literal(column)

    def _condition(self, source: Sequence[Column], when: str) -> str:
        known = self._known(source, when)
        column = self.rng.choice(known)
        alike = [each for each in known if each.kind == column.kind]
        if self.rng.random() < 0.4 and len(alike) > 1:
            left, right = self.rng.sample(alike, 2)
            return f"{left.name} {self.rng.choice(_COMPARISONS)} {right.name}"
        found = self._statements(self.table).comparison(column)
        return f"({found} OR {self._condition(source, when)})" if self.rng.random() < 0.15 else found

    def _known(self, source: Sequence[Column], when: str) -> list[Column]:
        """The columns that a clause may name."""
        own = [] if when == "not matched" else [Column(f"t.{each.name}", each.kind) for each in self._plain()]
        given = [] if when == "not matched by source" else [Column(f"s.{each.name}", each.kind) for each in source]
        return [*given * 3, *own]
