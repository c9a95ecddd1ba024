"""What Spark and its JVM print while they start, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.spark.conftest import SETTINGS

CONNECT = f"""
import forklake

session = forklake.connect(settings={SETTINGS!r})
"""
WORK = """
lake = session.attach("lake.db", "lake", catalog="main", data_path="data", create_if_not_exists=True)
table = lake.create_table("t", {"id": "bigint"})
table.append(session.spark.range(5))
table.delete("id = 3")
table.to_spark().createOrReplaceTempView("v")
print(session.spark.sql("SELECT count(*) FROM v").collect()[0][0], flush=True)
session.spark.sql("SHOW TABLES").collect()
session.spark._jvm.java.lang.System.err.println("later")
session.close()
session.spark.stop()
"""
FAILURE = """
try:
    session.sql("SELECT count(*) FROM range(3)")
except forklake.ForklakeError as error:
    print(error)
"""


def run(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(CONNECT + code, encoding="utf-8")
    # Whatever a folder of settings says about logging is not ours.
    known = {name: value for name, value in os.environ.items() if name != "SPARK_CONF_DIR"}
    command = [sys.executable, "-W", "ignore", str(script)]
    env = {**known, **environment}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250, check=False, env=env)


def test_spark_prints_nothing_of_its_start_and_leaves_nothing_in_the_current_folder(tmp_path: Path) -> None:
    done = run(tmp_path, WORK)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "later\n")
    names = {path.name for path in tmp_path.iterdir()}
    assert names - {"lake.db-wal", "lake.db-shm", "lake.db-queue"} == {"script.py", "lake.db", "data"}


def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    done = run(tmp_path, FAILURE, JAVA_HOME=str(tmp_path / "no-java"), FORKLAKE_CLASS_ARCHIVE="off")
    assert done.stdout.startswith("Spark does not start: [JAVA_GATEWAY_EXITED]")
    assert f"{tmp_path}/no-java/bin/java: No such file or directory" in done.stdout


def test_a_context_that_fails_says_why(tmp_path: Path) -> None:
    failing = 'session = forklake.connect(settings={"spark.master": "local[1]", "spark.driver.memory": "300m"})\n'
    done = run(tmp_path, failing + FAILURE, FORKLAKE_CLASS_ARCHIVE="off")
    assert done.stdout.startswith("Spark does not start: ")
    assert "must be at least" in done.stdout
