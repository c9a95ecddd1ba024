"""What statements of the DuckDB dialect store: constants of VALUES, and rows after changes, as DuckDB stores them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import duckdb

from forklake.api.session import Session
from forklake.errors import ForklakeError, InvalidRows, Untranslatable
from trust.answers.check_duckdb import COMPARED, REFUSED, is_refusal
from trust.answers.duckdb_oracle import AVOIDED, LEFT_OUT, TYPES, connection_with, duckdb_columns, fails_unoptimised
from trust.answers.duckdb_query_rules import CHANGES, QUERIES
from trust.answers.duckdb_rules import RULES, WORDS
from trust.answers.grammar import Grammar, simplest
from trust.answers.kinds import KINDS
from trust.answers.pieces import Piece, shrink
from trust.answers.queries import Language, Shapes
from trust.answers.same_values import comparable
from trust.answers.spelling import duckdb_literal
from trust.answers.subject import Subject
from trust.answers.tables import MadeTable
from trust.answers.tally import Tally

_LANGUAGE = Language(RULES, WORDS, duckdb_literal, QUERIES, CHANGES)
_STORED = tuple(kind for kind in KINDS if KINDS[kind].family in RULES and kind not in LEFT_OUT)
_TABLE = "duckdb_constants"
_TEXTS = ("<number_text>", "<bool_text>", "<time_text>", "<odd_time_text>", "<valid_date>", "<v.text>")
Rows = list[str]


@dataclass(slots=True)
class DuckDBStoredCheck:
    """Judges what a subject that speaks DuckDB's dialect stores, beside the same statements in DuckDB."""

    subject: Subject
    tally: Tally
    tables: Sequence[MadeTable] = field(init=False)
    engine: duckdb.DuckDBPyConnection = field(init=False)

    def __post_init__(self) -> None:
        self.tables = [replace(table, columns=tuple(duckdb_columns(table.columns))) for table in self.subject.tables]
        self.engine = connection_with(
            {
                table.name: self.subject.stored[table.name].select([column.name for column in table.columns])
                for table in self.tables
            }
        )

        for table in self.tables:
            for name, _, _, _, default, _ in self.subject.fast.sql(f"DESCRIBE {table.name}").fetchall():
                if default is not None and name in {column.name for column in table.columns}:
                    self.engine.execute(f"ALTER TABLE {table.name} ALTER COLUMN {name} SET DEFAULT {default}")

    def check_constants(self, rng: random.Random, count: int) -> None:
        """Make so many statements with VALUES of one or more rows, each for a column of some type."""
        grammar = Grammar(rng, RULES, WORDS, (), duckdb_literal)
        for _ in range(count):
            kind = rng.choice(_STORED)
            rows = [_constant(rng, grammar, kind).text() for _ in range(rng.choice((1, 1, 2, 3)))]
            values = ", ".join(f"({row})" for row in rows)
            type_ = TYPES.get(KINDS[kind].sql, KINDS[kind].sql)
            self._judge_constants([f"CREATE TABLE {_TABLE} (v {type_})", f"INSERT INTO {_TABLE} VALUES {values}"])

    def _judge_constants(self, script: Sequence[str]) -> None:
        self.tally.in_bulk += 1
        problem = self.problem(script, f"SELECT v FROM {_TABLE}", counted=True)
        if problem:
            self.tally.found.append(f"in the DuckDB dialect: {problem}\n{';'.join(script)};")

    def check_changes(self, rng: random.Random, count: int) -> None:
        """Make and judge so many statements that change rows."""
        shapes = Shapes(rng, self.tables, _LANGUAGE)
        for _ in range(count):
            change = shapes.change()
            self.tally.end_to_end += 1
            problem = self.change_problem(change.text(), counted=True)
            if problem:
                self.tally.found.append(self._told(change, problem))

    def change_problem(self, text: str, *, counted: bool = False) -> str:
        """What is wrong with the rows that the changed table has after a statement, or nothing."""
        changed = next(table for table in self.tables if f"{table.name} AS a" in text)
        names = ", ".join(column.name for column in changed.columns)
        return self.problem([text], f"SELECT {names} FROM {changed.name}", counted=counted)

    def problem(self, script: Sequence[str], query: str, *, counted: bool) -> str:
        """What is wrong with the rows of a query after some statements, all of which are taken back."""
        try:
            theirs = self._in_duckdb(script, query)
        except duckdb.Error:
            self.tally.count("statements that DuckDB refuses", counted)
            return ""
        try:
            ours = _rows_after(self.subject.fast, script, query)
        except (Untranslatable, InvalidRows):
            self.tally.count(REFUSED, counted)
            return ""
        except ForklakeError as error:
            if is_refusal(error):
                self.tally.count(REFUSED, counted)
                return ""
            if fails_unoptimised(self.engine, lambda: self._in_duckdb(script, query)):
                self.tally.count(AVOIDED, counted)
                return ""
            return f"{type(error).__name__} ({str(error)[:200]}) where DuckDB has {len(theirs)} rows"
        self.tally.count(COMPARED, counted)
        return "" if ours == theirs else f"{_only(ours, theirs)} instead of {_only(theirs, ours)}"

    def _in_duckdb(self, script: Sequence[str], query: str) -> Rows:
        self.engine.execute("BEGIN")
        try:
            for statement in script:
                self.engine.execute(statement)
            return _in_order(self.engine.execute(query).fetchall())
        finally:
            self.engine.execute("ROLLBACK")

    def _told(self, change: Piece, problem: str) -> str:
        small = shrink(change, lambda each: bool(self.change_problem(each.text())), simplest, tries=30)
        now = self.change_problem(small.text()) or problem
        script = [line for table in self.subject.tables if table.name in small.text() for line in table.script()]
        return f"in the DuckDB dialect: {now}\n{';'.join([*script, small.text()])};\n-- from: {change.text()}"


def _rows_after(session: Session, script: Sequence[str], query: str) -> Rows:
    session.begin()
    try:
        for statement in script:
            session.sql(statement)
        return _in_order(session.sql(query).fetchall())
    finally:
        session.rollback()


def _constant(rng: random.Random, grammar: Grammar, kind: str) -> Piece:
    """A literal of the kind, a text that may be one, or a small expression."""
    family, chance = KINDS[kind].family, rng.random()
    if chance < 0.4:
        return Piece(family, (grammar.constant(rng.choice((*KINDS[kind].values, None)), kind),))
    if chance < 0.7:
        return grammar.fill(family, rng.choice(_TEXTS), 0)
    return grammar.expression(family, 1)


def _in_order(rows: Sequence[Sequence[object]]) -> Rows:
    shown: Callable[[object], str] = comparable
    return sorted(str([shown(value) for value in row]) for row in rows)


def _only(rows: Rows, others: Rows) -> str:
    return str(next((row for row in rows if row not in others), f"{len(rows)} rows"))
