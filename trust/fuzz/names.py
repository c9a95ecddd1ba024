"""Names as they should not be, for everything that can have one."""

import os
import random
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from forklake.api.session import Session
from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog, find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import ForklakeError
from forklake.spark.work import storage_of
from forklake.sql.parsing.cursor import quoted_name
from trust.fuzz.damaged_lake import World, session_on
from trust.fuzz.guard import is_within
from trust.fuzz.hostile import HUGE, NAMES, any_name
from trust.fuzz.judging import SECONDS, Hung, place_of, time_limit


@dataclass(slots=True)
class NamesTally:
    """What came of names: accepted ones are kept exactly, others are refused with a word."""

    tried: int = 0
    accepted: int = 0
    found: list[str] = field(default_factory=list)

    def wrong(self, kind: str, name: str, problem: str) -> None:
        self.found.append(f"the {kind} {name[:80]!r}: {problem}")


def fuzz_names(world: World, rng: random.Random, count: int) -> NamesTally:
    """All names of the list and so many more, as catalog, schema, table, column, option and data path."""
    tally = NamesTally()
    lake = open_lake(world.url, metadata_schema=world.schema, create=True, data_path=str(world.data))
    names = [*NAMES, HUGE, *(any_name(rng) for _ in range(count))]
    try:
        with session_on(world) as session:
            session.attach(world.url, "lake", catalog="names", metadata_schema=world.schema, create_if_not_exists=True)
            session.sql("CREATE TABLE here (id INTEGER)")
            for name in names:
                for kind, check in _CHECKS.items():
                    tally.tried += 1
                    _try(tally, kind, name, lambda check=check, name=name: check(world, lake, session, name))
    finally:
        lake.close()
    _try(tally, "names alike", "", lambda: iter(_twins(world)))
    return tally


def _try(tally: NamesTally, kind: str, name: str, check: object) -> None:
    assert callable(check)
    try:
        with time_limit(SECONDS):
            for problem in check():
                tally.wrong(kind, name, problem)
        tally.accepted += 1
    except ForklakeError as error:
        if len(str(error)) > 2_000 + 4 * min(len(name), 1_000):
            tally.wrong(kind, name, f"an error of {len(str(error))} characters")
    except Hung:
        tally.wrong(kind, name, f"it takes more than {SECONDS} s")
    except Exception as error:
        tally.wrong(kind, name, f"{type(error).__name__}: {str(error)[:200]} ({place_of(error)})")


def _catalog(world: World, lake: Lake, session: Session, name: str) -> Iterator[str]:
    made = create_catalog(lake, name)
    if find_catalog(lake, name).name != name or name not in {info.name for info in list_catalogs(lake)}:
        yield "it is not found under its name"
    if not _is_one_folder(world.data, made.path):
        yield f"its folder is {made.path!r}"
    drop_catalog(lake, name)
    if name in {info.name for info in list_catalogs(lake)}:
        yield "it is there after it was dropped"


def _schema(world: World, lake: Lake, session: Session, name: str) -> Iterator[str]:
    quoted = quoted_name(name, session.dialect)
    session.sql(f"CREATE SCHEMA {quoted}")
    session.sql(f"CREATE TABLE {quoted}.t (id INTEGER); INSERT INTO {quoted}.t VALUES (1), (2)")
    yield from _goes(
        world, session, f"DROP SCHEMA {quoted} CASCADE", name, lambda: _column_of(session, "SHOW SCHEMAS", 1)
    )


def _table(world: World, lake: Lake, session: Session, name: str) -> Iterator[str]:
    quoted = quoted_name(name, session.dialect)
    session.sql(f"CREATE TABLE {quoted} (id INTEGER)")
    session.sql(f"INSERT INTO {quoted} VALUES (1), (2)")
    yield from _goes(world, session, f"DROP TABLE {quoted}", name, lambda: _column_of(session, "SHOW TABLES", 0))


def _goes(world: World, session: Session, drop: str, name: str, listed: Callable[[], set[str]]) -> Iterator[str]:
    """It is listed until it is dropped, and its files are where they belong."""
    if name not in listed():
        yield "it is not listed"
    yield from _files_are_within(world)
    session.sql(drop)
    if name in listed():
        yield "it is there after it was dropped"


def _column_of(session: Session, statement: str, at: int) -> set[str]:
    return {row[at] for row in session.sql(statement).fetchall()}


def _column(world: World, lake: Lake, session: Session, name: str) -> Iterator[str]:
    quoted = quoted_name(name, session.dialect)
    session.sql(f"CREATE OR REPLACE TABLE columns ({quoted} INTEGER)")
    session.sql("INSERT INTO columns VALUES (1)")
    if [row[0] for row in session.sql("DESCRIBE columns").fetchall()] != [name]:
        yield "it is described by another name"
    session.sql(f"ALTER TABLE columns RENAME COLUMN {quoted} TO renamed")


def _option(world: World, lake: Lake, session: Session, name: str) -> Iterator[str]:
    text = name.replace("\\", "\\\\").replace("'", "''")
    session.sql(f"CALL lake.set_option('{text}', '{text}')")
    yield "it is taken for an option"


def _data_path(world: World, lake: Lake, session: Session, name: str) -> Iterator[str]:
    """A data path is the operator's choice: whatever it is, files go below it, and nowhere else."""
    place = world.folder / "paths.db"
    place.unlink(missing_ok=True)
    with closing(open_lake(f"sqlite:{place}", create=True, data_path=f"{world.folder}/paths/{name}")) as other:
        storage = storage_of(other)
    if not is_within(storage.path("catalog/main/t/x.parquet"), Path(storage.prefix)):
        yield f"files of it go to {storage.path('x')!r}"
    if not storage._leads_elsewhere("../x") or list(storage.walk("..")):
        yield "what is above it can be deleted"


_CHECKS = {
    "catalog": _catalog,
    "schema": _schema,
    "table": _table,
    "column": _column,
    "option": _option,
    "data path": _data_path,
}


def _is_one_folder(root: Path, path: str) -> bool:
    return "/" not in path and path not in ("", ".", "..") and is_within(str(root / path), root) and "\0" not in path


def _files_are_within(world: World) -> Iterator[str]:
    """Every file of the lake lies in the folder of its catalog; none has come anywhere else."""
    for found, _, files in os.walk(world.folder):
        for file in files:
            path = Path(found) / file
            if file.endswith(".parquet") and not is_within(str(path), world.data / "names"):
                yield f"a file is at {path}"


def _twins(world: World) -> Iterator[str]:
    """Names that look the same and are not, each with a folder of its own."""
    lake = open_lake(world.url, metadata_schema=world.schema)
    try:
        alike = ("caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9"), "CAF\u00c9", "Twin", "twin", "TWIN")
        made = [create_catalog(lake, name) for name in alike]
        if len({catalog.path for catalog in made}) < len(alike):
            yield f"catalogs share a folder: {[catalog.path for catalog in made]}"
        for catalog in made:
            drop_catalog(lake, catalog.name)
    finally:
        lake.close()
