"""Commits: each acknowledged one is there once, no other is there that nobody made, and their order is that of time."""

from collections import defaultdict
from collections.abc import Iterator

from trust.history.facts import Facts
from trust.history.picture import has_effect

_COMMITS = ("change", "merge", "rewrite", "flush")


def check_commits(facts: Facts) -> Iterator[str]:
    landed = _commits_by_transaction(facts)
    for tx, places in landed.items():
        planned = facts.planned.get(tx)
        if planned is None:
            yield f"Snapshot {places[0][1]} of catalog {places[0][0]} says that {tx} made it, but nobody planned that."
        elif any(catalog != planned.catalog for catalog, _ in places):
            yield f"{tx} was meant for catalog {planned.catalog} and is in {places}."
        if len(places) > 1:
            yield f"{tx} was committed {len(places)} times: {places}."
    for tx, ended in facts.ended.items():
        planned = facts.planned.get(tx)
        if planned is None or planned.verb not in _COMMITS:
            continue
        found = [snapshot for _, snapshot in landed.get(tx, ())]
        is_dark = facts.is_dark(planned.catalog, ended.snapshot or 0)
        if ended.outcome == "ok" and ended.snapshot not in found and not is_dark:
            yield f"{tx} was acknowledged as snapshot {ended.snapshot} of catalog {planned.catalog}, but is {found}."
        if ended.outcome in ("refused", "nothing") and found:
            yield f"{tx} was {ended.outcome} ({ended.error}), but it is there as {found}."
        if ended.outcome == "nothing" and has_effect(planned.edits):
            yield f"{tx} was told that there was nothing to commit, but there was."
    yield from _lost(facts)


def _commits_by_transaction(facts: Facts) -> dict[str, list[tuple[int, int]]]:
    """Catalog and snapshot of each commit, by transaction."""
    landed: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for catalog, snapshots in facts.snapshots.items():
        met = facts.catalogs.get(catalog)
        for snapshot, made in snapshots.items():
            if met is None or snapshot != met.begin:
                landed[made.tx or "nobody"].append((catalog, snapshot))
    return landed


def _lost(facts: Facts) -> Iterator[str]:
    """What is no longer there has expired."""
    expired: dict[int, set[int]] = defaultdict(set)
    for planned in facts.planned.values():
        expired[planned.catalog].update(planned.versions)
    for catalog in facts.live:
        for snapshot in facts.snapshots.get(catalog, {}):
            if snapshot not in facts.kept.get(catalog, ()) and snapshot not in expired[catalog]:
                yield f"Snapshot {snapshot} of catalog {catalog} is gone, but nobody let it expire."


def check_order(facts: Facts) -> Iterator[str]:
    """What was acknowledged before another began has a smaller id, and is seen by it."""
    acknowledged: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for ended in facts.ended.values():
        planned = facts.planned.get(ended.tx)
        if ended.outcome == "ok" and ended.snapshot is not None and planned is not None:
            acknowledged[planned.catalog].append((ended.time, ended.snapshot, ended.tx))
    for catalog, commits in acknowledged.items():
        commits.sort()
        later = [(facts.planned[tx].time, snapshot, f"{tx} committed") for _, snapshot, tx in commits]
        for looked in facts.looks:
            begun = facts.begun.get(looked.tx)
            if looked.catalog == catalog and begun is not None and begun.verb == "change":
                later.append((begun.time, looked.snapshot + 1, f"{looked.tx} read"))
        yield from _out_of_order(catalog, commits, sorted(later))


def _out_of_order(
    catalog: int, commits: list[tuple[int, int, str]], later: list[tuple[int, int, str]]
) -> Iterator[str]:
    newest, by, place = -1, "", 0
    for time, snapshot, what in later:
        while place < len(commits) and commits[place][0] < time:
            if commits[place][1] > newest:
                newest, by = commits[place][1], commits[place][2]
            place += 1
        if snapshot <= newest:
            yield f"In catalog {catalog}, {what} {snapshot} after {by} was acknowledged as {newest}."
