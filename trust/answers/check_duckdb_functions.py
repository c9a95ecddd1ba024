"""Every function of DuckDB over a grid of values: what the dialect does not refuse has the value that DuckDB has."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import duckdb

from forklake.api.session import Session
from forklake.errors import ForklakeError
from trust.answers.check_duckdb import COMPARED, REFUSED
from trust.answers.same_values import comparable, same
from trust.answers.tally import Tally

_VALUES: Mapping[str, Sequence[str]] = {
    "VARCHAR": ("'abc'", "''", "'Ab c'", "NULL", "'a'", "'héllo'", "'a.b|c'", "' x '", "'1'", "'.'",
                "'🦆é'", "'a🦆b'"),
    "INTEGER": ("1", "0", "-3", "NULL", "7", "2", "-1", "128512"),
    "DOUBLE": ("1.5::DOUBLE", "0.0::DOUBLE", "NULL::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "1e300::DOUBLE",
               "-2.5::DOUBLE", "0.3::DOUBLE", "'-inf'::DOUBLE", "-0.0::DOUBLE", "1.005::DOUBLE", "2.0::DOUBLE"),
    "DECIMAL": ("1.50", "-2.55", "NULL::DECIMAL(5,2)", "0.00", "12.345"),
    "DATE": ("DATE '2024-02-29'", "DATE '1969-12-31'", "NULL::DATE", "DATE '2023-01-01'"),
    "TIMESTAMP": ("TIMESTAMP '2024-02-29 12:34:56.789'", "NULL::TIMESTAMP", "TIMESTAMP '1969-12-31 23:59:59'"),
    "BOOLEAN": ("true", "false", "NULL::BOOLEAN"),
    "T[]": ("[1, 2, 3]", "[]::INTEGER[]", "NULL::INTEGER[]", "[3, NULL, 1]", "[1, 1]", "[1.5::DOUBLE, 'nan'::DOUBLE]",
            "[[1, NULL], [1, 2]]", "[[1], NULL]", "[{'a': NULL::INTEGER}, {'a': 1}]"),
    "VARCHAR[]": ("['b', 'a']", "['x', NULL]"),
    "STRUCT": ("{'a': 1, 'b': 'x'}", "{'a': NULL::INTEGER, 'b': 'x'}"),
    "UUID": ("'ABCDEF01-2345-6789-abcd-ef0123456789'::UUID", "'00000000-0000-0000-0000-00000000000a'::UUID"),
    "TIME": ("TIME '10:00:00'", "TIME '09:00:00.5'"),
    "MAP(K, V)": ("MAP {'a': 1, 'b': 2}",),
    "BLOB": ("'ab'::BLOB",),
}  # fmt: skip
_ANY = (*_VALUES["INTEGER"][:3], *_VALUES["VARCHAR"][:3], *_VALUES["DOUBLE"][:2])
_LIKE = {
    **dict.fromkeys(("BIGINT", "SMALLINT", "TINYINT", "HUGEINT", "T", "V"), "INTEGER"),
    **dict.fromkeys(("ANY[]", "BIGINT[]"), "T[]"),
    "FLOAT": "DOUBLE",
    "K": "VARCHAR",
}
_SCALARS = """
    SELECT function_name, parameter_types, varargs FROM duckdb_functions()
    WHERE function_type IN ('scalar', 'macro') AND NOT coalesce(has_side_effects, false)
    AND coalesce(stability, 'CONSISTENT') = 'CONSISTENT' AND regexp_full_match(function_name, '[a-z][a-z0-9_]*')
    ORDER BY ALL"""
_ABOUT_THE_ENGINE = re.compile(
    r"pg_|has_.*privilege|duckdb|current_|in_search_path|col_description|obj_description|shobj|format_type|version"
    r"|session_user|set_config|get_?(variable|env|_type)|txid|current|sleep|write_log|error|uuid|gen_random|json|stats"
    r"|vector_type|create_sort_key|parse_|add_parquet|combine|finalize|nextval|currval|list_(distinct|intersect|unique)"
    r"|array_|decode$|row$|map$|equi_width_bins$",
)
"""Functions whose value is about the engine or comes from outside; those that give lists in no order; those of arrays,
which have a fixed length to DuckDB; `row` and `map`, whose values look different in Python; decode, of which the parser
drops an argument; and equi_width_bins, with which DuckDB is not done for hours if it is to make 128,512 of them.
"""
_AT_MOST = 16
_NUMBERS: Mapping[str, Sequence[str]] = {
    "TINYINT": ("1", "-128", "127"), "SMALLINT": ("2", "-32768", "32767"), "INTEGER": ("3", "2147483647"),
    "BIGINT": ("-5", "9223372036854775807"), "HUGEINT": ("7", "-99999999999999999999"),
    "UTINYINT": ("0", "1", "200", "255"), "USMALLINT": ("2", "65535"), "UINTEGER": ("3", "4294967295"),
    "UBIGINT": ("5", "18446744073709551615"), "DECIMAL(5,2)": ("1.25", "-999.99"), "DOUBLE": ("1.5", "0"),
    "FLOAT": ("0.1", "3"),
}  # fmt: skip
_OPERATORS = ("+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>", "=", "<")
_TEXTS = (
    "'ABCDEF01-2345-6789-ABCD-EF0123456789'", "'00000000-0000-0000-0000-00000000000A'", "'9:00:00'", "'10:00:00.0'",
    "'09:00:00.500'", "'1'", "'abc'",
)  # fmt: skip
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IN")
_ROWS = """(VALUES
    (1, 1, 1.5::DOUBLE, 'b', DATE '2024-01-01', true, 1.50, TIMESTAMP '2024-01-01 10:00:00'),
    (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (1, 3, 2.5::DOUBLE, 'a', DATE '2023-05-05', false, 2.25, TIMESTAMP '2023-01-01 10:00:00'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, 5, 'nan'::DOUBLE, 'c', DATE '2020-01-01', true, 0.10, TIMESTAMP '2020-01-01 00:00:00'),
    (3, 5, -1.0::DOUBLE, 'c', DATE '2020-01-01', true, 0.10, TIMESTAMP '2020-01-01 00:00:00'),
    (3, -2, 4.0::DOUBLE, 'é', DATE '2021-01-01', true, 9.99, TIMESTAMP '2021-01-01 00:00:00')
) AS t(g, i, d, s, dt, b, de, ts)"""
_ARGUMENTS = (
    *("i", "d", "s", "dt", "b", "de", "ts"), *(f"DISTINCT {name}" for name in "isb"), "",
    *(f"{one}, {other}" for one in "ids" for other in ("i", "d", "s", "0.5", "2", "','")),
    *(f"{name} ORDER BY i DESC" for name in "is"),
)  # fmt: skip
_LISTS = """(VALUES
    (1, [1, 2, 3], [4], 1, 2, 'ab', DATE '2024-01-01', 1), (2, NULL, [4, NULL], NULL, 2, NULL, DATE '2024-01-03', 0),
    (3, [5, NULL], NULL, 1, NULL, 'c', NULL, -1), (4, [7], [7], -1, 0, '', DATE '2024-01-02', 0)
) AS t(k, l, m, a, b, s, d, n)"""
_OF_LISTS = (
    *(f"{name}({given})" for name in ("concat", "list_concat", "list_has_any", "list_has_all")
      for given in ("l, m", "l, NULL", "NULL, m")),
    *(f"l || {given}" for given in ("m", "NULL", "[a]")),
    *(f"{value}[{bounds}]" for value in ("l", "s", "[1, 2, 3]") for bounds in ("a:b", "n:b", "a:", "1:b", "0:n")),
    *("l[a:b:2]", "list_slice(l, n, b)", "array_slice(l, a, n)", "l[a]", "l[b]", "list_extract(m, n)"),
    *(f"{name}(l, {given})" for name in ("list_append", "list_contains", "list_position") for given in ("a", "NULL")),
    *(f"list_{name}(l)" for name in ("sort", "reverse", "sum", "avg", "min", "max", "count", "first", "last")),
    *(f"{name}({given})" for name in ("range", "generate_series") for given in (
        "a, b", "a, b, n", "b, a, n", "5, a, 0", "a, a, 0", "0, 5, n", "d, DATE '2024-01-02', INTERVAL 0 DAY",
        "d, DATE '2024-01-02', INTERVAL 1 DAY", "d, DATE '2024-01-02', INTERVAL '-1 day'",
        "d, DATE '2024-01-02', to_days(n)", "d, d, to_days(n)", "d, DATE '2024-03-02', INTERVAL 1 MONTH",
    )),
)  # fmt: skip
"""Calls with lists, bounds and steps of a row, which a constant would not try."""
_UNORDERED = re.compile(
    r"(approx_|reservoir_|histogram|first|last|any_value|arbitrary|list|array_agg|group_concat|string_agg|listagg|mode"
    r"|arg_?m|m(in|ax)_by|map|bitstring|product|sum_no_overflow|json_)[^(]*\((?!.*ORDER BY)"
)
"""Aggregates that depend on the order of rows, and are given none; or that are approximate."""


@dataclass(slots=True)
class FunctionCheck:
    """Judges functions by name: scalars with constants, aggregates over groups of a few rows, one of them empty."""

    session: Session
    tally: Tally

    def check(self, rng: random.Random, share: float = 1.0) -> None:
        """Judge a share of all functions there are."""
        with duckdb.connect() as engine:
            engine.execute("SET TimeZone = 'UTC'")
            for queries in (_operators(engine, rng), _scalars(engine, rng), _of_rows(engine), _aggregates(engine)):
                for name, calls in queries.items():
                    if rng.random() < share:
                        self._judge(name, calls)

    def _judge(self, name: str, calls: Mapping[str, Any]) -> None:
        texts = list(calls)
        self.tally.in_bulk += len(texts)
        if not texts or (isinstance(self._ours(texts[:1]), ForklakeError) and self._is_unknown(texts[0])):
            self.tally.count("functions that Spark has not", bool(texts))
            return
        for text, ours in self._values(texts):
            self.tally.count(REFUSED if isinstance(ours, ForklakeError) else COMPARED)
            if not isinstance(ours, ForklakeError) and not same(ours, calls[text]):
                self.tally.found.append(f"in the DuckDB dialect: {ours!r} instead of {calls[text]!r}\nSELECT {text};")

    def _is_unknown(self, text: str) -> bool:
        found = self._ours([text])
        return isinstance(found, ForklakeError) and "Spark has none of this name" in str(found)

    def _values(self, texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """The value of each, or its error; errors are looked for by halves."""
        found = self._ours(texts)
        if not isinstance(found, ForklakeError):
            yield from zip(texts, found, strict=True)
        elif len(texts) == 1:
            yield texts[0], found
        else:
            middle = len(texts) // 2
            yield from self._values(texts[:middle])
            yield from self._values(texts[middle:])

    def _ours(self, texts: Sequence[str]) -> Sequence[Any] | ForklakeError:
        try:
            return self.session.sql(_query(texts)).fetchall()[0]
        except ForklakeError as error:
            return error


def _query(texts: Sequence[str]) -> str:
    return f"SELECT {', '.join(f'{text} AS c{at}' for at, text in enumerate(texts))}"


def _scalars(engine: duckdb.DuckDBPyConnection, rng: random.Random) -> dict[str, dict[str, Any]]:
    """By name, calls with constants and their values."""
    found: dict[str, dict[str, Any]] = {}
    for name, types, varargs in engine.execute(_SCALARS).fetchall():
        pools = [_pool(each) for each in (*(types or ()), *((varargs, varargs) if varargs else ()))]
        if _ABOUT_THE_ENGINE.match(name) or not all(pools) or len(pools) > 4:
            continue
        arguments = list(product(*pools))
        for given in rng.sample(arguments, min(len(arguments), 8)):
            _add(engine, found.setdefault(name, {}), f"{name}({', '.join(given)})")
    return found


def _operators(engine: duckdb.DuckDBPyConnection, rng: random.Random) -> dict[str, dict[str, Any]]:
    """By operator, numbers of all pairs of types, and comparisons of values with texts and with each other."""
    numbers = [f"CAST({value} AS {kind})" for kind, values in _NUMBERS.items() for value in values]
    pairs = list(product([*numbers, "1", "-1", "300", "1.5"], numbers))
    found: dict[str, dict[str, Any]] = {}
    for operator in _OPERATORS:
        for left, right in rng.sample(pairs, 24):
            _add(engine, found.setdefault(operator, {}), f"({left} {operator} {right})", most=24)
    nested = [*_VALUES["T[]"], *_VALUES["STRUCT"]]
    for operator in _COMPARISONS:
        beside = [*product([*_VALUES["UUID"], *_VALUES["TIME"]], _TEXTS), *product(nested, nested)]
        for left, right in rng.sample(beside, 24):
            text = f"({left} {operator} ({right}))" if operator == "IN" else f"({left} {operator} {right})"
            _add(engine, found.setdefault(f"{operator} of values", {}), text, most=24)
    return found


def _pool(kind: str | None) -> Sequence[str]:
    if kind in (None, "ANY"):
        return _ANY
    base = "DECIMAL" if str(kind).startswith("DECIMAL") else str(kind)
    return _VALUES.get(_LIKE.get(base, base), ())


def _aggregates(engine: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """By name, calls over each group of rows and over none, in subqueries."""
    named = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate' ORDER BY 1"
    found: dict[str, dict[str, Any]] = {}
    for (name,) in engine.execute(named).fetchall():
        for given in _ARGUMENTS if name.isidentifier() else ():
            call = f"{name}({given})"
            if not _UNORDERED.match(call):
                for group in (1, 2, 3, 4):
                    text = f"(SELECT {call} FROM {_ROWS} WHERE g = {group})"
                    _add(engine, found.setdefault(name, {}), text, most=200)
    return found


def _of_rows(engine: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """By call, its value in each row, in subqueries."""
    found: dict[str, dict[str, Any]] = {}
    for call in _OF_LISTS:
        for row in (1, 2, 3, 4):
            _add(engine, found.setdefault(call, {}), f"(SELECT {call} FROM {_LISTS} WHERE k = {row})")
    return found


def _add(engine: duckdb.DuckDBPyConnection, calls: dict[str, Any], text: str, most: int = _AT_MOST) -> None:
    if len(calls) < most and text not in calls:
        try:
            value = engine.execute(_query([text])).fetchall()[0][0]
            comparable(value)
        except (duckdb.Error, TypeError, ValueError, OverflowError):
            # Of what Python cannot hold, such as a date after the year 9999, there is nothing to compare with.
            return
        calls[text] = value
