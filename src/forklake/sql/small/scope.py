"""The columns that the expressions of a small change may name."""

from dataclasses import dataclass

from sqlglot import exp

from forklake.model.column_types import ColumnType
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.sql.parsing.known_nodes import has_only_arguments, is_known
from forklake.sql.small.small_query import NeedsSparkError

_NAME = frozenset({"this", "table"})


@dataclass(frozen=True, slots=True)
class Named:
    """A column: its name in the rows, that in expressions, and its type; None for one that is always NULL."""

    key: str
    title: str
    type: ColumnType | None


@dataclass(frozen=True, slots=True)
class Side:
    """The rows of a table or source, under a name that may qualify their columns."""

    name: str
    columns: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The sides whose columns may be named; those of hidden ones make a name without qualifier ambiguous."""

    visible: tuple[Side, ...]
    hidden: tuple[Side, ...] = ()

    def column(self, node: exp.Expr) -> Named:
        """The column that a node names; NeedsSparkError unless it is certain."""
        if not (type(node) is exp.Column and has_only_arguments(node, _NAME) and all(map(is_known, node.parts))):
            raise NeedsSparkError("it has expressions that only Spark evaluates")
        sides = (*self.visible, *self.hidden)
        if node.table:
            owners = [side for side in sides if fold(side.name) == fold(node.table)]
            # Spark takes the name of a column for that of a struct.
            may_be_struct = any(fold(column.title) == fold(node.table) for side in sides for column in side.columns)
            if len(owners) != 1 or may_be_struct or not is_spelled(node.table, owners[0].name):
                raise NeedsSparkError(f"'{node.table}' is not certain to be the name of a table")
            sides = tuple(owners)
        found = [(side, column) for side in sides for column in side.columns if fold(column.title) == fold(node.name)]
        if len(found) != 1 or found[0][0] not in self.visible or not is_spelled(node.name, found[0][1].title):
            raise NeedsSparkError(f"'{node.name}' is not certain to be one column")
        return found[0][1]


def side_of_table(table: Table, name: str, key: str = "{name}") -> Side:
    """The columns of a table; in the rows they have the name `key`, with their own name or number."""
    columns = enumerate(table.definition.columns)
    return Side(name, tuple(Named(key.format(name=c.name, at=at), c.name, c.type) for at, c in columns))


def is_spelled(name: str, other: str) -> bool:
    """Whether Spark certainly takes one for the other: of other letters than ASCII, cases may differ from Python's."""
    return name == other or (name.isascii() and other.isascii() and name.lower() == other.lower())
