"""What a statement came to: rows with their titles and types, or an error."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException

from forklake.errors import ForklakeError, QueryFailed
from forklake.sql.results.arrow_rows import shown_columns

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows in an order of their own, or the kind of error."""

    titles: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    error: str = ""
    message: str = ""

    def differs(self, other: "Outcome") -> str:
        """In what it differs from another one, or nothing."""
        if self.error or other.error:
            return "" if self.error == other.error else f"{self.shown} instead of {other.shown}"
        for what in ("titles", "types", "rows"):
            if getattr(self, what) != getattr(other, what):
                return f"{what}: {_difference(getattr(self, what), getattr(other, what))}"
        return ""

    @property
    def shown(self) -> str:
        return f"{self.error} ({self.message[:160]})" if self.error else f"{len(self.rows)} rows"


def outcome(run: Callable[[], pa.Table]) -> Outcome:
    """What a statement comes to. Errors that are not ours are kept apart by their name."""
    try:
        return of_rows(run())
    except (ForklakeError, PySparkException) as error:
        name = type(error).__name__ if isinstance(error, ForklakeError) else QueryFailed.__name__
        condition = _CONDITION.search(str(error))
        return Outcome(error=f"{name} {condition[1] if condition else ''}".strip(), message=str(error))
    except Exception as error:
        return Outcome(error=f"not ours: {type(error).__name__}", message=str(error))


def of_rows(rows: pa.Table) -> Outcome:
    columns = shown_columns(rows)
    texts = sorted(map(repr, zip(*columns, strict=True))) if columns else []
    return Outcome(tuple(rows.column_names), tuple(str(field.type) for field in rows.schema), tuple(texts))


def _difference(mine: tuple[Any, ...], other: tuple[Any, ...]) -> str:
    left = list(mine)
    missing = []
    for each in other:
        if each in left:
            left.remove(each)
        else:
            missing.append(each)
    return f"has {left[:3]} and not {missing[:3]}"
