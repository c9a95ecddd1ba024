"""One maintenance operation in a process of its own, which kills itself at the n-th thing that it does."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.spark.storage.storage import Storage
from forklake.spark.tasks.files.open_file import OpenFile
from forklake.store.postgres import PostgresStore, PostgresTransaction
from forklake.store.sqlite import SqliteStore, SqliteTransaction
from tests.conftest import Place
from tests.spark.conftest import SETTINGS

OPERATIONS: dict[str, Callable[[CatalogHandle], object]] = {
    "expire": lambda lake: lake.expire_snapshots(versions=[s.snapshot_id for s in lake.snapshots()[1:-1:2]]),
    "cleanup": lambda lake: lake.cleanup_old_files(cleanup_all=True),
    "orphans": lambda lake: lake.delete_orphaned_files(cleanup_all=True),
    "drop": lambda lake: lake.drop_catalog("victim"),
    "dropped": lambda lake: lake.cleanup_dropped_catalogs(cleanup_all=True),
    "merge": lambda lake: lake.merge_adjacent_files(),
    "flush": lambda lake: lake.flush_inlined_data(),
    "rewrite": lambda lake: lake.rewrite_data_files(delete_threshold=0.1),
}

# What is done to the metadata, and to files; the process may die before each and after each.
_WATCHED: list[tuple[type, str]] = [
    *((store, name) for store in (SqliteStore, PostgresStore) for name in ("fetch", "fetch_all", "append")),
    *((tx, name) for tx in (SqliteTransaction, PostgresTransaction) for name in ("fetch_all", "commit")),
    (Storage, "delete"),
    (OpenFile, "close"),
]


@dataclass
class Fate:
    """Counts what happens, and says when it is over."""

    last: int | None
    happened: int = 0

    def strike(self) -> None:
        self.happened += 1
        if self.happened == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def run(place: Place, operation: str, last: int | None, told: Any) -> None:
    """Carry the operation out, at most up to the `last` thing that it does; tells how many there are."""
    with forklake.connect(settings=SETTINGS) as session:
        lake = session.attach(place.url, "lake", catalog="main", metadata_schema=place.metadata_schema)
        fate = Fate(last)
        for owner, name in _WATCHED:
            setattr(owner, name, _watched(getattr(owner, name), fate))
        OPERATIONS[operation](lake)
        told.put(fate.happened)


def _watched(function: Callable[..., Any], fate: Fate) -> Callable[..., Any]:
    def watched(*arguments: Any, **named: Any) -> Any:
        fate.strike()
        result = function(*arguments, **named)
        fate.strike()
        return result

    return watched
