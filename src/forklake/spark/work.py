"""The context of every data operation: a transaction, a Spark session on demand, and the storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.planning.scan_planning import DeletePlan, ScanPlan, plan_delete, plan_scan
from forklake.catalog.transaction.options import checked_option, effective_options
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.predicates import Predicate, UnknownPredicate
from forklake.spark.session.provider import SparkProvider
from forklake.spark.storage.data_path_mark import claim_data_path
from forklake.spark.storage.storage import Storage, storage_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Work:
    """A transaction, and the means to read and write its rows."""

    tx: Transaction
    provider: SparkProvider
    storage: Storage
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Options of the attachment, for tables without their own."""
    shortcuts: bool = True
    """Whether files may be pruned or deleted unread, and results of earlier scans reused."""
    refuses_large_floats: bool = False
    """Whether a DOUBLE beyond the range of FLOAT is an error in a column of that type, as in DuckDB."""
    _options: dict[int, dict[str, str | None]] = field(default_factory=dict, repr=False)

    @property
    def spark(self) -> SparkSession:
        return self.provider.get()

    def plan_scan(self, table: Table, predicate: Predicate | None = None) -> ScanPlan:
        """The files to read for a predicate; all of them without shortcuts."""
        return plan_scan(self.tx, table, predicate if self.shortcuts else None)

    def plan_delete(self, table: Table, predicate: Predicate | None) -> DeletePlan:
        """The files to delete from, and those to delete unread; none of the latter without shortcuts."""
        return plan_delete(
            self.tx, table, predicate if self.shortcuts and predicate is not None else UnknownPredicate()
        )

    def folder(self, table: Table) -> str:
        """The folder for new files of a table, inherited or not: below the catalog's own.

        Ensures that the data path belongs to this lake and is marked, and that the executors of a running cluster share
        it, before anything is written there.
        """
        claim_data_path(self.tx.catalog.lake, self.storage)
        if self.storage.is_local:
            self.provider.check_shared(self.storage.root, self.storage.path(self.tx.catalog.path))
        return f"{self.tx.catalog.path}/{table.path}"

    def option(self, name: str, table: Table) -> str | None:
        """The effective value of an option for a table; looked up once."""
        if table.object_id not in self._options:
            self._options[table.object_id] = effective_options(self.tx, table, self.defaults)
        return checked_option(name, self._options[table.object_id][name])


def work_on(
    tx: Transaction,
    provider: SparkProvider,
    defaults: Mapping[str, str] | None = None,
    *,
    shortcuts: bool = True,
    refuses_large_floats: bool = False,
) -> Work:
    """The context for the transaction's lake; without shortcuts if Spark settings change the meaning of expressions."""
    is_usual = shortcuts and provider.settings.is_usual
    return Work(tx, provider, storage_of(tx.catalog.lake), defaults or {}, is_usual, refuses_large_floats)


def storage_of(lake: Lake) -> Storage:
    """The storage of a lake's files."""
    if lake.data_path is None:
        raise InvalidInput("The lake has no data path yet; give DATA_PATH when it is attached.")
    return storage_at(lake.data_path)
