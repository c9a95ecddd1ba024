"""One round: new tables, and so many statements of each kind over them."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from trust.answers.check_answers import AnswerCheck
from trust.answers.check_constants import ConstantCheck
from trust.answers.check_duckdb import DuckDBCheck
from trust.answers.check_duckdb_functions import FunctionCheck
from trust.answers.check_duckdb_queries import DuckDBQueryCheck
from trust.answers.check_duckdb_stored import DuckDBStoredCheck
from trust.answers.check_plans import PlanCheck
from trust.answers.check_settings import SETTINGS, check_settings
from trust.answers.check_small import SmallQueryCheck
from trust.answers.check_small_changes import SmallChangeCheck
from trust.answers.check_small_feeds import SmallFeedCheck
from trust.answers.check_small_inserts import SmallInsertCheck
from trust.answers.check_small_merges import SmallMergeCheck
from trust.answers.check_small_syntax import SmallSyntaxCheck
from trust.answers.check_snapshots import STATEMENTS, SnapshotCheck
from trust.answers.subject import light, speaking, subject
from trust.answers.tables import make_tables
from trust.answers.tally import Tally


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each kind are made in a round."""

    conditions: int = 0
    duckdb_conditions: int = 0
    duckdb_expressions: int = 0
    duckdb_queries: int = 0
    duckdb_constants: int = 0
    duckdb_changes: int = 0
    duckdb_functions: float = 0
    """Which share of DuckDB's functions is tried."""
    queries: int = 0
    changes: int = 0
    small_queries: int = 0
    """Of one table in Spark's dialect; a third as many in DuckDB's, if that is spoken."""
    small_changes: int = 0
    """The same for UPDATEs and DELETEs."""
    small_feeds: int = 0
    """The same for queries of change feeds."""
    small_inserts: int = 0
    """The same for INSERTs of queries."""
    small_merges: int = 0
    """The same for MERGEs."""
    small_syntax: int = 0
    """Of texts that are nearly small queries, in Spark's dialect; a fourth as many nearly changes, and MERGEs."""
    constants: int = 0
    settings: int = 0
    """How many of the settings, each with `under_settings` statements."""
    under_settings: int = 40
    setting_named: str = ""
    """Part of the names of those settings that are tried."""
    snapshots: int = 0
    """How many of the statements that another session commits to meanwhile are tried."""
    duckdb_snapshots: int = 0
    """The same in the DuckDB dialect."""

    @property
    def speaks_duckdb(self) -> bool:
        queries = (self.duckdb_conditions, self.duckdb_expressions, self.duckdb_queries, self.duckdb_snapshots)
        return any((*queries, self.duckdb_constants, self.duckdb_changes))


KINDS = ("conditions", "answers", "small", "constants", "settings", "snapshots", "duckdb")
"""What a round tells of, each with a tally of its own."""


def run_round(
    folder: Path,
    seed: str,
    counts: Counts,
    spark: SparkSession | None = None,
    target: str = "",
    *,
    shrinks: bool = True,
) -> Mapping[str, Tally]:
    """Make tables by the seed, and judge statements over them; in SQLite, unless there is a target."""
    tallies = {kind: Tally(shrinks=shrinks) for kind in KINDS}

    def chance(what: str) -> random.Random:
        """A source of chance for one purpose: what is made for it does not depend on what else is made."""
        return random.Random(f"{seed}/{what}")

    with subject(folder, list(make_tables(chance("tables"))), spark, target) as made, light(made.fast.spark):
        each = len(made.tables)
        for table in made.tables if counts.conditions else ():
            PlanCheck(made, table, tallies["conditions"]).check(chance(table.name), counts.conditions // each)
        AnswerCheck(made, tallies["answers"]).check(chance("answers"), counts.queries, counts.changes)
        SmallQueryCheck(made, tallies["small"]).check(chance("small queries"), counts.small_queries)
        SmallChangeCheck(made, tallies["small"]).check(chance("small changes"), counts.small_changes)
        SmallFeedCheck(made, tallies["small"]).check(chance("small feeds"), counts.small_feeds)
        SmallInsertCheck(made, tallies["small"]).check(chance("small inserts"), counts.small_inserts)
        SmallMergeCheck(made, tallies["small"]).check(chance("small merges"), counts.small_merges)
        SmallSyntaxCheck(made, tallies["small"]).check(chance("small syntax"), counts.small_syntax)
        if counts.constants:
            constants = ConstantCheck(made, tallies["constants"])
            constants.check(chance("constants"), counts.constants)
            constants.check_defaults(chance("defaults"), counts.constants // 3)
        sample = chance("settings").sample(SETTINGS, counts.settings)
        chosen = [given for given in sample if any(counts.setting_named in name for name in given)]
        check_settings(made, f"{seed}/settings", counts.under_settings, 1, tallies["settings"], chosen)
        if counts.snapshots:
            SnapshotCheck(made, tallies["snapshots"]).check(STATEMENTS[: counts.snapshots])
        if counts.speaks_duckdb:
            with speaking(made, "duckdb") as other:
                if counts.duckdb_snapshots:
                    SnapshotCheck(other, tallies["snapshots"]).check(STATEMENTS[: counts.duckdb_snapshots])
                small = SmallQueryCheck(other, tallies["small"], "duckdb")
                small.check(chance("duckdb small queries"), counts.small_queries // 3)
                changes = SmallChangeCheck(other, tallies["small"], "duckdb")
                changes.check(chance("duckdb small changes"), counts.small_changes // 3)
                feeds = SmallFeedCheck(other, tallies["small"], "duckdb")
                feeds.check(chance("duckdb small feeds"), counts.small_feeds // 3)
                inserts = SmallInsertCheck(other, tallies["small"], "duckdb")
                inserts.check(chance("duckdb small inserts"), counts.small_inserts // 3)
                merges = SmallMergeCheck(other, tallies["small"], "duckdb")
                merges.check(chance("duckdb small merges"), counts.small_merges // 3)
                DuckDBQueryCheck(other, tallies["duckdb"]).check(chance("duckdb queries"), counts.duckdb_queries)
                if counts.duckdb_constants or counts.duckdb_changes:
                    kept = DuckDBStoredCheck(other, tallies["duckdb"])
                    kept.check_constants(chance("duckdb constants"), counts.duckdb_constants)
                    kept.check_changes(chance("duckdb changes"), counts.duckdb_changes)
                if counts.duckdb_functions:
                    check = FunctionCheck(other.fast, tallies["duckdb"])
                    check.check(chance("duckdb functions"), counts.duckdb_functions)
                for table in other.tables:
                    duck = DuckDBCheck(other, table, tallies["duckdb"])
                    duck.check(chance(f"duckdb {table.name}"), counts.duckdb_conditions // each)
                    expressions = chance(f"duckdb expressions {table.name}")
                    duck.check_expressions(expressions, counts.duckdb_expressions // each)
                    duck.oracle.close()
    for tally in tallies.values():
        tally.found = [f"seed {seed}: {told}" for told in tally.found]
    return tallies
