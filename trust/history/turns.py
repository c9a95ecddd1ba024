"""What a process does to the tables of a catalog: change them, count up, travel in time."""

from collections.abc import Sequence
from dataclasses import replace
from time import sleep

from forklake.catalog.reading.history import last_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.transaction import Transaction, begin
from trust.history.decide import COUNTER, decide_changes, decide_count
from trust.history.desk import Desk
from trust.history.look import tables_seen
from trust.history.picture import Edit
from trust.history.records import Ended, Planned, Verb, now
from trust.history.stage import stage

_HISTORY = 30
"""So many snapshots back a traveller goes."""


def change(desk: Desk, tx: str, name: str) -> Ended:
    """Change something, or compact; what is decided follows from what is read."""
    opened = begin(desk.find(name))
    tables = sorted(set(tables_seen(opened)) - {COUNTER})
    if not tables:
        return Ended(tx, now(), "nothing")
    table = desk.rng.choice(tables)
    looked = desk.look(tx, opened, None if desk.rng.random() < 0.1 else [table])
    return _carry_out(desk, tx, opened, *decide_changes(looked.picture, table, desk.hand(tx)))


def count(desk: Desk, tx: str, name: str) -> Ended:
    """One more than was read."""
    opened = begin(desk.find(name))
    if COUNTER not in tables_seen(opened):
        return Ended(tx, now(), "nothing")
    looked = desk.look(tx, opened, [COUNTER])
    return _carry_out(desk, tx, opened, "change", decide_count(looked.picture, desk.hand(tx)))


def travel(desk: Desk, tx: str, name: str) -> Ended:
    """Everything as it was at some snapshot."""
    catalog = desk.find(name)
    snapshot = desk.rng.choice(last_snapshots(catalog, _HISTORY))
    opened = begin(replace(catalog, pinned=snapshot.snapshot_id))
    desk.look(tx, opened)
    return Ended(tx, now(), "nothing")


def _carry_out(desk: Desk, tx: str, opened: Transaction, verb: Verb, edits: Sequence[Edit]) -> Ended:
    if not edits:
        return Ended(tx, now(), "nothing")
    opened.set_commit_message("trust", tx)
    desk.pen.write(Planned(tx, now(), verb, opened.catalog.catalog_id, list(edits)))
    stage(opened, verb, edits)
    if desk.rng.random() < 0.2:
        # Let others come in between: what is read then is still the same.
        sleep(desk.rng.uniform(0, 0.01))
        desk.look(tx, opened, own=True)
    with desk.committing():
        snapshot_id = commit(opened)
    return Ended(tx, now(), "nothing" if snapshot_id is None else "ok", snapshot_id)
