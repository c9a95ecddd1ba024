"""The lake before anything happens: a few catalogs with tables, made by a process that is written down as well."""

import random
from collections.abc import Sequence
from pathlib import Path

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.transaction import begin
from trust.history.decide import COUNTER
from trust.history.desk import Desk
from trust.history.picture import Edit
from trust.history.records import Begun, Ended, Pen, Planned, now
from trust.history.stage import stage

_TABLES = 2


def set_up(url: str, history: Path, catalogs: Sequence[str]) -> None:
    """Create the lake and its catalogs, each with tables and a counter."""
    pen = Pen(history)
    lake = open_lake(url, create=True, data_path="data")
    desk = Desk(lake, pen, random.Random(0))
    for name in catalogs:
        catalog = create_catalog(lake, name)
        desk.meet(catalog)
        tx, opened = f"setup.{name}", begin(catalog)
        edits = [Edit(f"{COUNTER}/name", None, COUNTER), Edit(f"{COUNTER}/columns", None, ["id"])]
        edits.append(Edit(f"{COUNTER}/file/{tx}-count", None, [1, "", 0]))
        for number in range(_TABLES):
            made = f"{tx}-{number}"
            edits += [Edit(f"{made}/name", None, f"n{number}"), Edit(f"{made}/columns", None, ["id"])]
        opened.set_commit_message("trust", tx)
        pen.write(Begun(tx, now(), name, "change"))
        pen.write(Planned(tx, now(), "change", catalog.catalog_id, edits))
        stage(opened, "change", edits)
        pen.write(Ended(tx, now(), "ok", commit(opened)))
    lake.close()
    pen.close()
