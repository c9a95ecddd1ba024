"""Opening the lake and the catalog that a command is about."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.catalog.lake import Catalog, Lake
from forklake.catalog.lakes import open_lake
from forklake.cli.target import Target
from forklake.sql.attachments import AttachOptions, open_attachment


@contextmanager
def opened_catalog(target: Target, *, read_only: bool = False, create: bool = False) -> Iterator[Catalog]:
    options = AttachOptions(
        catalog=target.catalog,
        data_path=target.data_path,
        metadata_schema=target.metadata_schema,
        read_only=read_only,
        create_if_not_exists=create,
    )
    catalog = open_attachment(target.lake, "lake", options).catalog
    try:
        yield catalog
    finally:
        catalog.lake.close()


@contextmanager
def opened_lake(target: Target) -> Iterator[Lake]:
    """The lake alone: whatever catalog is in use need not be there."""
    lake = open_lake(target.lake.removeprefix("ducklake:"), metadata_schema=target.metadata_schema)
    try:
        yield lake
    finally:
        lake.close()
