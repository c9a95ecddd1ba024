"""A table whose columns come and go, as plain Python: fields by id, rows by field id, conditions with three truths."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

Row = dict[int, Any]
"""A row, or a struct inside of one: values by the id of their field."""

_INTS = [-1, 0, 1, 2, 3, 100]
_DAYS = [date(1969, 12, 31), date(2020, 1, 1), date(2020, 2, 29), date(9999, 12, 31)]
_TIMES = [datetime(1960, 1, 1, 0, 0, 0, 1), datetime(2020, 1, 1), datetime(2020, 1, 1, 12, 30, 15, 123456)]
POOLS: dict[str, list[Any]] = {
    "boolean": [True, False],
    "tinyint": [-128, *_INTS, 127],
    "smallint": [-(2**15), *_INTS, 2**15 - 1],
    "integer": [-(2**31), *_INTS, 2**31 - 1],
    "bigint": [-(2**63), *_INTS, 2**31, 2**53 + 1, 2**63 - 1],
    "uinteger": [0, 1, 2, 3, 2**32 - 1],
    "float": [-1.5, 0.0, 0.5, 2.0, math.nan],
    "double": [-1.5, 0.0, 0.5, 2.0, 1e300, math.nan, math.inf],
    "decimal(6,2)": [Decimal("-1.50"), Decimal(0), Decimal("2.25"), Decimal("9999.99")],
    "decimal(24,4)": [Decimal("-1.5000"), Decimal(0), Decimal("2.2501"), Decimal(10) ** 18],
    "date": _DAYS,
    "timestamp": _TIMES,
    "timestamptz": [moment.replace(tzinfo=UTC) for moment in _TIMES],
    "varchar": ["", "a", "ab", "b", "Z", "ä", "a" * 400],
}
WIDER: dict[str, list[str]] = {
    "boolean": ["tinyint", "integer"],
    "tinyint": ["smallint", "integer", "bigint", "float", "double", "decimal(24,4)"],
    "smallint": ["integer", "bigint", "double", "decimal(24,4)"],
    "integer": ["bigint", "double", "decimal(24,4)"],
    "bigint": ["double", "decimal(24,4)"],
    "uinteger": ["bigint", "double", "decimal(24,4)"],
    "float": ["double"],
    "decimal(6,2)": ["decimal(24,4)", "double"],
    "decimal(24,4)": ["double"],
    "date": ["timestamp", "timestamptz"],
    "timestamp": ["timestamptz"],
}
FLOATS = ("float", "double")
NAMES = ["a", "b", "c", "d", "E", "x.y"]


@dataclass(slots=True)
class Field:
    """A column or a field. A `list` holds structs and a `map` has them as values: the children are their fields."""

    id: int
    name: str
    kind: str
    children: list["Field"] = field(default_factory=list)

    def type_sql(self) -> str:
        inside = ", ".join(f'"{child.name}" {child.type_sql()}' for child in self.children)
        return {
            "struct": f"struct({inside})",
            "list": f"struct({inside})[]",
            "map": f"map(varchar, struct({inside}))",
        }.get(self.kind, self.kind)

    @property
    def below(self) -> tuple[str, ...]:
        """What a path has between this field and its children."""
        return {"list": ("element",), "map": ("value",)}.get(self.kind, ())


@dataclass(slots=True)
class Level:
    """Fields beside each other, the path to them, and every struct of every row that has them."""

    fields: list[Field]
    path: tuple[str, ...]
    structs: list[Row]
    outside_lists: bool


@dataclass(slots=True)
class Model:
    """The table as it should be."""

    fields: list[Field] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    last_id: int = 0

    def new_field(self, name: str, kind: str, rng: random.Random) -> Field:
        self.last_id += 1
        made = Field(self.last_id, name, kind)
        if kind in ("struct", "list", "map"):
            names = rng.sample(NAMES, rng.randint(1, 3))
            made.children = [self.new_field(each, rng.choice(list(POOLS)), rng) for each in names]
        return made

    def levels(self) -> Iterator[Level]:
        """The columns, and the fields of every struct wherever it is."""
        yield from _levels(Level(self.fields, (), self.rows, True))

    def shown(self, rows: Sequence[Row] | None = None) -> list[str]:
        """Rows in a form in which they can be compared, whatever their order."""
        return sorted(canonical(_named(row, self.fields)) for row in (self.rows if rows is None else rows))

    def new_row(self, rng: random.Random) -> Row:
        return {each.id: _value(each, rng) for each in self.fields}

    def given(self, row: Row) -> dict[str, Any]:
        """A row as it is given to an append."""
        return _named(row, self.fields)


def widened(value: Any, kind: str) -> Any:
    """A value as one of a wider type."""
    match kind:
        case _ if value is None:
            return None
        case "float" | "double":
            return float(value)
        case "decimal(24,4)":
            return Decimal(value)
        case "timestamp" | "timestamptz":
            moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
            return moment.replace(tzinfo=UTC) if kind == "timestamptz" else moment
    return int(value)


def canonical(value: Any) -> str:
    """A text that is the same for what is equal: numbers without their scale, maps without an order."""
    match value:
        case dict():
            return "{" + ",".join(f"{name}:{canonical(each)}" for name, each in value.items()) + "}"
        case list() if value and isinstance(value[0], tuple):
            return "<" + ",".join(sorted(f"{key}:{canonical(each)}" for key, each in value)) + ">"
        case list():
            return "[" + ",".join(map(canonical, value)) + "]"
        case Decimal():
            return f"{value:.4f}"
        case datetime():
            return value.isoformat()
    return repr(value)


def _levels(level: Level) -> Iterator[Level]:
    yield level
    for each in level.fields:
        if each.children:
            values = [struct[each.id] for struct in level.structs if struct[each.id] is not None]
            if each.kind == "list":
                values = [element for value in values for element in value if element is not None]
            elif each.kind == "map":
                values = [element for value in values for _, element in value if element is not None]
            outside = level.outside_lists and each.kind == "struct"
            yield from _levels(Level(each.children, (*level.path, each.name, *each.below), values, outside))


def _named(struct: Row, fields: Sequence[Field]) -> dict[str, Any]:
    return {each.name: _shown(struct[each.id], each) for each in fields}


def _shown(value: Any, of: Field) -> Any:
    if value is None or not of.children:
        return value
    match of.kind:
        case "struct":
            return _named(value, of.children)
        case "list":
            return [None if each is None else _named(each, of.children) for each in value]
    return [(key, None if each is None else _named(each, of.children)) for key, each in value]


def _value(of: Field, rng: random.Random) -> Any:
    if rng.random() < 0.2:
        return None
    if not of.children:
        return rng.choice(POOLS[of.kind])

    def struct() -> Row | None:
        return {each.id: _value(each, rng) for each in of.children}

    match of.kind:
        case "struct":
            return struct()
        case "list":
            return [struct() if rng.random() < 0.8 else None for _ in range(rng.randint(0, 3))]
    return [(key, struct() if rng.random() < 0.8 else None) for key in rng.sample("kln", rng.randint(0, 3))]


# Conditions

Truth = bool | None


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition as SQL, and what it says of a row."""

    sql: str
    of: Callable[[Row], Truth]


def random_filter(model: Model, rng: random.Random, depth: int = 1) -> Filter:
    """A condition on columns and fields that the table has now."""
    if depth and rng.random() < 0.3:
        left, right = random_filter(model, rng, depth - 1), random_filter(model, rng, depth - 1)
        match rng.choice(["and", "or", "not"]):
            case "and":
                return Filter(f"({left.sql}) AND ({right.sql})", lambda row: _and(left.of(row), right.of(row)))
            case "or":
                return Filter(
                    f"({left.sql}) OR ({right.sql})", lambda row: _not(_and(_not(left.of(row)), _not(right.of(row))))
                )
            case _:
                return Filter(f"NOT ({left.sql})", lambda row: _not(left.of(row)))
    sql, of, get = rng.choice(list(_values(model.fields, "", lambda row: row)))
    return _on(sql, of, get, rng)


def _values(
    fields: Sequence[Field], prefix: str, get: Callable[[Row], Row | None]
) -> Iterator[tuple[str, Field, Callable[[Row], Any]]]:
    """Everything a condition can be about: the expression, its field, and how to find its value in a row."""
    for each in fields:
        sql = f"{prefix}`{each.name}`"
        value = _getter(get, each.id)
        yield sql, each, value
        match each.kind:
            case "struct":
                yield from _values(each.children, f"{sql}.", value)
            case "list":
                yield from _values(
                    each.children, f"get({sql}, 0).", _then(value, lambda found: found[0] if found else None)
                )
            case "map":
                yield from _values(each.children, f"{sql}['k'].", _then(value, lambda found: dict(found).get("k")))


def _getter(get: Callable[[Row], Row | None], field_id: int) -> Callable[[Row], Any]:
    return _then(get, lambda struct: struct[field_id])


def _then(get: Callable[[Row], Any], step: Callable[[Any], Any]) -> Callable[[Row], Any]:
    def found(row: Row) -> Any:
        value = get(row)
        return None if value is None else step(value)

    return found


def _on(sql: str, of: Field, get: Callable[[Row], Any], rng: random.Random) -> Filter:
    operator = rng.choice(["is null", "is not null", "=", "<>", "<", "<=", ">", ">=", "in", "between", "like"])
    if of.children and operator not in ("is null", "is not null"):
        operator = rng.choice(["is null", "is not null"])
    match operator:
        case "is null":
            return Filter(f"{sql} IS NULL", lambda row: get(row) is None)
        case "is not null":
            return Filter(f"{sql} IS NOT NULL", lambda row: get(row) is not None)
        case "like" if of.kind == "varchar":
            return Filter(f"{sql} LIKE 'a%'", lambda row: _known(get(row), lambda value: value.startswith("a")))
        case "in" | "like":
            chosen = [rng.choice(POOLS[of.kind]) for _ in range(3)]
            texts = ", ".join(sql_literal(value, of.kind) for value in chosen)
            return Filter(
                f"{sql} IN ({texts})",
                lambda row: _known(get(row), lambda value: any(_key(value) == _key(each) for each in chosen)),
            )
        case "between":
            low, high = sorted((rng.choice(POOLS[of.kind]) for _ in range(2)), key=_key)
            return Filter(
                f"{sql} BETWEEN {sql_literal(low, of.kind)} AND {sql_literal(high, of.kind)}",
                lambda row: _known(get(row), lambda value: _key(low) <= _key(value) <= _key(high)),
            )
    constant = rng.choice(POOLS[of.kind])
    text = sql_literal(constant, of.kind)
    compare = _COMPARE[operator]
    return Filter(
        f"{sql} {operator} {text}", lambda row: _known(get(row), lambda value: compare(_key(value), _key(constant)))
    )


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: left == right,
    "<>": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def sql_literal(value: Any, kind: str) -> str:
    """A value of a type, in Spark's SQL."""
    match kind:
        case _ if value is None:
            return "NULL"
        case "varchar":
            return f"'{value}'"
        case "date":
            return f"DATE '{value}'"
        case "timestamp":
            return f"TIMESTAMP_NTZ '{value}'"
        case "timestamptz":
            return f"TIMESTAMP '{value.replace(tzinfo=None)} UTC'"
        case "float" | "double" if not math.isfinite(value) or abs(value) > 1e10:
            return f"double('{value}')"
    return str(value)


def _key(value: Any) -> Any:
    """Spark's order: NaN is equal to itself and beyond all numbers; text goes by its bytes."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


def _known(value: Any, test: Callable[[Any], bool]) -> Truth:
    return None if value is None else test(value)


def _and(left: Truth, right: Truth) -> Truth:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _not(truth: Truth) -> Truth:
    return None if truth is None else not truth
