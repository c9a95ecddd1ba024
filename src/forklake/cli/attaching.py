"""The catalog that a command is about, through the doors of Python and SQL, with a Spark for when it is needed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.cli.opening import opened_catalog
from forklake.cli.running import Common
from forklake.cli.target import Target
from forklake.maintenance.progress import QUIET, Progress
from forklake.spark.jvm_start import LOG_LEVEL
from forklake.spark.session import SparkHolder
from forklake.sql.attachments import Attachment, AttachOptions
from forklake.sql.run_session import attach
from forklake.sql.state import SessionState


class AnnouncedSpark(SparkHolder):
    """A Spark whose start is announced if it may be; with `debug` Spark shows its log."""

    def __init__(self, *, announce: bool, debug: bool = False) -> None:
        super().__init__(settings={LOG_LEVEL: "WARN"} if debug else None)
        self._announce = announce

    def get(self) -> SparkSession:
        if self._announce and not self.is_running and SparkSession.getActiveSession() is None:
            sys.stderr.write("Starting Spark ...\n")
            sys.stderr.flush()
        return super().get()


def announced_spark(progress: Progress) -> AnnouncedSpark:
    """A Spark that is announced where progress is shown."""
    return AnnouncedSpark(announce=progress is not QUIET)


@contextmanager
def attached(
    target: Target, progress: Progress, holder: AnnouncedSpark | None = None, *, shortcuts: bool = True
) -> Iterator[CatalogHandle]:
    state = SessionState(holder or announced_spark(progress), "spark", shortcuts=shortcuts)
    with opened_catalog(target) as catalog:
        yield CatalogHandle(state, Attachment(catalog.name, catalog))


@dataclass(frozen=True, slots=True)
class Attached:
    """A session whose catalog in use is the one that is meant."""

    session: Session
    state: SessionState


@contextmanager
def attached_session(target: Target, common: Common, dialect: str, *, shortcuts: bool = True) -> Iterator[Attached]:
    holder = AnnouncedSpark(announce=sys.stderr.isatty() and not common.quiet, debug=common.debug)
    state = SessionState(holder, dialect, shortcuts=shortcuts)
    options = AttachOptions(target.catalog, target.data_path, target.metadata_schema)
    with Session(state) as session:
        attach(state, target.lake, target.catalog, options)
        yield Attached(session, state)
