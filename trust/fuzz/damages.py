"""Rows as a hostile or broken program would write them, by plain SQL."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Boolean, DateTime, Double, Integer, LargeBinary, SmallInteger, Uuid
from sqlalchemy.dialects.postgresql import JSONB

from forklake.catalog.lakes.lake import Lake
from forklake.errors import ForklakeError
from forklake.store.metadata_tables import TABLES
from trust.fuzz.hostile import any_name

_NUMBERS = (-1, 0, 1, 2, 3, 7, 100, 2**31 - 1, 2**31, 2**62, 2**63 - 1, -(2**63))
_PATHS = (
    "../outside/keep.parquet", "../../outside/keep.parquet", "attacker/../../outside/keep.parquet", "/etc/passwd",
    "other/main/t/other-t.parquet", "other/main/t/orphan.parquet", "attacker/../other/main/t/orphan.parquet",
    "file:///etc/passwd", "", ".", "..", "attacker", "other", "other/main", "/", "a\nb", "%2e%2e/x", "//other/main/t",
    "attacker/./../other/main/t/orphan.parquet", "../outside", "s3://bucket/x",
)  # fmt: skip
_JSON = (
    "", "{", "null", "[]", "{}", "1", '"x"', '{"columns": null}', '{"columns": [null]}', '{"columns": [{}]}',
    '{"columns": [{"name": 1, "type": "int32", "column_id": "x"}]}', "NaN", '{"a": 1e999}', "[" * 5000,
    '{"columns": [{"column_id": 1, "name": "id", "type": "nonsense"}]}', '{"sql": 1}', '{"columns": [], "x": []}',
)  # fmt: skip
_TIMES = ("0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "soon", "", "2026-01-01")
_KEPT = ("lake_info", "lake_counter")
"""What says where the lake is, and how far its ids are drawn: whoever may write that owns the lake."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A statement that somebody has run."""

    sql: str
    values: dict[str, Any]
    crosses: bool
    """It writes rows of others too, whose files may go then."""

    def __str__(self) -> str:
        return f"{self.sql} with {self.values}"


def damage(rng: random.Random, lake: Lake, owner: int) -> Damage | None:
    """Change, copy or delete a row of a catalog in some way; None if the database did not take it."""
    made = rng.choice((_change, _change, _change, _change, _copy, _delete, _circle))(rng, lake, owner)
    try:
        return made if made is not None and lake.store.fetch(f"{made.sql} RETURNING 1", made.values) else None
    except (ForklakeError, OverflowError, UnicodeEncodeError):
        return None


def _tables() -> list[str]:
    return sorted(name for name, table in TABLES.items() if name not in _KEPT and "catalog_id" in table.columns)


def _a_row(rng: random.Random, lake: Lake, owner: int) -> tuple[str, dict[str, Any], str] | None:
    """A table, the key of one of its rows, and the condition that finds it."""
    for _ in range(10):
        table = rng.choice(_tables())
        key = [column.name for column in TABLES[table].primary_key.columns]
        rows = lake.store.fetch(f"SELECT {', '.join(key)} FROM {table} WHERE catalog_id = :owner", {"owner": owner})
        if rows:
            values = dict(zip((f"k_{name}" for name in key), rng.choice(sorted(rows)), strict=True))
            return table, values, " AND ".join(f"{name} = :k_{name}" for name in key)
    return None


def _change(rng: random.Random, lake: Lake, owner: int) -> Damage | None:
    found = _a_row(rng, lake, owner)
    if found is None:
        return None
    table, key, where = found
    column = rng.choice(sorted(TABLES[table].columns.keys()))
    value = _value(rng, lake, table, column, key, where)
    setting = f"CAST(:value AS {_json_type(lake)})" if _is_json(table, column) else ":value"
    if lake.store.dialect.is_postgres and isinstance(TABLES[table].columns[column].type, Uuid):
        setting = "CAST(:value AS uuid)"
    return Damage(
        f"UPDATE {table} SET {column} = {setting} WHERE {where}", {**key, "value": value}, column == "catalog_id"
    )


def _copy(rng: random.Random, lake: Lake, owner: int) -> Damage | None:
    """The same row once more, under another key."""
    found = _a_row(rng, lake, owner)
    if found is None:
        return None
    table, key, where = found
    columns = list(TABLES[table].columns.keys())
    last = [column.name for column in TABLES[table].primary_key.columns][-1]
    shown = ", ".join(":value" if column == last else column for column in columns)
    value = rng.choice(_NUMBERS)
    sql = f"INSERT INTO {table} SELECT {shown} FROM {table} WHERE {where}"
    return Damage(sql, {**key, "value": value}, last == "catalog_id")


def _delete(rng: random.Random, lake: Lake, owner: int) -> Damage | None:
    found = _a_row(rng, lake, owner)
    return None if found is None else Damage(f"DELETE FROM {found[0]} WHERE {found[2]}", found[1], crosses=False)


def _circle(rng: random.Random, lake: Lake, owner: int) -> Damage:
    """Ancestors that lead back to where they came from."""
    ids = sorted(row[0] for row in lake.store.fetch("SELECT catalog_id FROM lake_catalog", {}))
    values = {"owner": owner, "other": rng.choice(ids)}
    return rng.choice(
        (
            Damage("UPDATE lake_catalog SET parent_catalog_id = :other WHERE catalog_id = :owner", values, False),
            Damage("UPDATE lake_catalog SET parent_catalog_id = catalog_id WHERE catalog_id = :owner", values, False),
            Damage("UPDATE lake_catalog_ancestor SET ancestor_id = :other WHERE catalog_id = :owner", values, False),
            Damage(
                "INSERT INTO lake_catalog_ancestor SELECT catalog_id, depth + 1, :other, max_snapshot"
                " FROM lake_catalog_ancestor WHERE catalog_id = :owner",
                values,
                False,
            ),
        )
    )


def _value(rng: random.Random, lake: Lake, table: str, column: str, key: dict[str, Any], where: str) -> Any:
    kind = TABLES[table].columns[column].type
    if TABLES[table].columns[column].nullable and rng.random() < 0.2:
        return None
    if _is_json(table, column):
        return _json(rng, lake, table, column, key, where)
    for types, make in _MAKERS:
        if isinstance(kind, types):
            return make(rng)
    return rng.choice(_PATHS) if "path" in column or rng.random() < 0.2 else any_name(rng).replace("\0", "")


_MAKERS: Sequence[tuple[tuple[type, ...], Callable[[random.Random], Any]]] = (
    ((Boolean,), lambda rng: rng.random() < 0.5),
    ((BigInteger, Integer, SmallInteger), lambda rng: rng.choice(_NUMBERS)),
    ((Double,), lambda rng: rng.choice((0.0, -1e308, float("inf"), float("-inf"), 1e-300))),
    ((DateTime,), lambda rng: rng.choice(_TIMES)),
    ((Uuid,), lambda rng: f"{rng.getrandbits(128):032x}"),
    ((LargeBinary,), lambda rng: rng.randbytes(rng.randint(0, 200))),
)


def _is_json(table: str, column: str) -> bool:
    kind = TABLES[table].columns[column].type
    return isinstance(kind, JSONB) or "JSON" in repr(kind) or column in ("definition", "mapping", "column_stats")


def _json_type(lake: Lake) -> str:
    return "jsonb" if lake.store.dialect.is_postgres else "text"


def _json(rng: random.Random, lake: Lake, table: str, column: str, key: dict[str, Any], where: str) -> str:
    """Nonsense, or what was there with one value in it replaced."""
    [(kept,)] = lake.store.fetch(f"SELECT {column} FROM {table} WHERE {where}", key)
    text = kept if isinstance(kept, str) else json.dumps(kept)
    chance = rng.random()
    if chance < 0.25:
        return rng.choice(_JSON)
    if chance < 0.4:
        return text[: rng.randint(0, len(text))]
    return json.dumps(_one_replaced(rng, json.loads(text)))


def _one_replaced(rng: random.Random, value: Any) -> Any:
    strange: tuple[Any, ...] = (
        None,
        -1,
        2**70,
        "",
        "x",
        [],
        {},
        [None],
        {"a": {}},
        True,
        1.5,
        "../x",
        "decimal(99,99)",
    )
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(sorted(value))
        if rng.random() < 0.15:
            return {key: kept for key, kept in value.items() if key != name}
        return {**value, name: _one_replaced(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        return [*value[:at], _one_replaced(rng, value[at]), *value[at + 1 :], *([value[at]] * (rng.random() < 0.1))]
    return rng.choice(strange)
