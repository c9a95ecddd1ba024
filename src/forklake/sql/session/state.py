"""Session state: attachments, current catalog and schema, settings, and open transactions."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Literal, get_args

from forklake.catalog.lakes.lake import RetrySettings
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidOption, NoSuchCatalog
from forklake.model.names import DEFAULT_SCHEMA, fold
from forklake.spark.session.interrupts import interruptible
from forklake.spark.session.provider import SparkProvider
from forklake.spark.session.time_zones import zone_named
from forklake.spark.work import Work, work_on
from forklake.sql.pruning.comparison_rules import ComparisonRules, session_rules
from forklake.sql.session.attachments import Attachment, Attachments
from forklake.sql.session.transactions import Transactions

SMALL_QUERY_LIMIT = 16 * 2**20
SmallQueries = Literal["auto", "driver", "spark"]
SMALL_QUERIES: tuple[SmallQueries, ...] = get_args(SmallQueries)


def default_small_queries() -> SmallQueries:
    """The initial value of the setting, which the environment may set."""
    given = os.environ.get("FORKLAKE_SMALL_QUERIES", "auto")
    for known in SMALL_QUERIES:
        if known == given:
            return known
    raise InvalidOption(f"FORKLAKE_SMALL_QUERIES is one of {', '.join(SMALL_QUERIES)}, not '{given}'.")


@dataclass(slots=True)
class SessionState:
    """The state behind a session. Cursors share the attachments; the rest is their own."""

    provider: SparkProvider
    dialect: str
    attachments: Attachments = field(default_factory=Attachments)
    transactions: Transactions = field(default_factory=Transactions)
    current_catalog: str | None = None
    """The attachment in which unqualified names are resolved."""
    current_schema: str = DEFAULT_SCHEMA
    secrets: dict[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    settings: dict[str, object] = field(default_factory=dict)
    """Our settings that have been changed."""
    retry: RetrySettings = field(default_factory=RetrySettings)
    shortcuts: bool = True
    """The setting `forklake_shortcuts`: whether metadata and our own interpretation of SQL may answer instead of Spark.
    """

    small_queries: SmallQueries = field(default_factory=default_small_queries)
    """The setting `forklake_small_queries`: who answers small queries of one table."""
    small_query_bytes: int = SMALL_QUERY_LIMIT
    """The setting `forklake_small_query_bytes`: the largest size of the files that a small query reads."""

    @property
    def last_committed(self) -> Mapping[str, int]:
        """By attachment, the last snapshot committed by this session."""
        return self.transactions.committed

    @property
    def current(self) -> Attachment:
        """The current attachment."""
        if self.current_catalog is None:
            raise NoSuchCatalog("No catalog is in use; attach one, and choose it with USE.")
        return self.attachments.get(self.current_catalog)

    def transaction(self, attachment: Attachment) -> Transaction:
        """The transaction in which a statement reads a catalog."""
        return self.transactions.current(attachment.name, attachment.catalog)

    @contextmanager
    def writing(self, attachment: Attachment) -> Iterator[Transaction]:
        """The transaction in which a statement writes to a catalog: the same in which it reads it."""
        # An interrupted statement must end before its files are discarded.
        with self.transactions.writing(attachment.name, attachment.catalog) as tx, interruptible():
            yield tx

    def work(self, tx: Transaction, attachment: Attachment) -> Work:
        strict = self.refuses_large_floats
        return work_on(tx, self.provider, attachment.defaults, shortcuts=self.shortcuts, refuses_large_floats=strict)

    @property
    def refuses_large_floats(self) -> bool:
        """Whether a DOUBLE beyond the range of FLOAT is an error, as in DuckDB; in Spark it is an infinity."""
        return self.dialect == "duckdb"

    def forget(self, attachment: Attachment) -> None:
        """Remove an attachment; if it is the current one, there is none afterwards."""
        self.attachments.remove(attachment.name)
        if self.current_catalog is not None and fold(self.current_catalog) == fold(attachment.name):
            self.current_catalog, self.current_schema = None, DEFAULT_SCHEMA

    def time_zone(self) -> tzinfo:
        """The zone of times that are written without one."""
        return zone_named(self.provider.zone)

    @property
    def rules(self) -> ComparisonRules:
        """The comparison rules of the Spark session."""
        return session_rules(self.provider)

    @property
    def takes_shortcuts(self) -> bool:
        """Whether Spark may be bypassed: the setting allows it, and no Spark setting changes what expressions mean."""
        return self.shortcuts and self.provider.settings.is_usual
