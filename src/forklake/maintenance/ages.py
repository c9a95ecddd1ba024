"""How old something must be to be let go of."""

from datetime import UTC, datetime

from forklake.catalog.lake import Catalog, database_time
from forklake.catalog.options import effective_option
from forklake.catalog.transaction import begin
from forklake.errors import InvalidInput
from forklake.model.options import parse_interval


def age_of(catalog: Catalog, option: str) -> datetime | None:
    """The time before which something is as old as an option of the catalog says; None if it says nothing."""
    interval = effective_option(begin(catalog), option)
    if interval is None:
        return None
    try:
        # Snapshots and waiting files have the times of the database, others those of file systems: whoever's clock is
        # ahead, nothing is taken for older than it is.
        return min(datetime.now(UTC), database_time(catalog.lake)) - parse_interval(interval)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def cleanup_age(catalog: Catalog, name: str, older_than: datetime | None, cleanup_all: bool) -> datetime | None:
    """The time before which files are cleaned up; None for all of them, which only `cleanup_all` can mean."""
    if cleanup_all and older_than is not None:
        raise InvalidInput(f"{name}: either cleanup_all OR older_than must be specified.")
    if older_than is not None and older_than.tzinfo is None:
        raise InvalidInput(f"{name}: the time {older_than} has no time zone; give one, such as UTC.")
    if cleanup_all:
        return None
    before = older_than or age_of(catalog, "delete_older_than")
    if before is None:
        raise InvalidInput(f"{name}: either cleanup_all OR older_than must be specified.")
    return before
