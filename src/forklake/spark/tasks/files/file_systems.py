"""The file system of a local path or URL, for the driver and for tasks.

One per process, place and secret: a new one for an object store opens new connections. Paths are used as they are
written: nothing in a URL is an escape.
"""

import os
import re
from functools import lru_cache
from typing import Any

from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.model.data_paths import usual_scheme
from forklake.model.store_secrets import CONFIG, NO_SECRETS, Secret, StoreSecrets

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_S3_NAMES = {
    "access_key": "KEY_ID",
    "secret_key": "SECRET",
    "session_token": "SESSION_TOKEN",
    "role_arn": "ASSUME_ROLE_ARN",
    "session_name": "SESSION_NAME",
    "external_id": "EXTERNAL_ID",
}
_AZURE_NAMES = {"tenant_id": "TENANT_ID", "client_id": "CLIENT_ID", "client_secret": "CLIENT_SECRET"}
_FILE_URL = re.compile(r"file://[^/]*(/.*)", re.IGNORECASE | re.DOTALL)


def file_system_at(place: str, secrets: StoreSecrets = NO_SECRETS) -> tuple[fs.FileSystem, str]:
    """The file system of an absolute local path or a URL, and the path in it.

    Its credentials are those of the secret for the place; without one, those that the environment has.

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
            " Credentials are taken from secrets and the environment, not from URLs."
        )
    secret = secrets.for_path(place)
    if secret is not None and secret.speaks_s3:
        return _s3(os.getpid(), authority, secret), path
    if secret is not None and secret.type == "azure":
        container, _, host = authority.rpartition("@")
        return _azure(os.getpid(), host, secret), container + path.removeprefix(authority)
    if scheme == "s3":
        return _s3(os.getpid(), authority, None), path
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
def _s3(_process: int, bucket: str, secret: Secret | None) -> fs.FileSystem:
    """What the secret leaves open is taken from the environment.

    Clients do not survive a fork of the process, so its number is part of the key.
    """
    server = (None if secret is None else secret.endpoint) or _from_environment(_ENDPOINTS) or ""
    region = (None if secret is None else secret.region) or _from_environment(_REGIONS)
    scheme, _, host = server.rstrip("/").rpartition("://")
    # A delayed open asks nothing before the first byte is written.
    given: dict[str, Any] = {"allow_delayed_open": True, **_s3_credentials(secret)}
    if not host:
        has_region = secret is not None and secret.region is not None
        return fs.S3FileSystem(region=region if has_region else _region_of(bucket, region), **given)
    return fs.S3FileSystem(
        region=region or "us-east-1",
        scheme=scheme or "https",
        endpoint_override=host,
        force_virtual_addressing=secret is not None and secret.url_style == "vhost",
        **given,
    )


def _s3_credentials(secret: Secret | None) -> dict[str, Any]:
    if secret is None:
        return {}
    if secret.provider == CONFIG and secret.get("SECRET") is None:
        return {"anonymous": True}
    return {name: value for name, key in _S3_NAMES.items() if (value := secret.get(key)) is not None}


@lru_cache
def _azure(_process: int, host: str, secret: Secret) -> fs.FileSystem:
    given = {name: value for name, key in _AZURE_NAMES.items() if (value := secret.get(key)) is not None}
    return fs.AzureFileSystem(host.partition(".")[0], account_key=secret.connection.get("AccountKey"), **given)


def _from_environment(names: tuple[str, ...]) -> str | None:
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def _region_of(bucket: str, otherwise: str | None) -> str:
    """The region of a bucket, which need not be that of this machine."""
    try:
        region: str = fs.resolve_s3_region(bucket)
    except OSError:
        if otherwise is None:
            raise
        return otherwise
    return region
