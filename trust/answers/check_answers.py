"""Whole statements, run with shortcuts and without: the same rows, titles and types, or the same error."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from forklake.api.session import Session
from trust.answers.grammar import simplest
from trust.answers.outcomes import Outcome, outcome
from trust.answers.pieces import Piece, shrink
from trust.answers.queries import Shapes
from trust.answers.shrink_tables import shrink_tables
from trust.answers.subject import Subject
from trust.answers.tally import Tally

_RUN_TIME = ("CAST_", "DIVIDE", "ARITHMETIC", "INVALID_ARRAY_INDEX", "NUMERIC_VALUE", "REMAINDER", "BINARY_ARITH")
"""How the names of errors begin that depend on the rows that are read."""


@dataclass(slots=True)
class AnswerCheck:
    """Judges queries and changes over the tables of a subject."""

    subject: Subject
    tally: Tally

    def check(self, rng: random.Random, queries: int, changes: int) -> None:
        """Make and judge so many of each."""
        shapes = Shapes(rng, self.subject.tables)
        for _ in range(queries):
            self._judge(shapes.query(), _query)
        for _ in range(changes):
            self._judge(shapes.change(), self._change)

    def _judge(self, statement: Piece, run: Callable[[Session, str], pa.Table]) -> None:
        self.tally.end_to_end += 1
        problem = self._problem(statement.text(), run, counted=True)
        if not problem:
            return
        small = shrink(statement, lambda each: bool(self._problem(each.text(), run)), simplest, tries=80)
        now = self._problem(small.text(), run) or problem
        used = [table for table in self.subject.tables if table.name in small.text()]
        smaller = shrink_tables(
            self.subject.fast.spark, used, small.text(), lambda made: _fails(made, small.text(), run)
        )
        script = ";\n".join([*(line for table in smaller for line in table.script()), small.text()])
        self.tally.found.append(f"{now}\n{script};\n-- made smaller from: {statement.text()}")

    def _problem(self, text: str, run: Callable[[Session, str], pa.Table], *, counted: bool = False) -> str:
        fast = outcome(lambda: run(self.subject.fast, text))
        slow = outcome(lambda: run(self.subject.slow, text))
        if counted:
            self.tally.count("errors of both" if slow.error else "the same rows")
        if fast.error.startswith("not ours"):
            return f"raised {fast.shown}"
        if _avoided(fast, slow):
            self.tally.count("answered without the file that would fail", counted)
            return ""
        return fast.differs(slow)

    def _change(self, session: Session, text: str) -> pa.Table:
        """What all tables hold after a change, which is rolled back."""
        session.begin()
        try:
            [(count,)] = session.sql(text).fetchall()
            tables = [table.name for table in self.subject.tables if f" {table.name} " in text]
            rows = [str(row) for name in tables for row in session.sql(f"SELECT * FROM {name}").fetchall()]
            return pa.table({"changed": [str(count), *rows]})
        finally:
            session.rollback()


def _fails(made: Subject, text: str, run: Callable[[Session, str], pa.Table]) -> bool:
    return bool(AnswerCheck(made, Tally())._problem(text, run))


def _query(session: Session, text: str) -> pa.Table:
    return session.sql(text).to_arrow()


def _avoided(fast: Outcome, slow: Outcome) -> bool:
    """Whether only a row fails that is in no file that has to be read."""
    return not fast.error and slow.error.partition(" ")[2].startswith(_RUN_TIME)
