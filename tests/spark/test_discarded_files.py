"""What a statement or a transaction has written goes when it fails: data, delete files, checksums, folders."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

from forklake.errors import CommitConflict, ForklakeError
from forklake.spark.storage.storage import Storage
from tests.spark.conftest import Lakehouse

pytestmark = pytest.mark.every_backend

MANY = 1000
FAILS_LATE = "CASE WHEN id = 999 THEN raise_error('no') ELSE id END"


def everything(data: Path) -> set[Path]:
    """All files and folders."""
    return set(data.rglob("*"))


@pytest.fixture
def tables(local: Lakehouse) -> Lakehouse:
    """A lake with tables that Spark writes itself and that PyArrow writes, each of a thousand rows in files."""
    local.lake.create_table("plain", {"id": "bigint", "g": "bigint"})
    local.lake.create_table("parted", {"id": "bigint", "g": "bigint"}, partitioned_by=["g"])
    local.lake.set_option("data_inlining_row_limit", 0)
    for name in ("plain", "parted"):
        local.lake.table(name).append([(number, number % 3) for number in range(MANY)])
    return local


def rows(lakehouse: Lakehouse) -> Any:
    return lakehouse.spark.range(MANY).select("id", (F.col("id") % 5).alias("g"))


WRITES: dict[str, Callable[[Lakehouse, str], Any]] = {
    "append on the driver": lambda lh, t: lh.lake.table(t).append([(number, 7) for number in range(MANY)]),
    "append": lambda lh, t: lh.lake.table(t).append(rows(lh)),
    "overwrite": lambda lh, t: lh.lake.table(t).overwrite(rows(lh)),
    "delete": lambda lh, t: lh.session.sql(f"DELETE FROM {t} WHERE id % 2 = 0"),
    "update": lambda lh, t: lh.session.sql(f"UPDATE {t} SET id = id + 1 WHERE id % 2 = 0"),
    "merge": lambda lh, t: lh.lake.table(t).merge(rows(lh), on=["id"]),
    "insert": lambda lh, t: lh.session.sql(f"INSERT INTO {t} SELECT id, g + 10 FROM plain"),
    "create table as": lambda lh, t: lh.session.sql(f"CREATE TABLE n PARTITIONED BY (g) AS SELECT * FROM {t}"),
    "compaction": lambda lh, t: lh.lake.rewrite_data_files(t, delete_threshold=0.0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_transaction_that_is_rolled_back_leaves_nothing(tables: Lakehouse, write: Callable[..., Any]) -> None:
    tables.lake.table("plain").delete("id = 1")
    before = everything(tables.data)
    for name in ("plain", "parted"):
        tables.session.begin()
        write(tables, name)
        tables.session.rollback()
        assert everything(tables.data) == before


@pytest.mark.parametrize("name", ["plain", "parted"])
def test_a_job_that_fails_leaves_nothing(tables: Lakehouse, name: str) -> None:
    tables.spark.conf.set("spark.sql.files.maxRecordsPerFile", "0")
    before = everything(tables.data)
    for statement in (
        f"INSERT INTO {name} SELECT {FAILS_LATE}, g FROM (SELECT /*+ REPARTITION(4) */ * FROM plain)",
        f"UPDATE {name} SET id = {FAILS_LATE}",
        f"MERGE INTO {name} t USING (SELECT {FAILS_LATE} AS id, g FROM plain) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET g = 1",
        f"CREATE TABLE n PARTITIONED BY (g) AS SELECT {FAILS_LATE} AS id, g FROM plain",
        f"CREATE TABLE n AS SELECT {FAILS_LATE} AS id, g FROM plain",
    ):
        with pytest.raises(ForklakeError):
            tables.session.sql(statement)
        assert everything(tables.data) == before


@pytest.mark.parametrize("name", ["plain", "parted"])
def test_a_job_that_fails_looks_for_files_in_its_own_folder_alone(
    tables: Lakehouse, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    walked: list[str] = []
    walk = Storage.walk

    def recorded(storage: Storage, folder: str) -> Any:
        walked.append(folder)
        return walk(storage, folder)

    monkeypatch.setattr(Storage, "walk", recorded)
    with pytest.raises(ForklakeError):
        tables.session.sql(f"INSERT INTO {name} SELECT {FAILS_LATE}, g FROM plain")
    assert [Path(folder).parent.name for folder in walked] == [name]


def test_files_of_tasks_that_ended_well_go_with_the_job(tables: Lakehouse) -> None:
    """Tasks write partitions one after the other: some have written all of theirs when another fails."""
    before = everything(tables.data)
    failing = tables.spark.range(MANY).select(
        F.expr("CASE WHEN id = 999 THEN raise_error('no') ELSE id END").alias("id"), (F.col("id") % 50).alias("g")
    )
    with pytest.raises(ForklakeError):
        tables.lake.table("parted").append(failing.repartition(8))
    assert everything(tables.data) == before


def test_a_commit_that_conflicts_leaves_nothing(tables: Lakehouse) -> None:
    other = tables.session.cursor()
    tables.session.begin()
    tables.session.sql("UPDATE plain SET id = id + 1")
    other.sql("INSERT INTO plain VALUES (1, 1)")
    before = everything(tables.data) - _written(tables)
    with pytest.raises(CommitConflict):
        tables.session.commit()
    assert everything(tables.data) == before


def _written(lakehouse: Lakehouse) -> set[Path]:
    """What the open transaction has put into the data path, checksums and folders included."""
    open_now = lakehouse.session._state.transactions._open
    assert open_now is not None
    paths = [lakehouse.data / path for tx in open_now.by_name.values() for path in tx.written.paths]
    jobs = {path.parent for path in paths if len(path.parent.name) == 36}
    return {*paths, *jobs, *(found for job in jobs for found in job.rglob("*"))}


def test_a_session_that_is_closed_in_a_transaction_leaves_nothing(tables: Lakehouse) -> None:
    before = everything(tables.data)
    tables.session.begin()
    tables.lake.table("plain").append(rows(tables))
    tables.session.close()
    assert everything(tables.data) == before


def test_a_table_that_its_own_transaction_drops_leaves_nothing(tables: Lakehouse) -> None:
    before = everything(tables.data)
    with tables.session.transaction():
        tables.lake.create_table_as("n", rows(tables))
        tables.lake.drop_table("n")
    assert everything(tables.data) == before


@pytest.mark.parametrize("name", ["plain", "parted"])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {} WHERE id = {}",
        "UPDATE {} SET g = g + 1 WHERE id % 3 = {}",
        "INSERT OVERWRITE {} SELECT id, g FROM plain WHERE id % 3 = {}",
    ],
    ids=["DELETE", "UPDATE", "INSERT OVERWRITE"],
)
def test_a_transaction_that_changes_rows_twice_leaves_what_it_commits_alone(
    tables: Lakehouse, name: str, statement: str
) -> None:
    with tables.session.transaction():
        for number in (1, 2):
            tables.session.sql(statement.format(name, number))
    assert tables.lake.verify() == []


def test_a_commit_of_which_nobody_knows_keeps_its_files(tables: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the user interrupts it: it may have happened."""

    def interrupted(transaction: Any, mine: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("forklake.catalog.transaction.commit._commit_with_retries", interrupted)
    before = everything(tables.data)
    with pytest.raises(KeyboardInterrupt):
        tables.lake.table("plain").append([(number, 1) for number in range(MANY)])
    [left] = everything(tables.data) - before
    assert left.suffix == ".parquet"
