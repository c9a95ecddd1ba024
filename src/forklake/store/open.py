"""Opening a store by URL: create the lake if requested, and check its format."""

from pathlib import Path
from typing import TYPE_CHECKING

from forklake.errors import InvalidInput, InvalidName, NotALake, StoreError, StoreUnavailable, UnsupportedFormat
from forklake.model.names import check_object_name
from forklake.store.connection import Store
from forklake.store.foreign_database import check_sqlite_file, find_relations, is_ducklake, not_a_lake_error
from forklake.store.format_version import FORMAT_VERSION
from forklake.store.migrations import is_up_to_date, migrate
from forklake.store.options import lake_info
from forklake.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from forklake.store.postgres import PostgresStore

FORMAT_KEY = "format_version"
_MAX_SCHEMA_BYTES = 63
_POSTGRES_URLS = ("postgresql://", "postgres://")
_NOT_THERE_YET = ("duckdb:", "mysql:")


def open_store(
    url: str,
    *,
    metadata_schema: str | None = None,
    create: bool = False,
    read_only: bool = False,
    migrate_if_required: bool = True,
) -> Store:
    """Open the lake at `url`: `sqlite:<path>` or a bare path, `postgres:<libpq string or URL>`.

    The prefix `ducklake:` is accepted. With `create`, a lake is created if the database has none.
    """
    store = _connect(url.removeprefix("ducklake:"), metadata_schema, create=create, read_only=read_only)
    try:
        _check_format(store, create=create and not read_only, migrate_old=migrate_if_required)
    except BaseException:
        store.close()
        raise
    return store


def _connect(target: str, schema: str | None, *, create: bool, read_only: bool) -> "PostgresStore | SqliteStore":
    if "\0" in target:
        raise InvalidInput("A metadata location cannot contain NUL.")
    if target.startswith(_POSTGRES_URLS):
        target = f"postgres:{target}"
    if target.startswith("postgres:"):
        return _open_postgres(target.removeprefix("postgres:"), schema, read_only=read_only)
    if target.startswith(_NOT_THERE_YET):
        raise InvalidInput(f"Metadata in {target.split(':')[0]} is not supported; use sqlite: or postgres:.")
    if schema not in (None, "main"):
        raise InvalidInput(
            f"A SQLite file has no schema '{schema}': it holds one lake. Use another file, or PostgreSQL."
        )
    path = Path(target.removeprefix("sqlite:"))
    if not str(target.removeprefix("sqlite:")):
        raise InvalidInput("The metadata location is empty. Give the path of a SQLite file, or postgres:…")
    if not _exists(path) and (read_only or not create):
        raise NotALake(
            f"There is no lake at {path}, and creating a new DuckLake is explicitly disabled."
            " Set CREATE_IF_NOT_EXISTS true to create one."
        )
    if path.is_dir():
        raise StoreUnavailable(
            f"{path} is a directory; give the path of the SQLite file that holds the metadata of the lake."
        )
    check_sqlite_file(path, f"sqlite:{path}")
    return SqliteStore(path, read_only=read_only)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise InvalidInput(f"The metadata location cannot be used: {error.strerror}.") from None


def _open_postgres(conninfo: str, schema: str | None, *, read_only: bool) -> "PostgresStore":
    # Imported here, so that users of SQLite do not wait for the import of the PostgreSQL driver.
    from forklake.store.postgres import DEFAULT_SCHEMA, PostgresStore

    return PostgresStore(conninfo, schema=_check_schema(schema or DEFAULT_SCHEMA), read_only=read_only)


def _check_schema(schema: str) -> str:
    """PostgreSQL truncates longer names, and two lakes would share one schema."""
    if len(check_object_name(schema, "metadata schema").encode()) > _MAX_SCHEMA_BYTES:
        raise InvalidName(f"The metadata schema '{schema[:40]}...' has more than {_MAX_SCHEMA_BYTES} bytes.")
    return schema


def _check_format(store: "PostgresStore | SqliteStore", *, create: bool, migrate_old: bool) -> None:
    version = _format_version(store)
    if version is None:
        # Read before the format is read again: a concurrent process creates the lake atomically.
        relations = find_relations(store)
        version = _format_version(store)
        if version is None and relations:
            raise not_a_lake_error(store, relations)
    if version is None:
        if not create:
            raise NotALake(
                f"{store.location} holds no lake, and creating a new DuckLake is explicitly disabled."
                " Set CREATE_IF_NOT_EXISTS true to create one."
            )
        store.run_script(_create_script(store))
        version = FORMAT_VERSION
    if version > FORMAT_VERSION:
        raise UnsupportedFormat(
            f"{store.location} has format version {version}; this release reads up to {FORMAT_VERSION}."
            " Use a newer release of Forklake."
        )
    if version < FORMAT_VERSION:
        if not migrate_old or store.read_only:
            if is_up_to_date(store, version):
                return
            raise UnsupportedFormat(
                f"{store.location} has format version {version}, older than {FORMAT_VERSION}."
                " Attach it once for writing with MIGRATE_IF_REQUIRED true."
            )
        migrate(store, version, script=_create_script(store))


def _format_version(store: "PostgresStore | SqliteStore") -> int | None:
    """The format version; None if there is no lake."""
    [[is_there, beside_ducklake]] = store.fetch(_FIND_ON_POSTGRES if store.dialect.is_postgres else _FIND_ON_SQLITE, {})
    text = _lake_info(store).get(FORMAT_KEY) if is_there else None
    if text is None:
        return None
    if beside_ducklake and not store.read_only and is_ducklake(find_relations(store)):
        raise NotALake(
            f"{store.location} is the catalog of a DuckLake, into which an earlier release has put a lake. Nothing may"
            " be written or cleaned there: attach it with READ_ONLY and copy the tables to a lake of their own."
        )
    if not text.isascii() or not text.isdigit():
        raise UnsupportedFormat(f"{store.location} has the unknown format version '{text}'.")
    return int(text)


_FIND_ON_POSTGRES = (
    "SELECT to_regclass('lake_info') IS NOT NULL, EXISTS (SELECT 1 FROM pg_class"
    " WHERE oid = to_regclass('ducklake_metadata') AND relkind <> 'v')"
)
_FIND_ON_SQLITE = (
    "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'lake_info'), EXISTS (SELECT 1 FROM sqlite_master"
    " WHERE name = 'ducklake_metadata' AND type <> 'view')"
)
"""Whether `lake_info` exists, and whether a table has the name of one of our views."""


def _lake_info(store: "PostgresStore | SqliteStore") -> dict[str, str]:
    """The properties of the lake; empty if a foreign table has the same name."""
    try:
        return lake_info(store)
    except StoreError:
        if any(not relation.may_be_ours for relation in find_relations(store)):
            return {}
        raise


def _create_script(store: "PostgresStore | SqliteStore") -> str:
    """The script that creates everything missing. Safe to run concurrently: all succeed, one creates."""
    # The generator is slow to import, and only needed to create or migrate a lake.
    from forklake.store.ddl import create_script, identity_script

    script = create_script(store.dialect.name, None if isinstance(store, SqliteStore) else store.schema)
    if store.dialect.is_postgres:
        # IF NOT EXISTS is not safe for concurrent execution.
        script = f"SELECT pg_advisory_xact_lock(hashtext('forklake'), hashtext(current_database()));\n{script}"
    return f"{script}\n{identity_script(store.dialect.name)}"
