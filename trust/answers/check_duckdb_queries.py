"""Whole queries of the DuckDB dialect: the rows and titles that DuckDB has on the same data."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import duckdb

from forklake.errors import ForklakeError
from trust.answers.check_duckdb import COMPARED, REFUSED, is_refusal
from trust.answers.duckdb_oracle import AVOIDED, connection_with, duckdb_columns, fails_unoptimised
from trust.answers.duckdb_query_rules import QUERIES
from trust.answers.duckdb_rules import RULES, WORDS
from trust.answers.grammar import simplest
from trust.answers.pieces import Piece, shrink
from trust.answers.queries import Language, Shapes
from trust.answers.same_values import comparable
from trust.answers.spelling import duckdb_literal
from trust.answers.subject import Subject
from trust.answers.tables import MadeTable
from trust.answers.tally import Tally

_LANGUAGE = Language(RULES, WORDS, duckdb_literal, QUERIES)


@dataclass(slots=True)
class DuckDBQueryCheck:
    """Judges queries over the tables of a subject that speaks DuckDB's dialect."""

    subject: Subject
    tally: Tally
    tables: Sequence[MadeTable] = field(init=False)
    engine: duckdb.DuckDBPyConnection = field(init=False)

    def __post_init__(self) -> None:
        self.tables = [replace(table, columns=tuple(duckdb_columns(table.columns))) for table in self.subject.tables]
        named = {table.name: [column.name for column in table.columns] for table in self.tables}
        self.engine = connection_with({name: self.subject.stored[name].select(named[name]) for name in named})

    def check(self, rng: random.Random, count: int) -> None:
        """Make and judge so many."""
        shapes = Shapes(rng, self.tables, _LANGUAGE)
        for _ in range(count):
            query = shapes.query()
            self.tally.end_to_end += 1
            problem = self.problem(query.text(), counted=True)
            if problem:
                self.tally.found.append(self._told(query, problem))

    def problem(self, text: str, *, counted: bool = False) -> str:
        """What is wrong with our answer, or nothing; where DuckDB has none, there is nothing to compare with."""
        try:
            found = self.engine.execute(text)
            theirs = [column[0] for column in found.description or ()], _in_order(found.fetchall())
        except duckdb.Error:
            self.tally.count("queries that DuckDB refuses", counted)
            return ""
        try:
            result = self.subject.fast.sql(text)
            ours = list(result.columns), _in_order(result.fetchall())
        except ForklakeError as error:
            if is_refusal(error):
                self.tally.count(REFUSED, counted)
                return ""
            if fails_unoptimised(self.engine, lambda: self.engine.execute(text).fetchall()):
                self.tally.count(AVOIDED, counted)
                return ""
            return f"{type(error).__name__} ({str(error)[:200]}) where DuckDB has {len(theirs[1])} rows"
        self.tally.count(COMPARED, counted)
        return "" if ours == theirs else f"{_first(ours, theirs)} instead of {_first(theirs, ours)}"

    def _told(self, query: Piece, problem: str) -> str:
        small = shrink(query, lambda each: bool(self.problem(each.text())), simplest, tries=40)
        now = self.problem(small.text()) or problem
        script = [line for table in self.subject.tables if table.name in small.text() for line in table.script()]
        return f"in the DuckDB dialect: {now}\n{';'.join([*script, small.text()])};\n-- from: {query.text()}"


def _in_order(rows: Sequence[Sequence[object]]) -> list[str]:
    return sorted(str([comparable(value) for value in row]) for row in rows)


def _first(rows: tuple[list[str], list[str]], others: tuple[list[str], list[str]]) -> str:
    """What is said differently first."""
    if rows[0] != others[0]:
        return f"the titles {rows[0]}"
    return str(next((row for row in rows[1] if row not in others[1]), f"{len(rows[1])} rows"))
