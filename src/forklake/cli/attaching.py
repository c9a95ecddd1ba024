"""Attaches the catalog of a command to a session, with Spark started on demand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forklake.api.session import Session
from forklake.cli.opening import IF_MISSING, opened_catalog
from forklake.cli.running import CommonOptions
from forklake.cli.target import LakeTarget
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.module_on_use import module_on_use
from forklake.spark.session.provider import SparkProvider, active_session
from forklake.spark.session.session_settings import FIRST_COMPILER, JAVA_OPTIONS, LOG_LEVEL
from forklake.sql.execution.run_session import attach
from forklake.sql.session.attachments import Attachment, AttachOptions
from forklake.sql.session.state import SessionState

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from forklake.api import catalog as catalogs
else:
    catalogs = module_on_use("forklake.api.catalog")


class AnnouncedSpark(SparkProvider):
    """Spark provider that announces the start of Spark if `announce`; with `debug`, Spark logs warnings.

    For a few statements that are `short`, the JVM compiles with its first compiler only.
    """

    def __init__(self, *, announce: bool, debug: bool = False, short: bool = False) -> None:
        settings = ({LOG_LEVEL: "WARN"} if debug else {}) | ({JAVA_OPTIONS: FIRST_COMPILER} if short else {})
        super().__init__(settings=settings)
        self._announce = announce

    def get(self) -> SparkSession:
        if self._announce and not self.is_running and active_session() is None:
            sys.stderr.write("Starting Spark ...\n")
            sys.stderr.flush()
        return super().get()


def announced_spark(progress: Progress) -> AnnouncedSpark:
    """Provider that announces the start of Spark if progress is shown."""
    return AnnouncedSpark(announce=progress is not QUIET)


@contextmanager
def attached_catalog(
    target: LakeTarget, progress: Progress, provider: AnnouncedSpark | None = None, *, shortcuts: bool = True
) -> Iterator[catalogs.CatalogHandle]:
    state = SessionState(provider or announced_spark(progress), "spark", shortcuts=shortcuts)
    with opened_catalog(target) as catalog:
        yield catalogs.CatalogHandle(state, Attachment(catalog.name, catalog))


@dataclass(frozen=True, slots=True)
class AttachedSession:
    """A session whose current catalog is the target's."""

    session: Session
    state: SessionState


@contextmanager
def attached_session(
    target: LakeTarget, common: CommonOptions, dialect: str, *, shortcuts: bool = True, short: bool = False
) -> Iterator[AttachedSession]:
    provider = AnnouncedSpark(announce=sys.stderr.isatty() and not common.quiet, debug=common.debug, short=short)
    state = SessionState(provider, dialect, shortcuts=shortcuts)
    options = AttachOptions(target.catalog, target.data_path, target.metadata_schema)
    with Session(state) as session:
        attach(state, target.lake, target.catalog, options, if_missing=IF_MISSING)
        yield AttachedSession(session, state)
