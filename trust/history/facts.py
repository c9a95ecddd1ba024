"""All histories together: who planned what, what came of it, and which catalogs and snapshots there ever were."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trust.history.picture import Picture, apply
from trust.history.records import Begun, Closed, Ended, Listed, Looked, Met, Planned, Record, Removed


@dataclass(frozen=True, slots=True)
class Made:
    """A snapshot: what it was put on top of, and the transaction that it says made it."""

    previous: int | None
    tx: str | None


@dataclass(slots=True)
class Facts:
    """Collected from the histories; `wrong` are contradictions between them."""

    begun: dict[str, Begun] = field(default_factory=dict)
    planned: dict[str, Planned] = field(default_factory=dict)
    ended: dict[str, Ended] = field(default_factory=dict)
    catalogs: dict[int, Met] = field(default_factory=dict)
    snapshots: dict[int, dict[int, Made]] = field(default_factory=dict)
    """By catalog; expired ones included."""
    kept: dict[int, set[int]] = field(default_factory=dict)
    """Those of them that are there in the end, by catalog."""
    live: set[int] = field(default_factory=set)
    looks: list[Looked] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)
    """Files that were deleted, and when."""
    findings: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, record: Record) -> None:
        match record:
            case Begun():
                self.begun[record.tx] = record
            case Planned():
                self.planned[record.tx] = record
            case Ended():
                self.ended[record.tx] = record
            case Met():
                self._meet(record)
            case Listed():
                self._list(record)
            case Looked():
                self.looks.append(record)
            case Removed():
                for token in record.files:
                    self.removed.setdefault(token, record.time)
            case Closed():
                self.live |= set(record.live)
                self.findings += record.findings

    def is_dark(self, catalog: int, snapshot: int) -> bool:
        """Whether it may have gone with its catalog, before anybody listed it: a drop forgets what no fork sees."""
        return catalog not in self.live and snapshot > max(self.snapshots.get(catalog, ()), default=-1)

    def _meet(self, met: Met) -> None:
        known = self.catalogs.setdefault(met.catalog, met)
        if (known.name, known.parent, known.fork_snapshot, known.begin) != (
            met.name, met.parent, met.fork_snapshot, met.begin,
        ):  # fmt: skip
            self.wrong.append(f"The catalog {met.catalog} has moved: {known} became {met}.")
        if not known.lineage:
            self.catalogs[met.catalog] = met
        elif met.lineage and met.lineage != known.lineage:
            self.wrong.append(f"The lineage of {met.name} has changed from {known.lineage} to {met.lineage}.")

    def _list(self, listed: Listed) -> None:
        known = self.snapshots.setdefault(listed.catalog, {})
        for snapshot_id, previous, tx in listed.snapshots:
            made = Made(previous, tx)
            if known.setdefault(snapshot_id, made) != made:
                self.wrong.append(f"Snapshot {snapshot_id} was {known[snapshot_id]} and became {made}.")
        if listed.is_end:
            self.kept[listed.catalog] = {snapshot_id for snapshot_id, _, _ in listed.snapshots}


def collect_facts(histories: Mapping[str, Iterable[Record]]) -> Facts:
    facts = Facts()
    for records in histories.values():
        for record in records:
            facts.add(record)
    return facts


class Replay:
    """What every catalog must show at every snapshot, from the plans alone: parents as they were, plus own commits."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._ids = {catalog: sorted(made) for catalog, made in facts.snapshots.items()}
        self._states: dict[tuple[int, int], Picture] = {}
        self.wrong: list[str] = []
        # A fork begins after its parent.
        for catalog in sorted(self._ids, key=lambda known: min(self._ids[known], default=0)):
            self._replay(catalog)

    def at(self, catalog: int, snapshot: int) -> Picture:
        ids = self._ids.get(catalog, [])
        if place := bisect_right(ids, snapshot):
            return self._states[catalog, ids[place - 1]]
        return self._inherited_picture(self._facts.catalogs.get(catalog), snapshot)

    def _inherited_picture(self, met: Met | None, snapshot: int) -> Picture:
        if met is None or met.parent is None or met.fork_snapshot is None:
            return {}
        return self.at(met.parent, min(snapshot, met.fork_snapshot))

    def _replay(self, catalog: int) -> None:
        met = self._facts.catalogs.get(catalog)
        for snapshot in self._ids[catalog]:
            tx = self._facts.snapshots[catalog][snapshot].tx
            if met is not None and snapshot == met.begin:
                self._states[catalog, snapshot] = self._inherited_picture(met, snapshot)
                continue
            before = self.at(catalog, snapshot - 1)
            planned = self._facts.planned.get(tx or "")
            after, wrong = apply(before, planned.edits if planned else ())
            self.wrong += [f"{tx} must not have been committed as {snapshot}: {problem}." for problem in wrong]
            self._states[catalog, snapshot] = after
