"""Files damaged behind our back are told by file, table and snapshot; a reader that does not is noticed."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.model.files import DataFile
from forklake.spark.reading import manifest
from tests.conftest import Place
from trust.surroundings.damage import DAMAGES, try_damage
from trust.surroundings.house import FEW, House, open_house
from trust.surroundings.tally import Tally


@pytest.fixture
def house(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[House]:
    """A table with data files and a delete file, and another table."""
    session = forklake.connect(spark=spark)
    with open_house(sqlite_place.url, tmp_path / "data", random.Random(3), session=session) as opened:
        opened.append(opened.new_rows(200))
        opened.lake.create_table("other", {"id": "bigint"})
        opened.lake.table("other").append([(1,)] * FEW)
        opened.delete_some()
        yield opened


@pytest.fixture
def tally() -> Tally:
    return Tally("a damaged file", 1, "")


def test_every_damage_to_a_data_file_is_told(house: House, tally: Tally) -> None:
    for damage in DAMAGES:
        try_damage(tally, house, "data", damage)
    assert tally.found == []


def test_damage_to_a_delete_file_is_told(house: House, tally: Tally) -> None:
    for damage in ("deleted", "shortened", "changed in its rows"):
        try_damage(tally, house, "delete", damage)
    assert tally.found == []


def test_a_reader_that_skips_damaged_files_is_noticed(
    house: House, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = manifest._lines

    def whole(storage: Any, files: Sequence[tuple[int, DataFile]]) -> list[str]:
        sizes = [(house.data / file.path, file.file_size_bytes) for _, file in files]
        there = [path.exists() and path.stat().st_size == size for path, size in sizes]
        return [line for line, is_whole in zip(every(storage, files), there, strict=True) if is_whole]

    monkeypatch.setattr(manifest, "_lines", whole)
    try_damage(tally, house, "data", "shortened")
    assert any("wrong rows were read" in wrong for wrong in tally.found)


def test_a_reader_that_believes_every_page_is_noticed(
    house: House, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(manifest._READ_OPTIONS, "parquet.page.verify-checksum.enabled", "false")
    for _ in range(4):
        try_damage(tally, house, "data", "changed in its rows")
    assert any("wrong rows were read" in wrong for wrong in tally.found)
