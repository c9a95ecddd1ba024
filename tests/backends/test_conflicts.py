"""Two transactions begin on one snapshot; theirs commits first, then mine: does it fit on top?"""

import itertools
from collections.abc import Iterator

import pytest

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.view import view_at, view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_table
from forklake.catalog.transaction.names import list_tables
from forklake.catalog.transaction.transaction import begin
from forklake.errors import CommitConflict
from forklake.model.alterations import ColumnSpec
from forklake.store.snapshots import snapshots_up_to
from tests.backend_choice import EVERY_PAIR
from tests.backends.table_changes import BIGINT, CHANGES, Prepared, look, prepare
from tests.lakes import new_files

_names = itertools.count(1)

ALTERATIONS = {"add column", "forbid nulls", "comment"}
INSERTS = {"insert", "inline"}
DELETES = {"delete A", "delete B", "delete D", "remove C"}
ROWS = {"delete row 0", "delete row 1"}
COMPACTIONS = {"merge A B", "rewrite D"}

# Mine: the changes of theirs that it does not fit on. Everything else must leave the effects of both.
CONFLICTS: dict[str, set[str]] = {
    "insert": {"drop"} | ALTERATIONS | DELETES | ROWS,
    "inline": {"drop"} | ALTERATIONS | DELETES | ROWS,
    "delete A": {"drop", "delete A", "merge A B"} | ALTERATIONS | INSERTS,
    "delete B": {"drop", "delete B", "merge A B"} | ALTERATIONS | INSERTS,
    "delete D": {"drop", "delete D", "rewrite D"} | ALTERATIONS | INSERTS,
    "remove C": {"drop", "remove C"} | ALTERATIONS | INSERTS,
    "delete row 0": {"drop", "delete row 0", "flush"} | ALTERATIONS | INSERTS,
    "delete row 1": {"drop", "delete row 1", "flush"} | ALTERATIONS | INSERTS,
    "flush": {"drop", "flush"} | ROWS,
    "merge A B": {"drop", "delete A", "delete B"} | COMPACTIONS,
    "rewrite D": {"drop", "delete D"} | COMPACTIONS,
    "add column": {"drop"} | ALTERATIONS,
    "forbid nulls": {"drop"} | ALTERATIONS | INSERTS,
    "comment": {"drop"} | ALTERATIONS,
    "rename": {"drop", "rename"},
    "drop": {"drop"},
}
PAIRS = [(mine, theirs) for mine in CHANGES for theirs in CHANGES]
WHERE = [("sqlite", "own"), ("postgres", "inherited")]
if EVERY_PAIR:
    WHERE += [("sqlite", "inherited"), ("postgres", "own")]
on_each_database = pytest.mark.parametrize(("shared_lake", "subject"), WHERE, indirect=True)
"""A database knows nothing of conflicts: of own and inherited tables, each tries one."""


@pytest.fixture(scope="module")
def sqlite_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    lake = open_lake(f"sqlite:{tmp_path_factory.mktemp('conflicts') / 'lake.db'}", create=True)
    yield lake
    lake.close()


@pytest.fixture(scope="module")
def postgres_lake(shared_database: str) -> Iterator[Lake]:
    lake = open_lake(f"postgres:{shared_database}", metadata_schema="conflicts", create=True)
    yield lake
    lake.close()


@pytest.fixture(params=["sqlite", "postgres"])
def shared_lake(request: pytest.FixtureRequest) -> Lake:
    """One lake for all pairs: each has a catalog of its own."""
    lake = request.getfixturevalue(f"{request.param}_lake")
    assert isinstance(lake, Lake)
    return lake


@pytest.fixture(scope="module")
def parents() -> dict[str, Prepared]:
    """What is in the catalogs `parent`, by their lakes."""
    return {}


@pytest.fixture
def parent(shared_lake: Lake, parents: dict[str, Prepared]) -> tuple[str, Prepared]:
    """A catalog to be forked by those who want everything inherited."""
    if shared_lake.store.location not in parents:
        parents[shared_lake.store.location] = prepare(create_catalog(shared_lake, "parent"))
    return "parent", parents[shared_lake.store.location]


@pytest.fixture(params=["own", "inherited"])
def subject(
    request: pytest.FixtureRequest, shared_lake: Lake, parent: tuple[str, Prepared]
) -> tuple[Catalog, Prepared]:
    """A catalog with the prepared table, written by itself or inherited."""
    name = f"catalog_{next(_names)}"
    if request.param == "inherited":
        return fork_catalog(shared_lake, parent[0], name)[0], parent[1]
    catalog = create_catalog(shared_lake, name)
    return catalog, prepare(catalog)


@on_each_database
@pytest.mark.parametrize(("mine", "theirs"), [pair for pair in PAIRS if pair[1] in CONFLICTS[pair[0]]])
def test_a_conflict_leaves_theirs_and_nothing_of_mine(
    mine: str, theirs: str, subject: tuple[Catalog, Prepared]
) -> None:
    catalog, at = subject
    my_tx, their_tx = begin(catalog), begin(catalog)
    my_effect, their_effect = CHANGES[mine](my_tx, at), CHANGES[theirs](their_tx, at)
    their_snapshot = commit(their_tx)
    with pytest.raises(CommitConflict, match="Transaction conflict") as refused:
        commit(my_tx)
    assert refused.value.snapshot_id == their_snapshot
    assert refused.value.subject is not None
    after = look(view_at_head(catalog), at.table_id)
    assert their_effect(after)
    assert mine == theirs or not my_effect(after)
    assert view_at_head(catalog).snapshot_id == their_snapshot
    _check_usable(catalog)


@on_each_database
@pytest.mark.parametrize(("mine", "theirs"), [pair for pair in PAIRS if pair[1] not in CONFLICTS[pair[0]]])
def test_what_fits_leaves_the_effects_of_both(mine: str, theirs: str, subject: tuple[Catalog, Prepared]) -> None:
    catalog, at = subject
    my_tx, their_tx = begin(catalog), begin(catalog)
    my_effect, their_effect = CHANGES[mine](my_tx, at), CHANGES[theirs](their_tx, at)
    their_snapshot, my_snapshot = commit(their_tx), commit(my_tx)
    assert their_snapshot is not None
    assert my_snapshot is not None
    assert my_snapshot > their_snapshot
    after = look(view_at_head(catalog), at.table_id)
    assert my_effect(after)
    # When I drop the table, theirs can still be seen in the past.
    assert their_effect(after) or mine == "drop"
    assert their_effect(look(view_at(catalog, version=their_snapshot), at.table_id))


@pytest.mark.parametrize("mine", CHANGES)
@pytest.mark.parametrize("theirs", ["drop", "rename", "insert", "merge A B", "add column"])
def test_parent_and_fork_never_conflict_although_they_share_tables(mine: str, theirs: str, shared_lake: Lake) -> None:
    parent = create_catalog(shared_lake, f"catalog_{next(_names)}")
    at = prepare(parent)
    fork, _ = fork_catalog(shared_lake, parent.name, f"{parent.name} fork")
    in_parent, in_fork = begin(parent), begin(fork)
    parents_effect, my_effect = CHANGES[theirs](in_parent, at), CHANGES[mine](in_fork, at)
    before = look(view_at_head(fork), at.table_id)
    assert commit(in_parent) is not None
    assert look(view_at_head(fork), at.table_id) == before
    parent_now = look(view_at_head(parent), at.table_id)
    assert parents_effect(parent_now)
    assert commit(in_fork) is not None
    assert my_effect(look(view_at_head(fork), at.table_id))
    assert look(view_at_head(parent), at.table_id) == parent_now


def test_the_conflict_that_came_first_is_named(subject: tuple[Catalog, Prepared]) -> None:
    catalog, at = subject
    mine, first, second = begin(catalog), begin(catalog), begin(catalog)
    CHANGES["delete A"](mine, at)
    CHANGES["insert"](first, at)
    CHANGES["insert"](second, at)
    first_id = commit(first)
    commit(second)
    with pytest.raises(CommitConflict, match=f"snapshot {first_id}") as refused:
        commit(mine)
    assert refused.value.snapshot_id == first_id
    assert refused.value.subject == f"table {at.table_id}"


def test_after_a_conflict_the_same_change_fits_in_a_new_transaction(subject: tuple[Catalog, Prepared]) -> None:
    catalog, at = subject
    mine, theirs = begin(catalog), begin(catalog)
    CHANGES["delete A"](mine, at)
    CHANGES["insert"](theirs, at)
    commit(theirs)
    with pytest.raises(CommitConflict):
        commit(mine)
    again = begin(catalog)
    effect = CHANGES["delete A"](again, at)
    commit(again)
    assert effect(look(view_at_head(catalog), at.table_id))


def _check_usable(catalog: Catalog) -> None:
    tx = begin(catalog)
    table = create_table(tx, "main", "another", [ColumnSpec("id", BIGINT)])
    tx.append_files(table, new_files(tx, 1))
    assert commit(tx) == view_at_head(catalog).snapshot_id
    assert "another" in [found.name for found in list_tables(begin(catalog), "main")]
    history = snapshots_up_to(catalog.lake.store, view_at_head(catalog).scope)
    assert history[-1].previous_snapshot_id == history[-2].snapshot_id
