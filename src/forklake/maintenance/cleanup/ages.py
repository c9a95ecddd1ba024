"""The minimum age for cleanup."""

from datetime import datetime

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.retention.expiry import Age, cutoff_from_option, cutoff_time
from forklake.errors import InvalidInput


def cleanup_age(catalog: Catalog, name: str, older_than: Age | None, cleanup_all: bool) -> datetime | None:
    """The time before which files are cleaned up; None for all of them, only with `cleanup_all`."""
    if cleanup_all and older_than is not None:
        raise InvalidInput(f"{name}: either cleanup_all OR older_than must be specified.")
    if isinstance(older_than, datetime) and older_than.tzinfo is None:
        raise InvalidInput(f"{name}: the time {older_than} has no time zone; give one, such as UTC.")
    if cleanup_all:
        return None
    before = (
        cutoff_from_option(catalog, "delete_older_than") if older_than is None else cutoff_time(catalog, older_than)
    )
    if before is None:
        raise InvalidInput(f"{name}: either cleanup_all OR older_than must be specified.")
    return before
