"""Constants: what VALUES stores is what a SELECT of the same expressions stores, for every type of column."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import PySparkException

from forklake.api.session import Session
from trust.answers.grammar import Grammar, simplest
from trust.answers.kinds import KINDS
from trust.answers.outcomes import Outcome, outcome
from trust.answers.pieces import Piece, shrink
from trust.answers.spark_rules import RULES, WORDS
from trust.answers.subject import Subject
from trust.answers.tally import Tally

TABLE = "constants_stored"
_AT_ONCE = 24
STORED = tuple(kind for kind in KINDS if KINDS[kind].family in RULES)
"""The kinds of columns that constants are made for."""
Constant = tuple[str, Piece]
"""A kind of column, and what to store in one."""


@dataclass(slots=True)
class ConstantCheck:
    """Judges constants, several in a statement."""

    subject: Subject
    tally: Tally

    def check(self, rng: random.Random, count: int, kinds: Sequence[str] = STORED) -> None:
        """Make and judge so many constants for columns of these kinds."""
        grammar = Grammar(rng, RULES, WORDS, ())
        constants = [_constant(rng, grammar, rng.choice(kinds)) for _ in range(count)]
        for batch in self._batches(constants):
            self.tally.in_bulk += len(batch)
            for wrong, problem in self.problems(batch):
                self.tally.found.append(self._told(wrong, problem))

    def check_defaults(self, rng: random.Random, count: int, kinds: Sequence[str] = STORED) -> None:
        """Make so many constants and judge what columns store that have them for their DEFAULT."""
        grammar = Grammar(rng, RULES, WORDS, ())
        constants = [_constant(rng, grammar, rng.choice(kinds)) for _ in range(count)]
        for batch in self._batches(constants):
            self.tally.in_bulk += len(batch)
            for (kind, piece), problem in self.default_problems(batch):
                script = f"CREATE TABLE c (x INT, v {KINDS[kind].sql} DEFAULT {piece.text()})"
                self.tally.found.append(f"DEFAULT stores something else than SELECT: {problem}\n{script};")

    def _batches(self, constants: Sequence[Constant]) -> Iterator[Sequence[Constant]]:
        """Constants that have a value together, and each that gives an error alone: it would hide the others."""
        values = [self._has_value(each) for each in constants]
        together = [each for each, has_value in zip(constants, values, strict=True) if has_value]
        yield from (together[start : start + _AT_ONCE] for start in range(0, len(together), _AT_ONCE))
        yield from ([each] for each, has_value in zip(constants, values, strict=True) if not has_value)

    def _has_value(self, constant: Constant) -> bool:
        kind, piece = constant
        try:
            self.subject.plain.sql(f"SELECT CAST(({piece.text()}) AS {_cast_type(kind)})").toArrow()
        except PySparkException:
            return False
        return True

    def default_problems(self, constants: Sequence[Constant]) -> list[tuple[Constant, str]]:
        """Those of the constants that are stored differently by DEFAULT; one that is refused stores nothing."""
        given = stored_by_default(self.subject.fast, constants)
        slow = read_stored(self.subject.slow, constants, "SELECT {}")
        if len(constants) > 1 and (given.error or slow.error or given.rows != slow.rows):
            middle = len(constants) // 2
            return self.default_problems(constants[:middle]) + self.default_problems(constants[middle:])
        self.tally.count("defaults refused" if given.error else "defaults stored")
        if given.error.startswith("not ours"):
            return [(constants[0], f"raised {given.shown}")]
        problem = "" if given.error else given.differs(slow)
        return [(constants[0], problem)] if problem else []

    def problems(self, constants: Sequence[Constant]) -> list[tuple[Constant, str]]:
        """Those of the constants that are stored differently: errors are looked for by halves."""
        fast = read_stored(self.subject.fast, constants, "VALUES ({})")
        slow = read_stored(self.subject.slow, constants, "SELECT {}")
        if len(constants) > 1 and (fast.error or slow.error or fast.rows != slow.rows):
            middle = len(constants) // 2
            return self.problems(constants[:middle]) + self.problems(constants[middle:])
        self.tally.count("constants stored" if not slow.error else "constants refused", len(constants) > 0)
        if not fast.error or not slow.error:
            problem = fast.differs(slow)
            # Some expressions Spark takes in a SELECT, and not in VALUES.
            if problem and fast.differs(read_stored(self.subject.slow, constants, "VALUES ({})")):
                return [(constants[0], problem)]
        return []

    def _told(self, wrong: Constant, problem: str) -> str:
        kind, piece = wrong
        small = piece
        if self.tally.shrinks:
            small = shrink(piece, lambda each: bool(self.problems([(kind, each)])), simplest, tries=40)
        return (
            f"VALUES stores something else than SELECT: {problem}\nCREATE TABLE c (v {KINDS[kind].sql});\n"
            f"INSERT INTO c VALUES ({small.text()});\n-- made smaller from: {piece.text()}"
        )


def read_stored(session: Session, constants: Sequence[Constant], form: str) -> Outcome:
    """What the constants are when they are read again, each from a column of its kind."""
    columns = ", ".join(f"c_{at} {KINDS[kind].sql}" for at, (kind, _) in enumerate(constants))
    values = form.format(", ".join(piece.text() for _, piece in constants))

    def rows() -> pa.Table:
        session.sql(f"INSERT INTO {TABLE} {values}")
        return session.sql(f"SELECT * FROM {TABLE}").to_arrow()

    session.begin()
    try:
        session.sql(f"CREATE TABLE {TABLE} ({columns})")
        return outcome(rows)
    finally:
        session.rollback()


def stored_by_default(session: Session, constants: Sequence[Constant]) -> Outcome:
    """What the constants are as defaults of columns, when a row that is given none of them is read again."""
    columns = ", ".join(f"c_{at} {KINDS[kind].sql} DEFAULT {each.text()}" for at, (kind, each) in enumerate(constants))

    def rows() -> pa.Table:
        session.sql(f"CREATE TABLE {TABLE} (x INT, {columns})")
        session.sql(f"INSERT INTO {TABLE} (x) VALUES (1)")
        return session.sql(f"SELECT * FROM {TABLE}").to_arrow().drop_columns(["x"])

    session.begin()
    try:
        return outcome(rows)
    finally:
        session.rollback()


def _constant(rng: random.Random, grammar: Grammar, kind: str) -> Constant:
    family = KINDS[kind].family
    chance = rng.random()
    if chance < 0.25:
        value = rng.choice((*KINDS[kind].values, None))
        return kind, Piece(family, (grammar.constant(value, kind),))
    if chance < 0.65:
        return kind, grammar.fill(family, rng.choice(_CASTS).replace("TYPE", _cast_type(kind)), 0)
    if chance < 0.75 and family in ("date", "ts", "ntz"):
        return kind, grammar.fill(family, "<time_text>", 0)
    return kind, grammar.expression(family, 1)


def _cast_type(kind: str) -> str:
    """The type as Spark calls it."""
    return {"utiny": "SMALLINT", "ubig": "DECIMAL(20,0)", "uuid": "STRING", "time": "STRING"}.get(kind, KINDS[kind].sql)


_CASTS = (
    "CAST(<v.text> AS TYPE)", "CAST(<v.int> AS TYPE)", "CAST(<number_text> AS TYPE)", "CAST(<bool_text> AS TYPE)",
    "CAST(<time_text> AS TYPE)", "CAST(<v.dec> AS TYPE)", "CAST(<v.dbl> AS TYPE)", "CAST(NULL AS TYPE)",
    "<number_text>::TYPE",
    "try_cast(<v.text> AS TYPE)", "CAST(true AS TYPE)", "CAST(1.2345 AS TYPE)",
    "CAST(1.7 AS TYPE)", "CAST(-2.7 AS TYPE)", "CAST(2.5D AS TYPE)",
    "CAST(<valid_date> AS TYPE)",
)  # fmt: skip
