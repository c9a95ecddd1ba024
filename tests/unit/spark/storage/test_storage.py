"""Paths of a lake's files, in every spelling under which metadata may name them."""

import pytest

from forklake.errors import InvalidInput
from forklake.model.store_secrets import Secret, StoreSecrets, read_secret
from forklake.spark.storage.storage import Storage, spark_place


@pytest.mark.parametrize("scheme", ["gs", "gcs"])
def test_a_file_is_known_under_every_scheme_of_its_storage(scheme: str) -> None:
    storage = Storage(f"{scheme}://bucket/lake/")
    assert {f"{each}://bucket/lake/main/t/x.parquet" for each in ("gs", "gcs")} <= set(
        storage.spellings("main/t/x.parquet")
    )
    assert storage.stored_path(f"{scheme}://bucket/lake/main/t/x.parquet") == "main/t/x.parquet"


@pytest.mark.parametrize("scheme", ["gs", "gcs"])
def test_a_file_outside_of_the_data_path_is_known_under_every_scheme(scheme: str) -> None:
    storage = Storage("/srv/lake/")
    stored = storage.stored_path(f"{scheme}://bucket/x.parquet")
    assert {"gs://bucket/x.parquet", "gcs://bucket/x.parquet"} <= set(storage.spellings(stored))


def keys(name: str, scope: str | None = None, type_: str = "s3") -> Secret:
    given = {"TYPE": type_, "KEY_ID": "me", "SECRET": "hush", "ENDPOINT": "http://127.0.0.1:1", "SCOPE": scope}
    return read_secret(name, given)


def test_spark_knows_s3_by_another_scheme_after_each_change_of_secrets() -> None:
    before, after = StoreSecrets((keys("x"),)), StoreSecrets((keys("x"),), 2)
    assert Storage("s3://b/lake/", before).uri("a b") == "s3a://b/lake/a%20b"
    assert Storage("s3://b/lake/", after).uri("a b") == "s3a-2://b/lake/a%20b"
    assert Storage("s3://b/lake/", after).folder("x") == "s3a-2://b/lake/x"
    assert Storage("/lake/", after).uri("s3://other/x", is_relative=False) == "s3a-2://other/x"
    assert spark_place("S3n://b/x*", after) == "s3a-2://b/x*"
    for place in ("/a/b", "file:///a", "hdfs://b/x", "a/b", "abfss://c@a.dfs.core.windows.net/x", "gs://b/x"):
        assert spark_place(place, after) == place


def test_google_is_s3_for_spark_if_there_is_a_secret() -> None:
    found = StoreSecrets((keys("x", "gs://b", "gcs"),))
    assert spark_place("gcs://b/x", found) == "s3a://b/x"
    assert spark_place("gcs://c/x", found) == "gs://c/x"


def test_spark_cannot_use_two_secrets_in_one_bucket() -> None:
    found = StoreSecrets((keys("any"), keys("one", "s3://b/one"), keys("two", "s3://b/one/two")))
    assert spark_place("s3://b/one/x", found) == "s3a://b/one/x"
    for path in ("s3://b/one/two/x", "s3://b/other"):
        with pytest.raises(InvalidInput, match="that of secret 'one' for 's3://b', which is not for this path"):
            spark_place(path, found)
