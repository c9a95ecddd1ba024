"""Statements around a condition, whose rows follow from the condition alone."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.sql.parsing.constants import Parameters
from trust.answers.pieces import Constant, Naming, Piece, Spelling
from trust.answers.tables import KEY, MadeTable

Verb = Literal["read", "delete"]


@dataclass(frozen=True, slots=True)
class Form:
    """A statement with {t} for the table, {p} for the condition, {k} for the key and {v} for the snapshot of `past`
    that has the rows; and how it names columns.
    """

    verb: Verb
    template: str
    naming: "Callable[[MadeTable, random.Random], tuple[Naming, str]]"
    """By table: the names, and the alias that stands behind the table."""
    marker: str = ""
    """What stands for a constant that is given as a parameter: `?` or `:`."""
    call: "Callable[[TableHandle, str], object] | None" = None
    """How Python says it, in the dialect of Spark always; the template only shows it."""


def _plain(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return str, ""


def _with_alias(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"z.{name}", " AS z"


def _with_other_case(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"Z.{name.title()}", " AS z"


def _upper(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return str.upper, ""


def _by_table(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"{table.name}.{name}", ""


def _in_full(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"lake.main.{table.name}.{name}", ""


def _with_column_list(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    """Every column is called like another one."""
    names = [column.name for column in table.columns]
    others = rng.sample(names, len(names))
    called = dict(zip(names, others, strict=True))
    return lambda name: called[name], f" AS z({', '.join(others)})"


def _listed_qualified(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    naming, alias = _with_column_list(table, rng)
    return lambda name: f"z.{naming(name)}", alias


FORMS: Sequence[Form] = (
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _plain),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _with_alias),
    Form("read", "SELECT {k} FROM lake.main.{t}{a} WHERE ({p})", _with_other_case),
    Form("read", "SELECT * FROM main.{t}{a} WHERE {p} ORDER BY {k}", _upper),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _by_table),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _in_full),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _with_column_list),
    Form("read", "SELECT count(*), min({k}) FROM lake.{t}{a} WHERE {p}", _listed_qualified),
    Form("read", "SELECT count(*) FROM {t}{a} WHERE {p}", _plain),
    Form("read", "WITH c AS (SELECT * FROM {t}{a} WHERE {p}) SELECT k FROM c", _with_alias),
    Form("read", "SELECT k FROM (SELECT * FROM {t}{a} WHERE {p}) LIMIT 5", _plain),
    Form("read", "SELECT k FROM (SELECT * FROM {t}) AS z WHERE {p}", _plain),
    Form("read", "UPDATE {t}{a} SET k = 1 WHERE {p}", _plain),
    Form("read", "UPDATE {t}{a} SET k = 1 WHERE {p}", _with_alias),
    Form("delete", "DELETE FROM {t}{a} WHERE {p}", _plain),
    Form("delete", "DELETE FROM {t}{a} WHERE {p}", _plain),
    Form("delete", "DELETE FROM lake.main.{t}{a} WHERE {p}", _with_alias),
    Form("delete", "DELETE FROM {t}{a} WHERE NOT (NOT ({p}))", _by_table),
    Form("delete", "DELETE FROM {t}{a} WHERE ({p})", _upper),
    # In forks, and in the past of one that has changed everything since.
    Form("read", "SELECT {k} FROM twin.main.{t}{a} WHERE {p}", _with_alias),
    Form("read", "SELECT {k} FROM past.main.{t}{a} AT (VERSION => {v}) WHERE {p}", _with_alias),
    Form("read", "SELECT {k} FROM past.main.{t} VERSION AS OF {v}{a} WHERE {p}", _listed_qualified),
    Form("delete", "DELETE FROM twin.main.{t}{a} WHERE {p}", _with_alias),
    # With parameters.
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _plain, "?"),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _with_alias, ":"),
    Form("delete", "DELETE FROM {t}{a} WHERE {p}", _plain, "?"),
    Form("delete", "DELETE FROM {t}{a} WHERE {p}", _with_alias, ":"),
    # From Python.
    Form("read", "table({t!r}).scan(where={p!r})", _plain, call=lambda t, p: t.scan(where=p).to_spark()),
    Form("read", "table({t!r}).count(where={p!r})", _upper, call=lambda t, p: t.count(where=p)),
    Form("read", "table({t!r}).update({{'k': '1'}}, where={p!r})", _plain, call=lambda t, p: t.update({KEY: "1"}, p)),
    Form("delete", "table({t!r}).delete(where={p!r})", _plain, call=lambda t, p: t.delete(where=p)),
    Form("delete", "table({t!r}).overwrite([], where={p!r})", _plain, call=lambda t, p: t.overwrite([], where=p)),
)  # fmt: skip


def forms(verb: Verb, dialect: str) -> list[Form]:
    """The forms of a verb that take conditions of a dialect."""
    return [form for form in FORMS if form.verb == verb and (dialect == "spark" or form.call is None)]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a form; the same seed gives the same names."""

    form: Form
    table: MadeTable
    condition: Piece
    seed: int
    version: int

    @property
    def text(self) -> str:
        return self._with(lambda constant: constant.literal)

    def run(self, session: Session) -> object:
        given = Given(self.form.marker)
        text = self._with(given.spelling if self.form.marker else lambda constant: constant.literal)
        if self.form.call is not None:
            naming, _ = self.form.naming(self.table, random.Random(self.seed))
            return self.form.call(session.catalog("lake").table(self.table.name), self.condition.text(naming))
        return session.sql(text, given.parameters)

    def _with(self, spelling: Spelling) -> str:
        naming, alias = self.form.naming(self.table, random.Random(self.seed))
        condition = self.condition.text(naming, spelling)
        return self.form.template.format(t=self.table.name, a=alias, p=condition, k=naming(KEY), v=self.version)


@dataclass(slots=True)
class Given:
    """The parameters of a statement: constants whose value in Python is that of their literal, of the same type."""

    marker: str
    values: list[Any] = field(default_factory=list)

    def spelling(self, constant: Constant) -> str:
        if not _is_parameter(constant):
            return constant.literal
        self.values.append(constant.value)
        return "?" if self.marker == "?" else f":p{len(self.values) - 1}"

    @property
    def parameters(self) -> Parameters:
        if not self.values:
            return None
        return self.values if self.marker == "?" else {f"p{at}": value for at, value in enumerate(self.values)}


def _is_parameter(constant: Constant) -> bool:
    """Spark takes a float of Python for a double, an int by its size, and has moments and days from Java's calendar."""
    value = constant.value
    if isinstance(value, Decimal):
        return value.as_tuple().exponent != 0
    if isinstance(value, date):
        return not isinstance(value, datetime) and value.year >= 1900
    if isinstance(value, int):
        return abs(value) < 2**31
    return isinstance(value, str) or (isinstance(value, float) and constant.kind == "dbl")
