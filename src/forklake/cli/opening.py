"""Opens the lake and the catalog that a command operates on."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.cli.target import LakeTarget
from forklake.model.store_secrets import SecretRegistry
from forklake.sql.session.attachments import AttachOptions, open_attachment

IF_MISSING = " Create it with `forklake init`, or fork another catalog with `forklake fork`."


@contextmanager
def opened_catalog(target: LakeTarget, *, read_only: bool = False, create: bool = False) -> Iterator[Catalog]:
    options = AttachOptions(
        catalog=target.catalog,
        data_path=target.data_path,
        metadata_schema=target.metadata_schema,
        read_only=read_only,
        create_if_not_exists=create,
    )
    catalog = open_attachment(target.lake, "lake", options, if_missing=IF_MISSING).catalog
    try:
        yield catalog
    finally:
        catalog.lake.close()


def secrets_of(target: LakeTarget) -> SecretRegistry:
    """The secrets of a command, for those that access files."""
    if target.secrets is None:
        return SecretRegistry()
    # Its parser is slow to load.
    found: SecretRegistry = import_module("forklake.sql.execution.run_secrets").read_secrets(target.secrets)
    return found


@contextmanager
def opened_lake(target: LakeTarget) -> Iterator[Lake]:
    """Only the lake: the current catalog need not exist."""
    lake = open_lake(target.lake.removeprefix("ducklake:"), metadata_schema=target.metadata_schema)
    try:
        yield lake
    finally:
        lake.close()
