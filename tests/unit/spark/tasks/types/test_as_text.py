"""Values of files are shown as the texts that Spark shows."""

from uuid import UUID

import pyarrow as pa
import pytest

from forklake.spark.tasks.types.as_text import as_text

_DAY = 86_400 * 10**6


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "00:00:00"),
        (36_000 * 10**6, "10:00:00"),
        (45_296_500_000, "12:34:56.5"),
        (_DAY - 1, "23:59:59.999999"),
        (_DAY, "24:00:00"),
        (None, None),
    ],
)
def test_times_have_as_many_digits_as_they_need(micros: int | None, text: str | None) -> None:
    assert as_text(pa.array([micros], pa.int64()).cast(pa.time64("us"))).to_pylist() == [text]


def test_uuids_are_written_in_lower_case_with_dashes() -> None:
    texts = ["01234567-89ab-4def-8123-456789abcdef", None, "ffffffff-ffff-ffff-ffff-ffffffffffff"]
    raw = pa.array([None if text is None else UUID(text).bytes for text in texts], pa.binary(16))
    assert as_text(raw).to_pylist() == texts
    assert as_text(pa.ExtensionArray.from_storage(pa.uuid(), raw.slice(1))).to_pylist() == texts[1:]
    assert as_text(raw.slice(0, 0)).to_pylist() == []


def test_json_stays_as_it_was_written() -> None:
    texts = pa.array(['{"a":  1}', None])
    assert as_text(pa.ExtensionArray.from_storage(pa.json_(), texts)).equals(texts)
