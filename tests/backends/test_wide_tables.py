"""Tables of many columns: the work of an append grows with them, not with their square."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import forklake
from tests.attached import attach_main
from tests.conftest import Place

NARROW, WIDE = 300, 1200


def calls(action: Callable[[], object]) -> int:
    """How many functions of Python are called."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def test_the_work_of_an_append_grows_with_the_columns(sqlite_place: Place, tmp_path: Path) -> None:
    work = []
    with forklake.connect() as session:
        attach_main(session, sqlite_place, tmp_path)
        for width in (NARROW, NARROW, WIDE):
            names = [f"c{at}" for at in range(width)]
            session.sql(f"CREATE OR REPLACE TABLE t ({', '.join(f'{name} BIGINT' for name in names)})")
            values = ", ".join("1234567890123456" for _ in names)
            insert = f"INSERT INTO t ({', '.join(names)}) VALUES ({values})"
            work.append(calls(partial(session.sql, insert)))
    _, narrow, wide = work
    assert wide < narrow * WIDE / NARROW * 1.25
