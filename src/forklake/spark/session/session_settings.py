"""The settings of a Spark session that we depend on.

Users may change settings at any time, so they are looked at for every statement: the text of all of them in one call,
and their values only when that text is new. docs/spark-settings.md lists what each of them does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from forklake.model.lru_cache import LruCache
from forklake.spark.session.failures import is_from_spark

ZONE = "spark.sql.session.timeZone"
_PRUNES_STRUCTS = "spark.sql.optimizer.nestedSchemaPruning.enabled"
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
"""Settings that must be false: with them, Spark would read text otherwise than we do, or not read what there is."""

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
"""Settings that change what expressions mean, with the value under which our own reading of them is Spark's. With any
other, Spark alone decides, as with `forklake_shortcuts` off."""

_READ: Mapping[str, str] = {**dict.fromkeys(REFUSED, "false"), **DECIDING, ZONE: "UTC", _PRUNES_STRUCTS: "true"}
"""All that is read, with Spark's defaults."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What the settings of a session mean for us."""

    zone: str
    prunes_structs: bool
    """Spark leaves fields of structs alone that nobody asks for."""
    problem: str | None
    """Why we cannot work with them."""
    is_usual: bool
    """Expressions mean what we take them to mean."""


def settings_from(values: Mapping[str, str]) -> SessionSettings:
    """What settings mean that were set to these values; the others have their defaults."""
    found = {name: str(values.get(name, default)) for name, default in _READ.items()}
    return SessionSettings(
        zone=found[ZONE],
        prunes_structs=found[_PRUNES_STRUCTS].lower() == "true",
        problem=next((_refusal_message(name) for name in REFUSED if _is_on(name, found)), None),
        is_usual=all(found[name].lower() == value.lower() for name, value in DECIDING.items()),
    )


def _is_on(name: str, found: Mapping[str, str]) -> bool:
    # In double quotes there are names only if both settings say so.
    counts = name != _DOUBLE_QUOTES or found[_ANSI].lower() == "true"
    return counts and found[name].lower() == "true"


def _refusal_message(name: str) -> str:
    return f"The Spark session has {name} = true: {REFUSED[name]}. Set it to false."


class WatchedSettings:
    """The settings of one session, as they are now."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._map: Any = None
        self._known: LruCache[str, SessionSettings] = LruCache(8)

    def now(self) -> SessionSettings:
        """One call to Spark, unless they are new."""
        text = self._text()
        known = self._known.get(text)
        if known is None:
            known = settings_from({name: value for name in _READ if (value := self._value(name)) is not None})
            self._known.put(text, known)
        return known

    def _value(self, name: str) -> str | None:
        """The value that counts; defaults depend on the version of Spark and on its environment."""
        try:
            return self._spark.conf.get(name)
        except Exception as error:
            if not is_from_spark(error):
                raise
            # This Spark does not know it, or it has no default.
            return None

    def _text(self) -> str:
        """All settings as one text, which is the same as long as they are."""
        session = getattr(self._spark, "_jsparkSession", None)
        if session is None:
            return repr(sorted(dict(self._spark.conf.getAll).items()))
        if self._map is None:
            self._map = session.sessionState().conf().settings()
        return str(self._map.toString())
