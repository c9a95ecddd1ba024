"""A short history in which everything is right, to be broken."""

from itertools import count

from trust.history.picture import Edit, Picture, apply
from trust.history.records import Begun, Closed, Ended, Listed, Looked, Met, Planned, Record

ENDLESS = 2**63 - 1
ROOT, FORK = 0, 9
"""The catalogs: a root whose first snapshot is 1, and its fork at snapshot 3, whose first one is 5."""

MADE = [Edit("t/name", None, "t"), Edit("t/columns", None, ["id"])]
ADDED = [Edit("t/file/f1", None, [10, "", 0])]
REPLACED = [Edit("t/file/f1", [10, "", 0], None), Edit("t/file/f2", None, [11, "", 0])]
ON_FORK = [Edit("t/row/b1/0", None, 1), Edit("t/row/b1/1", None, 1)]

AT_2, _ = apply({}, MADE)
AT_3, _ = apply(AT_2, ADDED)
AT_4, _ = apply(AT_3, REPLACED)
AT_6, _ = apply(AT_3, ON_FORK)


def right_history() -> list[Record]:
    """Four commits, a fork, one commit that was refused and one of which nobody knows; and the witness."""
    clock = count(1)

    def commit(tx: str, catalog: int, base: int, seen: Picture, edits: list[Edit], snapshot: int) -> list[Record]:
        return [
            Begun(tx, next(clock), "c", "change"),
            Looked(tx, next(clock), catalog, base, seen),
            Planned(tx, next(clock), "change", catalog, edits),
            Ended(tx, next(clock), "ok", snapshot),
        ]

    root = Met(0, ROOT, "root", None, None, 1, [[ROOT, ENDLESS]])
    fork = Met(0, FORK, "fork", ROOT, 3, 5, [[FORK, ENDLESS], [ROOT, 3]])
    return [
        root,
        *commit("a", ROOT, 1, {}, MADE, 2),
        *commit("b", ROOT, 2, AT_2, ADDED, 3),
        *commit("c", ROOT, 3, AT_3, REPLACED, 4),
        Begun("d", next(clock), "root", "fork"),
        Planned("d", next(clock), "fork", ROOT, fork_name="fork", version=3),
        Ended("d", next(clock), "ok", catalog=FORK),
        fork,
        *commit("e", FORK, 5, AT_3, ON_FORK, 6),
        Planned("refused", next(clock), "change", ROOT, REPLACED),
        Ended("refused", next(clock), "refused", error="CommitConflict"),
        Planned("unknown", next(clock), "change", ROOT, [Edit("t/file/f9", None, [1, "", 0])]),
        Listed(next(clock), ROOT, [(1, None, None), (2, 1, "a"), (3, 2, "b"), (4, 3, "c")], is_end=True),
        Listed(next(clock), FORK, [(5, 3, None), (6, 5, "e")], is_end=True),
        *(Looked("the end", next(clock), ROOT, at, shown) for at, shown in [(2, AT_2), (3, AT_3), (4, AT_4)]),
        *(Looked("the end", next(clock), FORK, at, shown) for at, shown in [(2, AT_2), (5, AT_3), (6, AT_6)]),
        Closed(next(clock), [ROOT, FORK], []),
    ]
