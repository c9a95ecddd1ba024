"""Tables whose files are on S3. Run with FORKLAKE_TEST_STORE=s3."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from forklake.api.catalog import CatalogHandle
from forklake.errors import ForklakeError
from tests.s3_server import BUCKET, S3Server
from tests.spark.conftest import Lakehouse

KEY = "a b/ä%20?/a+b&c=d/[ab]*{x,y}/" + "x" * 200


def attach(lakehouse: Lakehouse, folder: Path, url: str) -> CatalogHandle:
    return lakehouse.session.attach(
        f"sqlite:{folder / 'other.db'}", "other", catalog="main", data_path=url, create_if_not_exists=True
    )


@pytest.fixture
def other(local: Lakehouse) -> Iterator[Lakehouse]:
    yield local
    local.session.sql("DETACH DATABASE IF EXISTS other")


def test_a_data_path_may_have_any_name(other: Lakehouse, tmp_path: Path, s3: S3Server) -> None:
    attach(other, tmp_path, f"s3://{BUCKET}/{KEY}")
    run = other.session.sql
    # Spark writes the first table, PyArrow the second.
    run("CREATE TABLE other.plain AS SELECT id, CAST(id AS STRING) AS name FROM range(1000)")
    run("CREATE TABLE other.lists AS SELECT id, array(id) AS ids, id % 3 AS k FROM range(1000)")
    run("ALTER TABLE other.lists SET PARTITIONED BY (k)")
    for table in ("plain", "lists"):
        run(f"INSERT INTO other.{table} SELECT * FROM other.{table} WHERE id < 10")
        run(f"UPDATE other.{table} SET id = id + 1000 WHERE id >= 900")
        run(f"DELETE FROM other.{table} WHERE id % 2 = 1")
        assert run(f"SELECT count(*), sum(id) FROM other.{table}").fetchall() == [(505, 299520)], table
    run("CALL ducklake_merge_adjacent_files('other')")
    run("CALL ducklake_rewrite_data_files('other', delete_threshold => 0)")
    run("CALL ducklake_expire_snapshots('other', older_than => now())")
    run("CALL ducklake_cleanup_old_files('other', cleanup_all => true)")
    for table in ("plain", "lists"):
        assert run(f"SELECT count(*), sum(id) FROM other.{table}").fetchall() == [(505, 299520)], table
    assert not list(other.session.catalog("other").verify(deep=True))
    assert (s3.bucket / KEY / "_forklake_lake.json").is_file()


def test_a_lake_is_the_same_under_either_spelling_of_the_scheme(other: Lakehouse, tmp_path: Path) -> None:
    attach(other, tmp_path, f"s3a://{BUCKET}/spelt").create_table("t", {"id": "int"}).append([(1,)])
    other.session.sql("DETACH DATABASE other")
    assert attach(other, tmp_path, f"s3://{BUCKET}/spelt/").table("t").count() == 1


def test_files_of_the_same_bucket_are_added_under_either_spelling(other: Lakehouse, tmp_path: Path) -> None:
    lake = attach(other, tmp_path, f"s3://{BUCKET}/adding")
    other.spark.range(5).write.parquet(f"s3a://{BUCKET}/given/b c+%41")
    for scheme, rows in (("s3", 5), ("s3a", 5)):
        table = lake.create_table(scheme, {"id": "bigint"})
        lake.add_data_files(scheme, f"{scheme}://{BUCKET}/given/b c+%41")
        table.delete("id = 3")
        assert table.count() == rows - 1
        assert sorted(row[0] for row in table.scan().fetchall()) == [0, 1, 2, 4]


@pytest.mark.parametrize(("named", "changed"), [("missing-bucket", {}), (BUCKET, {"AWS_SECRET_ACCESS_KEY": "wrong"})])
def test_a_store_that_refuses_gives_a_clear_error(
    named: str, changed: dict[str, str], other: Lakehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in changed.items():
        monkeypatch.setenv(name, value)
    lake = attach(other, tmp_path, f"s3://{named}/{os.urandom(4).hex()}")
    table = lake.create_table("t", {"id": "bigint"})
    with pytest.raises(ForklakeError, match=f"{named}/.*(No such bucket|does not exist|denied|ACCESS_DENIED)") as told:
        table.append(other.spark.range(5))
    assert "\n" not in str(told.value)
    assert table.count() == 0
