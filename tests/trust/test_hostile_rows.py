"""Rows that were found to break something: each is an error of ours now, or does no harm."""

from contextlib import suppress
from pathlib import Path

import pytest

from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import CorruptMetadata, ForklakeError, InvalidInput, InvalidType
from forklake.model.column_tree import MOST_DEPTH, check_type
from forklake.model.column_types import parse_type
from trust.fuzz.damaged_lake import ATTACKER, World, session_on

MINE = f"catalog_id = (SELECT catalog_id FROM lake_catalog WHERE catalog_name = '{ATTACKER}')"
BROKEN = (
    (f"UPDATE lake_option SET value = '$1' WHERE {MINE}", f"INSERT INTO {ATTACKER}.main.t VALUES (9, 'z')"),
    (f"UPDATE lake_snapshot SET snapshot_time = '' WHERE {MINE}", f"SELECT * FROM {ATTACKER}.snapshots()"),
    (f"DELETE FROM lake_column_mapping WHERE {MINE}", f"SELECT * FROM {ATTACKER}.main.t"),
    (f"UPDATE lake_object SET definition = '{{}}' WHERE {MINE}", f"SHOW TABLES FROM {ATTACKER}.main"),
    (f"DELETE FROM lake_catalog WHERE catalog_name = '{ATTACKER}'", "SELECT * FROM fork.catalog_storage()"),
    (f"UPDATE lake_data_file SET encryption_key = 'Å' WHERE {MINE}", f"SELECT * FROM {ATTACKER}.list_files('t')"),
    (f"UPDATE lake_data_file SET encryption_key = 'abcde' WHERE {MINE}", f"SELECT * FROM {ATTACKER}.list_files('t')"),
    *(
        (
            f"UPDATE lake_table_stats SET column_stats = '{stats}' WHERE {MINE}",
            f"INSERT INTO {ATTACKER}.main.t VALUES (9, 'z')",
        )
        for stats in ('{"1": []}', '{"1": {"nulls": "0"}}', '{"1": {"width": "x"}}', '{"one": {}}', "[]")
    ),
    (
        f"UPDATE lake_catalog SET head_time = '9999-12-31T23:59:59.999999Z' WHERE catalog_name = '{ATTACKER}'",
        f"INSERT INTO {ATTACKER}.main.t VALUES (9, 'z')",
    ),
)
HARMLESS = (
    (f"UPDATE lake_option SET key = 'of a newer release' WHERE {MINE}", f"SELECT * FROM {ATTACKER}.options()"),
    (
        f"UPDATE lake_catalog_ancestor SET ancestor_id = 999 WHERE {MINE}",
        f"CALL {ATTACKER}.expire_snapshots(older_than => now())",
    ),
)


def after(world: World, damage: str, statement: str) -> object:
    lake = open_lake(world.url)
    assert lake.store.fetch(f"{damage} RETURNING 1", {})
    lake.close()
    with session_on(world) as session:
        for name in (ATTACKER, "fork"):
            if f"{name}." in statement:
                session.attach(world.url, name, catalog=name)
        return session.sql(statement).fetchall()


@pytest.mark.parametrize(("damage", "statement"), BROKEN)
def test_a_row_that_cannot_be_is_said_to_be_so(damage: str, statement: str, world: World) -> None:
    with pytest.raises(CorruptMetadata):
        after(world, damage, statement)


@pytest.mark.parametrize(("damage", "statement"), HARMLESS)
def test_a_row_that_means_nothing_does_no_harm(damage: str, statement: str, world: World) -> None:
    with suppress(ForklakeError):
        after(world, damage, statement)


def test_a_type_is_nested_only_so_deep() -> None:
    check_type(parse_type("INTEGER" + "[]" * (MOST_DEPTH - 1)))
    with pytest.raises(InvalidType, match="nested more than"):
        check_type(parse_type("INTEGER" + "[]" * MOST_DEPTH))


def test_a_data_path_must_be_storable(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="DATA_PATH"):
        open_lake(f"sqlite:{tmp_path / 'lake.db'}", create=True, data_path="half \ud800")
