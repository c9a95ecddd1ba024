"""Paths of a lake's files, in every spelling under which metadata may name them."""

import pytest

from forklake.spark.storage.storage import Storage


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
