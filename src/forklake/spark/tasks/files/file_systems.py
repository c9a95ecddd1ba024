"""The file system of a local path or URL, for the driver and for tasks.

One per process and place: a new one for an object store opens new connections. Paths are used as they are written:
nothing in a URL is an escape.
"""

import os
import re
from functools import lru_cache

from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.model.data_paths import usual_scheme

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_FILE_URL = re.compile(r"file://[^/]*(/.*)", re.IGNORECASE | re.DOTALL)


def file_system_at(place: str) -> tuple[fs.FileSystem, str]:
    """The file system of an absolute local path or a URL, and the path in it.

    Raises what PyArrow raises for other schemes, without credentials, and if the region of a bucket cannot be found.
    """
    if (local := _FILE_URL.fullmatch(place)) is not None:
        return fs.LocalFileSystem(), local[1]
    scheme, separator, path = usual_scheme(place).partition("://")
    if not separator:
        return fs.LocalFileSystem(), place
    authority = path.partition("/")[0]
    if scheme in ("s3", "gs") and "@" in authority:
        raise InvalidInput(
            f"A {scheme}:// URL begins with the name of a bucket."
            " Credentials are taken from the environment, not from URLs."
        )
    if scheme == "s3":
        return _s3(os.getpid(), authority), path
    if scheme == "gs":
        return _gcs(os.getpid()), path
    files, start = _other(os.getpid(), f"{scheme}://{authority}/")
    return files, start + path.removeprefix(authority).removeprefix("/")


@lru_cache
def _gcs(_process: int) -> fs.FileSystem:
    return fs.GcsFileSystem()


@lru_cache
def _other(_process: int, url: str) -> tuple[fs.FileSystem, str]:
    files, path = fs.FileSystem.from_uri(url)
    return files, path if path in ("", "/") else path.rstrip("/") + "/"


@lru_cache
def _s3(_process: int, bucket: str) -> fs.FileSystem:
    """Clients do not survive a fork of the process, so its number is part of the key."""
    endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), None)
    region = next((os.environ[name] for name in _REGIONS if os.environ.get(name)), None)
    # A delayed open asks nothing before the first byte is written.
    if endpoint is None:
        return fs.S3FileSystem(region=_region_of(bucket, region), allow_delayed_open=True)
    scheme, separator, host = endpoint.partition("://")
    return fs.S3FileSystem(
        region=region or "us-east-1",
        scheme=scheme if separator else "https",
        endpoint_override=(host if separator else endpoint).rstrip("/"),
        allow_delayed_open=True,
    )


def _region_of(bucket: str, otherwise: str | None) -> str:
    """The region of a bucket, which need not be that of this machine."""
    try:
        region: str = fs.resolve_s3_region(bucket)
    except OSError:
        if otherwise is None:
            raise
        return otherwise
    return region
