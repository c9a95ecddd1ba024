"""Small queries of one table: answered by the driver as Spark answers them, or left to Spark."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import pyarrow as pa

from forklake.api.session import Session
from forklake.spark.reading import driver_rows, row_groups
from forklake.sql.results.arrow_rows import shown_columns
from forklake.sql.small import answer
from trust.answers.grammar import Grammar
from trust.answers.kinds import KINDS, Column
from trust.answers.outcomes import Outcome, outcome
from trust.answers.spark_rules import RULES, WORDS
from trust.answers.spelling import duckdb_literal, spark_literal
from trust.answers.subject import Subject
from trust.answers.tables import KEY, MadeTable
from trust.answers.tally import Tally

ANSWERED = "answered by the driver"
LEFT = "left to Spark"
_NEEDS_SPARK = re.compile("This (query|statement) needs Spark")
_OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "==", "!=")
_PLAIN: Mapping[str, tuple[str, ...]] = {
    "int": ("0", "5", "-1", "42", "300", "70000", "3000000000"),
    "dec": ("1.5", "-0.25", "7", "123456.789"),
    "dbl": ("1.5", "2e3", "7", "-0.0"),
    "text": ("'a'", "''", "'it''s'", "'zoë'"),
    "bool": ("true", "false"),
    "date": ("DATE '2024-02-29'", "'2024-02-29'"),
}
"""Values to set, written as programs write them."""
_OPERANDS = ("1", "1", "2", "-1", "- 3", "0", "100", "1.5", "0.25", "2e0", "3000000000", "NULL", "007")
_NESTED = ("struct", "list", "map")
_NUMBERS = ("0", "1", "-1", "5", "42", "1.5", "0.1", "99.99", "1e1", "1L", "300", "3000000000", "NULL")


@dataclass(slots=True)
class SmallQueryCheck:
    """Judges small queries by plain Spark; those of DuckDB's dialect by a session of ours that takes no shortcuts."""

    subject: Subject
    tally: Tally
    dialect: str = "spark"

    def check(self, rng: random.Random, count: int) -> None:
        """Make and judge so many of them."""
        if not count:
            return
        session = self.subject.fast.cursor()
        session.sql("SET forklake_small_queries = 'driver'")
        with _as_if_large():
            self._check(rng, count, session)

    def _check(self, rng: random.Random, count: int, session: Session) -> None:
        for _ in range(count):
            query = SmallStatements(rng, rng.choice(self.subject.tables), self.dialect).query()
            self.tally.end_to_end += 1
            problem = self._problem(session.sql, query)
            if problem:
                [table] = [table for table in self.subject.tables if f" {table.name} " in query]
                self.tally.found.append(";\n".join([problem, *table.script(), query]))

    def _problem(self, run: object, query: str) -> str:
        """What is wrong with the answer of the driver, or nothing."""
        assert callable(run)
        found: Outcome = outcome(lambda: in_order(run(query).to_arrow(), query))
        if needs_spark(found):
            self.tally.count(LEFT)
            return ""
        if found.error:
            return found.differs(outcome(lambda: self.subject.slow.sql(query).to_arrow()))
        self.tally.count(ANSWERED)
        return found.differs(outcome(lambda: in_order(self._of_spark(query), query)))

    def _of_spark(self, query: str) -> pa.Table:
        if self.dialect == "spark":
            return self.subject.answer_of_spark(query)
        return self.subject.slow.sql(query).to_arrow()


@contextmanager
def _as_if_large() -> Iterator[None]:
    """What is done for large tables is done for small ones: strings are read as dictionaries, first rows looked for."""
    with (
        patch.object(row_groups, "BYTES_OF_LENGTH", 10_000),
        patch.object(driver_rows, "FEW_ROWS", 0),
        patch.object(answer, "FEW_ROWS", 0),
        patch.object(answer, "PART_OF_ALL", 1),
    ):
        yield


def needs_spark(found: Outcome) -> bool:
    """Whether the driver has left a statement to Spark."""
    return _NEEDS_SPARK.match(found.message) is not None


def in_order(rows: pa.Table, query: str) -> pa.Table:
    """The rows with their places, where the query gives each of them one."""
    if "ORDER BY" not in query:
        return rows
    # Texts keep the titles, of which there may be two of a name.
    shown = [str(row) for row in zip(*shown_columns(rows), strict=True)]
    places = [f"{at}: {row}" for at, row in enumerate(shown)]
    types = ", ".join(f"{field.name} {field.type}" for field in rows.schema)
    return pa.table({types: pa.array(places, pa.string())})


@dataclass(slots=True)
class SmallStatements:
    """Makes statements over one table, most of which the driver can answer or carry out."""

    rng: random.Random
    table: MadeTable
    dialect: str

    def change(self) -> str:
        alias = self.rng.choice(("", "", "AS z "))
        where = f"WHERE {self.where()}" if self.rng.random() < 0.95 else ""
        if self.rng.random() < 0.4:
            return f"DELETE FROM {self.table.name} {alias}{where}"
        values = ", ".join(f"{column.name} = {self.new_value(column)}" for column in self.columns())
        return f"UPDATE {self.table.name} {alias}SET {values} {where}"

    def query(self) -> str:
        alias = self.rng.choice(("", "", "AS z ", "z "))
        where = f"WHERE {self.where()} " if self.rng.random() < 0.8 else ""
        group = self.rng.sample(self.table.columns, self.rng.randint(1, 2)) if self.rng.random() < 0.25 else []
        distinct = ""
        if group:
            clauses = f"GROUP BY {', '.join(column.name for column in group)} {self.having(group)}"
            shown = [*(column.name for column in group), *self.aggregates()]
            keys = [column.name for column in group]
            if self.rng.random() < 0.3:
                # One that ends the order, so that there is only one.
                keys.insert(0, self.aggregate(alone=True))
        elif self.rng.random() < 0.3:
            clauses, keys, shown = self.having([]) if self.rng.random() < 0.2 else "", [], self.aggregates()
        elif self.rng.random() < 0.15:
            chosen = [column.name for column in self.columns()[:3]]
            distinct, clauses, keys, shown = "DISTINCT ", "", chosen, chosen
        else:
            clauses, keys = "", [*(column.name for column in self.columns()), KEY]
            shown = ["*"] if self.rng.random() < 0.2 else [self.shown(column, alias) for column in self.columns()]
            if self.rng.random() < 0.1:
                shown.append(self.rng.choice(("1", "42 AS c1", "'a'", "'zoë' AS c2", "3000000000", "-1", "1.5", "007")))
        query = f"SELECT {distinct}{', '.join(shown)} FROM {self.table.name} {alias}{where}{clauses}"
        if keys and self.rng.random() < 0.7:
            query += f"ORDER BY {', '.join(name + self.direction() for name in dict.fromkeys(keys))} "
            query += self.rng.choice(("", "", f"LIMIT {self.rng.choice((0, 1, 3, 100))} "))
            query += f"OFFSET {self.rng.choice((0, 1, 4))}" if self.rng.random() < 0.2 else ""
        return query

    def having(self, group: Sequence[Column]) -> str:
        """A condition on groups, sometimes."""
        if self.rng.random() < 0.6:
            return ""
        count = f"{self.rng.choice(('count(*)', 'count(1)'))} {self.rng.choice(_OPERATORS)} {self.rng.randint(0, 4)}"
        numbers = [column for column in self.table.columns if column.family in ("int", "dec")]
        number = self.rng.choice(numbers).name
        sums = (f"sum({number})", f"avg({number})") if self.dialect == "spark" else ()
        aggregate = self.rng.choice((*sums, f"min({number})", f"count(DISTINCT {number})"))
        forms = [
            count,
            f"{aggregate} {self.rng.choice(_OPERATORS)} {self.rng.choice(_NUMBERS)}",
            f"{aggregate} IS NOT NULL",
            *(self.comparison(column) for column in group),
        ]
        chosen = self.rng.sample(forms, self.rng.randint(1, 2))
        return f"HAVING {self.rng.choice((' AND ', ' OR ')).join(chosen)} "

    def value(self, column: Column) -> str:
        return self.rng.choice((*_PLAIN.get(column.family, ()), "NULL", self.constant(column)))

    def new_value(self, column: Column) -> str:
        """What an UPDATE sets a column to: mostly a literal, or another column, or a sum."""
        alike = [each.name for each in self.table.columns if each.family == column.family]
        chance = self.rng.random()
        if chance < 0.15:
            return self.rng.choice(alike)
        if chance < 0.4 and column.family in ("int", "dec", "dbl"):
            return self.sum(column, self.table.columns)
        return "DEFAULT" if chance < 0.42 else self.value(column)

    def sum(self, column: Column, known: Sequence[Column]) -> str:
        """A sum, difference or product of numbers, mostly of the kind of a column."""
        numbers = [each for each in known if each.family in ("int", "dec", "dbl")]
        alike = [each for each in numbers if each.kind == column.kind] or numbers or [column]
        left = self.rng.choice(alike).name
        right = self.rng.choice((*_OPERANDS, self.rng.choice(numbers or [column]).name))
        if self.rng.random() < 0.3:
            left, right = right, left
        return f"{left} {self.rng.choice('+-*')} {right}"

    def where(self) -> str:
        found = self.condition(2)
        # Behind a table without alias, Spark takes WHERE (b) for an alias with a list of columns.
        return found.strip("()") if re.fullmatch(r"\(+\w+\)+", found) else found

    def columns(self) -> list[Column]:
        return self.rng.sample(self.table.columns, self.rng.randint(1, 4))

    def shown(self, column: Column, alias: str) -> str:
        quoted = f"`{column.name}`" if self.dialect == "spark" else f'"{column.name}"'
        name = self.rng.choice((column.name, column.name, column.name.upper(), quoted))
        owner = alias.removeprefix("AS ").strip() or self.table.name
        text = f"{owner}.{name}" if self.rng.random() < 0.15 else name
        return f"{text} AS c{self.rng.randint(1, 3)}" if self.rng.random() < 0.15 else text

    def aggregates(self) -> list[str]:
        return [self.aggregate() for _ in range(self.rng.randint(1, 3))]

    def aggregate(self, *, alone: bool = False) -> str:
        column = self.rng.choice(self.table.columns)
        name = column.name
        calls = ["count(*)", "count(1)", f"count({name})", f"min({name})", f"max({name})", f"MAX({name})"]
        calls += [f"count(DISTINCT {name})", f"COUNT(DISTINCT {name})"]
        numbers = [column for column in self.table.columns if column.family in ("int", "dec")]
        for number in self.rng.sample(numbers, min(2, len(numbers))) if self.dialect == "spark" else ():
            calls += [f"sum({number.name})", f"avg({number.name})"]
        if self.rng.random() < 0.1:
            calls = [f"sum({name})", f"AVG({name})"]
        call = self.rng.choice(calls)
        return f"{call} AS n{self.rng.randint(1, 3)}" if not alone and self.rng.random() < 0.2 else call

    def direction(self) -> str:
        return self.rng.choice(("", "", " ASC", " DESC", " DESC NULLS FIRST", " NULLS LAST"))

    def condition(self, depth: int) -> str:
        chance = self.rng.random()
        if depth and chance < 0.35:
            return f"({self.condition(depth - 1)} {self.rng.choice(('AND', 'OR'))} {self.condition(depth - 1)})"
        if depth and chance < 0.45:
            return f"NOT {self.condition(depth - 1)}"
        if chance < 0.47 and self.dialect == "spark":
            grammar = Grammar(self.rng, RULES, WORDS, self.table.columns)
            return f"({grammar.expression('bool', 1).text()})"
        plain = [column for column in self.table.columns if column.family not in _NESTED]
        return f"({self.comparison(self.rng.choice(self.table.columns if chance < 0.52 else plain))})"

    def comparison(self, column: Column) -> str:
        constant, other = self.constant(column), self.constant(column)
        forms = [
            *(f"{column.name} {self.rng.choice(_OPERATORS)} {constant}" for _ in range(4)),
            f"{constant} {self.rng.choice(_OPERATORS)} {column.name}",
            f"{column.name} IN ({constant}, {other})",
            f"{column.name} NOT IN ({constant}, {other})",
            f"{column.name} BETWEEN {constant} AND {other}",
            f"{column.name} IS NULL",
            f"{column.name} IS NOT NULL",
        ]
        if column.kind == "bool":
            forms += [column.name] * 4
        if column.family == "text":
            forms += [f"{column.name} LIKE 'a%'", f"{column.name} NOT LIKE 'a%'", f"{column.name} LIKE 'a_'"]
        return self.rng.choice(forms)

    def constant(self, column: Column) -> str:
        if self.rng.random() < 0.15 and column.family in ("int", "dec", "dbl"):
            return self.rng.choice(_NUMBERS)
        value = self.rng.choice(list(KINDS[column.kind].values))
        literal = (spark_literal if self.dialect == "spark" else duckdb_literal)(value, column.kind)
        if column.family in ("date", "ts", "ntz") and self.rng.random() < 0.5:
            return "'" + literal.split("'")[1] + "'"
        return literal


def too_few_answered(tally: Tally) -> Iterator[str]:
    """What is wrong where the driver leaves so much to Spark that little is compared."""
    if tally.outcomes[ANSWERED] < tally.outcomes[LEFT] / 2:
        yield f"{tally.outcomes[ANSWERED]} queries answered, {tally.outcomes[LEFT]} left to Spark"
