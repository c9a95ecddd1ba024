"""All pairs of rows with equal keys."""

from decimal import Decimal
from itertools import product

import pyarrow as pa
import pytest

from forklake.sql.small.matching_rows import matching_rows

SIDES = [
    ([1, 2, None, 2, 5], [2, 2, None, 1, 7]),
    (["a", "b", "", None], ["", "b", "c"]),
    ([Decimal("1.50"), Decimal("2.00")], [Decimal("2.00"), Decimal("1.50"), Decimal("2.00")]),
    ([True, None, False], [False, False]),
    ([], [1]),
    ([1], []),
    ([None], [None]),
]


def pairs(*keys: tuple[list[object], list[object]]) -> set[tuple[int, int]]:
    columns = []
    for left, right in keys:
        type_ = pa.array([*left, *right]).type
        columns.append((pa.chunked_array([left], type_), pa.chunked_array([right], type_)))
    found = matching_rows(columns)
    assert len(found.left) == len(found.right)
    listed = list(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert len(set(listed)) == len(listed)
    return set(listed)


def expected(*keys: tuple[list[object], list[object]]) -> set[tuple[int, int]]:
    def match(at: int, other: int) -> bool:
        return all(left[at] is not None and left[at] == right[other] for left, right in keys)

    (left, right), *_ = keys
    return {each for each in product(range(len(left)), range(len(right))) if match(*each)}


@pytest.mark.parametrize(("left", "right"), SIDES)
def test_rows_match_by_one_key(left: list[object], right: list[object]) -> None:
    assert pairs((left, right)) == expected((left, right))


def test_rows_match_by_all_of_several_keys() -> None:
    first = ([1, 1, 2, 2, None, 3], [2, 1, 1, None, 3])
    second = (["a", "b", "a", "b", "a", None], ["a", "b", "c", "a", None])
    third = ([1, 2, 3, 4, 5, 6], [3, 2, 2, 4, 6])
    for keys in ((first, second), (second, first), (first, second, third)):
        assert pairs(*keys) == expected(*keys)
