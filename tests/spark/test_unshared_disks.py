"""Rows that executors write to disks of their own are not lost: the write is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from tests.spark.inside import environment
from tests.spark.standalone_cluster import standalone_cluster


def with_own_disk(folder: Path) -> list[str]:
    """What to put before a command that has an empty disk of its own at this path."""
    script = 'mount -t tmpfs tmpfs "$0" && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, str(folder)]


def needs_mounts(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    if os.geteuid() != 0 or subprocess.run([*with_own_disk(folder), "true"], capture_output=True).returncode != 0:
        pytest.skip("NOT TESTED HERE: a process cannot have a disk of its own, which takes root and unshare")


WRITES = """
import json, os, sys, time
import forklake
from forklake.spark.writing import export_rows
from forklake.errors import FolderNotShared
from pyspark.sql import SparkSession

master, disk = sys.argv[1:]
settings = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": os.environ["SPARK_SUBMIT_OPTS"],
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
spark = SparkSession.builder.master(master).config(map=settings).getOrCreate()
spark.sparkContext.setLogLevel("FATAL")
TABLES = ("plain", "lists")


def connected():
    session = forklake.connect(spark=spark)
    session.attach("lake.db", "lake", catalog="main", data_path=f"{disk}/data", create_if_not_exists=True)
    return session


def told(session, text):
    try:
        return session.sql(text).fetchall()
    except FolderNotShared as error:
        return str(error)


session = connected()
session.sql("CREATE TABLE lake.plain AS SELECT id FROM range(1000)")
session.sql("CREATE TABLE lake.lists AS SELECT id, array(id) AS ids FROM range(1000)")
print("ready", flush=True)
sys.stdin.readline()
while spark._jsc.sc().getExecutorMemoryStatus().size() < 3:
    time.sleep(0.1)
out = {}
for table in TABLES:
    source = "SELECT id FROM" if table == "plain" else "SELECT id, array(id) FROM"
    out[table] = told(session, f"INSERT INTO lake.{table} {source} range(0, 6000, 1, 8)")
with connected() as other:
    out["first"] = told(other, "INSERT INTO lake.plain SELECT id FROM range(0, 6000, 1, 8)")
    out["copy"] = told(other, f"COPY lake.plain TO '{disk}/copy' (FORMAT parquet)")
# The check before the write is left out: its tasks may all have run where the disk is shared.
export_rows.check_shared = lambda spark, folder: None
for number in range(3):
    try:
        out[f"export {number}"] = ""
        export_rows.export_rows(spark.range(0, 6000, 1, 8), "csv", f"{disk}/export", {}, overwrite=number == 2)
    except FolderNotShared as error:
        out[f"export {number}"] = str(error)
    out[f"left {number}"] = sorted(os.listdir(f"{disk}/export")) if os.path.exists(f"{disk}/export") else []
    if number == 1:
        os.mkdir(f"{disk}/export")
        open(f"{disk}/export/part-00000-of-before.csv", "w").close()
print(json.dumps(out), flush=True)
session.close()
spark.stop()
"""


# Six JVMs start.
@pytest.mark.timeout(900)
def test_rows_on_the_disk_of_one_worker_are_refused_and_the_tables_stay_as_they_were(
    tmp_path: Path, spark: SparkSession
) -> None:
    disk = tmp_path / "disk"
    needs_mounts(disk)
    with standalone_cluster(tmp_path / "cluster") as cluster:
        cluster.add_worker()
        command = [sys.executable, "-c", WRITES, cluster.address, str(disk)]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env={**environment(), "PYSPARK_PYTHON": sys.executable},
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        ) as driver:
            assert driver.stdout is not None
            assert driver.stderr is not None
            assert driver.stdout.readline() == "ready\n", driver.stderr.read()[-3000:]
            cluster.add_worker(*with_own_disk(disk))
            output, errors = driver.communicate("\n")
    assert driver.returncode == 0, errors[-3000:]
    found = json.loads(output)
    assert "6000 rows" in found["plain"]
    assert "this process does not see" in found["lists"]
    for refused in ("plain", "lists", "first", "copy"):
        assert "mounted at this path on every machine" in found[refused], refused
    with forklake.connect(spark=spark) as session:
        session.attach(str(tmp_path / "lake.db"), "lake", catalog="main")
        for table in ("plain", "lists"):
            assert session.sql(f"SELECT count(*), sum(id) FROM lake.{table}").fetchall() == [(1000, 499500)]
    assert not (disk / "copy").exists()
    for number, left in enumerate([[], [], ["part-00000-of-before.csv"]]):
        assert "mounted at this path on every machine" in found[f"export {number}"]
        assert found[f"left {number}"] == left


OVER_CONNECT = """
import forklake
from forklake.errors import FolderNotShared
with forklake.connect() as session:
    lake = session.attach("lake.db", "lake", catalog="main", data_path="data", create_if_not_exists=True)
    table = lake.create_table("t", {"id": "bigint"})
    try:
        table.append(session.spark.range(5000))
    except FolderNotShared as error:
        print(error)
    assert table.count() == 0
"""


def test_a_connect_server_that_does_not_share_the_disk_is_refused(server: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    needs_mounts(data)
    done = subprocess.run(
        [*with_own_disk(data), sys.executable, "-c", OVER_CONNECT],
        cwd=tmp_path,
        env={**environment(), "SPARK_REMOTE": server},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "mounted at this path on every machine" in done.stdout
