"""Statements around a condition, whose rows follow from the condition alone."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from forklake.api.session import Session
from trust.answers.pieces import Naming, Piece
from trust.answers.tables import KEY, MadeTable

Verb = Literal["read", "delete"]


@dataclass(frozen=True, slots=True)
class Form:
    """A statement with {t} for the table, {p} for the condition and {k} for the key, and how it names columns."""

    verb: Verb
    template: str
    naming: Callable[[MadeTable, random.Random], tuple[Naming, str]]
    """By table: the names, and the alias that stands behind the table."""


def _plain(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return str, ""


def _aliased(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"z.{name}", " AS z"


def _cased(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"Z.{name.title()}", " AS z"


def _upper(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return str.upper, ""


def _by_table(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"{table.name}.{name}", ""


def _in_full(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    return lambda name: f"lake.main.{table.name}.{name}", ""


def _listed(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    """Every column is called like another one."""
    names = [column.name for column in table.columns]
    others = rng.sample(names, len(names))
    called = dict(zip(names, others, strict=True))
    return lambda name: called[name], f" AS z({', '.join(others)})"


def _listed_qualified(table: MadeTable, rng: random.Random) -> tuple[Naming, str]:
    naming, alias = _listed(table, rng)
    return lambda name: f"z.{naming(name)}", alias


FORMS: Sequence[Form] = (
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _plain),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _aliased),
    Form("read", "SELECT {k} FROM lake.main.{t}{a} WHERE ({p})", _cased),
    Form("read", "SELECT * FROM main.{t}{a} WHERE {p} ORDER BY {k}", _upper),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _by_table),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _in_full),
    Form("read", "SELECT {k} FROM {t}{a} WHERE {p}", _listed),
    Form("read", "SELECT count(*), min({k}) FROM lake.{t}{a} WHERE {p}", _listed_qualified),
    Form("read", "SELECT count(*) FROM {t}{a} WHERE {p}", _plain),
    Form("read", "WITH c AS (SELECT * FROM {t}{a} WHERE {p}) SELECT k FROM c", _aliased),
    Form("read", "SELECT k FROM (SELECT * FROM {t}{a} WHERE {p}) LIMIT 5", _plain),
    Form("read", "SELECT k FROM (SELECT * FROM {t}) AS z WHERE {p}", _plain),
    Form("read", "UPDATE {t}{a} SET k = 1 WHERE {p}", _plain),
    Form("read", "UPDATE {t}{a} SET k = 1 WHERE {p}", _aliased),
    Form("delete", "DELETE FROM {t}{a} WHERE {p}", _plain),
    Form("delete", "DELETE FROM {t}{a} WHERE {p}", _plain),
    Form("delete", "DELETE FROM lake.main.{t}{a} WHERE {p}", _aliased),
    Form("delete", "DELETE FROM {t}{a} WHERE NOT (NOT ({p}))", _by_table),
    Form("delete", "DELETE FROM {t}{a} WHERE ({p})", _upper),
)  # fmt: skip
READS = [form for form in FORMS if form.verb == "read"]
DELETES = [form for form in FORMS if form.verb == "delete"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a form; the same seed gives the same names."""

    form: Form
    table: MadeTable
    condition: Piece
    seed: int

    @property
    def text(self) -> str:
        naming, alias = self.form.naming(self.table, random.Random(self.seed))
        condition = self.condition.text(naming)
        return self.form.template.format(t=self.table.name, a=alias, p=condition, k=naming(KEY))

    def run(self, session: Session) -> object:
        return session.sql(self.text)
