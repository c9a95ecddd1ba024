"""The lake when everything is over, written down like a history: every catalog at every snapshot that is kept."""

import random
from dataclasses import replace
from pathlib import Path

from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.retention.dropped import dropped_catalogs
from forklake.catalog.transaction.transaction import begin
from forklake.model.ids import SnapshotId
from trust.history.desk import Desk
from trust.history.look import kept_snapshots
from trust.history.records import Closed, Listed, Pen, now

_INHERITED = 5
"""So many snapshots from before a fork are read through the fork."""

_MOST = 150
"""Of a longer history, so many snapshots are read; what was wrong in others shows in those after them."""


def bear_witness(url: str, history: Path, share: int, shares: int) -> None:
    """Write down one of several shares of the lake. Whatever cannot be read is a finding."""
    lake, pen = open_lake(url), Pen(history)
    desk = Desk(lake, pen, random.Random(0))
    live, findings = [], []
    for info in [info for number, info in enumerate(list_catalogs(lake)) if number % shares == share]:
        live.append(int(info.catalog_id))
        try:
            findings += _read_all(desk, find_catalog(lake, info.name))
        except Exception as error:
            findings.append(f"{info.name}: {error!r}")
    if share == 0:
        for gone in dropped_catalogs(lake):
            _list(desk, gone.catalog_id)
    pen.write(Closed(now(), live, findings))
    lake.close()
    pen.close()


def _read_all(desk: Desk, catalog: Catalog) -> list[str]:
    """Look at every snapshot; what is wrong with the metadata as such."""
    desk.meet(catalog)
    own = _list(desk, catalog.catalog_id)
    inherited = [snapshot.snapshot_id for snapshot in list_snapshots(catalog) if snapshot.snapshot_id not in own]
    chosen = desk.rng.sample(sorted(own), min(len(own), _MOST))
    for snapshot_id in [*inherited[-_INHERITED:], *chosen]:
        desk.look("the end", begin(replace(catalog, pinned=SnapshotId(snapshot_id))))
    desk.look("the end", begin(catalog))
    return [f"{catalog.name}: {finding}" for finding in verify_metadata(catalog)]


def _list(desk: Desk, catalog_id: int) -> set[int]:
    rows = kept_snapshots(desk.lake.store, catalog_id)
    desk.pen.write(Listed(now(), catalog_id, rows, is_end=True))
    return {row[0] for row in rows}
