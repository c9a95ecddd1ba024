"""The file system of a place, and the path in it."""

import os

import pytest
from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.model.data_paths import absolute_folder, as_pattern, usual_scheme
from forklake.model.store_secrets import StoreSecrets, read_secret
from forklake.spark.tasks.files.file_systems import file_system_at


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("/srv/a b%20ä/", "/srv/a b%20ä/"),
        ("file:///srv/a b%20ä/", "/srv/a b%20ä/"),
        ("FILE://host/srv/", "/srv/"),
        ("mock:///bucket/a", "bucket/a"),
    ],
)
def test_a_path_is_used_as_it_is_written(place: str, path: str) -> None:
    assert file_system_at(place)[1] == path


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n", "S3"])
def test_a_bucket_has_one_file_system_under_every_spelling(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    files, path = file_system_at(f"{scheme}://bucket/a b%20+ä")
    assert isinstance(files, fs.S3FileSystem)
    assert path == "bucket/a b%20+ä"
    assert files is file_system_at("s3://bucket/other")[0]
    assert files is not file_system_at("s3://another/other")[0]


def test_a_local_folder_is_absolute_and_a_url_has_its_usual_scheme() -> None:
    assert absolute_folder("data") == f"{os.getcwd()}/data/"
    assert absolute_folder("s3a://bucket/x") == "s3://bucket/x/"
    assert usual_scheme("GCS://bucket") == "gs://bucket"


def test_a_pattern_of_a_path_escapes_what_has_a_meaning_in_patterns() -> None:
    assert as_pattern("/a b/[x]*{y,z}?\\") == r"/a b/\[x\]\*\{y,z\}\?\\"


def test_credentials_in_a_url_are_refused_and_not_shown() -> None:
    with pytest.raises(InvalidInput, match="Credentials are taken from secrets") as raised:
        file_system_at("s3://KEY:SECRET@bucket/x/")
    assert "SECRET" not in str(raised.value)


def secrets(**given: object) -> StoreSecrets:
    keys = {"TYPE": "s3", "KEY_ID": "me", "SECRET": "hush", "ENDPOINT": "http://127.0.0.1:1"}
    return StoreSecrets((read_secret("x", {**keys, **given}),))


def test_each_secret_has_its_own_file_system_as_long_as_it_is_the_same() -> None:
    first, path = file_system_at("s3://bucket/x", secrets())
    assert path == "bucket/x"
    assert first is file_system_at("s3a://bucket/y", secrets())[0]
    assert first is not file_system_at("s3://bucket/x", secrets(SECRET="changed"))[0]
    assert first is not file_system_at("s3://bucket/x", secrets(SESSION_TOKEN="token"))[0]


def test_google_is_spoken_to_like_amazon_if_there_is_a_secret() -> None:
    files, path = file_system_at("gcs://bucket/x", secrets(TYPE="gcs", SCOPE="gs://bucket"))
    assert isinstance(files, fs.S3FileSystem)
    assert path == "bucket/x"


@pytest.mark.parametrize(
    "given",
    [
        {"CONNECTION_STRING": "AccountName=here;AccountKey=aGVsbG8="},
        {
            "PROVIDER": "service_principal",
            "ACCOUNT_NAME": "here",
            "TENANT_ID": "t",
            "CLIENT_ID": "c",
            "CLIENT_SECRET": "hush",
        },
    ],
)
def test_a_storage_account_of_azure_has_its_secret(given: dict[str, object]) -> None:
    known = StoreSecrets((read_secret("x", {"TYPE": "azure", **given}),))
    files, path = file_system_at("abfss://box@here.dfs.core.windows.net/a b/x", known)
    assert isinstance(files, fs.AzureFileSystem)
    assert path == "box/a b/x"
