"""A standalone Spark cluster on this machine: a master, and workers that may have disks of their own."""

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from tests.spark.inside import environment

_SPARK = Path(pyspark.__file__).parent
_SECONDS = 120


class Cluster:
    """A master without workers; they are stopped with it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._workers = 0
        log = self._run("master", "org.apache.spark.deploy.master.Master", "--port", "0", "--webui-port", "0")
        line = _wait_for_line(log, "Starting Spark master at ")
        self.address = line.split("Starting Spark master at ")[1].split()[0]

    def add_worker(self, *before: str) -> None:
        """A worker with one core, started by a command that runs the rest of its line."""
        self._workers += 1
        name = f"worker-{self._workers}"
        options = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(self._folder / name)]
        log = self._run(name, "org.apache.spark.deploy.worker.Worker", *options, self.address, before=before)
        _wait_for_line(log, "Successfully registered with master")

    def _run(self, name: str, java_class: str, *arguments: str, before: Sequence[str] = ()) -> Path:
        log = self._folder / f"{name}.log"
        variables = {
            **environment(),
            "SPARK_HOME": str(_SPARK),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        command = [*before, str(_SPARK / "bin" / "spark-class"), java_class, "--host", "127.0.0.1", *arguments]
        with log.open("w") as output:
            started = subprocess.Popen(command, env=variables, stdout=output, stderr=output, cwd=self._folder)
        self._stack.callback(started.wait)
        self._stack.callback(started.kill)
        return log


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster while the block runs; its logs are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        yield Cluster(folder, stack)


def _wait_for_line(log: Path, part: str) -> str:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        for line in log.read_text().splitlines():
            if part in line:
                return line
        time.sleep(0.1)
    raise AssertionError(f"'{part}' is not in {log}: {log.read_text()[-2000:]}")
