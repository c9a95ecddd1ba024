"""Catalogs: their snapshots form one chain, forks are where they were asked for, and lineages only go back."""

from collections.abc import Iterator
from itertools import pairwise

from trust.history.facts import Facts
from trust.history.records import Met


def check_chains(facts: Facts) -> Iterator[str]:
    """Each snapshot names the one before it, from the first to the last, and ids are given once."""
    owners: dict[int, int] = {}
    for catalog, snapshots in facts.snapshots.items():
        ids = sorted(snapshots)
        for before, after in pairwise(ids):
            if snapshots[after].previous != before:
                yield f"Snapshot {after} of catalog {catalog} follows {snapshots[after].previous}, not {before}."
        met = facts.catalogs.get(catalog)
        if met is not None and ids and ids[0] != met.begin:
            yield f"Catalog {catalog} began with snapshot {met.begin}, but its first one is {ids[0]}."
        for snapshot in ids:
            if owners.setdefault(snapshot, catalog) != catalog:
                yield f"Snapshot {snapshot} was made twice: by catalogs {owners[snapshot]} and {catalog}."


def check_forks(facts: Facts) -> Iterator[str]:
    """A fork is there if it was acknowledged, once, where it was asked for; and not if it was refused."""
    named: dict[str, list[Met]] = {}
    for met in facts.catalogs.values():
        named.setdefault(met.name, []).append(met)
    planned_names = set()
    for planned in facts.planned.values():
        if planned.verb != "fork" or planned.fork_name is None:
            continue
        planned_names.add(planned.fork_name)
        made, ended = named.get(planned.fork_name, []), facts.ended.get(planned.tx)
        outcome = None if ended is None else ended.outcome
        if len(made) > 1 or (outcome == "ok" and not made) or (outcome == "refused" and made):
            yield f"The fork {planned.fork_name} of {planned.tx}, {outcome}, is there {len(made)} times."
        for met in made:
            if met.parent != planned.catalog or planned.version not in (None, met.fork_snapshot):
                yield f"{planned.tx} asked for {planned.catalog} at {planned.version}, and got {met}."
    for met in facts.catalogs.values():
        if met.parent is not None and met.name not in planned_names:
            yield f"Nobody asked for the fork {met.name}."


def check_drops(facts: Facts) -> Iterator[str]:
    """What was dropped is gone, and nothing else is."""
    drops = {planned.catalog: planned.tx for planned in facts.planned.values() if planned.verb == "drop"}
    tried = set()
    for planned in facts.planned.values():
        if planned.verb == "drop":
            ended = facts.ended.get(planned.tx)
            if ended is not None and ended.outcome == "ok" and planned.catalog in facts.live:
                yield f"{planned.tx} dropped catalog {planned.catalog}, but it is there."
            if ended is None or ended.outcome in ("ok", "unknown"):
                tried.add(planned.catalog)
    for catalog, met in facts.catalogs.items():
        if catalog not in facts.live and catalog not in tried:
            yield f"The catalog {met.name} is gone, but {drops.get(catalog, 'nobody')} dropped it."


def check_lineages(facts: Facts) -> Iterator[str]:
    """From a fork to its parent, and on: each level ends at or before the one below it was forked."""
    for met in facts.catalogs.values():
        if not met.lineage:
            continue
        chain = _parents(facts, met)
        ids = [level[0] for level in met.lineage]
        # A parent that the fork can see nothing of is left out.
        if ids[0] != met.catalog or ids != [catalog for catalog in chain if catalog in ids]:
            yield f"The lineage of {met.name}, {met.lineage}, is not along its parents, {list(chain)}."
        for catalog, top in met.lineage[1:]:
            if top > chain.get(catalog, top):
                yield f"{met.name} sees catalog {catalog} up to {top}, but was cut from it at {chain[catalog]}."


def _parents(facts: Facts, met: Met) -> dict[int, int]:
    """The catalog, its parent and so on, as far as they are known, each with the newest snapshot that can be seen."""
    chain, top = {met.catalog: 2**63 - 1}, 2**63 - 1
    while met.parent is not None and met.fork_snapshot is not None:
        top = min(top, met.fork_snapshot)
        chain[met.parent] = top
        if met.parent not in facts.catalogs:
            break
        met = facts.catalogs[met.parent]
    return chain
