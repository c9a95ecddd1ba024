"""Expire snapshots by number, by age, or as the catalog's options say."""

from collections.abc import Collection
from datetime import datetime

from forklake.catalog import expiry
from forklake.catalog.lake import Catalog
from forklake.maintenance.ages import age_of
from forklake.model.snapshots import Snapshot


def expire_snapshots(
    catalog: Catalog,
    *,
    versions: Collection[int] | None = None,
    older_than: datetime | None = None,
    dry_run: bool = False,
) -> list[Snapshot]:
    """Expire snapshots that the catalog has made itself, but never the newest; returns them.

    Without numbers and without an age, the option `expire_older_than` says which; unset, none expires.
    """
    if versions is None and older_than is None:
        older_than = age_of(catalog, "expire_older_than")
    return expiry.expire_snapshots(catalog, versions=versions, older_than=older_than, dry_run=dry_run)
