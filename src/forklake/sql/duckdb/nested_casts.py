"""Casts of structs and maps, from DuckDB to Spark.

DuckDB casts the fields of structs by name, and each part as it would cast it alone. Spark goes by position, and has
casts of its own.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.nested_values import row_values
from forklake.sql.duckdb.syntax import call, if_else, kind, lambda_of, mark_type, paren, type_of, variable
from forklake.sql.duckdb.texts import evaluate_once

CastPart = Callable[[exp.Expr, exp.DataType], exp.Expr]
"""Casts a part of known type."""
_NESTED = (exp.DataType.Type.STRUCT, exp.DataType.Type.MAP)


def casts_parts(value: exp.Expr, target: exp.DataType) -> bool:
    """Whether a value is cast to the type part by part."""
    inner = value.unnest()
    is_empty = isinstance(inner, exp.Null) or (isinstance(inner, exp.Anonymous) and not inner.expressions)
    return target.this in _NESTED and kind(value) != "text" and not is_empty


def cast_parts(value: exp.Expr, target: exp.DataType, cast_part: CastPart) -> exp.Expr:
    """A struct or map as another one."""
    row = row_values(value)
    if row is not None and target.this == exp.DataType.Type.STRUCT:
        return _cast_row(row, target, cast_part)
    given = type_of(value)
    if given is None or given.this != target.this or not given.expressions or not target.expressions:
        raise Untranslatable(
            f"A value whose type is not known cannot be cast to {target.sql('duckdb')}; cast its parts."
        )
    if target.this == exp.DataType.Type.MAP:
        return _cast_map(value, given, target, cast_part)
    return evaluate_once(value, lambda found: _cast_struct(found, given, target, cast_part))


def _cast_row(row: Sequence[exp.Expr], target: exp.DataType, cast_part: CastPart) -> exp.Expr:
    """Values without names, which are fields by their position."""
    if len(row) != len(target.expressions):
        raise Untranslatable(f"A row of {len(row)} values cannot be cast to {target.sql('duckdb')}.")
    parts = zip(row, target.expressions, strict=True)
    return _struct([(field.name, cast_part(value.copy(), _type_of_field(field, target))) for value, field in parts])


def _cast_struct(value: exp.Expr, given: exp.DataType, target: exp.DataType, cast_part: CastPart) -> exp.Expr:
    known = {field.name.lower(): field for field in given.expressions}
    if not known.keys() & {field.name.lower() for field in target.expressions}:
        raise Untranslatable(f"{given.sql('duckdb')} and {target.sql('duckdb')} have no field in common.")
    fields = []
    for field in target.expressions:
        own, wanted = known.get(field.name.lower()), _type_of_field(field, target)
        if own is None:
            fields.append((field.name, cast_part(exp.null(), wanted)))
        else:
            part = exp.Bracket(this=paren(value.copy()), expressions=[exp.Literal.string(own.name)])
            fields.append((field.name, cast_part(mark_type(part, _type_of_field(own, given)), wanted)))
    return if_else(exp.Is(this=paren(value.copy()), expression=exp.null()), exp.null(), _struct(fields))


def _struct(fields: Sequence[tuple[str, exp.Expr]]) -> exp.Expr:
    return call("NAMED_STRUCT", *(part for name, value in fields for part in (exp.Literal.string(name), value)))


def _type_of_field(field: exp.Expr, of: exp.DataType) -> exp.DataType:
    found = field.args.get("kind")
    if not isinstance(found, exp.DataType):
        raise Untranslatable(f"The fields of {of.sql('duckdb')} have no known types; cast them one by one.")
    return found


def _cast_map(value: exp.Expr, given: exp.DataType, target: exp.DataType, cast_part: CastPart) -> exp.Expr:
    parts = [
        cast_part(mark_type(exp.Dot(this=variable("_e"), expression=exp.to_identifier(name)), own), wanted)
        for name, own, wanted in zip(("key", "value"), given.expressions, target.expressions, strict=True)
    ]
    entries = call("TRANSFORM", call("MAP_ENTRIES", value), lambda_of(call("STRUCT", *parts), "_e"))
    return call("MAP_FROM_ENTRIES", entries)
