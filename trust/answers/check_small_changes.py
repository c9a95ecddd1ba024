"""Small changes of one table: carried out by the driver as by Spark, or left to Spark."""

import random
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from forklake.api.session import Session
from trust.answers.check_small import SmallStatements, needs_spark
from trust.answers.outcomes import outcome
from trust.answers.subject import Subject
from trust.answers.tables import MadeTable
from trust.answers.tally import Tally

CARRIED_OUT = "changes carried out by the driver"
LEFT = "changes left to Spark"


@dataclass(slots=True)
class SmallChangeCheck:
    """Judges UPDATEs and DELETEs by a session of ours that takes no shortcuts."""

    subject: Subject
    tally: Tally
    dialect: str = "spark"
    carried_out: ClassVar[str] = CARRIED_OUT
    left: ClassVar[str] = LEFT
    compared: ClassVar[str] = "rowid, *"

    def check(self, rng: random.Random, count: int) -> None:
        """Make and judge so many of them."""
        if not count:
            return
        session = self.subject.fast.cursor()
        for _ in range(count):
            table = rng.choice(self.subject.tables)
            change = self.statement(rng, table)
            self.tally.end_to_end += 1
            problem = self._problem(session, table.name, change)
            if problem:
                self.tally.found.append(";\n".join([problem, *table.script(), change]))

    def statement(self, rng: random.Random, table: MadeTable) -> str:
        return SmallStatements(rng, table, self.dialect).change()

    def _problem(self, session: Session, table: str, change: str) -> str:
        """What is wrong with the rows after a change by the driver, or nothing."""
        query = f"SELECT {self.compared} FROM {table}"
        found = outcome(lambda: _rows_after(session, change, "driver", query))
        if needs_spark(found):
            self.tally.count(self.left)
            return ""
        self.tally.count(self.carried_out)
        return found.differs(outcome(lambda: _rows_after(self.subject.slow, change, "spark", query)))


def _rows_after(session: Session, change: str, by: str, query: str) -> pa.Table:
    """The number of changed rows, and the rows of a query after a change, which is rolled back."""
    session.begin()
    try:
        session.sql(f"SET forklake_small_queries = '{by}'")
        [(count,)] = session.sql(change).fetchall()
        session.sql("SET forklake_small_queries = 'spark'")
        rows = [str(row) for row in session.sql(query).fetchall()]
        return pa.table({"changed": [str(count), *rows]})
    finally:
        session.rollback()
