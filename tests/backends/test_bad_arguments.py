"""Arguments in Python that mean nothing are refused with an error of ours, and nothing is written."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.errors import InvalidInput, InvalidRows
from tests.attached import attach_main
from tests.conftest import Place


@pytest.fixture
def lake(sqlite_place: Place, tmp_path: Path) -> Iterator[CatalogHandle]:
    with forklake.connect() as session:
        found = attach_main(session, sqlite_place, tmp_path)
        found.create_table("t", {"id": "bigint"}).append([{"id": 1}])
        yield found


BAD: list[Callable[[Any, Any], object]] = [
    lambda t, _: t.append([{1: 1}]),
    lambda t, _: t.append(pd.DataFrame([[1, 2]], columns=["id", "id"])),
    lambda t, _: t.append([{"id": 2}], by="x"),
    lambda t, _: t.overwrite([{"id": 2}], by="x"),
    lambda t, _: t.scan(5),
    lambda t, _: t.count(5),
    lambda t, _: t.delete(5),
    lambda t, _: t.scan(columns=[]),
    lambda t, _: t.to_spark(columns=[]),
    lambda t, _: t.scan(columns="id"),
    lambda t, _: t.scan(columns=[5]),
    lambda t, _: t.scan(version="1"),
    lambda t, _: t.scan(timestamp="2026-01-01"),
    lambda t, _: t.min(None),
    lambda t, _: t.max([1]),
    lambda t, _: t.merge([], "id", "x"),
    lambda _, lake: lake.create_table("bad", [("a", "int")]),
]


@pytest.mark.parametrize("call", BAD)
def test_a_bad_argument_is_refused(lake: CatalogHandle, call: Callable[[Any, Any], object]) -> None:
    before = len(lake.snapshots())
    with pytest.raises((InvalidInput, InvalidRows)):
        call(lake.table("t"), lake)
    assert len(lake.snapshots()) == before


def test_a_parameter_without_a_question_mark_is_refused(lake: CatalogHandle) -> None:
    session = forklake.connect()
    with pytest.raises(InvalidInput, match=r"0 parameters \(\?\), but 1 values"):
        session.sql("SELECT 1", [5])
