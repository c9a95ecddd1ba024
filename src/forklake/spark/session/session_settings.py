"""The Spark settings that Forklake depends on.

Users may change settings at any time, so they are checked for every statement: the text of all settings is read in one
call, and their values only if that text is new. docs/spark-settings.md describes the effect of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from forklake.model.lru_cache import LruCache
from forklake.spark.session.failures import is_from_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST_COMPILER = "-XX:TieredStopAtLevel=1"
"""Starts in two thirds of the time, and computes half as fast in the end."""
LOG_LEVEL = "spark.log.level"
JAVA_OPTIONS = "spark.driver.defaultJavaOptions"
"""The setting for options of ours, which stand before those of users."""
ZONE = "spark.sql.session.timeZone"
_PRUNES_STRUCTS = "spark.sql.optimizer.nestedSchemaPruning.enabled"
_COMPILES_UNIONS = "spark.sql.codegen.wholeStage.union.enabled"
_ANSI = "spark.sql.ansi.enabled"
_DOUBLE_QUOTES = "spark.sql.ansi.doubleQuotedIdentifiers"

REFUSED: Mapping[str, str] = {
    _DOUBLE_QUOTES: 'Forklake reads "…" as a string in Spark\'s dialect',
    "spark.sql.parser.escapedStringLiterals": "Forklake reads backslashes in strings as escapes",
    "spark.sql.parser.quotedRegexColumnNames": "Forklake puts names in backticks, and means these names",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "Forklake reads 'a''b' as a string with a quote in it",
    "spark.sql.streaming.fileStreamSink.ignoreMetadata": "Spark would read no row of any table",
    "spark.sql.parquet.int96TimestampConversion": "timestamps in files of others would be moved by the session's zone",
}
"""Settings that must be false: otherwise Spark would parse text differently, or not read all data."""

DECIDING: Mapping[str, str] = {
    _ANSI: "true",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.charAsVarchar": "false",
    "spark.sql.legacy.charVarcharAsString": "false",
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    "spark.sql.legacy.interval.enabled": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
    "spark.sql.legacy.nullInEmptyListBehavior": "",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.legacy.typeCoercion.datetimeToString.enabled": "false",
    "spark.sql.preserveCharVarcharTypeInfo": "false",
    "spark.sql.session.collation.default": "UTF8_BINARY",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}
"""Settings that change the meaning of expressions, with the values for which our interpretation equals Spark's.

With other values, everything is left to Spark, as with `forklake_shortcuts` off.
"""

_READ: Mapping[str, str] = {
    **dict.fromkeys(REFUSED, "false"),
    **DECIDING,
    ZONE: "UTC",
    _PRUNES_STRUCTS: "true",
    # Unknown before Spark 4.3, which never compiles them.
    _COMPILES_UNIONS: "false",
}
"""All settings that are read, with Spark's defaults."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The interpreted settings of a session."""

    zone: str
    prunes_structs: bool
    """Whether Spark prunes unused fields of structs."""
    compiles_unions: bool
    """Whether Spark generates code across unions."""
    problem: str | None
    """Why the settings are not supported."""
    is_usual: bool
    """Whether expressions have the meaning that we assume."""


def settings_from(values: Mapping[str, str]) -> SessionSettings:
    """Interprets these values; all other settings have their defaults."""
    found = {name: str(values.get(name, default)) for name, default in _READ.items()}
    return SessionSettings(
        zone=found[ZONE],
        prunes_structs=_is_true(_PRUNES_STRUCTS, found),
        compiles_unions=_is_true(_COMPILES_UNIONS, found),
        problem=next((_refusal_message(name) for name in REFUSED if _is_on(name, found)), None),
        is_usual=all(found[name].lower() == value.lower() for name, value in DECIDING.items()),
    )


def _is_on(name: str, found: Mapping[str, str]) -> bool:
    # Double quotes delimit identifiers only if both settings are on.
    counts = name != _DOUBLE_QUOTES or found[_ANSI].lower() == "true"
    return counts and _is_true(name, found)


def _is_true(name: str, found: Mapping[str, str]) -> bool:
    return found[name].lower() == "true"


def _refusal_message(name: str) -> str:
    return f"The Spark session has {name} = true: {REFUSED[name]}. Set it to false."


_Known = LruCache[str, SessionSettings]
_KNOWN: WeakKeyDictionary[object, _Known] = WeakKeyDictionary()
"""The interpreted settings by their text, for each Spark context: all of its sessions have the same defaults."""


class WatchedSettings:
    """The current settings of one session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._map: Any = None
        # A client of a server has no context.
        self._known = _KNOWN.setdefault(getattr(spark, "_sc", spark), _Known(16))

    def now(self) -> SessionSettings:
        """The current settings; one call to Spark unless they have changed."""
        text = self._text()
        known = self._known.get(text)
        if known is None:
            known = settings_from({name: value for name in _READ if (value := self._value(name)) is not None})
            self._known.put(text, known)
        return known

    def _value(self, name: str) -> str | None:
        """The effective value; defaults depend on the version of Spark and its environment."""
        try:
            return self._spark.conf.get(name)
        except Exception as error:
            if not is_from_spark(error):
                raise
            # Unknown to this version of Spark, or without default.
            return None

    def _text(self) -> str:
        """All settings as a single text, which changes only if they do."""
        session = getattr(self._spark, "_jsparkSession", None)
        if session is None:
            return repr(sorted(dict(self._spark.conf.getAll).items()))
        if self._map is None:
            self._map = session.sessionState().conf().settings()
        return str(self._map.toString())
