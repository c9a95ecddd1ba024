"""Queries that go all the way to Spark: what it says of them comes as an error of ours."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError
from trust.fuzz.grammar import Grammar
from trust.fuzz.judging import place_of
from trust.fuzz.mutations import mutate
from trust.fuzz.seeds import known_statements

_SETTINGS = {"spark.master": "local[2]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}
_BEGINNINGS = ("SELECT", "WITH", "FROM", "EXPLAIN", "SUMMARIZE", "DESCRIBE", "(", "UPDATE", "DELETE", "MERGE", "INSERT")


@dataclass(slots=True)
class QueriesTally:
    """What came of them."""

    tried: int = 0
    answers: int = 0
    found: list[str] = field(default_factory=list)


def fuzz_queries(folder: Path, seed: str, count: int) -> QueriesTally:
    """Run so many in one session of each dialect over one Spark; whatever fails, the next one works."""
    tally, known = QueriesTally(), [text for text in known_statements() if text.upper().startswith(_BEGINNINGS)]
    spark = None
    for dialect in ("spark", "duckdb"):
        rng = random.Random(f"{seed}/queries/{dialect}")
        with forklake.connect(dialect=dialect, spark=spark, settings=None if spark else _SETTINGS) as session:
            session.attach(str(folder / f"{dialect}.db"), "lake", catalog="main", create_if_not_exists=True)
            session.sql("CREATE TABLE t (id INTEGER, v VARCHAR); INSERT INTO t VALUES (1, 'a'), (2, NULL)")
            spark = session.spark
            grammar = Grammar(rng, dialect, ("lake",), ("nowhere.db",))
            for number in range(count // 2):
                text = _query(rng, grammar, known)
                _run(session, text, tally, f"{dialect}, seed {seed}, query {number}")
            if not session.sql("SELECT count(*) AS n FROM lake.snapshots()").fetchall():
                tally.found.append(f"{dialect}, seed {seed}: the session is of no use any more")
    if spark is not None:
        spark.stop()
    return tally


def _query(rng: random.Random, grammar: Grammar, known: list[str]) -> str:
    """In nothing of it is a place named that lies outside of the folder."""
    chance = rng.random()
    text = grammar.query() if chance < 0.5 else rng.choice(known)
    text = mutate(rng, text, known) if chance > 0.3 else text
    return text if text.lstrip().upper().startswith(_BEGINNINGS) else f"SELECT {text}"


def _run(session: Session, text: str, tally: QueriesTally, told: str) -> None:
    tally.tried += 1
    try:
        session.sql(text).fetchall()
        tally.answers += 1
    except ForklakeError:
        return
    except Exception as error:
        tally.found.append(
            f"{told}: {type(error).__module__}.{type(error).__name__}: {str(error)[:200]} ({place_of(error)})"
            f" for {text[:300]!r}"
        )
