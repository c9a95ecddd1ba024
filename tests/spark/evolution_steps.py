"""Steps that change a table and its model alike: columns, rows, transactions, forks."""

import copy
import random
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.spark.tasks.types.arrow_types import shown_schema
from tests.spark.evolution_model import NAMES, POOLS, WIDER, Field, Level, Model, random_filter, sql_literal, widened

INLINED_ROWS = 3
"""The most rows of one statement that are inlined."""

KINDS = [*POOLS, "struct", "list", "map"]


@dataclass(frozen=True, slots=True)
class Then:
    """The table as it was at a snapshot."""

    catalog: CatalogHandle
    version: int
    rows: list[str]


@dataclass(slots=True)
class Evolution:
    """A table, what it should hold, and what it held at each snapshot."""

    session: Session
    catalog: CatalogHandle
    model: Model = field(default_factory=Model)
    past: list[Then] = field(default_factory=list)
    in_transaction: bool = False
    forks: int = 0
    fixed: set[int] = field(default_factory=set)
    """Columns that partition or sort the table, which cannot be dropped."""

    @property
    def table(self) -> TableHandle:
        return self.catalog.table("t")

    def take(self, kind: str, seed: int) -> None:
        """One step; those that are not possible now do nothing."""
        getattr(self, f"_{kind}")(random.Random(seed))
        if not self.in_transaction and self.model.fields:
            version = self.catalog.snapshots()[-1].snapshot_id
            self.past.append(Then(self.catalog, version, self.model.shown()))

    def finish(self) -> None:
        if self.in_transaction:
            self.session.commit()
            self.in_transaction = False

    # Columns

    def _create(self, rng: random.Random) -> None:
        kinds = ["integer", rng.choice(list(POOLS)), "struct", rng.choice(KINDS)]
        self.model.fields = [
            self.model.new_field(name, kind, rng) for name, kind in zip(rng.sample(NAMES, 4), kinds, strict=True)
        ]
        specs = [ColumnSpec(each.name, parse_type(each.type_sql())) for each in self.model.fields]
        self.catalog.create_table("t", specs)

    def _add(self, rng: random.Random) -> None:
        level = self._level(rng)
        free = _free(level)
        if not free:
            return
        kind = rng.choice(KINDS)
        added = self.model.new_field(rng.choice(free), kind, rng)
        default = None if added.children or rng.random() < 0.4 else rng.choice(POOLS[kind])
        text = None if default is None else str(default)
        self.table.add_column((*level.path, added.name), added.type_sql(), default=text)
        level.fields.append(added)
        for struct in level.structs:
            struct[added.id] = default

    def _drop(self, rng: random.Random) -> None:
        level = self._level(rng)
        possible = [each for each in level.fields if each.id not in self.fixed]
        if len(level.fields) < 2 or not possible:
            return
        dropped = rng.choice(possible)
        self.table.drop_column((*level.path, dropped.name))
        level.fields.remove(dropped)

    def _rename(self, rng: random.Random) -> None:
        level = self._level(rng)
        renamed = rng.choice(level.fields)
        new_name = rng.choice([*_free(level), renamed.name.swapcase()])
        self._give_name(level, renamed, new_name)

    def _swap(self, rng: random.Random) -> None:
        level = self._level(rng)
        if len(level.fields) < 2:
            return
        one, other = rng.sample(level.fields, 2)
        first, second = one.name, other.name
        self._give_name(level, one, "between")
        self._give_name(level, other, first)
        self._give_name(level, one, second)

    def _replace(self, rng: random.Random) -> None:
        """Drop one and give its name to another, or to a new one."""
        level = self._level(rng)
        possible = [each for each in level.fields if each.id not in self.fixed]
        if len(level.fields) < 2 or not possible:
            return
        dropped = rng.choice(possible)
        self.table.drop_column((*level.path, dropped.name))
        level.fields.remove(dropped)
        self._give_name(level, rng.choice(level.fields), dropped.name)

    def _widen(self, rng: random.Random) -> None:
        possible = [(level, each) for level in self.model.levels() for each in level.fields if WIDER.get(each.kind)]
        if not possible:
            return
        level, leaf = rng.choice(possible)
        kind = rng.choice(WIDER[leaf.kind])
        self.table.set_type((*level.path, leaf.name), kind)
        leaf.kind = kind
        for struct in level.structs:
            struct[leaf.id] = widened(struct[leaf.id], kind)

    def _move(self, rng: random.Random) -> None:
        level = self._level(rng)
        moved = rng.choice(level.fields)
        rest = [each for each in level.fields if each is not moved]
        place = rng.randint(0, len(rest))
        self.table.move_column((*level.path, moved.name), rest[place - 1].name if place else None)
        level.fields[:] = [*rest[:place], moved, *rest[place:]]

    def _give_name(self, level: Level, renamed: Field, name: str) -> None:
        self.table.rename_column((*level.path, renamed.name), name)
        renamed.name = name

    def _level(self, rng: random.Random) -> Level:
        levels = list(self.model.levels())
        return levels[0] if rng.random() < 0.4 else rng.choice(levels)

    # How rows are laid out

    def _partition(self, rng: random.Random) -> None:
        leaf = self._leaf(rng)
        bucket = rng.random() < 0.3 and leaf is not None and leaf.kind in ("integer", "bigint", "varchar", "date")
        self.table.set_partitioning([] if leaf is None else [(leaf.name, "bucket(3)" if bucket else "identity")])
        self._fix(leaf, sorts=False)

    def _sort(self, rng: random.Random) -> None:
        leaf = self._leaf(rng)
        self.table.set_sort_order([] if leaf is None else [f"`{leaf.name}` {rng.choice(['ASC', 'DESC'])}"])
        self._fix(leaf, sorts=True)

    def _leaf(self, rng: random.Random) -> Field | None:
        leaves = [each for each in self.model.fields if not each.children]
        return rng.choice(leaves) if leaves and rng.random() < 0.7 else None

    def _fix(self, leaf: Field | None, *, sorts: bool) -> None:
        definition = self.table.definition
        names = set()
        if definition.sort:
            names |= {key.expression.strip("`") for key in definition.sort.keys}
        if definition.partition:
            ids = {key.column_id for key in definition.partition.keys}
            names |= {column.name for column in definition.columns if column.column_id in ids}
        self.fixed = {each.id for each in self.model.fields if each.name in names}

    # Rows

    def _append(self, rng: random.Random) -> None:
        """A few rows are inlined; more go to a file, written by Arrow or, from a DataFrame, by Spark."""
        rows = [self.model.new_row(rng) for _ in range(rng.choice([1, INLINED_ROWS, 6, 8]))]
        given: Any = [self.model.given(row) for row in rows]
        if rng.random() < 0.4:
            schema = shown_schema(self.table.definition.columns)
            given = self.session.spark.createDataFrame(pa.Table.from_pylist(given, schema=schema))
        assert self.table.append(given) == len(rows)
        self.model.rows += rows

    def _delete(self, rng: random.Random) -> None:
        condition = random_filter(self.model, rng)
        kept = [row for row in self.model.rows if condition.of(row) is not True]
        assert self.table.delete(condition.sql) == len(self.model.rows) - len(kept), condition.sql
        self.model.rows = kept

    def _update(self, rng: random.Random) -> None:
        leaves = [each for each in self.model.fields if not each.children]
        if not leaves:
            return
        leaf, condition = rng.choice(leaves), random_filter(self.model, rng)
        value = rng.choice([*POOLS[leaf.kind], None])
        matching = [row for row in self.model.rows if condition.of(row) is True]
        text = f"cast({sql_literal(value, leaf.kind)} as {_SPARK.get(leaf.kind, leaf.kind)})"
        assert self.table.update({leaf.name: text}, where=condition.sql) == len(matching), condition.sql
        for row in matching:
            row[leaf.id] = value

    # Transactions and forks

    def _transaction(self, rng: random.Random) -> None:
        if self.in_transaction:
            self.finish()
        else:
            self.session.begin()
            self.in_transaction = True

    def _fork(self, rng: random.Random) -> None:
        if not self.in_transaction:
            self.forks += 1
            self.catalog = self.catalog.fork(f"fork_{self.forks}")
            self.model = copy.deepcopy(self.model)


_SPARK = {
    "varchar": "string",
    "integer": "int",
    "uinteger": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
}


def _free(level: Level) -> list[str]:
    taken = {each.name.lower() for each in level.fields}
    return [name for name in NAMES if name.lower() not in taken]
