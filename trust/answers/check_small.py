"""Small queries of one table: answered by the driver as Spark answers them, or left to Spark."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from forklake.sql.results.arrow_rows import shown_columns
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
_NEEDS_SPARK = "This query needs Spark"
_OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "==", "!=")
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
        for _ in range(count):
            query = _Maker(rng, rng.choice(self.subject.tables), self.dialect).query()
            self.tally.end_to_end += 1
            problem = self._problem(session.sql, query)
            if problem:
                [table] = [table for table in self.subject.tables if f" {table.name} " in query]
                self.tally.found.append(";\n".join([problem, *table.script(), query]))

    def _problem(self, run: object, query: str) -> str:
        """What is wrong with the answer of the driver, or nothing."""
        assert callable(run)
        found: Outcome = outcome(lambda: _in_order(run(query).to_arrow(), query))
        if found.message.startswith(_NEEDS_SPARK):
            self.tally.count(LEFT)
            return ""
        if found.error:
            return found.differs(outcome(lambda: self.subject.slow.sql(query).to_arrow()))
        self.tally.count(ANSWERED)
        return found.differs(outcome(lambda: _in_order(self._of_spark(query), query)))

    def _of_spark(self, query: str) -> pa.Table:
        if self.dialect == "spark":
            return self.subject.plain.sql(query).toArrow()
        return self.subject.slow.sql(query).to_arrow()


def _in_order(rows: pa.Table, query: str) -> pa.Table:
    """The rows with their places, where the query gives each of them one."""
    if "ORDER BY" not in query:
        return rows
    # Texts keep the titles, of which there may be two of a name.
    shown = [str(row) for row in zip(*shown_columns(rows), strict=True)]
    places = [f"{at}: {row}" for at, row in enumerate(shown)]
    types = ", ".join(f"{field.name} {field.type}" for field in rows.schema)
    return pa.table({types: pa.array(places, pa.string())})


@dataclass(slots=True)
class _Maker:
    rng: random.Random
    table: MadeTable
    dialect: str

    def query(self) -> str:
        alias = self.rng.choice(("", "", "AS z ", "z "))
        where = f"WHERE {self.where()} " if self.rng.random() < 0.8 else ""
        group = self.rng.sample(self.table.columns, self.rng.randint(1, 2)) if self.rng.random() < 0.2 else []
        if group:
            clauses = f"GROUP BY {', '.join(column.name for column in group)} "
            shown = [*(column.name for column in group), *self.aggregates()]
            keys = [column.name for column in group]
        elif self.rng.random() < 0.25:
            clauses, keys, shown = "", [], self.aggregates()
        else:
            clauses, keys = "", [*(column.name for column in self.columns()), KEY]
            shown = ["*"] if self.rng.random() < 0.2 else [self.shown(column, alias) for column in self.columns()]
        query = f"SELECT {', '.join(shown)} FROM {self.table.name} {alias}{where}{clauses}"
        if keys and self.rng.random() < 0.7:
            query += f"ORDER BY {', '.join(name + self.direction() for name in dict.fromkeys(keys))} "
            query += self.rng.choice(("", "", f"LIMIT {self.rng.choice((0, 1, 3, 100))} "))
            query += f"OFFSET {self.rng.choice((0, 1, 4))}" if self.rng.random() < 0.2 else ""
        return query

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

    def aggregate(self) -> str:
        column = self.rng.choice(self.table.columns).name
        call = self.rng.choice(
            ("count(*)", "count(1)", f"count({column})", f"min({column})", f"max({column})", f"MAX({column})")
        )
        return f"{call} AS n{self.rng.randint(1, 3)}" if self.rng.random() < 0.2 else call

    def direction(self) -> str:
        return self.rng.choice(("", "", " ASC", " DESC", " DESC NULLS FIRST", " NULLS LAST"))

    def condition(self, depth: int) -> str:
        chance = self.rng.random()
        if depth and chance < 0.35:
            return f"({self.condition(depth - 1)} {self.rng.choice(('AND', 'OR'))} {self.condition(depth - 1)})"
        if depth and chance < 0.45:
            return f"NOT {self.condition(depth - 1)}"
        if chance < 0.5 and self.dialect == "spark":
            grammar = Grammar(self.rng, RULES, WORDS, self.table.columns)
            return f"({grammar.expression('bool', 1).text()})"
        return f"({self.comparison(self.rng.choice(self.table.columns))})"

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
