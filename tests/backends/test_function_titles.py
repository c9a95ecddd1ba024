"""The titles of what our own functions give when they are called in SELECT, which needs no Spark."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import forklake
from forklake.api.session import Session
from tests.attached import attach_main
from tests.conftest import Place


@pytest.fixture
def session(sqlite_place: Place, tmp_path: Path) -> Iterator[Session]:
    opened = forklake.connect()
    attach_main(opened, sqlite_place, tmp_path)
    yield opened
    opened.close()


def test_the_only_column_of_a_function_gets_the_alias(session: Session) -> None:
    [plain] = session.sql("SELECT ducklake_current_snapshot('lake')").to_arrow().to_pylist()
    [titled] = session.sql("SELECT ducklake_current_snapshot('lake') AS x").to_arrow().to_pylist()
    [quoted] = session.sql("SELECT current_snapshot() `a b`").to_arrow().to_pylist()
    assert titled == {"x": plain["id"]}
    assert quoted == {"a b": plain["id"]}


def test_several_columns_of_a_function_are_structs_under_the_alias(session: Session) -> None:
    rows = session.sql("SELECT ducklake_fork_catalog('lake', 'b') AS x").to_arrow().to_pylist()
    [same] = (
        session.sql("SELECT * FROM ducklake_fork_catalog('lake', 'b', if_not_exists => true)").to_arrow().to_pylist()
    )
    assert rows == [{"x": {**same, "created": True}}]


def test_no_rows_of_a_function_have_the_alias_too(session: Session) -> None:
    found = session.sql("SELECT ducklake_table_info('lake') AS x").to_arrow()
    assert (found.column_names, found.num_rows) == (["x"], 0)
