"""Generated tables: in many small files whose statistics differ, with every layout that a table may come to."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from forklake.api.session import Session
from trust.answers.kinds import KINDS, Column, pool
from trust.answers.spelling import spark_literal

KEY = "k"
_ALWAYS = ("text", "text", "int", "date", "ts", "bool", "dbl")
"""Kinds that every table has; of the others it has some."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows to append, each with the columns that it is given."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    def sql(self, table: str) -> str:
        names = ", ".join(column.name for column in self.columns)
        values = ", ".join(
            f"({', '.join(spark_literal(value, column.kind) for value, column in zip(row, self.columns, strict=True))})"
            for row in self.rows
        )
        return f"INSERT INTO {table} ({names}) VALUES {values}"


Step = str | Rows
"""What makes a table step by step: a statement with {table} for its name, or rows."""


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table: how it came to be, and the columns that it has in the end."""

    name: str
    columns: tuple[Column, ...]
    steps: tuple[Step, ...]

    def script(self) -> list[str]:
        """The steps as SQL."""
        return [step.sql(self.name) if isinstance(step, Rows) else step.format(table=self.name) for step in self.steps]

    def build(self, session: Session, which: range) -> None:
        """Carry out some of the steps in the catalog `lake`; rows come from Python: no Spark is needed for them."""
        for step in (self.steps[at] for at in which):
            if isinstance(step, Rows):
                names = [column.name for column in step.columns]
                data = [dict(zip(names, row, strict=True)) for row in step.rows]
                session.catalog("lake").table(self.name).append(data)
            else:
                session.sql(step.format(table=self.name))


@dataclass(slots=True)
class _Maker:
    rng: random.Random
    columns: list[Column]
    key: int = 0
    steps: list[Step] = field(default_factory=list)

    def rows(self, count: int) -> Rows:
        given = [column for column in self.columns if column.name == KEY or self.rng.random() > 0.04]
        draws = {column.name: pool(column.kind, self.rng) for column in given}
        rows = []
        for _ in range(count):
            self.key += 1
            rows.append(tuple(self.key if column.name == KEY else draws[column.name]() for column in given))
        return Rows(tuple(given), tuple(rows))

    def file(self, sizes: Sequence[int]) -> None:
        self.steps.append(self.rows(self.rng.choice(sizes)))

    def replace(self, old: Column, new: Column) -> None:
        self.columns[self.columns.index(old)] = new


def make_table(rng: random.Random, name: str, layout: str, files: int = 10) -> MadeTable:
    """A table of the given layout: plain, evolved, partitioned or changed."""
    kinds = [*_ALWAYS, *rng.sample([kind for kind in KINDS if kind not in _ALWAYS], 9)]
    rng.shuffle(kinds)
    columns = [Column(KEY, "big"), *(Column(f"{kind}_{at}", kind) for at, kind in enumerate(kinds))]
    if rng.random() < 0.5:
        # A path into a struct may look like a column of a table, or of a table with its schema.
        called = rng.choice((name, "main", "lake", "a", "z"))
        columns = [Column(called, "struct") if column.kind == "struct" else column for column in columns]
    maker = _Maker(rng, columns)
    listed = ", ".join(f"{column.name} {KINDS[column.kind].sql}" for column in columns)
    keys = f" PARTITIONED BY ({_partition(rng, columns)})" if layout == "partitioned" else ""
    maker.steps.append(f"CREATE TABLE {{table}} ({listed}){keys}")
    # So few rows in a row group that files have several, which queries of the driver choose from.
    maker.steps.append("CALL lake.set_option('parquet_row_group_size', 2, table_name => '{table}')")
    for at in range(files):
        if layout == "evolved" and at % 2:
            _evolve(maker, at)
        elif layout == "partitioned" and at == files // 2:
            maker.steps.append(f"ALTER TABLE {{table}} SET PARTITIONED BY ({_partition(rng, maker.columns)})")
        elif layout == "changed" and at % 3 == 2:
            maker.steps.append(_change(rng, maker.key))
        maker.file((1, 1, 2) if layout == "partitioned" else (1, 1, 2, 3, 4, 6, 9))
    if layout == "changed":
        maker.steps.append("CALL lake.set_option('data_inlining_row_limit', 10, table_name => '{table}')")
        maker.steps += [maker.rows(2), maker.rows(3)]
    return MadeTable(name, tuple(maker.columns), tuple(maker.steps))


def _partition(rng: random.Random, columns: Sequence[Column]) -> str:
    by_kind = {column.kind: column.name for column in columns}
    transforms = {
        "text": "{c}", "int": "{c}", "date": rng.choice(("year({c})", "month({c})", "day({c})", "{c}")), "dbl": "{c}",
        "ts": rng.choice(("year({c})", "hour({c})", "day({c})")), "ntz": rng.choice(("month({c})", "day({c})")),
        "big": "bucket(4, {c})", "small": "{c}", "bool": "{c}", "dec2": "{c}", "tiny": "bucket(3, {c})",
    }  # fmt: skip
    chosen = rng.sample(sorted(kind for kind in transforms if kind in by_kind), 2)
    return ", ".join(transforms[kind].format(c=by_kind[kind]) for kind in chosen)


def _evolve(maker: _Maker, at: int) -> None:
    rng = maker.rng
    others = [column for column in maker.columns if column.name != KEY]
    what = rng.choice(("add", "add_default", "rename", "drop_and_add", "promote", "promote", "nested"))
    column = rng.choice(others)
    if what in ("add", "add_default"):
        kind = rng.choice(("int", "text", "date", "dbl", "dec2", "bool", "ntz"))
        default = f" DEFAULT {spark_literal(rng.choice(KINDS[kind].values[:3]), kind)}" if what == "add_default" else ""
        added = Column(f"added_{at}", kind)
        maker.steps.append(f"ALTER TABLE {{table}} ADD COLUMN {added.name} {KINDS[kind].sql}{default}")
        maker.columns.append(added)
    elif what == "rename":
        renamed = Column(f"renamed_{at}", column.kind)
        maker.steps.append(f"ALTER TABLE {{table}} RENAME COLUMN {column.name} TO {renamed.name}")
        maker.replace(column, renamed)
    elif what == "drop_and_add":
        again = Column(column.name, rng.choice(("int", "text", "date", "ts")))
        maker.steps.append(f"ALTER TABLE {{table}} DROP COLUMN {column.name}")
        maker.steps.append(f"ALTER TABLE {{table}} ADD COLUMN {again.name} {KINDS[again.kind].sql}")
        maker.columns.remove(column)
        maker.columns.append(again)
    else:
        _promote(maker, [column for column in others if KINDS[column.kind].promotes])


def _promote(maker: _Maker, candidates: Sequence[Column]) -> None:
    if not candidates:
        return
    column = maker.rng.choice(candidates)
    wider = Column(column.name, KINDS[column.kind].promotes)
    maker.steps.append(f"ALTER TABLE {{table}} ALTER COLUMN {column.name} SET DATA TYPE {KINDS[wider.kind].sql}")
    maker.replace(column, wider)


def _change(rng: random.Random, last: int) -> str:
    """Some rows of the files so far are deleted, or come back in another file."""
    keys = ", ".join(map(str, sorted(rng.sample(range(1, last + 1), min(last, 3)))))
    return f"DELETE FROM {{table}} WHERE {KEY} IN ({keys})"


def make_tables(rng: random.Random, prefix: str = "t") -> Iterator[MadeTable]:
    """One table of each layout."""
    for at, layout in enumerate(LAYOUTS):
        yield make_table(rng, f"{prefix}{at}", layout)


LAYOUTS = ("plain", "evolved", "partitioned", "changed")
