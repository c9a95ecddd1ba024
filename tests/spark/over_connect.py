"""Over Spark Connect, lists of files stay in the lake's storage. Run with FORKLAKE_TEST_SPARK=connect."""

import gc
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest
from pyspark.sql import DataFrame

from forklake.api.table import TableHandle
from forklake.errors import DamagedFile
from tests.spark.conftest import Lakehouse
from tests.spark.inside import environment, files_below, paths


@pytest.fixture
def table(local: Lakehouse) -> TableHandle:
    """A file with a deleted row, and a longer one without."""
    made = local.lake.create_table("t", {"id": "int", "name": "varchar"})
    for start, end in ((0, 100), (100, 500)):
        made.append([(n, f"n{n}") for n in range(start, end)])
    made.delete("id = 7")
    return made


def lists(lakehouse: Lakehouse) -> set[Path]:
    gc.collect()
    return {path for path in (lakehouse.data / "main" / "_scans").rglob("0") if path.is_file()}


def later(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    """Let time pass."""
    monkeypatch.setattr("forklake.spark.reading.connect_manifests.monotonic", lambda: monotonic() + seconds)


def ids(frame: DataFrame) -> list[int]:
    return sorted(row.id for row in frame.collect())


def test_a_list_stays_while_a_dataframe_may_ask_for_it(
    local: Lakehouse, table: TableHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = lists(local)
    kept = table.to_spark().where("id < 3").select("id")
    found = lists(local) - before
    assert len(found) == 2, "one of the file with deleted rows, one of the other"
    later(monkeypatch, 10_000)
    table.to_spark()
    assert found <= lists(local)
    assert ids(kept) == [0, 1, 2]


def test_a_list_goes_an_hour_after_the_last_dataframe(
    local: Lakehouse, table: TableHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.to_spark()
    found = lists(local)
    later(monkeypatch, 3_000)
    table.to_spark()
    assert found <= lists(local)
    later(monkeypatch, 10_000)
    table.to_spark()
    assert not found & lists(local)


def test_the_result_of_a_statement_keeps_its_lists(
    local: Lakehouse, table: TableHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = local.session.sql("SELECT id FROM lake.t WHERE id < 9").to_spark()
    gc.collect()
    later(monkeypatch, 10_000)
    table.to_spark()
    assert ids(result) == [0, 1, 2, 3, 4, 5, 6, 8]


def test_queries_of_the_users_own_read_dataframes_that_are_gone(local: Lakehouse, table: TableHandle) -> None:
    result = local.spark.sql("SELECT id FROM {t} WHERE id < 3", t=table.to_spark())
    gc.collect()
    table.to_spark()
    assert ids(result) == [0, 1, 2]


def test_a_view_on_the_server_needs_no_list(
    local: Lakehouse, table: TableHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.to_spark().createOrReplaceTempView("over")
    found = lists(local)
    later(monkeypatch, 10_000)
    table.to_spark()
    assert not found & lists(local)
    assert ids(local.spark.table("over").where("id < 3")) == [0, 1, 2]
    local.spark.catalog.dropTempView("over")


def test_lists_that_a_killed_process_has_left_are_orphans(local: Lakehouse, table: TableHandle) -> None:
    frame = table.to_spark()
    left = lists(local)
    assert left
    long_ago = (datetime.now(UTC) - timedelta(days=30)).timestamp()
    for path in left:
        os.utime(path, (long_ago, long_ago))
    data = files_below(local.data)
    assert set(map(Path, local.lake.delete_orphaned_files())) == left
    assert not any((local.data / "main" / "_scans").iterdir()), "folders go with them"
    assert files_below(local.data) == data
    del frame


def test_verifying_does_not_take_lists_for_files_of_nobody(local: Lakehouse, table: TableHandle) -> None:
    frame = table.to_spark()
    assert lists(local)
    assert local.lake.verify() == []
    del frame


def test_a_missing_file_is_named(local: Lakehouse, table: TableHandle) -> None:
    [first, _] = paths(local, table)
    first.unlink()
    with pytest.raises(DamagedFile, match=first.name):
        table.scan().fetchall()
    with pytest.raises(DamagedFile, match=first.name):
        local.session.sql("SELECT sum(id) FROM lake.t").fetchall()


def test_the_data_path_may_have_any_name(local: Lakehouse, tmp_path: Path) -> None:
    lake = local.session.attach(
        f"sqlite:{tmp_path / 'other.db'}",
        "other",
        catalog="main",
        data_path=str(tmp_path / "a b" / "[ab]*" / "ä%20?{x,y}"),
        create_if_not_exists=True,
    )
    table = lake.create_table("t", {"id": "int"})
    table.append(local.spark.range(5).selectExpr("CAST(id AS INT) AS id"))
    table.delete("id = 3")
    assert ids(table.to_spark()) == [0, 1, 2, 4]


FROM_THE_ENVIRONMENT = """
import forklake
with forklake.connect() as session:
    lake = session.attach("lake.db", "lake", catalog="main", data_path="data", create_if_not_exists=True)
    table = lake.create_table("t", {"id": "bigint"})
    table.append(session.spark.range(5))
    assert table.to_spark().count() == 5
    kept = session.sql("SELECT sum(id) AS s FROM lake.t").to_spark()
    assert kept.collect()[0].s == 10
"""


def test_the_environment_names_the_server_and_the_end_of_a_process_leaves_no_lists(server: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FROM_THE_ENVIRONMENT],
        cwd=tmp_path,
        env={**environment(), "SPARK_REMOTE": server},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not list((tmp_path / "data").rglob("_spark_metadata"))
