"""How the database compares bounds of column statistics, where their texts have a form in which it is certain to agree.

A bound in any other form is compared by `statistics.exact_value`, in Python.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from forklake.model.column_types import INTEGERS, TIMESTAMPS

Comparison = Literal["numeric", "float8", "bytes"]


class BoundOrder(NamedTuple):
    """The form of a bound, as a regular expression of Python and PostgreSQL, and how two of this form are compared."""

    form: str
    comparison: Comparison


_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?"

BOUND_ORDERS: Mapping[str, BoundOrder] = {
    "number": BoundOrder("-?[0-9]{1,60}([.][0-9]{1,60})?|true|false", "numeric"),
    # Exponents and digits for which the server's parser cannot fail.
    "float": BoundOrder("-?([0-9]{1,30}([.][0-9]{1,30})?(e[+-]?[0-9]{1,2})?|inf)", "float8"),
    # Of fixed width up to the fraction, so the order of the bytes is that of the values.
    "date": BoundOrder(_DATE, "bytes"),
    "time": BoundOrder(_TIME, "bytes"),
    "timestamp": BoundOrder(f"{_DATE} {_TIME}", "bytes"),
    "timestamptz": BoundOrder(f"{_DATE} {_TIME}[+]00", "bytes"),
    "uuid": BoundOrder("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "bytes"),
    "blob": BoundOrder("([0-9A-F]{2})*", "bytes"),
}
"""By name. There are two more: a `text` has any form and is compared by its bytes, and `none` has no bounds."""

_OF_TYPES: Mapping[str, str] = {
    "boolean": "number",
    "decimal": "number",
    "float32": "float",
    "float64": "float",
    "date": "date",
    "time": "time",
    "varchar": "text",
    "json": "text",
    "blob": "blob",
    "uuid": "uuid",
    **dict.fromkeys(INTEGERS, "number"),
    **dict.fromkeys(TIMESTAMPS, "timestamp"),
    "timestamptz": "timestamptz",
}


def bound_order(type_name: str) -> str:
    """The name of the order of a type's bounds."""
    return _OF_TYPES.get(type_name, "none")
