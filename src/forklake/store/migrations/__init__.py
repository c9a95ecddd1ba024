"""Migrations of the metadata format: each step increments the format version by one.

Imports nothing from `store` but the connection; imported only by `store/open.py`.
"""

from collections.abc import Mapping, Sequence

from forklake.errors import UnsupportedFormat
from forklake.store.connection import Statement, Store
from forklake.store.format_version import FORMAT_VERSION

Steps = Mapping[int, Mapping[str, Sequence[str]]]

_ENDED = [
    f"CREATE INDEX IF NOT EXISTS lake_{table}_ended ON lake_{table} (catalog_id, end_snapshot)"
    " WHERE end_snapshot IS NOT NULL"
    for table in ("data_file", "delete_file")
]
_DROPPED = "CREATE INDEX IF NOT EXISTS lake_catalog_dropped ON lake_catalog (catalog_id) WHERE end_snapshot IS NOT NULL"
_SIZE = "ALTER TABLE lake_scheduled_file ADD COLUMN file_size_bytes BIGINT"
_NAMED = ("data_file", "delete_file", "scheduled_file")

_ENTRIES = ("metadata", "schema", "table", "view", "macro", "column", "tag", "column_tag")

STEPS: Steps = {
    # Indexes for expiry and cleanup.
    1: {
        "postgresql": [
            *_ENDED,
            _DROPPED,
            _SIZE,
            *(f"CREATE INDEX IF NOT EXISTS lake_{table}_path ON lake_{table} USING hash (path)" for table in _NAMED),
        ],
        "sqlite": [
            *_ENDED,
            _DROPPED,
            _SIZE,
            *(f"CREATE INDEX IF NOT EXISTS lake_{table}_path ON lake_{table} (path)" for table in _NAMED),
        ],
    },
    # Changed views for direct SQL. PostgreSQL replaces them in place and keeps their privileges; SQLite cannot.
    2: {"postgresql": [], "sqlite": [f"DROP VIEW IF EXISTS ducklake_{view}" for view in _ENTRIES]},
    # Commits in one round trip: other arguments, so another function.
    3: {
        "postgresql": [
            "DROP FUNCTION IF EXISTS lake_append(bigint, bigint, text, text, boolean, text, text, text, text, uuid)"
        ],
        "sqlite": [],
    },
    # Rows added to any head: one more argument.
    4: {
        "postgresql": [
            "DROP FUNCTION IF EXISTS lake_append(bigint, bigint, jsonb, boolean, text, text, text, text, uuid)"
        ],
        "sqlite": [],
    },
}
"""The statements for each database, by the version they start from. The first version was 1."""
UNCHANGED: Mapping[str, frozenset[int]] = {"postgresql": frozenset(), "sqlite": frozenset({3, 4})}
"""By database, the versions whose successor differs only in its number, with the same script."""


def is_up_to_date(store: Store, version: int) -> bool:
    """Whether this release can read and write a lake of an older version without migration."""
    return UNCHANGED[store.dialect.name].issuperset(range(version, FORMAT_VERSION))


def migrate(
    store: Store, version: int, *, script: str = "", steps: Steps = STEPS, target: int = FORMAT_VERSION
) -> None:
    """Migrate a lake to the latest format in one transaction; concurrent attempts are safe.

    The script runs after the steps, and creates everything in a lake of this release that the steps did not create.
    """
    missing = [step for step in range(version, target) if step not in steps]
    if missing:
        raise UnsupportedFormat(f"{store.location} has format version {version}, which cannot be migrated.")
    statements = [Statement(sql, {}) for step in range(version, target) for sql in steps[step][store.dialect.name]]
    current = Statement("SELECT value FROM lake_info WHERE key = 'format_version'", {})
    if store.dialect.is_postgres:
        current = Statement(f"{current.sql} FOR UPDATE", {})
    with store.writing([current]) as (transaction, [[(found,)]]):
        if int(found) != version:
            return
        raised = Statement("UPDATE lake_info SET value = :target WHERE key = 'format_version'", {"target": str(target)})
        transaction.fetch_all(statements)
        transaction.run_script(script)
        transaction.commit([raised])
