"""The archive of classes with a real JVM, in processes of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forklake.spark.session.class_archive import class_archive

SETTINGS = {"spark.master": "local[1]", "spark.driver.memory": "512m"}
IMPORTS = f"""
import forklake
from forklake.spark.session.class_archive import class_archive
from forklake.spark.session.jvm_start import StartOutput, _launch_jvm
from pathlib import Path
from pyspark import SparkContext

settings = {SETTINGS!r}
"""
TELL = """
process = Path("/proc", str(SparkContext._gateway.proc.pid))
print("mapped" if "forklake/classes" in (process / "maps").read_text() else "")
"""
QUERY = f"""
session = forklake.connect(settings=settings)
print(session.sql("SELECT count(*) FROM range(3)").fetchall())
{TELL}"""
ONLY_THE_JVM = f"""
with class_archive(settings) as archive:
    _launch_jvm(settings, archive, StartOutput(verbose=False))
{TELL}"""
"""Without a session, the JVM has few classes to write, which takes it a fifth of the time."""


def start(cache: Path, script: str = QUERY, **environment: str) -> str:
    """What a program shows that starts Spark; returns when its JVM has ended, which inherits the output."""
    known = {name: value for name, value in os.environ.items() if name != "SPARK_CONF_DIR"}
    env = {**known, "XDG_CACHE_HOME": str(cache), "FORKLAKE_CLASS_ARCHIVE": "auto", **environment}
    command = [sys.executable, "-W", "ignore", "-c", IMPORTS + script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive that the first start has left."""
    folder = tmp_path_factory.mktemp("cache")
    assert start(folder, ONLY_THE_JVM) == "\n"
    return folder


def test_the_next_start_maps_the_archive(cache: Path) -> None:
    assert start(cache) == "[(3,)]\nmapped\n"


FAILING = """
try:
    session = forklake.connect(settings={**settings, "spark.driver.memory": "1x"})
    session.sql("SELECT count(*) FROM range(3)")
except forklake.ForklakeError as error:
    print(str(error).partition(":")[0])
"""


def test_a_start_that_fails_for_another_reason_leaves_the_archive(cache: Path) -> None:
    assert start(cache, FAILING) == "Spark does not start\n"
    assert len(list((cache / "forklake" / "classes").glob("*.jsa"))) == 1


def test_an_archive_with_other_contents_is_not_mapped(cache: Path, tmp_path: Path) -> None:
    changed = shutil.copytree(cache, tmp_path / "cache")
    [archive] = (changed / "forklake" / "classes").glob("*.jsa")
    # The JVM sees it, and does without.
    archive.chmod(0o600)
    size = archive.stat().st_size
    os.truncate(archive, size - 5_000_000)
    os.truncate(archive, size)
    assert start(changed, ONLY_THE_JVM) == "\n"


def test_the_jvm_of_this_machine_can_have_one(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("FORKLAKE_CLASS_ARCHIVE", None)
    environment.pop("SPARK_CONF_DIR", None)
    with class_archive({"spark.master": "local[1]"}, environment) as archive:
        assert archive.lock is not None


def test_spark_starts_where_the_jvm_can_write_no_archive(tmp_path: Path) -> None:
    # What is in this file, only the JVM knows, which says so where it likes.
    (tmp_path / "options").write_text("-Xshare:off", encoding="ascii")
    assert start(tmp_path, JDK_JAVA_OPTIONS=f"@{tmp_path / 'options'}").endswith("[(3,)]\n\n")
