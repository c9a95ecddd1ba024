"""The DuckDB dialect: statements choose their files, and expressions come out, as DuckDB says of the same rows; what we
do not translate is refused.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from forklake.errors import ForklakeError, Untranslatable
from forklake.sql.duckdb.texts import READ_APART, WRITTEN_APART
from forklake.sql.duckdb.translate import expression_to_spark
from trust.answers.check_plans import PlanCheck
from trust.answers.duckdb_oracle import DuckDBOracle, duckdb_columns
from trust.answers.duckdb_rules import RULES, WORDS
from trust.answers.evaluation import Judgement
from trust.answers.grammar import Grammar, simplest
from trust.answers.kinds import Column
from trust.answers.pieces import Piece, shrink
from trust.answers.same_values import same
from trust.answers.spelling import duckdb_literal
from trust.answers.statements import Statement
from trust.answers.subject import Subject, speaking
from trust.answers.tables import KEY

REFUSED, COMPARED = "expressions refused by the dialect", "expressions with the values of DuckDB"
_AT_ONCE = 30
_FAMILIES = ("bool", "bool", "bool", "int", "dec", "dbl", "text", "text", "date", "ntz")


def is_refusal(error: ForklakeError) -> bool:
    """Whether a statement is refused on purpose: when it is read, or when a row has a text that is not read alike."""
    refusals = (READ_APART, WRITTEN_APART, "known only to Spark")
    return isinstance(error, Untranslatable) or any(told in str(error) for told in refusals)


@dataclass(slots=True)
class DuckDBCheck(PlanCheck):
    """Judges statements of the DuckDB dialect over one table of a subject that speaks it."""

    oracle: DuckDBOracle = field(init=False)
    types: dict[str, str] = field(init=False)
    """The columns with their types in Spark."""

    def __post_init__(self) -> None:
        PlanCheck.__post_init__(self)
        self.types = dict(self.subject.slow.sql(f"SELECT * FROM {self.table.name}").to_spark().dtypes)
        rows = self.subject.stored[self.table.name].select([column.name for column in self.columns()])
        self.oracle = DuckDBOracle(self.table.name, rows, KEY)

    def columns(self) -> list[Column]:
        return duckdb_columns(self.table.columns)

    def grammar(self, rng: random.Random) -> Grammar:
        return Grammar(rng, RULES, WORDS, self.columns(), duckdb_literal)

    def evaluate(self, conditions: Sequence[str]) -> list[Judgement]:
        return [self.oracle.judge(condition) for condition in conditions]

    def fails_on(self, statement: Statement, made: Subject) -> bool:
        with speaking(made, "duckdb") as other:
            return PlanCheck.fails_on(self, statement, other)

    def check_expressions(self, rng: random.Random, count: int) -> None:
        """Make and judge so many expressions, many in a query."""
        grammar = self.grammar(rng)
        made: list[Piece] = []
        while len(made) < count:
            piece = grammar.expression(rng.choice(_FAMILIES), rng.choice((0, 1, 1, 2)))
            if self._in_duckdb(piece) is not None and not self._is_refused(piece):
                made.append(piece)
        for start in range(0, count, _AT_ONCE):
            batch = made[start : start + _AT_ONCE]
            self.tally.in_bulk += len(batch)
            for piece, problem in self.differences(batch, counted=True):
                self.tally.found.append(self._told_expression(piece, problem))

    def _is_refused(self, piece: Piece) -> bool:
        """Whether no query needs to be run to see that an expression is not translated."""
        try:
            expression_to_spark(piece.text(), self.types)
        except Untranslatable:
            self.tally.count(REFUSED)
            return True
        return False

    def differences(self, pieces: Sequence[Piece], *, counted: bool = False) -> list[tuple[Piece, str]]:
        """Those of the expressions that have other values than in DuckDB; errors are looked for by halves."""
        listed = ", ".join(f"({piece.text()}) AS e_{at}" for at, piece in enumerate(pieces))
        try:
            rows = self.subject.slow.sql(f"SELECT {KEY}, {listed} FROM {self.table.name}").fetchall()
        except ForklakeError as error:
            if len(pieces) == 1 and is_refusal(error):
                self.tally.count(REFUSED, counted)
                return []
            if len(pieces) == 1 and _BEYOND_PYTHON in str(error):
                self.tally.count("dates that Python cannot hold", counted)
                return []
            if len(pieces) == 1:
                return [(pieces[0], f"{type(error).__name__} ({str(error)[:200]}) where DuckDB has values")]
            middle = len(pieces) // 2
            halves = (pieces[:middle], pieces[middle:])
            return [found for half in halves for found in self.differences(half, counted=counted)]
        found = []
        for at, piece in enumerate(pieces):
            self.tally.count(COMPARED, counted)
            problem = _difference({row[0]: row[at + 1] for row in rows}, self._in_duckdb(piece) or {})
            if problem:
                found.append((piece, problem))
        return found

    def _in_duckdb(self, piece: Piece) -> dict[int, Any] | None:
        try:
            return self.oracle.values(piece.text())
        except duckdb.Error:
            return None

    def _told_expression(self, piece: Piece, problem: str) -> str:
        def fails(each: Piece) -> bool:
            return self._in_duckdb(each) is not None and bool(self.differences([each]))

        small = shrink(piece, fails, simplest, tries=40)
        [(_, now)] = self.differences([small]) or [(small, problem)]
        script = ";\n".join([*self.table.script(), f"SELECT {KEY}, {small.text()} FROM {self.table.name}"])
        return f"in the DuckDB dialect: {now}\n{script};\n-- made smaller from: {piece.text()}"


_BEYOND_PYTHON = "outside of the years 1 to 9999"


def _difference(ours: dict[int, Any], theirs: dict[int, Any]) -> str:
    for key, value in theirs.items():
        if not same(ours.get(key), value):
            return f"{ours.get(key)!r} instead of {value!r} for the row {key}"
    return ""
