"""Whole statements made from shapes: queries, and statements that change rows."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trust.answers.grammar import Grammar
from trust.answers.kinds import Column
from trust.answers.pieces import Piece
from trust.answers.query_rules import CHANGES, QUERIES
from trust.answers.spark_rules import RULES, WORDS
from trust.answers.spelling import spark_literal
from trust.answers.tables import MadeTable


@dataclass(frozen=True, slots=True)
class Language:
    """What statements are made of in a dialect."""

    rules: Mapping[str, Sequence[str]] = field(default_factory=lambda: RULES)
    words: Mapping[str, Sequence[str]] = field(default_factory=lambda: WORDS)
    literal: Callable[[Any, str], str] = spark_literal
    queries: Sequence[tuple[str, str]] = QUERIES
    changes: Sequence[tuple[str, str]] = CHANGES


@dataclass(slots=True)
class Shapes:
    """Statements over the tables of a subject."""

    rng: random.Random
    tables: Sequence[MadeTable]
    language: Language = field(default_factory=Language)

    def query(self) -> Piece:
        return self._statement(self.language.queries)

    def change(self) -> Piece:
        return self._statement(self.language.changes)

    def _statement(self, shapes: Sequence[tuple[str, str]]) -> Piece:
        scope, template = self.rng.choice(shapes)
        first, second = self.rng.choice(self.tables), self.rng.choice(self.tables)
        columns = _columns("a", first) + (_columns("b", second) if "b" in scope else [])
        grammar = Grammar(self.rng, self.language.rules, self.language.words, columns, self.language.literal)
        targets = {kind: self._target(first, kind) for kind in ("text", "date", "bool")}
        named = {"A": first.name, "B": second.name, **targets}
        for name, text in named.items():
            template = template.replace(f"{{{name}}}", text)
        return grammar.fill("query", template, self.rng.choice((1, 2, 3)))

    def _target(self, table: MadeTable, kind: str) -> str:
        names = [column.name for column in table.columns if column.kind == kind]
        return self.rng.choice(names) if names else "k"


def _columns(alias: str, table: MadeTable) -> list[Column]:
    return [Column(f"{alias}.{column.name}", column.kind) for column in table.columns]
