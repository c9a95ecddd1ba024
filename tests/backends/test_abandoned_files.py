"""Files that a committed transaction has itself replaced or dropped, and errors while files are discarded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.errors import InvalidRows
from tests.attached import attach_main
from tests.conftest import Place

MANY = [(number,) for number in range(1000)]


@pytest.fixture
def lake(session: Session, place: Place, tmp_path: Path) -> CatalogHandle:
    """With tables `o` and `p`, each of which has a file."""
    lake = attach_main(session, place, tmp_path)
    for name in ("o", "p"):
        lake.create_table(name, {"id": "bigint"}).append(MANY)
    return lake


ABANDON: dict[str, Callable[[Session, CatalogHandle], Any]] = {
    "DROP": lambda session, lake: lake.drop_table("o"),
    "TRUNCATE": lambda session, lake: session.sql("TRUNCATE TABLE o"),
    "overwrite": lambda session, lake: lake.table("o").overwrite([(1,)]),
    "CREATE OR REPLACE": lambda session, lake: lake.create_table("o", {"id": "int"}, or_replace=True),
}


@pytest.mark.parametrize("abandon", ABANDON.values(), ids=ABANDON)
def test_a_commit_leaves_no_file_that_its_own_transaction_has_abandoned(
    session: Session, lake: CatalogHandle, abandon: Callable[[Session, CatalogHandle], Any]
) -> None:
    with session.transaction():
        lake.table("o").append(MANY)
        abandon(session, lake)
        lake.table("p").append(MANY)
    assert lake.delete_orphaned_files(cleanup_all=True, dry_run=True) == []
    assert lake.verify(deep=True) == []
    assert lake.table("p").count() == 2000


def test_a_file_that_somebody_names_stays(session: Session, lake: CatalogHandle, tmp_path: Path) -> None:
    [known] = (path for path in tmp_path.rglob("*.parquet") if path.parent.name == "o")
    with session.transaction():
        lake.table("p").append(MANY)
        open_now = session._state.transactions._open
        assert open_now is not None
        [transaction] = open_now.by_name.values()
        transaction.written.paths.add(str(known.relative_to(tmp_path / "data")))
    assert known.exists()


@pytest.mark.parametrize("error", [pa.ArrowInvalid("odd"), RuntimeError("odd"), KeyboardInterrupt()])
def test_whatever_fails_while_files_are_discarded_hides_no_error(
    session: Session, lake: CatalogHandle, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("forklake.maintenance.cleanup.discard_files.unknown_paths", fail)

    def append_and_fail() -> None:
        with session.transaction():
            lake.table("p").append(MANY)
            lake.table("p").append([("x",)])

    with pytest.raises(InvalidRows):
        append_and_fail()
    assert lake.table("p").count() == 1000


def test_an_interrupt_while_files_of_a_rollback_are_discarded_is_told(
    session: Session, lake: CatalogHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("forklake.maintenance.cleanup.discard_files.unknown_paths", interrupt)
    session.begin()
    lake.table("p").append(MANY)
    with pytest.raises(KeyboardInterrupt):
        session.rollback()
    assert lake.table("p").count() == 1000
