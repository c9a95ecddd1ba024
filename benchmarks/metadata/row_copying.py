"""The peer of our fork: a fork that copies the parent's current rows, in plain SQL."""

from uuid import uuid4

from benchmarks.databases import Place, Sql
from forklake.store.metadata_tables import TABLES

_CURRENT = {
    "lake_object": "end_snapshot IS NULL",
    "lake_data_file": "end_snapshot IS NULL",
    "lake_delete_file": "end_snapshot IS NULL",
    "lake_file_column_stats": "TRUE",
    "lake_table_stats": (
        "begin_snapshot = (SELECT max(n.begin_snapshot) FROM lake_table_stats n"
        " WHERE n.catalog_id = lake_table_stats.catalog_id AND n.table_id = lake_table_stats.table_id)"
    ),
}


def copy_catalog(place: Place, parent: str) -> None:
    """Make a new root catalog with the contents of `parent`, in one transaction."""
    name = f"copy-{uuid4()}"
    with place.sql() as sql:
        sql.run("BEGIN")
        parent_id = sql.value(f"SELECT catalog_id FROM lake_catalog WHERE catalog_name = '{parent}'")
        new_id = _new_catalog_id(sql, place)
        moved = {"catalog_id": str(new_id)}
        named = {"catalog_uuid": f"'{uuid4()}'", "catalog_name": f"'{name}'", "path": f"'{name}'"}
        sql.run(_copy("lake_catalog", moved | named, f"catalog_id = {parent_id}"))
        sql.run(f"INSERT INTO lake_catalog_ancestor VALUES ({new_id}, 0, {new_id}, {2**63 - 1})")
        head = f"snapshot_id = (SELECT head_snapshot FROM lake_catalog WHERE catalog_id = {parent_id})"
        sql.run(_copy("lake_snapshot", moved, f"catalog_id = {parent_id} AND {head}"))
        for table, current in _CURRENT.items():
            sql.run(_copy(table, moved, f"catalog_id = {parent_id} AND {current}"))
        sql.run("COMMIT")


def _new_catalog_id(sql: Sql, place: Place) -> int:
    if place.backend == "postgres":
        return int(sql.value("SELECT nextval('lake_entity_seq')"))
    return int(sql.value("UPDATE lake_counter SET value = value + 1 WHERE name = 'entity' RETURNING value - 1"))


def _copy(table: str, replaced: dict[str, str], where: str) -> str:
    columns = ", ".join(replaced.get(column.name, column.name) for column in TABLES[table].columns)
    return f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE {where}"
