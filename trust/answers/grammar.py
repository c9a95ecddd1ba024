"""Expressions made by a grammar over the columns of a table, by family and by chance."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trust.answers.kinds import KINDS, Column
from trust.answers.pieces import Constant, Piece, Reference
from trust.answers.spelling import spark_literal

_PLACES = re.compile(r"<([a-z][a-z_.]*)>")
_KINDS_OF = {
    family: [name for name, kind in KINDS.items() if kind.family == family]
    for family in {kind.family for kind in KINDS.values()}
}


@dataclass(slots=True)
class Grammar:
    """A language: what may stand for a family, and for a word."""

    rng: random.Random
    rules: Mapping[str, Sequence[str]]
    words: Mapping[str, Sequence[str]]
    columns: Sequence[Column]
    literal: Callable[[Any, str], str] = spark_literal
    families: dict[str, list[Column]] = field(init=False)

    def __post_init__(self) -> None:
        self.families = {}
        for column in self.columns:
            self.families.setdefault(column.family, []).append(column)

    def expression(self, family: str, depth: int) -> Piece:
        """An expression of a family with at most so many levels."""
        templates = self.rules[family]
        if depth <= 0 and family not in ("bool", "bool_atom"):
            templates = (f"<c.{family}>", f"<c.{family}>", f"<v.{family}>")
        elif depth <= 0:
            templates = self.rules["bool_atom"]
        for _ in range(8):
            template = self.rng.choice(templates)
            if self._is_possible(template):
                break
        return Piece("bool" if family == "bool_atom" else family, tuple(self._parts(template, depth)))

    def fill(self, kind: str, template: str, depth: int = 1) -> Piece:
        """A template with its places filled."""
        return Piece(kind, tuple(self._parts(template, depth)))

    def _is_possible(self, template: str) -> bool:
        """Whether the table has the columns; those of nested kinds have nothing to stand for them."""
        names = _PLACES.findall(template)
        return all(name[2:] in self.families for name in names if name.startswith("c."))

    def _parts(self, template: str, depth: int) -> Iterator[str | Reference | Constant | Piece]:
        for at, part in enumerate(_PLACES.split(template)):
            if at % 2 == 0:
                yield part
            elif part in self.words:
                word = self.rng.choice(self.words[part])
                yield Piece(f"word {part}", (word,)) if part not in ("cmp", "not") else word
            elif part.startswith("c."):
                yield self._column(part[2:])
            elif part.startswith("v."):
                yield self._value(part[2:])
            else:
                yield self.expression(part, depth - 1)

    def _column(self, family: str) -> Piece:
        columns = self.families.get(family)
        if not columns:
            return self._value(family)
        return Piece(family, (Reference(self.rng.choice(columns).name),))

    def _value(self, family: str) -> Piece:
        if self.rng.random() < 0.03:
            return Piece(family, ("NULL",))
        kind = self.rng.choice(_KINDS_OF[family])
        return Piece(family, (self.constant(self.rng.choice(KINDS[kind].values), kind),))

    def constant(self, value: Any, kind: str) -> Constant:
        return Constant(self.literal(value, kind), value, kind)


def simplest(kind: str) -> Iterator[str]:
    """The texts that are tried first in the place of a piece."""
    yield from _SIMPLEST.get(kind, ())


_SIMPLEST: Mapping[str, Sequence[str]] = {
    "bool": ("true", "false", "NULL"),
    "int": ("0", "1"),
    "dec": ("0.0", "1.50"),
    "dbl": ("0.0D", "1.5D"),
    "text": ("'a'",),
    "date": ("DATE '2024-01-01'",),
    "ntz": ("TIMESTAMP_NTZ '2024-01-01 00:00:00'",),
    "ts": ("TIMESTAMP_LTZ '2024-01-01 00:00:00+00:00'",),
    "optional": ("",),
}
