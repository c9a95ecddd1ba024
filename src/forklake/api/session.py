"""A session: attached catalogs, one transaction at a time, and a Spark when it is needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType

from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from forklake.spark.session import SparkHolder
from forklake.sql.attachments import Attachments, AttachOptions, open_attachment
from forklake.sql.transactions import Transactions


class Session:
    """Made by `forklake.connect`. Closing it closes its databases; Spark goes on running."""

    def __init__(self, holder: SparkHolder, dialect: str, attachments: Attachments | None = None) -> None:
        self.dialect = dialect
        self._holder = holder
        self._attachments = attachments or Attachments()
        self._owns_attachments = attachments is None
        self._transactions = Transactions()

    @property
    def spark(self) -> SparkSession:
        """The Spark session, started now if there was none."""
        return self._holder.get()

    def attach(
        self,
        target: str,
        name: str,
        *,
        catalog: str,
        data_path: str | None = None,
        metadata_schema: str | None = None,
        create_if_not_exists: bool = False,
        read_only: bool = False,
        snapshot_version: int | None = None,
        snapshot_time: datetime | None = None,
        data_inlining_row_limit: int | None = None,
        override_data_path: bool = False,
        migrate_if_required: bool = True,
    ) -> CatalogHandle:
        """Attach a catalog of the lake at `target` under a name, as ATTACH does."""
        options = AttachOptions(
            catalog=catalog,
            data_path=data_path,
            metadata_schema=metadata_schema,
            create_if_not_exists=create_if_not_exists,
            read_only=read_only,
            snapshot_version=snapshot_version,
            snapshot_time=snapshot_time,
            data_inlining_row_limit=data_inlining_row_limit,
            override_data_path=override_data_path,
            migrate_if_required=migrate_if_required,
        )
        self._attachments.add(open_attachment(target, name, options))
        return self.catalog(name)

    def detach(self, name: str) -> None:
        self._attachments.remove(name)

    def catalog(self, name: str) -> CatalogHandle:
        """The Python door to an attached catalog."""
        return CatalogHandle(self._attachments.get(name), self._transactions, self._holder)

    def cursor(self) -> "Session":
        """Another session on the same attachments, with a transaction of its own."""
        return Session(self._holder, self.dialect, self._attachments)

    def begin(self) -> None:
        self._transactions.begin()

    def commit(self) -> None:
        self._transactions.commit()

    def rollback(self) -> None:
        self._transactions.rollback()

    @contextmanager
    def transaction(self) -> Iterator["Session"]:
        """BEGIN; COMMIT when the block ends well, ROLLBACK when it does not."""
        self.begin()
        try:
            yield self
        except BaseException:
            if self._transactions.is_open:
                self.rollback()
            raise
        self.commit()

    def close(self) -> None:
        """Roll back what is open, and close the databases unless other sessions use them."""
        if self._transactions.is_open:
            self.rollback()
        if self._owns_attachments:
            self._attachments.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(attachment.name for attachment in self._attachments)
        return f"<forklake.Session of {names or 'no catalogs'}>"
