"""What a small query is: its columns, conditions, groups and order."""

from dataclasses import dataclass
from typing import Literal

from forklake.model.predicates import Predicate

Function = Literal["count", "count distinct", "min", "max", "sum", "avg"]
COUNTS: tuple[Function, ...] = ("count", "count distinct")


class NeedsSparkError(Exception):
    """Only Spark can answer a query; the message is the reason, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the result: a column of the table, an aggregate of one or of all rows, or a constant."""

    title: str
    column: str | None
    function: Function | None = None
    constant: int | str | None = None


@dataclass(frozen=True, slots=True)
class SortKey:
    """The position of an output, or the name of a column of the table."""

    by: int | str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class SmallQuery:
    """A query of one table that can be answered from its rows as an Arrow table."""

    outputs: tuple[Output, ...]
    predicate: Predicate
    where: tuple[str, ...]
    """The columns in the predicate."""
    group: tuple[str, ...] = ()
    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    having: Predicate | None = None
    """The condition on groups, whose columns have the names of `having_name`."""
    hidden: tuple[Output, ...] = ()
    """What HAVING and ORDER BY compute besides the outputs; it is placed after them."""

    @property
    def is_aggregate(self) -> bool:
        return bool(self.group) or any(output.function is not None for output in self.outputs)

    @property
    def all_outputs(self) -> tuple[Output, ...]:
        return self.outputs + self.hidden

    @property
    def columns(self) -> set[str]:
        """The columns of the table that it needs."""
        return self.columns_of_result | {*self.where}

    @property
    def columns_of_result(self) -> set[str]:
        """The columns that it needs of the rows that pass its condition."""
        named = {output.column for output in self.all_outputs} | {key.by for key in self.order} | {*self.group}
        return {name for name in named if isinstance(name, str)}


def having_name(output: int) -> str:
    """The name in HAVING of the column of a result at this place."""
    return f"__forklake_output_{output}"
