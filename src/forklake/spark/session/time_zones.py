"""Time zones in the notation of Spark sessions."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from forklake.errors import InvalidInput

_UTC = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00"})


def is_utc(zone: str) -> bool:
    """Whether the session interprets timestamps without time zone as UTC."""
    return zone in _UTC


def zone_named(zone: str) -> tzinfo:
    """The time zone of a session, given by name or as an offset such as +01:00."""
    if is_utc(zone):
        return UTC
    try:
        return ZoneInfo(zone)
    except (ValueError, ZoneInfoNotFoundError):
        pass
    try:
        found = datetime.strptime(zone, "%z").tzinfo
    except ValueError:
        found = None
    if found is None:
        raise InvalidInput(f"The time zone '{zone}' of the session is not known; set spark.sql.session.timeZone.")
    return found
