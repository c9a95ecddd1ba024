"""Forklake: a lakehouse on Spark whose catalogs fork in milliseconds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forklake.api.catalog import CatalogHandle as CatalogHandle
    from forklake.api.connect import connect as connect
    from forklake.api.merging import when_matched as when_matched
    from forklake.api.merging import when_not_matched as when_not_matched
    from forklake.api.merging import when_not_matched_by_source as when_not_matched_by_source
    from forklake.api.session import Session as Session
    from forklake.api.table import TableHandle as TableHandle
    from forklake.errors import CommitConflict as CommitConflict
    from forklake.errors import ForklakeError as ForklakeError

_PUBLIC = {
    "connect": "forklake.api.connect",
    "CatalogHandle": "forklake.api.catalog",
    "Session": "forklake.api.session",
    "TableHandle": "forklake.api.table",
    "when_matched": "forklake.api.merging",
    "when_not_matched": "forklake.api.merging",
    "when_not_matched_by_source": "forklake.api.merging",
    "ForklakeError": "forklake.errors",
    "CommitConflict": "forklake.errors",
}

__all__ = [
    "CatalogHandle",
    "CommitConflict",
    "ForklakeError",
    "Session",
    "TableHandle",
    "connect",
    "when_matched",
    "when_not_matched",
    "when_not_matched_by_source",
]


def __getattr__(name: str) -> Any:
    # Looked up on first use: a worker that imports a task must not import a database driver with it.
    if name not in _PUBLIC:
        raise AttributeError(f"module 'forklake' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)
