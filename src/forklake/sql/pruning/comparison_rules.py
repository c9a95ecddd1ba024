"""What decides the meaning of constants, beside how they are written."""

from dataclasses import dataclass, replace

from forklake.spark.session.provider import SparkProvider
from forklake.spark.session.time_zones import is_utc


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """How a session compares. Of the settings under which names or constants would mean something else, all turn
    shortcuts off, so that nothing is decided by them here."""

    is_utc: bool = True
    """Whether moments without a zone are moments in UTC."""
    reads_strings: bool = True
    """Whether strings are what they look like. Escapes in them have rules of their own, and so have variables."""

    def for_text(self, text: str) -> "ComparisonRules":
        """The rules for what is written in a text."""
        return replace(self, reads_strings="\\" not in text and "${" not in text)


DEFAULT_RULES = ComparisonRules()
"""Those of a session of our own."""


def session_rules(provider: SparkProvider) -> ComparisonRules:
    """How Spark compares in this session."""
    return ComparisonRules(is_utc(provider.zone))
