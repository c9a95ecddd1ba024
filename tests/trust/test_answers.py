"""Generated statements are answered as engines without our shortcuts answer them; and planted bugs are found."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import forklake
from tests.effort import EFFORT, examples
from tests.trust import answer_plants
from trust.answers.check_answers import AVOIDED, AnswerCheck, too_many_avoided
from trust.answers.check_duckdb import COMPARED, REFUSED, DuckDBCheck
from trust.answers.check_duckdb_functions import FunctionCheck
from trust.answers.check_duckdb_queries import DuckDBQueryCheck
from trust.answers.check_duckdb_stored import DuckDBStoredCheck
from trust.answers.check_plans import PlanCheck
from trust.answers.check_settings import SETTINGS
from trust.answers.check_small import ANSWERED, SmallQueryCheck
from trust.answers.check_small_feeds import SmallFeedCheck
from trust.answers.check_small_syntax import SmallSyntaxCheck
from trust.answers.check_snapshots import STATEMENTS
from trust.answers.grammar import Grammar, simplest
from trust.answers.outcomes import of_rows
from trust.answers.pieces import Piece, shrink
from trust.answers.rounds import Counts, run_round
from trust.answers.spark_rules import RULES, WORDS
from trust.answers.subject import Subject, light, speaking, subject
from trust.answers.tables import make_table
from trust.answers.tally import Tally

SEED = "short form"
SHORT = Counts(
    conditions=2400,
    duckdb_conditions=1120,
    duckdb_expressions=200,
    duckdb_queries=18,
    duckdb_constants=16,
    duckdb_changes=6,
    queries=examples(12),
    changes=examples(3),
    small_queries=examples(180),
    small_changes=examples(9),
    small_feeds=examples(18),
    small_inserts=examples(9),
    small_merges=examples(30),
    small_syntax=examples(160),
    constants=examples(36),
    settings=len(SETTINGS),
    under_settings=100,
    snapshots=min(examples(8), len(STATEMENTS)),
)
"""Most of what is judged by plan alone, which is cheap; of what Spark has to run, `make trust` tries far more."""
PLANTED = Counts(
    conditions=SHORT.conditions,
    constants=SHORT.constants,
    settings=SHORT.settings,
    under_settings=40,
    setting_named="timeZone",
    snapshots=2,
)
"""The parts of the short form that are to find what is planted: some of its statements, over the same tables."""


@pytest.mark.timeout(1200)
def test_five_thousand_statements_have_the_answers_of_engines_without_shortcuts(
    tmp_path: Path, spark: SparkSession
) -> None:
    tallies = run_round(tmp_path / "lake", SEED, SHORT, spark)
    for tally in tallies.values():
        assert tally.found == []
    assert sum(tally.tried for tally in tallies.values()) >= 5000
    assert tallies["conditions"].outcomes["plans that leave files out"] > 100
    assert tallies["conditions"].outcomes["plans that delete whole files"] > 30
    assert tallies["duckdb"].outcomes[COMPARED] > 3 * tallies["duckdb"].outcomes[REFUSED]
    assert tallies["small"].outcomes[ANSWERED] > 100


@pytest.fixture
def small(tmp_path: Path, spark: SparkSession) -> Iterator[Subject]:
    """A lake with one table."""
    with subject(tmp_path / "lake", [make_table(random.Random(1), "t0", "plain")], spark) as made, light(spark):
        yield made


def finds(check: Any, expected: Callable[[str], bool], count: int) -> bool:
    """Whether a check finds what is expected in so many statements; it tries no more than it takes."""
    rng, step = random.Random(1), 10
    return any(check.check(rng, step) or any(map(expected, check.tally.found)) for _ in range(0, count, step))


def conditions_judged(small: Subject) -> list[str]:
    tally = Tally()
    PlanCheck(small, small.tables[0], tally).check(random.Random(1), 400)
    return tally.found


def test_an_argument_that_is_ignored_is_found_and_made_small(small: Subject) -> None:
    assert conditions_judged(small) == []
    with answer_plants.argument_ignored():
        found = conditions_judged(small)
    assert found
    assert all("NOT LIKE" in told.split(";\n")[-2] for told in found)


def test_a_bug_of_each_kind_is_found_within_the_short_form(tmp_path: Path, spark: SparkSession) -> None:
    with answer_plants.all_of_them():
        found = run_round(tmp_path / "lake", SEED, PLANTED, spark, shrinks=False)
    of = {kind: [told.partition("\n")[2] for told in tally.found] for kind, tally in found.items()}
    assert any("NOT LIKE" in text and " AS z(" not in text for text in of["conditions"])
    assert any(" AS z(" in text and "NOT LIKE" not in text for text in of["conditions"])
    assert any("CAST(" in text for text in of["constants"])
    assert any("timeZone" in told for told in found["settings"].found)
    assert any("two snapshots" in told for told in found["snapshots"].found)


def test_a_query_of_the_duckdb_dialect_with_other_rows_than_duckdb_is_found(small: Subject) -> None:
    with speaking(small, "duckdb") as other:
        check = DuckDBQueryCheck(other, Tally())
        assert check.problem("SELECT t0.k FROM t0") == ""
        check.engine.execute("DELETE FROM t0 WHERE k = 1")
        assert "1" in check.problem("SELECT t0.k FROM t0")


def test_rows_that_a_change_of_the_duckdb_dialect_leaves_and_duckdb_does_not_are_found(small: Subject) -> None:
    with speaking(small, "duckdb") as other:
        check = DuckDBStoredCheck(other, Tally())
        assert check.change_problem("DELETE FROM t0 AS a WHERE a.k = 2") == ""
        check.engine.execute("DELETE FROM t0 WHERE k = 1")
        assert "1" in check.change_problem("DELETE FROM t0 AS a WHERE a.k = 2")


def test_an_error_where_duckdb_has_values_is_found_and_no_refusal(small: Subject) -> None:
    with speaking(small, "duckdb") as other:
        check = DuckDBCheck(other, other.tables[0], Tally())
        check.oracle.add_column("only_in_duckdb")
        assert check.differences([Piece("int", ("only_in_duckdb",))])
        assert check.tally.outcomes[REFUSED] == 0


def test_a_small_query_that_the_driver_answers_wrongly_is_found(small: Subject) -> None:
    with answer_plants.nulls_first_ignored():
        assert finds(SmallQueryCheck(small, Tally()), lambda told: "ORDER BY" in told.split(";\n")[-1], 300)


def test_a_text_that_spark_refuses_and_the_driver_answers_is_found(small: Subject) -> None:
    with answer_plants.syntax_unchecked():
        assert finds(SmallSyntaxCheck(small, Tally()), lambda told: "PARSE_SYNTAX_ERROR" in told, 300)


def test_a_change_feed_that_the_driver_answers_wrongly_is_found(small: Subject) -> None:
    with answer_plants.updates_not_recognised():
        assert finds(SmallFeedCheck(small, Tally()), lambda told: "update_" in told, 40)


def test_answers_where_all_rows_give_an_error_are_few() -> None:
    assert list(too_many_avoided(Tally(end_to_end=100, outcomes=Counter({AVOIDED: 5})))) == []
    assert list(too_many_avoided(Tally(end_to_end=100, outcomes=Counter({AVOIDED: 6})))) != []


def test_rows_that_are_answered_instead_of_an_error_are_those_without_the_row_that_fails(small: Subject) -> None:
    check = AnswerCheck(small, Tally())
    fails = "SELECT k FROM t0 WHERE CAST(concat('a', k) AS INT) = 1"
    assert check.wrongly_avoided(of_rows(pa.table({"k": pa.array([], pa.int64())})), fails, is_query=True) == ""
    assert check.wrongly_avoided(of_rows(pa.table({"k": [1]})), fails, is_query=True) != ""


def test_a_tally_comes_whole_from_another_process() -> None:
    tally = Tally(in_bulk=3, end_to_end=1, found=["wrong"])
    tally.count("answered", 2)
    assert Tally.heard(json.loads(json.dumps(tally.told()))) == tally


def test_the_same_seed_makes_the_same_statements() -> None:
    made = []
    for _ in range(2):
        rng = random.Random(7)
        table = make_table(rng, "t0", "evolved")
        grammar = Grammar(rng, RULES, WORDS, table.columns)
        made.append([table.script(), *(grammar.expression("bool", 2).text() for _ in range(50))])
    assert made[0] == made[1]


def test_what_fails_is_made_as_small_as_it_still_fails() -> None:
    grammar = Grammar(random.Random(3), RULES, WORDS, make_table(random.Random(3), "t0", "plain").columns)
    pieces = [grammar.expression("bool", 4) for _ in range(200)]
    piece = next(each for each in pieces if " LIKE " in each.text() and each.size > 10)
    small = shrink(piece, lambda each: " LIKE " in each.text(), simplest)
    assert " LIKE " in small.text()
    assert small.size < piece.size
    assert isinstance(small, Piece)


def test_functions_of_duckdb_have_its_values_or_are_refused(spark: SparkSession) -> None:
    tally = Tally()
    with forklake.connect(dialect="duckdb", spark=spark) as session, light(spark):
        FunctionCheck(session, tally).check(random.Random(SEED), min(1, 0.05 * EFFORT))
    assert tally.found == []
    assert tally.outcomes[COMPARED] > 50
