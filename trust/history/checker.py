"""What is wrong, from the histories alone: a list of sentences, empty if the lake kept all its promises.

The last histories are those of the witness, who has read the lake when everything was over.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from trust.history.commit_checks import check_commits, check_order
from trust.history.facts import Facts, Replay, collect_facts
from trust.history.lineage_checks import check_chains, check_drops, check_forks, check_lineages
from trust.history.picture import apply, difference, only_tables
from trust.history.records import Looked, Record

Check: TypeAlias = Callable[[Facts], Iterator[str]]


def check(histories: Mapping[str, Iterable[Record]]) -> list[str]:
    """Every broken promise, in a sentence each."""
    facts = collect_facts(histories)
    found = [*facts.wrong]
    for each in _CHECKS:
        found += each(facts)
    return list(dict.fromkeys(found))


def check_errors(facts: Facts) -> Iterator[str]:
    """Whatever goes wrong, users see an error of ours."""
    for ended in facts.ended.values():
        if ended.outcome == "leaked":
            yield f"{ended.tx} ended with an error that is none of Forklake's: {ended.error}."


def check_findings(facts: Facts) -> Iterator[str]:
    """The product's own check finds nothing."""
    for finding in facts.findings:
        yield f"verify says of {finding}"


def check_looks(facts: Facts) -> Iterator[str]:
    """Every read is the state of the snapshot it claims, with the transaction's own changes on top."""
    replay = Replay(facts)
    yield from replay.wrong
    bases: dict[tuple[str, int], int] = {}
    for looked in facts.looks:
        if facts.is_dark(looked.catalog, looked.snapshot):
            continue
        expected = replay.at(looked.catalog, looked.snapshot)
        if looked.own:
            expected, _ = apply(expected, facts.planned[looked.tx].edits)
            if bases.get((looked.tx, looked.catalog), looked.snapshot) != looked.snapshot:
                yield f"{looked.tx} moved to another snapshot, {looked.snapshot}, while it was open."
        bases[looked.tx, looked.catalog] = looked.snapshot
        expected = only_tables(expected, looked.tables)
        if expected != looked.picture:
            yield f"{_reader(looked)} read something else: {difference(expected, looked.picture)}."


def check_removed(facts: Facts) -> Iterator[str]:
    """A file that was deleted is never shown again."""
    for looked in facts.looks:
        for key in looked.picture:
            token = key.rsplit("/", 1)[1]
            if "/file/" in key and facts.removed.get(token, looked.time) < looked.time:
                yield f"{_reader(looked)} was shown the file {token}, which had been deleted."


def _reader(looked: Looked) -> str:
    return f"{looked.tx}, in catalog {looked.catalog} at snapshot {looked.snapshot},"


_CHECKS: tuple[Check, ...] = (
    check_errors,
    check_findings,
    check_commits,
    check_order,
    check_chains,
    check_forks,
    check_drops,
    check_lineages,
    check_looks,
    check_removed,
)
