"""The file system of a place, and the path in it."""

import os

import pytest
from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.model.data_paths import absolute_folder, as_pattern, usual_scheme
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
    with pytest.raises(InvalidInput, match="Credentials are taken from the environment") as raised:
        file_system_at("s3://KEY:SECRET@bucket/x/")
    assert "SECRET" not in str(raised.value)
