"""The checker finds nothing in a history that is right, and every kind of wrong in one that is not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.trust.histories import AT_3, AT_4, AT_6, FORK, REPLACED, ROOT, right_history
from trust.history.checker import check
from trust.history.picture import Edit, apply
from trust.history.records import Begun, Closed, Ended, Listed, Looked, Met, Planned, Record, Removed

LATE = 10_000


def found(records: Sequence[Record]) -> str:
    return "\n".join(check({"everybody": records}))


def changed(match: Callable[[Record], bool], **new: Any) -> list[Record]:
    """The right history with one record changed, which must be there."""
    records = right_history()
    [place] = [number for number, record in enumerate(records) if match(record)]
    records[place] = replace(records[place], **new)
    return records


def is_look(tx: str, catalog: int, snapshot: int) -> Callable[[Record], bool]:
    return lambda record: (
        isinstance(record, Looked)
        and (record.tx, record.catalog, record.snapshot)
        == (
            tx,
            catalog,
            snapshot,
        )
    )


def is_end_of(tx: str) -> Callable[[Record], bool]:
    return lambda record: isinstance(record, Ended) and record.tx == tx


def is_list_of(catalog: int) -> Callable[[Record], bool]:
    return lambda record: isinstance(record, Listed) and record.catalog == catalog


def listed(*snapshots: tuple[int, int | None, str | None], catalog: int = ROOT) -> list[Record]:
    return changed(is_list_of(catalog), snapshots=list(snapshots))


def test_a_right_history_is_right() -> None:
    assert found(right_history()) == ""


def test_a_commit_of_which_nobody_knew_may_have_landed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "unknown"))
    shown = {**AT_4, "t/file/f9": [1, "", 0]}
    assert found([*records, Looked("the end", LATE, ROOT, 7, shown)]) == ""
    half = found([*records, Looked("the end", LATE, ROOT, 7, AT_4)])
    assert "t/file/f9 is None instead of [1, '', 0]" in half


def test_an_acknowledged_commit_that_is_not_there_is_noticed() -> None:
    assert "c was acknowledged as snapshot 4" in found(listed((1, None, None), (2, 1, "a"), (3, 2, "b")))


def test_an_acknowledged_commit_under_another_id_is_noticed() -> None:
    assert "c was acknowledged as snapshot 4" in found(listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (8, 3, "c")))


def test_a_commit_that_landed_twice_is_noticed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "c"))
    assert "c was committed 2 times" in found(records)


def test_a_refused_commit_that_is_there_is_noticed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "refused"))
    assert "refused was refused (CommitConflict), but it is there as [7]" in found(records)


def test_a_commit_that_nobody_made_is_noticed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "ghost"))
    assert "ghost made it, but nobody planned that" in found(records)


def test_a_commit_in_another_catalog_is_noticed() -> None:
    assert "e was meant for catalog 9" in found(
        listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "e"))
    )


@pytest.mark.parametrize("key", list(AT_6.keys() - AT_3.keys()))
def test_half_a_commit_is_noticed(key: str) -> None:
    half = {other: value for other, value in AT_6.items() if other != key}
    assert f"{key} is None instead of 1" in found(changed(is_look("the end", FORK, 6), picture=half))


def test_something_that_nobody_wrote_is_noticed() -> None:
    more = {**AT_4, "t/file/foreign": [1, "", 0]}
    assert "t/file/foreign is [1, '', 0] instead of None" in found(changed(is_look("the end", ROOT, 4), picture=more))


def test_a_read_from_a_newer_snapshot_is_noticed() -> None:
    assert "c, in catalog 0 at snapshot 3, read something else" in found(changed(is_look("c", ROOT, 3), picture=AT_4))


def test_a_transaction_that_moves_to_another_snapshot_is_noticed() -> None:
    moved = Looked("c", LATE, ROOT, 4, AT_4, own=True)
    assert "c moved to another snapshot, 4" in found([*right_history(), moved])


def test_a_read_that_misses_the_own_changes_is_noticed() -> None:
    records = right_history()
    assert found([*records, Looked("c", LATE, ROOT, 3, AT_4, own=True)]) == ""
    assert "read something else" in found([*records, Looked("c", LATE, ROOT, 3, AT_3, own=True)])


def test_a_lost_update_is_noticed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "too late"))
    again = [REPLACED[0], Edit("t/file/f3", None, [11, "", 0])]
    late: list[Record] = [Planned("too late", LATE, "change", ROOT, again), Ended("too late", LATE + 1, "ok", 7)]
    assert "too late must not have been committed as 7: it makes None of t/file/f1" in found([*records, *late])


def test_two_tables_of_one_name_are_noticed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "second"))
    made = [Edit("u/name", None, "t"), Edit("u/columns", None, ["id"])]
    assert "names a second table t" in found([*records, Planned("second", LATE, "change", ROOT, made)])


def test_a_commit_to_a_table_that_was_dropped_is_noticed() -> None:
    records = listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c"), (7, 4, "drop"), (8, 7, "insert"))
    drop = Planned("drop", LATE, "change", ROOT, [Edit("t", None, None)])
    insert = Planned("insert", LATE, "change", ROOT, [Edit("t/file/f5", None, [1, "", 0])])
    assert "insert must not have been committed as 8: it changes t/file/f5 of a table that is not there" in found(
        [*records, drop, insert]
    )


def test_ids_that_do_not_rise_with_time_are_noticed() -> None:
    records = [record for record in right_history() if not isinstance(record, Looked)]
    early = Planned("c", 0, "change", ROOT, REPLACED)
    assert found([*records, early]) == ""
    swapped = [
        replace(record, snapshot={3: 4, 4: 3}.get(record.snapshot or 0, record.snapshot))
        if isinstance(record, Ended)
        else record
        for record in records
    ]
    assert "c committed 3 after b was acknowledged as 4" in found(swapped)


def test_a_transaction_that_begins_before_what_was_acknowledged_is_noticed() -> None:
    late: list[Record] = [Begun("late", LATE, "root", "change"), Looked("late", LATE + 1, ROOT, 3, AT_3)]
    assert "late read 4 after c was acknowledged as 4" in found([*right_history(), *late])


def test_a_break_in_the_chain_is_noticed() -> None:
    assert "Snapshot 4 of catalog 0 follows 2, not 3" in found(
        listed((1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 2, "c"))
    )


def test_a_snapshot_that_nobody_let_expire_is_noticed() -> None:
    before = Listed(LATE, ROOT, [(2, 1, "a")])
    gone = listed((1, None, None), (3, 2, "b"), (4, 3, "c"))
    kept = [record for record in gone if not is_look("the end", ROOT, 2)(record)]
    assert "Snapshot 2 of catalog 0 is gone, but nobody let it expire" in found([*kept, before])
    assert found([*kept, before, Planned("x", LATE, "expire", ROOT, versions=[2])]) == ""


def test_an_id_that_two_snapshots_have_is_noticed() -> None:
    assert "Snapshot 4 was made twice" in found(listed((4, 3, None), (6, 4, "e"), catalog=FORK))


def test_a_fork_that_moves_is_noticed() -> None:
    assert "in catalog 9 at snapshot 5, read something else" in found(
        changed(is_look("the end", FORK, 5), picture=AT_4)
    )
    moved = Met(LATE, FORK, "fork", ROOT, 4, 5, [[FORK, 2**63 - 1], [ROOT, 4]])
    assert "The catalog 9 has moved" in found([*right_history(), moved])


def test_a_lineage_that_changes_is_noticed() -> None:
    moved = Met(LATE, FORK, "fork", ROOT, 3, 5, [[FORK, 2**63 - 1], [ROOT, 4]])
    assert "The lineage of fork has changed" in found([*right_history(), moved])


@pytest.mark.parametrize(
    ("lineage", "sentence"),
    [
        ([[FORK, 2**63 - 1], [ROOT, 4]], "fork sees catalog 0 up to 4, but was cut from it at 3"),
        ([[ROOT, 3], [FORK, 2**63 - 1]], "is not along its parents"),
        ([[FORK, 2**63 - 1], [77, 3]], "is not along its parents"),
    ],
)
def test_a_lineage_that_is_no_chain_is_noticed(lineage: list[list[int]], sentence: str) -> None:
    def is_fork(record: Record) -> bool:
        return isinstance(record, Met) and record.catalog == FORK

    assert sentence in found(changed(is_fork, lineage=lineage))


def test_a_fork_at_another_snapshot_than_was_asked_for_is_noticed() -> None:
    asked = Planned("d", 14, "fork", ROOT, fork_name="fork", version=2)
    assert "d asked for 0 at 2" in found([*right_history(), asked])


def test_a_fork_that_was_acknowledged_and_is_not_there_is_noticed() -> None:
    asked: list[Record] = [Planned("x", LATE, "fork", ROOT, fork_name="gone"), Ended("x", LATE, "ok", catalog=11)]
    assert "The fork gone of x, ok, is there 0 times" in found([*right_history(), *asked])


def test_a_fork_that_nobody_asked_for_is_noticed() -> None:
    ghost = Met(LATE, 11, "ghost", ROOT, 3, 20, [])
    assert "Nobody asked for the fork ghost" in found([*right_history(), ghost])


def test_a_catalog_that_is_gone_though_nobody_dropped_it_is_noticed() -> None:
    def is_closing(record: Record) -> bool:
        return isinstance(record, Closed)

    assert "The catalog fork is gone" in found(changed(is_closing, live=[ROOT]))


def test_a_dropped_catalog_that_is_there_is_noticed() -> None:
    dropped: list[Record] = [Planned("x", LATE, "drop", FORK), Ended("x", LATE, "ok")]
    assert "x dropped catalog 9, but it is there" in found([*right_history(), *dropped])


def test_a_deleted_file_that_is_shown_is_noticed() -> None:
    assert "was shown the file f2, which had been deleted" in found([*right_history(), Removed(1, ["f2"])])


def test_a_commit_that_was_told_to_be_empty_and_was_not_is_noticed() -> None:
    text = found(changed(is_end_of("c"), outcome="nothing"))
    assert "c was told that there was nothing to commit" in text
    assert "c was nothing (None), but it is there as [4]" in text


def test_an_error_of_the_driver_is_noticed() -> None:
    leaked = Ended("refused", LATE, "leaked", error="OperationalError('server closed the connection')")
    assert "an error that is none of Forklake's: OperationalError" in found([*right_history(), leaked])


def test_what_verify_finds_is_noticed() -> None:
    assert "verify says of main: bad" in found([*right_history(), Closed(LATE, [], ["main: bad"])])


def test_what_was_done_to_a_table_before_it_was_dropped_counts_for_nothing() -> None:
    edits = [Edit("t/file/f1", [10, "", 0], [10, "d1", 1]), Edit("t", None, None)]
    assert apply({"t/name": "orders", "t/file/f1": [10, "d2", 3]}, edits) == ({}, [])
    assert apply({"t/name": "orders", "t/file/f1": [10, "d2", 3]}, edits[:1])[1]
