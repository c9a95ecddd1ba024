"""Opens the lake and the catalog that a command operates on."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.cli.target import LakeTarget
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


@contextmanager
def opened_lake(target: LakeTarget) -> Iterator[Lake]:
    """Only the lake: the current catalog need not exist."""
    lake = open_lake(target.lake.removeprefix("ducklake:"), metadata_schema=target.metadata_schema)
    try:
        yield lake
    finally:
        lake.close()
