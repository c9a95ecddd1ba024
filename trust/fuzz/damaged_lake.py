"""A lake with a bit of everything, real files included, to be copied and damaged."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import forklake
from forklake.api.session import Session
from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import drop_catalog, find_catalog
from forklake.catalog.lakes.forks import catalog_tree, fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.maintenance.verification.verify import verify
from forklake.spark.storage.storage import Storage
from forklake.spark.work import storage_of
from trust.fuzz.judging import NoSpark

ATTACKER, OTHER = "attacker", "other"
CATALOGS = (ATTACKER, "fork", "leaf", OTHER)


@dataclass(frozen=True, slots=True)
class World:
    """A lake in a folder: its metadata, its files in `data`, and files of nobody in `outside`."""

    folder: Path
    url: str
    schema: str | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def precious(self) -> dict[str, bytes]:
        """The files that the attacker's rows must not lead to."""
        roots = (self.data / OTHER, self.folder / "outside")
        return {str(path): path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file()}


def build(folder: Path, url: str, schema: str | None = None) -> World:
    """Make it: a catalog with files, batches and deletes, forks of it, one that was dropped, and somebody else's."""
    world = World(folder, url, schema)
    (folder / "outside").mkdir(parents=True)
    (folder / "outside" / "keep.parquet").write_bytes(b"nobody's")
    with session_on(world, create=True) as session:
        for name in (ATTACKER, OTHER):
            session.attach(url, name, catalog=name, metadata_schema=schema, create_if_not_exists=True)
            _fill(session, world, name)
        session.sql(f"FORK CATALOG {ATTACKER} AS fork; FORK CATALOG fork AS leaf; FORK CATALOG {ATTACKER} AS gone")
        session.attach(url, "fork", catalog="fork", metadata_schema=schema)
        session.sql("CREATE TABLE fork.own (id INTEGER); INSERT INTO fork.own VALUES (7); DROP TABLE fork.u")
        session.sql(f"DROP TABLE {ATTACKER}.main.u; DROP CATALOG gone")
        session.sql(f"CALL {ATTACKER}.expire_snapshots(older_than => now())")
    return world


def _fill(session: Session, world: World, name: str) -> None:
    session.sql(f"USE {name}; CREATE TABLE t (id INTEGER, v VARCHAR); CREATE TABLE u (id INTEGER)")
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL); CREATE SCHEMA s; CREATE MACRO m(x) AS x + 1")
    session.sql("COMMENT ON TABLE t IS 'comment'; CALL set_option('target_file_size', '1MB')")
    for table, columns in (("t", {"id": [3, 4], "v": ["b", "c"]}), ("u", {"id": [5]})):
        path = world.data / name / "main" / table / f"{name}-{table}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = {key: pa.array(values, pa.int32() if key == "id" else None) for key, values in columns.items()}
        pq.write_table(pa.table(arrays), path)
        session.sql(f"CALL {name}.add_data_files('{table}', '{path}')")
    (world.data / name / "main" / "t" / "orphan.parquet").write_bytes(b"left")


@contextmanager
def session_on(world: World, *, create: bool = False) -> Iterator[Session]:
    """A session without a Spark; with `create`, the lake is made first."""
    if create:
        open_lake(world.url, metadata_schema=world.schema, create=True, data_path=str(world.data)).close()
    with forklake.connect() as session:
        session._state.provider = NoSpark()
        yield session


def copy_of(world: World, folder: Path) -> World:
    """The same lake once more, in a folder of its own. For SQLite."""
    shutil.copytree(world.folder, folder)
    copied = World(folder, f"sqlite:{folder / 'lake.db'}")
    lake = open_lake(copied.url)
    lake.store.fetch("UPDATE lake_info SET value = :path WHERE key = 'data_path'", {"path": f"{copied.data}{os.sep}"})
    lake.close()
    return copied


def operations(world: World, lake: Lake, session: Session) -> Mapping[str, Callable[[], object]]:
    """All that a user or an operator may do with such a lake, reading first and deleting last."""
    named: dict[str, Callable[[], object]] = {}
    for name in CATALOGS:
        named[f"attach {name}"] = partial(session.attach, world.url, name, catalog=name, metadata_schema=world.schema)
        # What somebody else has is only looked at: whatever of it is gone in the end was deleted by mistake.
        for text in _READING if name == OTHER else (*_READING, *_WRITING):
            named[text.format(name=name)] = partial(_answer, session, text.format(name=name))
        named[f"tree of {name}"] = partial(catalog_tree, lake, name)
        named[f"verify metadata of {name}"] = partial(_with, lake, name, lambda catalog, _: verify_metadata(catalog))
        named[f"verify {name}"] = partial(_with, lake, name, partial(verify, deep=True))
        named[f"fork {name}"] = partial(fork_catalog, lake, name, f"{name}-again")
    for name in ("leaf", "fork", ATTACKER):
        expire = f"CALL {name}.expire_snapshots(older_than => now())"
        named[f"expire {name}"] = partial(_answer, session, expire)
        named[f"clean {name}"] = partial(_with, lake, name, partial(cleanup_old_files, cleanup_all=True))
        named[f"orphans of {name}"] = partial(_with, lake, name, partial(delete_orphaned_files, cleanup_all=True))
        if name != ATTACKER:
            # Forks hold what they see: without them there is much to delete.
            named[f"clean up without {name}"] = partial(_drop, lake, name)
    return named


def _drop(lake: Lake, name: str) -> object:
    drop_catalog(lake, name)
    return cleanup_dropped_catalogs(find_catalog(lake, OTHER), storage_of(lake), cleanup_all=True)


def _answer(session: Session, text: str) -> object:
    return session.sql(text).fetchall()


def _with(lake: Lake, name: str, verb: Callable[[Catalog, Storage], object]) -> object:
    """A verb of maintenance on a catalog, as it is found now."""
    return verb(find_catalog(lake, name), storage_of(lake))


_READING = (
    "SHOW TABLES FROM {name}.main",
    "DESCRIBE {name}.main.t",
    "SELECT * FROM {name}.snapshots()",
    "SELECT * FROM {name}.table_info()",
    "SELECT * FROM {name}.list_files('t')",
    "SELECT * FROM {name}.options()",
    "SELECT * FROM {name}.main.t",
    "SELECT * FROM {name}.main.t AT (VERSION => 3)",
    "SELECT count(*), min(id), max(id) FROM {name}.main.t",
    "SELECT * FROM __ducklake_metadata_{name}.ducklake_table",
    "SELECT * FROM __ducklake_metadata_{name}.ducklake_column",
    "SELECT * FROM __ducklake_metadata_{name}.ducklake_data_file",
    "SELECT * FROM __ducklake_metadata_{name}.ducklake_snapshot",
    "SELECT * FROM {name}.catalogs()",
    "SELECT * FROM {name}.table_changes('t', 0, 100)",
    "SELECT * FROM {name}.catalog_storage()",
    "SELECT * FROM {name}.file_holders('attacker/main/t/attacker-t.parquet')",
)
_WRITING = (
    "INSERT INTO {name}.main.t VALUES (9, 'z')",
    "ALTER TABLE {name}.main.t ADD COLUMN w INTEGER",
    "DELETE FROM {name}.main.t WHERE id = 1",
    "CREATE TABLE {name}.main.fresh (id INTEGER)",
    "DROP TABLE {name}.main.t",
)
