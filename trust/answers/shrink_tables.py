"""Tables made smaller, step by step, while something still fails on them."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from forklake.errors import ForklakeError
from trust.answers.subject import Subject, subject
from trust.answers.tables import KEY, MadeTable, Rows, Step

_TRIES = 40


def shrink_tables(
    spark: SparkSession, tables: Sequence[MadeTable], text: str, fails: Callable[[Subject], bool]
) -> list[MadeTable]:
    """The tables without the values and steps that a failure does not need; `text` names the columns that it may."""

    def fails_on(candidate: Sequence[MadeTable]) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            try:
                with subject(Path(folder), candidate, spark) as made:
                    return fails(made)
            except ForklakeError:
                # Without the steps before it, a step may not be possible.
                return False

    kept = list(tables)
    tries = _TRIES
    for at in range(len(kept)):
        progress = True
        while progress and tries > 0:
            progress = False
            for less in _smaller(kept[at], text):
                tries -= 1
                candidate = [*kept[:at], less, *kept[at + 1 :]]
                if tries > 0 and fails_on(candidate):
                    kept, progress = candidate, True
                    break
    return kept


def _smaller(table: MadeTable, text: str) -> Iterator[MadeTable]:
    fewer = tuple(_only_named(step, text) for step in table.steps)
    if fewer != table.steps:
        yield replace(table, steps=fewer)
    # Halves of the steps behind CREATE TABLE first, then each of them.
    count = len(table.steps) - 1
    for size in (count // 2, count // 4, 1):
        for start in range(1, count + 1, size) if size else ():
            yield replace(table, steps=(*table.steps[:start], *table.steps[start + size :]))


def _only_named(step: Step, text: str) -> Step:
    if not isinstance(step, Rows):
        return step
    named = [column.name == KEY or column.name.lower() in text.lower() for column in step.columns]
    columns = tuple(column for column, keep in zip(step.columns, named, strict=True) if keep)
    rows = tuple(tuple(value for value, keep in zip(row, named, strict=True) if keep) for row in step.rows)
    return Rows(columns, rows)
