"""Session: attached catalogs, SQL, at most one open transaction, and Spark on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING

import pyarrow as pa

from forklake.model.arguments import checked_methods
from forklake.model.module_on_use import module_on_use
from forklake.spark.session.failures import translate_query_errors
from forklake.spark.session.provider import SparkProvider
from forklake.sql.execution.execute import execute
from forklake.sql.execution.run_session import attach, detach
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import split_statements
from forklake.sql.parsing.parameters import named_parameters
from forklake.sql.parsing.parse import parse_one
from forklake.sql.parsing.statements import Detach
from forklake.sql.results.result import Result, attach_spark
from forklake.sql.session.attachments import AttachOptions
from forklake.sql.session.state import SessionState
from forklake.sql.values.plain_insert import plain_insert

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from forklake.api import catalog as catalogs
else:
    catalogs = module_on_use("forklake.api.catalog")


@checked_methods
class Session:
    """Created by `forklake.connect`. Closing it closes its databases; Spark keeps running."""

    def __init__(self, state: SessionState, *, owns_attachments: bool = True) -> None:
        self._state = state
        self._owns_attachments = owns_attachments

    @property
    def dialect(self) -> str:
        return self._state.dialect

    @property
    def spark(self) -> SparkSession:
        """The Spark session, started now if none is running."""
        return self._state.provider.get()

    def sql(self, text: str, params: Parameters = None, *, debug: bool = False) -> Result:
        """Run one or more statements; returns the result of the last.

        Values for `:name` are passed as a mapping, those for `?` as a list in order of appearance. Errors are condensed
        to a few lines; with `debug`, Spark errors are raised unchanged.
        """
        result, dialect = Result(pa.table({})), self._state.dialect
        with translate_query_errors(debug=debug, translated=dialect == "duckdb"):
            plain = plain_insert(text, dialect) if params is None else None
            if plain is not None:
                return attach_spark(execute(self._state, plain), self._state.provider, debug=debug)
            texts, named = named_parameters(split_statements(text, dialect), dialect, params)
            for statement in [parse_one(each, dialect) for each in texts]:
                result = execute(self._state, statement, named)
        return attach_spark(result, self._state.provider, debug=debug)

    def attach(
        self,
        target: str,
        name: str,
        *,
        catalog: str,
        data_path: str | None = None,
        metadata_schema: str | None = None,
        metadata_catalog: str | None = None,
        create_if_not_exists: bool = False,
        read_only: bool = False,
        snapshot_version: int | None = None,
        snapshot_time: datetime | None = None,
        data_inlining_row_limit: int | None = None,
        override_data_path: bool = False,
        migrate_if_required: bool = True,
    ) -> catalogs.CatalogHandle:
        """Attach a catalog of the lake at `target` under a name, as ATTACH does."""
        options = AttachOptions(
            catalog=catalog,
            data_path=data_path,
            metadata_schema=metadata_schema,
            metadata_catalog=metadata_catalog,
            create_if_not_exists=create_if_not_exists,
            read_only=read_only,
            snapshot_version=snapshot_version,
            snapshot_time=snapshot_time,
            data_inlining_row_limit=data_inlining_row_limit,
            override_data_path=override_data_path,
            migrate_if_required=migrate_if_required,
        )
        attach(self._state, target, name, options)
        return self.catalog(name)

    def detach(self, name: str) -> None:
        """Detach a catalog, as DETACH does."""
        detach(self._state, Detach(name))

    def catalog(self, name: str) -> catalogs.CatalogHandle:
        """Handle of an attached catalog."""
        state = self._state
        return catalogs.CatalogHandle(state, state.attachments.get(name))

    def cursor(self) -> Session:
        """Another session that shares the attachments but has its own transaction."""
        state = self._state
        other = SessionState(
            state.provider,
            state.dialect,
            state.attachments,
            current_catalog=state.current_catalog,
            current_schema=state.current_schema,
            secrets=state.secrets,
            settings=state.settings,
            retry=state.retry,
            shortcuts=state.shortcuts,
        )
        return Session(other, owns_attachments=False)

    def begin(self) -> None:
        self._state.transactions.begin()

    def commit(self) -> None:
        self._state.transactions.commit()

    def rollback(self) -> None:
        self._state.transactions.rollback()

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """BEGIN; COMMIT if the block succeeds, ROLLBACK if it raises."""
        self.begin()
        try:
            yield self
        except BaseException:
            if self._state.transactions.is_open:
                self.rollback()
            raise
        self.commit()

    def close(self) -> None:
        """Roll back an open transaction, and close the databases unless this session is a cursor."""
        if self._state.transactions.is_open:
            self.rollback()
        if self._owns_attachments:
            self._state.attachments.close()
            self._state.provider.cache.clear()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(attachment.name for attachment in self._state.attachments)
        return f"<forklake.Session of {names or 'no catalogs'}>"

    @property
    def _spark_provider(self) -> SparkProvider:
        return self._state.provider
