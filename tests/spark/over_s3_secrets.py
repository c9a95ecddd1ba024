"""Secrets of an object store, used by PyArrow and Spark. Run with FORKLAKE_TEST_STORE=s3."""

import logging
import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from forklake.api.catalog import CatalogHandle
from forklake.errors import ForklakeError
from tests.s3_server import ACCESS_KEY, BUCKET, SECRET_KEY, S3Server
from tests.spark.conftest import Lakehouse

HUSH = "n0b0dy-rEads-th1s"
READ = "SELECT sum(id) FROM other.plain WHERE id % 7 = 1"


@pytest.fixture
def other(local: Lakehouse) -> Iterator[Lakehouse]:
    yield local
    local.session.sql("DETACH DATABASE IF EXISTS other")


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """What Python logs, with everything that libraries can tell."""
    found: list[str] = []
    handler, logger = logging.Handler(), logging.getLogger()
    handler.emit = lambda record: found.append(f"{record.getMessage()} {record.args}")  # type: ignore[method-assign]
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield found
    logger.removeHandler(handler)
    logger.setLevel(before)


def keep(lakehouse: Lakehouse, s3: S3Server, secret: str, **more: str) -> None:
    """A secret for the bucket, whose credentials the environment has right."""
    given = {"key_id": ACCESS_KEY, "secret": secret, "endpoint": s3.address, "region": "us-east-1", **more}
    lakehouse.session.create_secret("mine", "s3", {"scope": f"s3a://{BUCKET}", **given}, or_replace=True)


def attach(lakehouse: Lakehouse, folder: Path, key: str) -> CatalogHandle:
    return lakehouse.session.attach(
        f"sqlite:{folder / 'other.db'}",
        "other",
        catalog="main",
        data_path=f"s3://{BUCKET}/{key}",
        create_if_not_exists=True,
    )


def refusals(lakehouse: Lakehouse, lake: CatalogHandle, place: str) -> Iterator[str]:
    """What each way of reading and writing says if the store refuses it."""
    run = lakehouse.session.sql
    for statement in (
        READ,
        "INSERT INTO other.plain SELECT id FROM range(10)",
        "INSERT INTO other.lists SELECT id, array(id), id % 3 FROM range(10)",
        "DELETE FROM other.lists WHERE id = 5",
        f"SELECT * FROM parquet.`{place}`",
        f"COPY other.plain TO '{place}-again' (FORMAT parquet)",
        f"COPY other.plain FROM '{place}' (FORMAT parquet)",
    ):
        with pytest.raises(ForklakeError) as raised:
            run(statement).fetchall()
        yield "".join(traceback.format_exception(raised.value))
    with pytest.raises(ForklakeError) as raised:
        lake.table("lists").append([(1, [1], 1)] * 100)
    yield "".join(traceback.format_exception(raised.value))


def test_a_secret_is_used_everywhere_and_another_one_from_the_next_statement_on(
    other: Lakehouse, tmp_path: Path, s3: S3Server
) -> None:
    run, place = other.session.sql, f"s3://{BUCKET}/exported-{os.urandom(4).hex()}"
    keep(other, s3, SECRET_KEY)
    lake = attach(other, tmp_path, f"secrets/{os.urandom(4).hex()}")
    # Spark writes the first table, PyArrow on executors the second.
    run("CREATE TABLE other.plain AS SELECT id FROM range(1000)")
    run("CREATE TABLE other.lists AS SELECT id, array(id) AS ids, id % 3 AS k FROM range(1000)")
    run("ALTER TABLE other.lists SET PARTITIONED BY (k)")
    run(f"COPY other.plain TO '{place}' (FORMAT parquet)")
    expected = run(READ).fetchall()
    keep(other, s3, "wrong")
    refused = [text.splitlines()[-1] for text in refusals(other, lake, place)]
    assert [text for text in refused if "s3a-" in text] == []
    assert refused[0].startswith("forklake.errors.UnreachableDataPath: The file s3a://")
    keep(other, s3, SECRET_KEY, session_token="expired")
    with pytest.raises(ForklakeError):
        run(READ).fetchall()
    keep(other, s3, SECRET_KEY)
    assert run(READ).fetchall() == expected
    run("INSERT INTO other.lists SELECT id, array(id), id % 3 FROM range(10)")
    assert run(f"SELECT count(*) FROM parquet.`{place}`").fetchall() == [(1000,)]
    assert run("SELECT DISTINCT substr(filename, 1, 11) FROM other.plain").fetchall() == [(f"s3a://{BUCKET}",)]
    keep(other, s3, "wrong", scope="s3://another-bucket")
    assert run(READ).fetchall() == expected
    other.session.drop_secret("mine")
    assert run(READ).fetchall() == expected
    assert not list(lake.verify(deep=True))


def test_no_secret_is_shown(other: Lakehouse, tmp_path: Path, s3: S3Server, event_log: Path, logged: list[str]) -> None:
    run, context = other.session.sql, other.spark.sparkContext
    lake = attach(other, tmp_path, f"secrets/{os.urandom(4).hex()}")
    run("CREATE TABLE other.plain AS SELECT id FROM range(1000)")
    run("CREATE TABLE other.lists AS SELECT id, array(id) AS ids, id % 3 AS k FROM range(1000)")
    run("ALTER TABLE other.lists SET PARTITIONED BY (k)")
    keep(other, s3, SECRET_KEY + HUSH, session_token=HUSH)
    seen = list(refusals(other, lake, f"s3://{BUCKET}/x"))
    for statement in (
        f"CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET '{HUSH}', SCOPE 's3://{BUCKET}')",
        f"EXPLAIN CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET '{HUSH}')",
        f"CREATE SECRET x (TYPE s3, KEY_ID 'a', SECRET '{HUSH}' || 'b')",
    ):
        with pytest.raises(ForklakeError) as raised:
            run(statement)
        seen += traceback.format_exception(raised.value)
    for statement in ("SHOW SETTINGS", f"EXPLAIN EXTENDED {READ}", "SELECT * FROM duckdb_secrets()"):
        result = run(statement)
        seen += [str(result.fetchall()), str(result.columns)]
    seen += [str(other.spark.sql(statement).collect()) for statement in ("SET", "SET -v")]
    seen += [repr(other.session), repr(lake), str(other.session.secrets().fetchall()), *logged]
    # Spark tells of its settings when it gets a file.
    (tmp_path / "file").touch()
    context.addFile(str(tmp_path / "file"))
    keep(other, s3, SECRET_KEY)
    run(READ).fetchall()
    context._jsc.sc().listenerBus().waitUntilEmpty()
    told = event_log.read_text(encoding="utf-8")
    assert f"fs.s3a.bucket.{BUCKET}.secret.key" in told
    assert told.count("SparkListenerJobStart") > 2
    assert any("Command to send" in text for text in logged)
    assert [text for text in [*seen, told] if HUSH in text] == []
