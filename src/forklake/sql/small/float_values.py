"""Floating-point numbers as Spark compares them: NaN equals itself and is the greatest, and zeros have no sign."""

import math
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from forklake.spark.tasks.types.python_array import python_scalar

_ZERO = python_scalar(0.0, pa.float64())
_ONE = python_scalar(1.0, pa.float64())
_NAN = python_scalar(math.nan, pa.float64())


def has_nan(column: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.is_nan(column)).as_py())


def has_negative_zero(column: pa.ChunkedArray) -> bool:
    """Whether a zero is negative: then its inverse is, and is infinite."""
    doubles = column.cast(pa.float64())
    zeros = doubles.filter(pc.equal(doubles, _ZERO))
    return bool(pc.any(pc.less(pc.divide(_ONE, zeros), _ZERO)).as_py())


def compared(compare: Callable[..., pa.ChunkedArray], column: pa.ChunkedArray, constant: pa.Scalar) -> pa.ChunkedArray:
    """Compares with a constant other than NaN. In Arrow, NaN only differs from it; in Spark, it is greater as well."""
    found = compare(column, constant)
    return pc.or_(found, pc.is_nan(column)) if compare in (pc.greater, pc.greater_equal) else found


def normalized(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The numbers as Spark tells them apart: there is a single NaN, and zeros have no sign."""
    doubles = pc.add(column.cast(pa.float64()), _ZERO)
    return pc.if_else(pc.is_nan(doubles), _NAN, doubles).cast(column.type)
