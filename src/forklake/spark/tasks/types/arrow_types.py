"""Columns in Arrow: their shown and physical forms, conversion between them, and promotion."""

from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.promote import default_array, promote_array
from forklake.spark.tasks.types.to_physical import to_physical
from forklake.spark.tasks.types.type_forms import (
    physical_field,
    physical_schema,
    physical_type,
    shown_schema,
    shown_type,
)

__all__ = [
    "default_array",
    "literal",
    "physical_field",
    "physical_schema",
    "physical_type",
    "promote_array",
    "shown_schema",
    "shown_type",
    "to_physical",
]
