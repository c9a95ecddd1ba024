"""Numbered changes of the metadata format: each step raises the format version by one."""

from collections.abc import Mapping, Sequence

from forklake.errors import UnsupportedFormat
from forklake.store.connection import Statement, Store
from forklake.store.metadata_tables import FORMAT_VERSION

Steps = Mapping[int, Mapping[str, Sequence[str]]]

STEPS: Steps = {}
"""From a version to the next, the statements for each database. Version 1 is the first: there is none yet."""


def migrate(store: Store, version: int, *, steps: Steps = STEPS, target: int = FORMAT_VERSION) -> None:
    """Bring a lake to the newest format in one transaction; several processes may try at once."""
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
        transaction.commit([*statements, raised])
