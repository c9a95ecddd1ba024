"""Links where folders should be: cleaning up must not follow them to what belongs to others."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import ForklakeError
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.spark.work import storage_of
from trust.fuzz.damaged_lake import ATTACKER, OTHER, World, build, session_on

Trick = Callable[[World], None]


def _replace(place: Path, target: Path) -> None:
    shutil.rmtree(place)
    place.symlink_to(target)


def table_folder(world: World) -> None:
    """The folder of a table is a link to that of another catalog, in which files have the names of its own."""
    mine, theirs = world.data / ATTACKER / "main" / "t", world.data / OTHER / "main" / "t"
    for path in mine.iterdir():
        shutil.copy(path, theirs / path.name)
    _replace(mine, theirs)


def schema_folder(world: World) -> None:
    for path in (world.data / ATTACKER / "main").rglob("*.parquet"):
        copied = world.data / OTHER / path.relative_to(world.data / ATTACKER)
        shutil.copy(path, copied)
    _replace(world.data / ATTACKER / "main", world.data / OTHER / "main")


def catalog_folder(world: World) -> None:
    for path in (world.data / ATTACKER).rglob("*.parquet"):
        shutil.copy(path, world.data / OTHER / path.relative_to(world.data / ATTACKER))
    _replace(world.data / ATTACKER, world.data / OTHER)


def single_files(world: World) -> None:
    """Files are links to those of others; the link may go, and nothing else."""
    for path in (world.data / ATTACKER).rglob("*.parquet"):
        path.unlink()
        path.symlink_to(world.data / OTHER / "main" / "t" / "orphan.parquet")


def inner_link(world: World) -> None:
    """A link below a folder of a table, to the outside and in a circle."""
    (world.data / ATTACKER / "main" / "t" / "more").symlink_to(world.folder / "outside")
    (world.data / ATTACKER / "main" / "t" / "again").symlink_to(world.data)


TRICKS: Sequence[Trick] = (table_folder, schema_folder, catalog_folder, single_files, inner_link)


def try_links(folder: Path) -> tuple[int, list[str]]:
    """Play each trick on a lake of its own, clean up everything, and see what is gone."""
    found = []
    for trick in TRICKS:
        place = folder / trick.__name__
        world = build(place, f"sqlite:{place / 'lake.db'}")
        trick(world)
        before = world.precious()
        _clean_up(world)
        gone = sorted(before.items() - world.precious().items())
        if gone:
            found.append(f"with a link for {trick.__name__}, {len(gone)} files of others are gone: {gone[0][0]}")
    return len(TRICKS), found


def _clean_up(world: World) -> None:
    lake = open_lake(world.url)
    try:
        with session_on(world) as session:
            session.attach(world.url, "mine", catalog=ATTACKER)
            session.sql("DROP TABLE mine.t; DROP CATALOG leaf; DROP CATALOG fork")
            session.sql("CALL mine.expire_snapshots(older_than => now())")
        mine, storage = find_catalog(lake, ATTACKER), storage_of(lake)
        for verb in (delete_orphaned_files, cleanup_dropped_catalogs, cleanup_old_files):
            # To refuse is right as well; the others are to be seen all the same.
            with suppress(ForklakeError):
                verb(mine, storage, cleanup_all=True)
    finally:
        lake.close()
