"""Session settings that determine the meaning of constants."""

from dataclasses import dataclass, replace

from forklake.spark.session.provider import SparkProvider
from forklake.spark.session.time_zones import is_utc


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """Comparison rules of a session.

    Every other setting under which names or constants would mean something else turns shortcuts off, so that nothing is
    decided by it here.
    """

    is_utc: bool = True
    """Whether timestamps without a zone are in UTC."""
    reads_strings: bool = True
    """Whether strings are literal. Escapes and variables in them have rules of their own."""

    def for_text(self, text: str) -> "ComparisonRules":
        """The rules for constants in a text."""
        return replace(self, reads_strings="\\" not in text and "${" not in text)


DEFAULT_RULES = ComparisonRules()
"""Rules of a Spark session started by us."""


def session_rules(provider: SparkProvider) -> ComparisonRules:
    """The comparison rules of a Spark session."""
    return ComparisonRules(is_utc(provider.zone))
