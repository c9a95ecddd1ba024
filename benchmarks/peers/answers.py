"""Whether engines gave the same answer: what is timed after that is the same work."""

from collections.abc import Mapping
from decimal import Decimal
from math import isclose

from benchmarks.peers.engines import Rows

_CLOSE = 1e-4
"""Engines divide decimals into different numbers of digits."""


def check_same(what: str, answers: Mapping[str, Rows]) -> None:
    """All engines gave the same rows, in any order and but for the last digits of numbers."""
    (first, expected), *others = answers.items()
    for name, rows in others:
        if not _same(expected, rows) and not _same(sorted(expected, key=_rank), sorted(rows, key=_rank)):
            raise AssertionError(f"{what}: {first} gave {_excerpt(expected)}, and {name} {_excerpt(rows)}")


def _same(ours: Rows, theirs: Rows) -> bool:
    return len(ours) == len(theirs) and all(
        len(one) == len(other) and all(map(_close, one, other)) for one, other in zip(ours, theirs, strict=True)
    )


def _close(one: object, other: object) -> bool:
    if isinstance(one, int | float | Decimal) and isinstance(other, int | float | Decimal):
        return isclose(one, other, rel_tol=_CLOSE)
    return one == other


def _rank(row: tuple[object, ...]) -> tuple[str, ...]:
    """Numbers that differ in the last digits only must not decide the order."""
    return tuple(f"{value:.2e}" if isinstance(value, float | Decimal) else str(value) for value in row)


def _excerpt(rows: Rows) -> str:
    return f"{len(rows)} rows ({', '.join(map(str, rows[:2]))})"
