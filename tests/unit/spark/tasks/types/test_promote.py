import math
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import InvalidInput
from forklake.model.column_tree import promote, with_children
from forklake.model.column_types import TIMESTAMPS, can_promote, parse_type
from forklake.model.entities import Column
from forklake.model.statistics import as_float32
from forklake.spark.tasks.types.arrow_types import promote_array, shown_type
from tests.unit.spark.tasks.samples import SAMPLES, column

TYPES = [*SAMPLES, "decimal(38,0)", "decimal(5,0)", "decimal(22,2)"]
PAIRS = [(old, new) for old in SAMPLES for new in TYPES if can_promote(parse_type(old), parse_type(new))]
EPOCH = datetime(1970, 1, 1)
FIXED = {"int128": Decimal(-(10**30)), "uint128": Decimal(10**20)}


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=[f"{old}-{new}" for old, new in PAIRS])
def test_every_promotion_keeps_the_value(old: str, new: str) -> None:
    before, after = column("c", old), promote(column("c", old), parse_type(new))
    # The extremes of dates are out of range as nanoseconds.
    values = [date(1960, 2, 3), None] if old == "date" else [*SAMPLES[old].shown, None]
    found = promote_array(pa.array(values, shown_type(before.type)), before, after)
    assert found.type == shown_type(after.type)
    assert found.to_pylist() == [_expected(value, old, new) for value in values]


def _expected(value: object, old: str, new: str) -> object:
    if value is None:
        return None
    if new in TIMESTAMPS:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        if new == "timestamp_ns":
            since = moment - EPOCH
            return (since.days * 86_400 * 10**6 + since.seconds * 10**6 + since.microseconds) * 1000
        return moment.replace(tzinfo=UTC) if new == "timestamptz" else moment
    assert isinstance(value, bool | int | float | Decimal)
    if new == "float32":
        return as_float32(float(value))
    if new == "float64":
        return float(value)
    return Decimal(value) if pa.types.is_decimal(shown_type(parse_type(new))) else int(value)


def test_there_are_promotions_to_test() -> None:
    assert len(PAIRS) > 80


@given(st.decimals(allow_nan=False, allow_infinity=False, places=10, min_value=-(10**20), max_value=10**20))
def test_a_decimal_becomes_the_nearest_double(number: Decimal) -> None:
    before, after = column("c", "decimal(38,10)"), column("c", "double")
    [found] = promote_array(pa.array([number], pa.decimal128(38, 10)), before, after).to_pylist()
    assert found == float(number)


def test_a_date_too_far_for_nanoseconds_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Column c, DATE to TIMESTAMP_NS"):
        promote_array(pa.array([date(9999, 1, 1)]), column("c", "date"), column("c", "timestamp_ns"))


def test_a_column_that_is_as_it_was_stays_the_same_array() -> None:
    array = pa.array([1, 2])
    assert promote_array(array, column("c", "bigint"), replace(column("c", "bigint"), name="d")) is array


def _evolved() -> tuple[Column, Column]:
    """A struct whose field `gone` was dropped, `n` widened and renamed and moved, and two others added."""
    old = column("s", "struct(n integer, gone varchar, kept uuid)")
    n, _, kept = old.children
    added = replace(column("added", "varchar", 10), initial_default="new")
    inner = column("inner", "struct(x integer)", 11)
    wide = replace(n, name="number", type=parse_type("bigint"))
    return old, with_children(old, (kept, wide, added, inner))


OLD_STRUCT = {"n": 1, "gone": "x", "kept": "k"}
NEW_STRUCT = {"kept": "k", "number": 1, "added": "new", "inner": None}


def test_fields_of_a_struct_are_found_by_their_ids() -> None:
    old, new = _evolved()
    rows = pa.chunked_array([pa.array([OLD_STRUCT, None], shown_type(old.type))])
    found = promote_array(rows, old, new)
    assert found.type == shown_type(new.type)
    assert found.to_pylist() == [NEW_STRUCT, None]


def test_structs_inside_lists_and_maps_are_promoted_too() -> None:
    old_struct, new_struct = _evolved()
    for outer, rows, expected in (
        ("list", [[OLD_STRUCT, None], None, []], [[NEW_STRUCT, None], None, []]),
        ("map", [[("a", OLD_STRUCT), ("b", None)], None, []], [[("a", NEW_STRUCT), ("b", None)], None, []]),
    ):
        old, new = _wrapped(outer, old_struct), _wrapped(outer, new_struct)
        array = pa.array([None, *rows], shown_type(old.type))[1:]
        assert promote_array(array, old, new).to_pylist() == expected


def _wrapped(outer: str, struct: Column) -> Column:
    shape = column("c", "integer[]" if outer == "list" else "map(varchar, integer)", 20)
    *before, last = shape.children
    return with_children(shape, (*before, replace(struct, name=last.name)))


def test_not_a_number_stays_so() -> None:
    [found] = promote_array(pa.array([math.nan], pa.float32()), column("c", "float"), column("c", "double")).to_pylist()
    assert math.isnan(found)
