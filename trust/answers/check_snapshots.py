"""One statement sees one snapshot, when another session commits a paired change at any point of its binding."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from forklake.api.session import Session
from forklake.sql.binding import names as binding
from trust.answers.outcomes import Outcome, outcome
from trust.answers.planned import each_caller
from trust.answers.subject import Subject
from trust.answers.tally import Tally

STATEMENTS = (
    "SELECT (SELECT count(*) FROM pair_a) AS a, (SELECT count(*) FROM pair_b) AS b",
    "SELECT (SELECT sum(v) FROM pair_a) AS a, (SELECT sum(v) FROM pair_b) AS b",
    "SELECT a.k, a.v, b.v AS w FROM pair_a AS a FULL JOIN pair_b AS b ON a.k = b.k",
    "SELECT a.k, b.v FROM pair_a AS a FULL JOIN pair_a AS b ON a.k = b.k AND a.v = b.v",
    "SELECT k, v FROM pair_a EXCEPT SELECT k, v FROM pair_b",
    "SELECT k FROM pair_a WHERE v <> (SELECT max(v) FROM pair_b)",
    "SELECT k FROM pair_a WHERE v NOT IN (SELECT v FROM pair_b)",
    "WITH x AS (SELECT sum(v) AS n FROM pair_a), y AS (SELECT sum(v) AS n FROM pair_b) SELECT x.n, y.n AS m FROM x, y",
    "SELECT * FROM pair_view",
    "SELECT a.v, p.v AS w FROM pair_a AS a JOIN pair_view AS p ON a.k = p.k",
    "SELECT count(*) FROM pair_a UNION ALL SELECT count(*) FROM pair_b",
    "INSERT INTO pair_out SELECT a.k, b.v FROM pair_a AS a FULL JOIN pair_b AS b ON a.k = b.k AND a.v = b.v",
    "INSERT INTO pair_out SELECT count(*), (SELECT count(*) FROM pair_b) FROM pair_a",
    "MERGE INTO pair_out AS o USING (SELECT a.k, b.v FROM pair_a AS a FULL JOIN pair_b AS b ON a.k = b.k) AS s"
    " ON o.k = s.k WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)",
    "DELETE FROM pair_out WHERE k = (SELECT count(*) FROM pair_a) - (SELECT count(*) FROM pair_b)",
    "UPDATE pair_out SET v = (SELECT sum(v) FROM pair_a) - (SELECT sum(v) FROM pair_b) WHERE true",
)  # fmt: skip
_TABLES = (
    "CREATE TABLE IF NOT EXISTS pair_a (k BIGINT, v BIGINT)", "CREATE TABLE IF NOT EXISTS pair_b (k BIGINT, v BIGINT)",
    "CREATE TABLE IF NOT EXISTS pair_out (k BIGINT, v BIGINT)",
    "CREATE VIEW IF NOT EXISTS pair_view AS"
    " SELECT a.k, a.v, b.v AS w FROM pair_a AS a FULL JOIN pair_b AS b ON a.k = b.k",
)  # fmt: skip
_START = ("DELETE FROM pair_a", "DELETE FROM pair_b", "DELETE FROM pair_out",
"INSERT INTO pair_a VALUES (1, 1), (2, 1)",
          "INSERT INTO pair_b VALUES (1, 1), (2, 1)", "INSERT INTO pair_out VALUES (0, 0), (1, 1)")  # fmt: skip
_CHANGE = ("INSERT INTO pair_a VALUES (3, 5)", "INSERT INTO pair_b VALUES (3, 5)")
_POINTS = 6


@dataclass(slots=True)
class SnapshotCheck:
    """Judges statements that name several tables, while they change in pairs."""

    subject: Subject
    tally: Tally

    def check(self, statements: tuple[str, ...] = STATEMENTS) -> None:
        session, other = self.subject.fast, self.subject.fast.cursor()
        for text in _TABLES:
            session.sql(text)
        for text in statements:
            _restart(session)
            before = self._of(session, text)
            _restart(session)
            _commit(other, _CHANGE)
            after = self._of(session, text)
            for point in range(1, _POINTS):
                _restart(session)
                if not self._at(point, session, other, text, (before, after)):
                    break

    def _at(self, point: int, session: Session, other: Session, text: str, expected: tuple[Outcome, Outcome]) -> bool:
        """Whether the statement has such a point; what it sees there must be what it saw before, or after."""
        committed: list[bool] = []

        def commit() -> None:
            committed.append(True)
            _commit(other, _CHANGE)

        with _at_point(point, commit):
            seen = self._of(session, text)
        if committed:
            self.tally.end_to_end += 1
            self.tally.count("commits between two tables of a statement")
            if seen not in expected:
                told = f"{seen.shown} {seen.rows[:5]}, before {expected[0].rows[:5]}, after {expected[1].rows[:5]}"
                self.tally.found.append(
                    f"a statement mixes two snapshots when another session commits at point {point}: {told}"
                    f"\n{_script()}\n{text};"
                )
        return bool(committed)

    def _of(self, session: Session, text: str) -> Outcome:
        return outcome(lambda: _rows(session, text))


def _rows(session: Session, text: str) -> pa.Table:
    found = session.sql(text).to_arrow()
    return found if text.startswith(("SELECT", "WITH")) else session.sql("SELECT * FROM pair_out").to_arrow()


def _restart(session: Session) -> None:
    _commit(session, _START)


def _commit(session: Session, statements: tuple[str, ...]) -> None:
    session.begin()
    for text in statements:
        session.sql(text)
    session.commit()


@contextmanager
def _at_point(point: int, commit: Callable[[], None]) -> Iterator[None]:
    """Commit something else once, after a table has been looked for so many times."""
    really, count = binding.find_relation, [0]

    def find(*given: Any, **named: Any) -> Any:
        found = really(*given, **named)
        count[0] += 1
        if count[0] == point:
            commit()
        return found

    with each_caller("find_relation", really, find):
        yield


def _script() -> str:
    return ";\n".join((*_TABLES, *_START, f"-- meanwhile: BEGIN; {'; '.join(_CHANGE)}; COMMIT"))
