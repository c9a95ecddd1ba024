"""Small queries of change feeds: answered by the driver as by Spark, or left to Spark."""

import random
import re
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from forklake.api.session import Session
from trust.answers.check_small import SmallStatements, in_order, needs_spark
from trust.answers.kinds import Column
from trust.answers.outcomes import outcome
from trust.answers.subject import Subject, without_shortcuts
from trust.answers.tables import KEY, MadeTable
from trust.answers.tally import Tally

ANSWERED = "feeds answered by the driver"
LEFT = "feeds left to Spark"
_CHANGES = 6
_ORDER = re.compile(r"(ORDER BY .*?) *(?=LIMIT|OFFSET|$)")
_FUNCTIONS = ("table_changes", "table_changes", "table_changes", "table_insertions", "table_deletions")
_LEADING = (Column("snapshot_id", "big"), Column("rowid", "big"), Column("change_type", "text"))


@dataclass(slots=True)
class SmallFeedCheck:
    """Judges queries of change feeds by a session of ours that takes no shortcuts."""

    subject: Subject
    tally: Tally
    dialect: str = "spark"

    def check(self, rng: random.Random, count: int) -> None:
        """Make and judge so many of them."""
        if not count:
            return
        session = self._changed(rng)
        slow = without_shortcuts(session)
        session.sql("SET forklake_small_queries = 'driver'")
        snapshots = [row[0] for row in session.sql("SELECT snapshot_id FROM snapshots()").fetchall()]
        for _ in range(count):
            table = rng.choice(self.subject.tables)
            query = self._query(rng, table, sorted(rng.choices(snapshots, k=2)))
            self.tally.end_to_end += 1
            problem = self._problem(session, slow, query)
            if problem:
                self.tally.found.append(";\n".join([problem, *table.script(), query]))

    def _changed(self, rng: random.Random) -> Session:
        """A session on a fork with changes of its own, some of them to rows that are inlined."""
        name = f"feeds_{self.dialect}"
        session = self.subject.fast.cursor()
        session.sql(f"FORK CATALOG lake AS {name}")
        session.attach(self.subject.target, name, catalog=name, data_inlining_row_limit=rng.choice((0, 3)))
        session.sql(f"USE {name}")
        for table in self.subject.tables:
            for at in range(_CHANGES):
                session.sql(_change(rng, table, at))
        return session

    def _query(self, rng: random.Random, table: MadeTable, between: list[int]) -> str:
        """A query of a feed: all of it, or one like those of a table with its columns."""
        function = rng.choice(_FUNCTIONS)
        call = f"{function}('{table.name}', {between[0]}, {between[1]})"
        leading = _LEADING if function == "table_changes" else ()
        if rng.random() < 0.4:
            shown = [column.name for column in (*leading, *rng.sample(table.columns, 3))]
            return f"SELECT {rng.choice(('*', *[', '.join(shown)] * 3))} FROM {call}"
        made = SmallStatements(rng, replace(table, columns=(*leading, *table.columns)), self.dialect)
        return _ordered_wholly(made.query(), function).replace(f"FROM {table.name} ", f"FROM {call} ", 1)

    def _problem(self, session: Session, slow: Session, query: str) -> str:
        """What is wrong with the answer of the driver, or nothing."""
        found = outcome(partial(_rows, session, query))
        if needs_spark(found):
            self.tally.count(LEFT)
            return ""
        if not found.error:
            self.tally.count(ANSWERED)
        return found.differs(outcome(partial(_rows, slow, query)))


def _ordered_wholly(query: str, function: str) -> str:
    """A query in which no two rows of a feed have the same place: keys recur there, and an update has two rows."""
    if "ORDER BY" not in query or "GROUP BY" in query or "DISTINCT" in query:
        return query
    if function != "table_changes":
        # Their leading columns cannot be named.
        return query[: query.index("ORDER BY")]
    return _ORDER.sub(r"\1, snapshot_id, rowid, change_type ", query, count=1)


def _change(rng: random.Random, table: MadeTable, at: int) -> str:
    """Rows added, deleted or updated: those of the table, and those added before."""
    keys = ", ".join(map(str, [*rng.sample(range(1, 100), 8), *(1000 + number for number in range(at))]))
    column = rng.choice([column.name for column in table.columns if column.name != KEY])
    return rng.choice(
        (
            f"INSERT INTO {table.name} ({KEY}) VALUES ({1000 + at}), ({2000 + at})",
            f"DELETE FROM {table.name} WHERE {KEY} IN ({keys})",
            f"UPDATE {table.name} SET {column} = NULL WHERE {KEY} IN ({keys})",
            f"UPDATE {table.name} SET {KEY} = 3000 WHERE {KEY} IN ({keys})",
        )
    )


def _rows(session: Session, query: str) -> pa.Table:
    return in_order(session.sql(query).to_arrow(), query)
