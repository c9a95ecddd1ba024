"""Whole statements, run with shortcuts and without: the same rows, titles and types, or the same error."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from forklake.api.session import Session
from trust.answers.grammar import simplest
from trust.answers.outcomes import Outcome, outcome
from trust.answers.pieces import Piece, shrink
from trust.answers.queries import Shapes
from trust.answers.shrink_tables import shrink_tables
from trust.answers.subject import Subject, set_meanwhile
from trust.answers.tally import Tally

_RUN_TIME = ("CAST_", "DIVIDE", "ARITHMETIC", "INVALID_ARRAY_INDEX", "NUMERIC_VALUE", "REMAINDER", "BINARY_ARITH")
"""How the names of errors begin that depend on the rows that are read."""
AVOIDED = "answered without the file that would fail"
_LENIENT = {"spark.sql.ansi.enabled": "false"}
_AVOIDED_AT_MOST = 0.05


@dataclass(slots=True)
class AnswerCheck:
    """Judges queries and changes over the tables of a subject."""

    subject: Subject
    tally: Tally

    def check(self, rng: random.Random, queries: int, changes: int) -> None:
        """Make and judge so many of each."""
        shapes = Shapes(rng, self.subject.tables)
        for _ in range(queries):
            self._judge(shapes.query(), is_query=True)
        for _ in range(changes):
            self._judge(shapes.change(), is_query=False)

    def _judge(self, statement: Piece, *, is_query: bool) -> None:
        self.tally.end_to_end += 1
        problem = self.problem(statement.text(), is_query, counted=True)
        if not problem:
            return
        if not self.tally.shrinks:
            self.tally.found.append(f"{problem}\n{statement.text()}")
            return
        small = shrink(statement, lambda each: bool(self.problem(each.text(), is_query)), simplest, tries=80)
        now = self.problem(small.text(), is_query) or problem
        used = [table for table in self.subject.tables if table.name in small.text()]
        smaller = shrink_tables(
            self.subject.fast.spark,
            used,
            small.text(),
            lambda made: bool(AnswerCheck(made, Tally()).problem(small.text(), is_query)),
        )
        script = ";\n".join([*(line for table in smaller for line in table.script()), small.text()])
        self.tally.found.append(f"{now}\n{script};\n-- made smaller from: {statement.text()}")

    def problem(self, text: str, is_query: bool, *, counted: bool = False) -> str:
        """What is wrong with the answer to a statement, or nothing."""
        fast = outcome(lambda: self._rows(self.subject.fast, text, is_query))
        slow = self._without_shortcuts(text, is_query)
        self.tally.count("errors of both" if slow.error else "the same rows", counted)
        if fast.error.startswith("not ours"):
            return f"raised {fast.shown}"
        if not fast.error and _at_run_time(slow):
            self.tally.count(AVOIDED, counted)
            return self.wrongly_avoided(fast, text, is_query)
        if _at_run_time(fast) and _at_run_time(slow):
            # Which of two rows fails first is for the plan to say.
            return ""
        if is_query and _at_run_time(fast) and not slow.error:
            # Spark computes constants of what it then leaves out, or does not, by where the rows come from.
            slow = outcome(lambda: self._rows(self.subject.slow, text, is_query))
        return fast.differs(slow)

    def wrongly_avoided(self, fast: Outcome, text: str, is_query: bool) -> str:
        """A row that fails may be in no file that has to be read, in a query as in the WHERE of a change: it cannot
        match. So the rows must be those where what fails is NULL, which it is without Spark's ANSI mode.
        """
        with set_meanwhile(self.subject.plain, _LENIENT), set_meanwhile(self.subject.fast.spark, _LENIENT):
            lenient = self._without_shortcuts(text, is_query)
        if lenient.error:
            return f"{fast.shown} instead of {lenient.shown}"
        return fast.differs(replace(lenient, titles=fast.titles, types=fast.types))

    def _without_shortcuts(self, text: str, is_query: bool) -> Outcome:
        """Queries are run by Spark alone; changes by a session of ours that takes no shortcuts."""
        if is_query:
            return outcome(lambda: self.subject.answer_of_spark(text))
        return outcome(lambda: self._rows(self.subject.slow, text, is_query))

    def _rows(self, session: Session, text: str, is_query: bool) -> pa.Table:
        return session.sql(text).to_arrow() if is_query else self._rows_after_change(session, text)

    def _rows_after_change(self, session: Session, text: str) -> pa.Table:
        """What all tables hold after a change, which is rolled back."""
        session.begin()
        try:
            [(count,)] = session.sql(text).fetchall()
            tables = [table.name for table in self.subject.tables if f" {table.name} " in text]
            rows = [str(row) for name in tables for row in session.sql(f"SELECT * FROM {name}").fetchall()]
            return pa.table({"changed": [str(count), *rows]})
        finally:
            session.rollback()


def _at_run_time(found: Outcome) -> bool:
    """Whether it is an error of a row."""
    return found.error.partition(" ")[2].startswith(_RUN_TIME)


def too_many_avoided(tally: Tally) -> Iterator[str]:
    """What is wrong where answers that avoid an error are more than a small share."""
    avoided = tally.outcomes[AVOIDED]
    if avoided > max(2, _AVOIDED_AT_MOST * tally.end_to_end):
        yield f"{avoided} of {tally.end_to_end} statements are answered where all rows give an error"
