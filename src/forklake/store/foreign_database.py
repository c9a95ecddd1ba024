"""Databases that contain something other than a lake: detection, and refusal to create a lake there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forklake.errors import NotALake, StoreError
from forklake.store.connection import Store

_SQLITE_MAGIC = b"SQLite format 3\0"
_DUCKDB_MAGIC = b"DUCK"
_DUCKDB_MAGIC_AT = 8
_FIRST_CREATED = frozenset({"lake_snapshot_seq", "lake_counter", "lake_info", "lake_catalog"})
_IMPORT = (
    "It cannot be converted; to bring its rows along, create a lake elsewhere and add its data files with"
    " add_data_files, as the page 'Coming from DuckLake' describes."
)


@dataclass(frozen=True, slots=True)
class Relation:
    """A table, view or sequence of a database."""

    name: str
    is_view: bool

    @property
    def may_be_ours(self) -> bool:
        """Whether a lake may have a relation with this name: `lake_` for any, also `ducklake_` for views."""
        return self.name.startswith(("lake_", "ducklake_") if self.is_view else ("lake_",))


def check_sqlite_file(path: Path, location: str) -> None:
    """Rejects a file that is not an SQLite database, naming what it is if known."""
    try:
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_MAGIC))
    except OSError:
        # SQLite reports the problem.
        return
    if head[_DUCKDB_MAGIC_AT:].startswith(_DUCKDB_MAGIC):
        raise NotALake(
            f"{location} is a DuckDB database, perhaps the catalog of a DuckLake; a lake of Forklake is in a SQLite"
            f" file or in PostgreSQL. {_IMPORT}"
        )
    if head and head != _SQLITE_MAGIC:
        raise NotALake(f"{location} is not a SQLite database. Give the path of a lake or of a new file.")


def find_relations(store: Store) -> list[Relation]:
    """All relations in the schema or file of a store, except those of database extensions."""
    sql = (
        "SELECT c.relname, c.relkind IN ('v', 'm') FROM pg_class c"
        " WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN"
        " ('r', 'p', 'v', 'm', 'f', 'S') AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.deptype = 'e'"
        " AND d.classid = 'pg_class'::regclass AND d.objid = c.oid) ORDER BY c.relname"
        if store.dialect.is_postgres
        else "SELECT name, type = 'view' FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return [Relation(name, bool(is_view)) for name, is_view in store.fetch(sql, {})]


def not_a_lake_error(store: Store, relations: Sequence[Relation]) -> NotALake:
    """The error for a database whose relations are not those of a lake."""
    if is_ducklake(relations):
        return NotALake(
            f"{store.location} is the catalog of a DuckLake{_ducklake_version(store)}, not a lake of Forklake;"
            f" nothing was changed. {_IMPORT}"
        )
    other = next((relation.name for relation in relations if not relation.may_be_ours), relations[0].name)
    if _is_incomplete_lake(relations):
        return NotALake(
            f"{store.location} holds tables of a lake, but not its format version: its creation was interrupted, or"
            f" lake_info was changed. Nothing was changed. If it is empty, {_restart_advice(store)}."
        )
    place = "a schema of its own with METADATA_SCHEMA" if store.dialect.is_postgres else "a file of its own"
    return NotALake(
        f"{store.location} holds tables of another application, for example '{other}', and no lake; nothing was"
        f" changed. Give the lake {place}."
    )


def is_ducklake(relations: Sequence[Relation]) -> bool:
    """Whether the metadata tables of a DuckLake exist; in our lakes these names are views."""
    tables = {relation.name for relation in relations if not relation.is_view}
    return {"ducklake_metadata", "ducklake_snapshot"} <= tables


def _is_incomplete_lake(relations: Sequence[Relation]) -> bool:
    names = {relation.name for relation in relations}
    return not _FIRST_CREATED.isdisjoint(names) and all(relation.may_be_ours for relation in relations)


def _ducklake_version(store: Store) -> str:
    try:
        rows = store.fetch("SELECT value FROM ducklake_metadata WHERE key = 'version'", {})
    except StoreError:
        return ""
    return f" of version {rows[0][0]}" if rows else ""


def _restart_advice(store: Store) -> str:
    return "drop the schema and create the lake again" if store.dialect.is_postgres else "delete the file"
