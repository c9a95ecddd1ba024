"""Settings of a user's Spark session that change what text means: the same answers, or a clear refusal."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import SparkSession

from forklake.errors import ForklakeError
from trust.answers.check_answers import AnswerCheck
from trust.answers.check_plans import PlanCheck
from trust.answers.spark_rules import RULES
from trust.answers.subject import LIGHT, Subject, attached_again, plain_session
from trust.answers.tally import Tally

SETTINGS: Sequence[Mapping[str, str]] = (
    {"spark.sql.ansi.enabled": "false"},
    {"spark.sql.session.timeZone": "America/Los_Angeles"},
    {"spark.sql.session.timeZone": "Asia/Kolkata"},
    {"spark.sql.ansi.doubleQuotedIdentifiers": "true"},
    {"spark.sql.parser.escapedStringLiterals": "true"},
    {"spark.sql.caseSensitive": "true"},
    {"spark.sql.legacy.typeCoercion.datetimeToString.enabled": "true"},
    {"spark.sql.timestampType": "TIMESTAMP_NTZ"},
    {"spark.sql.storeAssignmentPolicy": "LEGACY"},
    {"spark.sql.parquet.datetimeRebaseModeInRead": "LEGACY", "spark.sql.parquet.int96RebaseModeInRead": "LEGACY"},
    {"spark.sql.legacy.timeParserPolicy": "LEGACY"},
    {"spark.sql.legacy.ctePrecedencePolicy": "LEGACY"},
    {"spark.sql.legacy.exponentLiteralAsDecimal.enabled": "true"},
    {"spark.sql.parser.quotedRegexColumnNames": "true"},
    {"spark.sql.session.collation.default": "UTF8_LCASE"},
    {"spark.sql.legacy.charVarcharAsString": "true", "spark.sql.legacy.literal.pickMinimumPrecision": "false"},
)


def check_settings(
    subject: Subject, seed: str, statements: int, queries: int, tally: Tally,
    settings: Sequence[Mapping[str, str]] = SETTINGS, rules: Mapping[str, Sequence[str]] = RULES,
) -> None:  # fmt: skip
    """Judge so many statements under each of the settings; which ones does not depend on the others."""
    for given in settings:
        rng = random.Random(f"{seed}/{dict(given)}")
        other = _session(subject.fast.spark, given)
        try:
            changed = _with(subject, other, given)
        except ForklakeError:
            tally.count("settings refused")
            tally.end_to_end += 1
            continue
        before = len(tally.found)
        try:
            for table in rng.sample(changed.tables, min(2, len(changed.tables))):
                PlanCheck(changed, table, tally, rules).check(rng, statements // 2)
            AnswerCheck(changed, tally).check(rng, queries, 0)
            tally.count("settings kept")
        finally:
            changed.close()
        tally.found[before:] = [f"under {dict(given)}: {told}" for told in tally.found[before:]]


def _session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    other = spark.newSession()
    for name, value in {**LIGHT, **settings}.items():
        other.conf.set(name, value)
    return other


def _with(subject: Subject, spark: SparkSession, settings: Mapping[str, str]) -> Subject:
    """The same lake over another session of Spark; its rows are those that were read under the usual settings."""
    changed = attached_again(subject, spark)
    changed.fast.sql("SELECT 1 AS one").fetchall()
    return replace(changed, plain=plain_session(spark, subject.stored, settings))
