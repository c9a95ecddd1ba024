"""The lake of the soak: as it begins, whether all is there at the end, and whether it comes back to its first size."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.catalog.lakes.catalogs import drop_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.retention.dropped import dropped_catalogs
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.maintenance.verification.verify import verify
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.work import storage_of
from tests.lakes import row_count
from trust.load.soak import BASE, BASE_ROWS, HOT, TABLE, Soak

VERIFIED = 40
"""So many of the forks that are left, and all others, are verified: each takes some milliseconds."""


def make_lake(soak: Soak) -> int:
    """A base with a few rows, and the shared catalogs; returns how many rows of metadata that takes."""
    with forklake.connect() as session:
        base = session.attach(soak.url, BASE, catalog=BASE, data_path=soak.data_path, create_if_not_exists=True)
        # Rows in the metadata need no Spark to be written or read.
        base.set_option("data_inlining_row_limit", 10)
        base.create_table(TABLE, {"k": "bigint", "v": "varchar"})
        base.table(TABLE).append([{"k": -number, "v": "base"} for number in range(1, BASE_ROWS + 1)])
        # So that every snapshot that is left has the table.
        base.expire_snapshots(older_than=timedelta(0))
        for name in HOT:
            base.fork(name).table(TABLE).append([{"k": 0, "v": "first"}])
        _clean_up(base)
    with _open_lake(soak) as lake:
        return row_count(lake)


def check_rows(soak: Soak, own: Mapping[str, int], shared: Counter[str]) -> Iterator[str]:
    """Whether every catalog has the rows that were acknowledged, each once."""
    expected = {BASE: BASE_ROWS, **own, **{name: shared[name] for name in HOT}}
    with _open_lake(soak) as lake:
        for name, rows in expected.items():
            keys = _keys(find_catalog(lake, name))
            if len(keys) != rows:
                yield f"{name} has {len(keys)} rows, and {rows} were acknowledged"
            if len(set(keys)) != len(keys):
                yield f"{name} has rows twice: {[key for key, count in Counter(keys).items() if count > 1][:5]}"


def verify_catalogs(soak: Soak, own: Mapping[str, int]) -> tuple[int, list[str]]:
    """How many catalogs were verified, and what that has found."""
    names = [BASE, *HOT, *list(own)[:VERIFIED]]
    found = []
    with _open_lake(soak) as lake:
        for name in names:
            findings = verify(find_catalog(lake, name), storage_of(lake), deep=True)
            found += [f"verify of {name}: {finding}" for finding in findings[:3]]
    return len(names), found


def check_size(soak: Soak, own: Mapping[str, int], at_first: int) -> Iterator[str]:
    """Whether the lake is as small as at first, when all forks are dropped and everything is cleaned up."""
    with _open_lake(soak) as lake:
        for name in own:
            drop_catalog(lake, name)
        with forklake.connect() as session:
            _clean_up(session.attach(soak.url, BASE, catalog=BASE))
        left, now = sum(1 for _ in dropped_catalogs(lake)), row_count(lake)
    if left:
        yield f"{left} dropped catalogs are still there after everything was cleaned up"
    if now > at_first:
        yield f"the lake has {now} rows of metadata after everything was cleaned up, and had {at_first} at first"


def _clean_up(base: CatalogHandle) -> None:
    """Empty the shared catalogs, and let go of all that nobody sees any more."""
    base.cleanup_dropped_catalogs(cleanup_all=True)
    for name in HOT:
        catalog = base.fork(name, if_not_exists=True)
        catalog.table(TABLE).delete()
        catalog.expire_snapshots(older_than=timedelta(0))
        catalog.cleanup_old_files(cleanup_all=True)


@contextmanager
def _open_lake(soak: Soak) -> Iterator[Lake]:
    lake = open_lake(soak.url)
    try:
        yield lake
    finally:
        lake.close()


def _keys(catalog: Catalog) -> list[int]:
    tx = begin(catalog)
    plan = plan_scan(tx, get_table(tx, "main", TABLE))
    keys: list[int] = inlined_rows(plan)["k"].to_pylist() if plan.batches else []
    return keys
