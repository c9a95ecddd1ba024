"""Catalogs are created, forked, written and dropped by several processes at once."""

from collections.abc import Sequence

import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.view import view_at, view_at_head
from tests.concurrency import jobs
from tests.concurrency.crew import PROCESSES, Crew, Job
from tests.concurrency.jobs import Fork, files_seen
from tests.lakes import append, make_table

NAMES = [f"contested {number}" for number in range(10)]


def test_a_fork_is_its_parent_at_the_horizon_whatever_is_written_meanwhile(
    lake: Lake, main: Catalog, crew: Crew
) -> None:
    make_table(main)
    append(main)
    writing: list[Job[Sequence[object]]] = [(jobs.insert_and_replace, ("main", 60))] * 3
    forking: list[Job[Sequence[object]]] = [
        (jobs.fork_and_write, ("main", f"fork_{number}", 12)) for number in range(4)
    ]
    results = crew.run_all([*forking, *writing])
    forks = [fork for made in results for fork in made if isinstance(fork, Fork)]
    assert len(forks) == 4 * 12
    # Some were made between two commits of the parent, or nothing was shown.
    assert len({fork.horizon for fork in forks if fork.parent == "main"}) > 5
    for fork in forks:
        parent = view_at(find_catalog(lake, fork.parent), version=fork.horizon)
        assert files_seen(parent) == fork.files
        assert files_seen(view_at_head(find_catalog(lake, fork.name))) == fork.files | fork.written


def test_of_several_who_create_a_catalog_one_wins(lake: Lake, crew: Crew) -> None:
    by_process = crew.run(jobs.create_each, [(NAMES, False)] * PROCESSES)
    for ids in zip(*by_process, strict=True):
        assert len([id for id in ids if id is not None]) == 1
    assert sorted(info.name for info in list_catalogs(lake)) == sorted(NAMES)


def test_all_who_create_a_catalog_if_not_there_get_the_same(lake: Lake, crew: Crew) -> None:
    by_process = crew.run(jobs.create_each, [(NAMES, True)] * PROCESSES)
    for name, ids in zip(NAMES, zip(*by_process, strict=True), strict=True):
        assert set(ids) == {find_catalog(lake, name).catalog_id}


@pytest.mark.parametrize("if_not_exists", [False, True])
def test_of_several_who_make_a_fork_one_wins(lake: Lake, main: Catalog, crew: Crew, if_not_exists: bool) -> None:
    make_table(main)
    append(main)
    by_process = crew.run(jobs.fork_each, [("main", NAMES, if_not_exists)] * PROCESSES)
    for name, made in zip(NAMES, zip(*by_process, strict=True), strict=True):
        fork = find_catalog(lake, name)
        assert [each for each in made if each is not None and each[1]] == [(fork.catalog_id, True)]
        others = {each for each in made if each != (fork.catalog_id, True)}
        assert others == {(fork.catalog_id, False) if if_not_exists else None}
        assert files_seen(view_at_head(fork)) == files_seen(view_at_head(main))


def test_a_fork_of_a_catalog_that_is_being_dropped_has_everything_or_does_not_exist(lake: Lake, crew: Crew) -> None:
    # On a busy machine those who drop may be done before the others begin: then there was no race, and one more is run.
    assert any(_forks_and_drops(lake, crew, turn) for turn in range(5))


def _forks_and_drops(lake: Lake, crew: Crew, turn: int) -> int:
    """A race between forks and drops of the same catalogs; how many forks there are."""
    victims = {}
    before = {info.name for info in list_catalogs(lake)}
    for number in range(15):
        victim = create_catalog(lake, f"victim_{turn}_{number}")
        make_table(victim)
        append(victim, 3)
        victims[victim.name] = files_seen(view_at_head(victim))
    names = list(victims)
    # Those who drop come from both ends, so that they meet those who fork somewhere.
    forkers = [(jobs.fork_victims, (names, f"-{number}")) for number in range(3)]
    results = crew.run_all([*forkers, (jobs.drop_victims, (names[::-1], "")), (jobs.drop_victims, (names[5:], ""))])
    forked = {name for made in results[:3] for name in made}
    assert sorted(results[3] + results[4]) == sorted(names)
    assert {info.name for info in list_catalogs(lake)} - before == forked
    for name in forked:
        assert files_seen(view_at_head(find_catalog(lake, name))) == victims[name.rsplit("-", 1)[0]]
    return len(forked)
