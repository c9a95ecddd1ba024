"""Texts that are nearly small statements: the driver must not take for valid what Spark refuses."""

import random
import re
from dataclasses import dataclass
from typing import ClassVar

from forklake.api.session import Session
from trust.answers.check_small import SmallStatements, in_order
from trust.answers.check_small_changes import SmallChangeCheck
from trust.answers.check_small_merges import SmallMerges
from trust.answers.outcomes import Outcome, outcome
from trust.answers.subject import Subject
from trust.answers.tables import MadeTable
from trust.answers.tally import Tally

ANSWERED = "nearly small queries answered by the driver"
REFUSED = "nearly small queries refused or left to Spark"
_TOKENS = re.compile(r"'(?:[^']|'')*'|`[^`]*`|\w+(?:\.\d+)?|\s+|<=|>=|<>|!=|==|.", re.DOTALL)
_MORE = (
    *(",", "(", ")", ") OR (", "ISNULL", "NOTNULL", "NOT NULL", "IS NULL", "NOT", "AND", "OR", "*", ";", "-", "'x'"),
    *("LIMIT 1", "LIMIT 1, 2", "LIMIT (1)", "OFFSET 1", "OFFSET 1 ROWS", "WHERE true", "ORDER BY 1", "GROUP BY 1"),
    *("AS", "AS z", "z", "é", "1a", "x1", "0x1F", "1e1", "1_0", "/* c */", "/* /* c */", "-- c\n", "-- c \\\n"),
    *("NULL", "true", "IN (1)", "BETWEEN 1 AND 2", "LIKE 'a'", "ESCAPE '\\\\'", "= 1", "IS", "DESC", "NULLS FIRST"),
    *("CASE", "END", "DATE '2024-01-01'", "DATE", "FETCH FIRST 1 ROWS ONLY", "QUALIFY", "ANTI", "USING", "DISTINCT"),
    *("r'a'", '"a"', "$1", ":p", "?", "::int", "\u00a0", "WHERE (k)", "TABLESAMPLE (1 ROWS)", "PIVOT", "ALL"),
)  # fmt: skip


def mutated(rng: random.Random, text: str) -> str:
    """The text with one or two parts removed, doubled, exchanged or added."""
    parts = _TOKENS.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = rng.randrange(len(parts))
        match rng.randrange(6):
            case 0:
                parts[at] = " "
            case 1:
                parts.insert(at, f"{parts[at]} ")
            case 2:
                other = rng.randrange(len(parts))
                parts[at], parts[other] = parts[other], parts[at]
            case _:
                space = rng.choice((" ", " ", ""))
                parts.insert(at, f"{space}{rng.choice(_MORE)}{space}")
    return "".join(parts)


@dataclass(slots=True)
class SmallSyntaxCheck:
    """Judges texts in Spark's dialect by plain Spark, where the driver answers."""

    subject: Subject
    tally: Tally

    def check(self, rng: random.Random, count: int) -> None:
        """Make and judge so many queries, and a fourth as many changes, and MERGEs."""
        if not count:
            return
        session = self.subject.fast.cursor()
        session.sql("SET forklake_small_queries = 'driver'")
        for _ in range(count):
            table = rng.choice(self.subject.tables)
            query = mutated(rng, SmallStatements(rng, table, "spark").query().strip())
            self.tally.end_to_end += 1
            problem = self.problem(session, query)
            if problem:
                self.tally.found.append(";\n".join([problem, *table.script(), query]))
        _NearlyChanges(self.subject, self.tally).check(rng, count // 4)
        _NearlyMerges(self.subject, self.tally).check(rng, count // 4)

    def problem(self, session: Session, query: str) -> str:
        """What is wrong with the answer of the driver, or nothing."""
        found: Outcome = outcome(lambda: in_order(session.sql(query).to_arrow(), query))
        if found.error.startswith("not ours"):
            return f"raised {found.shown}"
        self.tally.count(REFUSED if found.error else ANSWERED)
        if found.error:
            return ""
        return found.differs(outcome(lambda: in_order(self.subject.answer_of_spark(query), query)))


@dataclass(slots=True)
class _NearlyChanges(SmallChangeCheck):
    carried_out: ClassVar[str] = "nearly small changes carried out or refused"
    left: ClassVar[str] = "nearly small changes left to Spark"

    def statement(self, rng: random.Random, table: MadeTable) -> str:
        return mutated(rng, SmallStatements(rng, table, self.dialect).change().strip())


@dataclass(slots=True)
class _NearlyMerges(_NearlyChanges):
    def statement(self, rng: random.Random, table: MadeTable) -> str:
        return mutated(rng, SmallMerges(rng, table, self.subject.tables, self.dialect).merge())
