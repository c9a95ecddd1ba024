"""Which rows of two tables have equal keys."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.spark.tasks.types.python_array import python_scalar
from forklake.sql.small.small_query import NeedsSparkError

_MOST_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True)
class Pairs:
    """The positions of rows that match, those of a pair at the same place."""

    left: np.ndarray
    right: np.ndarray


def matching_rows(keys: Sequence[tuple[pa.ChunkedArray, pa.ChunkedArray]]) -> Pairs:
    """All pairs of rows that are equal in every key, given the columns of both sides; NULL equals nothing.

    NeedsSparkError if they are too many.
    """
    (left, right), *others = [_codes(*key) for key in keys]
    for more_left, more_right in others:
        width = python_scalar(len(more_right) + 1, pa.int64())
        left = pc.add(pc.multiply(left, width), more_left)
        right = pc.add(pc.multiply(right, width), more_right)
        left, right = _codes(left, right)
    return _pairs(_numbers(left), _numbers(right))


def _codes(left: pa.ChunkedArray, right: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """For each value its place among those of the right, and NULL for all others."""
    values = right.unique().drop_null()
    left_codes, right_codes = (pc.index_in(side, value_set=values).cast(pa.int64()) for side in (left, right))
    return left_codes, right_codes


def _numbers(codes: pa.ChunkedArray) -> np.ndarray:
    found: np.ndarray = codes.fill_null(python_scalar(-1, pa.int64())).to_numpy()
    return found


def _pairs(left: np.ndarray, right: np.ndarray) -> Pairs:
    places, known = np.flatnonzero(left >= 0), np.flatnonzero(right >= 0)
    order = known[np.argsort(right[known], kind="stable")]
    starts = np.searchsorted(right[order], left[places], side="left")
    counts = np.searchsorted(right[order], left[places], side="right") - starts
    if counts.sum() > _MOST_PAIRS:
        raise NeedsSparkError(f"more than {_MOST_PAIRS:,} pairs of rows match")
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return Pairs(np.repeat(places, counts), order[np.repeat(starts, counts) + within])
