"""The differences between the SQL of PostgreSQL and SQLite."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from forklake.errors import CorruptMetadata, InvalidInput
from forklake.model.lineage import Level

_SQLITE_TIME = "%Y-%m-%d %H:%M:%S.%f+00"


@dataclass(frozen=True, slots=True)
class StoreDialect:
    """SQL fragments that differ between the databases."""

    name: str
    levels: str
    """A relation `l(catalog_id, top)` built from `level_params`."""
    lock_catalog: str
    """Waits for and excludes other commits to the catalog, but not forks."""
    share_catalog: str
    """Waits for a commit in progress."""
    own_catalog: str
    """Excludes commits, forks and expiry."""
    skip_locked: str
    """Locks rows for this transaction, skipping rows locked by others."""
    clock: str
    """The current time in the representation used by the database."""

    @property
    def is_postgres(self) -> bool:
        return self.name == "postgresql"

    def index_hint(self, index: str) -> str:
        """Follows the alias of a table to be read by this index, where the planner would choose another."""
        return "" if self.is_postgres else f" INDEXED BY {index}"

    def any_of(self, expression: str, parameter: str) -> str:
        """`expression` equals one of the values of a list parameter."""
        if self.is_postgres:
            return f"{expression} = ANY(:{parameter})"
        return f"{expression} IN (SELECT value FROM json_each(:{parameter}))"

    def next_ids(self, sequence: str) -> str:
        """Allocates `:count` ids; read the result with `read_drawn_ids`."""
        if self.is_postgres:
            return f"SELECT nextval('lake_{sequence}_seq') FROM generate_series(1, CAST(:count AS bigint))"
        return f"UPDATE lake_counter SET value = value + :count WHERE name = '{sequence}' RETURNING value - :count"

    @property
    def begin_commit(self) -> str:
        """Locks a live catalog and allocates a snapshot id: head, schema version, time of the head, id, current time.

        The id is allocated while the lock is held, so ids within a catalog ascend in commit order.
        """
        head = "SELECT head_snapshot, schema_version, head_time FROM lake_catalog"
        live = "catalog_id = :catalog_id AND end_snapshot IS NULL"
        if self.is_postgres:
            # Expressions above a materialised lock are evaluated only for rows that are already locked.
            return (
                f"WITH locked AS MATERIALIZED ({head} WHERE {live} {self.lock_catalog})"
                f" SELECT locked.*, nextval('lake_snapshot_seq'), {self.clock} FROM locked"
            )
        columns = ("head_snapshot", "schema_version", "head_time")
        found = ", ".join(f"(SELECT {column} FROM lake_catalog WHERE {live})" for column in columns)
        return (
            "UPDATE lake_counter SET value = value + 1 WHERE name = 'snapshot'"
            f" AND EXISTS (SELECT 1 FROM lake_catalog WHERE {live}) RETURNING {found}, value - 1, {self.clock}"
        )

    def last_id(self, sequence: str) -> str:
        """The last allocated id, of any session."""
        if self.is_postgres:
            return f"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM lake_{sequence}_seq"
        return f"SELECT value - 1 FROM lake_counter WHERE name = '{sequence}'"

    def later(self, clock: Any, before: Any) -> datetime:
        """The current time, but later than the previous snapshot even if the clock was set back."""
        last = self.from_database_time(before)
        try:
            return max(self.from_database_time(clock), last + timedelta(microseconds=1))
        except OverflowError:
            raise CorruptMetadata(f"The last snapshot is of {last}: there is no later time.") from None

    def level_params(self, levels: Iterable[Level]) -> dict[str, object]:
        pairs = [(int(level.catalog_id), int(level.top)) for level in levels]
        if self.is_postgres:
            return {"level_ids": [pair[0] for pair in pairs], "level_tops": [pair[1] for pair in pairs]}
        return {"levels": pairs}

    def to_database_time(self, value: datetime) -> object:
        """A time as a query parameter."""
        try:
            utc = value.astimezone(UTC)
        except OverflowError:
            raise InvalidInput(f"The time {value} is out of range in UTC.") from None
        # Of fixed width, because times are compared as text.
        return utc if self.is_postgres else _write_time(utc)

    def from_database_time(self, value: Any) -> datetime:
        """Converts a time read from the database."""
        if isinstance(value, datetime):
            return value.astimezone(UTC)
        try:
            # Reads times as they are written here, and much faster; but also others, which are not times of a lake.
            usual = datetime.fromisoformat(value)
            if _write_time(usual) == value:
                return usual.replace(tzinfo=UTC)
        except (TypeError, ValueError):
            pass
        try:
            return datetime.strptime(value, _SQLITE_TIME).replace(tzinfo=UTC)
        except (TypeError, ValueError):
            raise CorruptMetadata(f"The metadata contain {value!r} instead of a time.") from None


POSTGRESQL = StoreDialect(
    name="postgresql",
    levels="unnest(CAST(:level_ids AS bigint[]), CAST(:level_tops AS bigint[])) AS l(catalog_id, top)",
    lock_catalog="FOR NO KEY UPDATE",
    share_catalog="FOR SHARE",
    own_catalog="FOR UPDATE",
    skip_locked="FOR UPDATE SKIP LOCKED",
    clock="clock_timestamp()",
)

# SQLite has a single writer, and every write transaction takes the write lock before it reads: no row locks needed.
SQLITE = StoreDialect(
    name="sqlite",
    levels="(SELECT value ->> 0 AS catalog_id, value ->> 1 AS top FROM json_each(:levels)) AS l",
    lock_catalog="",
    share_catalog="",
    own_catalog="",
    skip_locked="",
    clock="strftime('%Y-%m-%d %H:%M:%f', 'now') || '000+00'",
)


def _write_time(utc: datetime) -> str:
    return f"{utc.replace(tzinfo=None).isoformat(' ', 'microseconds')}+00"


def read_drawn_ids(rows: list[tuple[Any, ...]], count: int) -> list[int]:
    """The ids allocated by `StoreDialect.next_ids`: one row each, or one row with the first of a range."""
    if len(rows) == count:
        return [row[0] for row in rows]
    return list(range(rows[0][0], rows[0][0] + count))
