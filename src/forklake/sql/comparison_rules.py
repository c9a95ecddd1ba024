"""Settings of Spark that decide what a name or a constant means."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from forklake.spark.zones import is_utc


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """How a session compares; each setting is looked up when it matters, which for most conditions is never."""

    setting: Callable[[str, str | None], str]
    """The value of a setting, or what is given with it for one that is not set."""
    reads_strings: bool = True
    """Whether strings are what they look like. Escapes in them have rules of their own, and so have variables."""

    def for_text(self, text: str) -> "ComparisonRules":
        """The rules for what is written in a text."""
        return replace(self, reads_strings="\\" not in text and "${" not in text)

    @property
    def is_utc(self) -> bool:
        """Whether moments without a zone are moments in UTC."""
        return is_utc(self.setting("spark.sql.session.timeZone", None))

    @property
    def ignores_case(self) -> bool:
        return self.setting("spark.sql.caseSensitive", "false") == "false"

    @property
    def casts_text_to_dates(self) -> bool:
        """Whether a text that meets a date or timestamp becomes one, and not the other way round."""
        return self.setting("spark.sql.legacy.typeCoercion.datetimeToString.enabled", "false") == "false"

    @property
    def keeps_zones(self) -> bool:
        """Whether TIMESTAMP is the type with zones."""
        return self.setting("spark.sql.timestampType", "TIMESTAMP_LTZ") == "TIMESTAMP_LTZ"


def _default(name: str, default: str | None) -> str:
    return default or "UTC"


DEFAULT_RULES = ComparisonRules(_default)
"""Those of a session of our own."""
