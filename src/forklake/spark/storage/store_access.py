"""Whether a data path in an object store can be accessed, and if not, why: in one line, without credentials."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pyarrow import fs

from forklake.errors import InvalidInput, UnreachableDataPath
from forklake.model.data_paths import usual_scheme
from forklake.model.store_secrets import StoreSecrets
from forklake.spark.storage.storage import MARK, Storage, storage_at

_STORES = ("s3://", "gs://", "abfss://")
_NO_CONNECTION = re.compile(r"NETWORK_CONNECTION|REQUEST_TIMEOUT|curlCode|[Cc]ould not resolve|[Cc]onnection refused")
_NO_STORE = "there is no connection to the store"
_NO_CONNECTION_TO = re.compile(r"When [^:]*: AWS Error NETWORK_CONNECTION during \w+ operation: (.*)", re.DOTALL)
_NO_BUCKET = re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|ContainerNotFound")
_DETAIL = re.compile(r"AWS Error (?P<code>[A-Z_]+) .*?operation: (?P<message>.*?)(?: ?\(Request ID.*)?$", re.DOTALL)
_EXCEPTION = re.compile(r"Unable to parse ExceptionName: (\w+) Message: ")
_OF_AWS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SHARED_CREDENTIALS_FILE",
)


def check_access(data_path: str, secrets: StoreSecrets) -> None:
    """Check that files below a data path can be read; it is neither listed as a whole nor written.

    Raises UnreachableDataPath with the reason. Paths outside of object stores are not looked at.
    """
    if not usual_scheme(data_path).startswith(_STORES):
        return
    try:
        storage = storage_at(data_path, secrets)
    except InvalidInput as error:
        raise UnreachableDataPath(_NO_CONNECTION_TO.sub(rf"{_NO_STORE} (\1)", str(error))) from None
    try:
        _look(storage)
    except OSError as error:
        reason = access_problem(error, storage)
        raise UnreachableDataPath(f"The data path '{storage.root}' cannot be used: {reason}.") from None


def _look(storage: Storage) -> None:
    """Raise the most telling error of the store, if it refuses to read."""
    try:
        storage.files.open_input_stream(storage.prefix + MARK).close()
        return
    except FileNotFoundError:
        pass
    except OSError as error:
        if not _NO_CONNECTION.search(str(error)):
            # An answer about one object has no text.
            _list(storage)
        raise
    bucket = storage.prefix.partition("/")[0]
    # Some may read objects, and not ask for the bucket.
    with suppress(PermissionError):
        if _type_of(storage, bucket) == fs.FileType.NotFound:
            _list(storage)
            raise FileNotFoundError("NO_SUCH_BUCKET")


def _type_of(storage: Storage, bucket: str) -> fs.FileType:
    try:
        return storage.files.get_file_info(bucket).type
    except OSError as error:
        raise PermissionError(str(error)) from error


def _list(storage: Storage) -> None:
    storage.files.get_file_info(fs.FileSelector(storage.prefix.rstrip("/"), allow_not_found=True))


def access_problem(error: OSError, storage: Storage) -> str:
    """Why a store has refused something, in words that say what to change."""
    text = str(error)
    if storage.is_local:
        return text.rstrip(".")
    bucket = storage.root.split("/")[2]
    if _NO_BUCKET.search(text):
        return f"there is no bucket '{bucket}', or not for these credentials"
    found = _DETAIL.search(text)
    detail = _EXCEPTION.sub(r"\1, ", found["message"]).rstrip(". ") if found is not None else text.partition("\n")[0]
    if _NO_CONNECTION.search(text):
        return f"{_NO_STORE} ({detail}); check the network, ENDPOINT and AWS_ENDPOINT_URL"
    if found is None:
        return detail.rstrip(".")
    code = found["code"] if found["message"].startswith("No response body") else detail
    secret = storage.secrets.for_path(storage.root)
    if secret is not None:
        return f"the store refuses the credentials of secret '{secret.name}', or what they ask for ({code})"
    if _has_credentials():
        return f"the store refuses the credentials of the environment, or what they ask for ({code})"
    return f"the store refuses access ({code}), and neither a secret for this path nor the environment has credentials"


def _has_credentials(environment: Callable[[str], str | None] = os.environ.get) -> bool:
    """Whether the environment names credentials; those of a machine's role are known to the machine only."""
    return any(environment(name) for name in _OF_AWS) or any(
        (Path.home() / ".aws" / name).exists() for name in ("credentials", "config")
    )
