"""A throwaway S3 server of our own, for tests and benchmarks: versitygw, over a folder.

Nothing has to be installed but Go, which builds it once; the program stays in the user's cache. It checks credentials,
and stores each object as a file, so that tests can look at what is there.
"""

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VERSION = "v1.8.0"
ACCESS_KEY, SECRET_KEY = "forklake", "only-for-tests"
BUCKET = "lakes"
JARS = (
    "org.apache.hadoop:hadoop-aws:{hadoop}",
    *(f"software.amazon.awssdk:{part}:{{sdk}}" for part in ("s3", "sts", "s3-transfer-manager", "apache-client")),
    "software.amazon.awssdk:netty-nio-client:{sdk}",
)
"""Hadoop's client, with the parts of the AWS SDK that it needs instead of all of it, which is 686 MB."""
EXCLUDED = "software.amazon.awssdk:bundle"
_SECONDS = 60


class NoGo(RuntimeError):
    """The server cannot be built here."""


class S3Server:
    """A running server with one bucket."""

    def __init__(self, folder: Path, port: int) -> None:
        self.bucket = folder / "objects" / BUCKET
        self.address = f"http://127.0.0.1:{port}"

    @property
    def environment(self) -> Mapping[str, str]:
        """What PyArrow, and every other client of AWS, reads."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    @property
    def spark_settings(self) -> Mapping[str, str]:
        """What Hadoop's client needs."""
        names = {"hadoop": "3.5.0", "sdk": "2.35.4"}
        return {
            "spark.jars.packages": ",".join(jar.format(**names) for jar in JARS),
            "spark.jars.excludes": EXCLUDED,
            "spark.jars.ivy": str(_cache() / "ivy"),
            "spark.hadoop.fs.s3a.endpoint": self.address,
            "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.access.key": ACCESS_KEY,
            "spark.hadoop.fs.s3a.secret.key": SECRET_KEY,
        }


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """A server while the block runs, with its objects and log in a folder."""
    program = s3_program()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = S3Server(folder, port)
    server.bucket.mkdir(parents=True)
    (folder / "metadata").mkdir()
    command = [str(program), "--access", ACCESS_KEY, "--secret", SECRET_KEY, "--region", "us-east-1"]
    command += ["--port", f"127.0.0.1:{port}", "--health", "/health", "--quiet"]
    command += ["posix", "--sidecar", str(folder / "metadata"), str(folder / "objects")]
    with (folder / "server.log").open("w") as log:
        started = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_until_healthy(server, started)
        yield server
    finally:
        started.terminate()
        started.wait()


def _wait_until_healthy(server: S3Server, started: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"{server.address}/health", timeout=5):
                return
        except OSError:
            if started.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.05)


def s3_program() -> Path:
    """The server's program, built if it is not there yet."""
    program = _cache() / f"versitygw-{VERSION}"
    if program.exists():
        return program
    go = shutil.which("go")
    if go is None:
        raise NoGo("The S3 server for tests is built by Go, which is not installed.")
    made = _cache() / f"making-{os.getpid()}"
    source = f"github.com/versity/versitygw/cmd/versitygw@{VERSION}"
    done = subprocess.run(
        [go, "install", source], env={**os.environ, "GOBIN": str(made)}, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise NoGo(f"The S3 server for tests cannot be built:\n{done.stderr[-2000:]}")
    os.replace(made / "versitygw", program)
    shutil.rmtree(made)
    return program


def _cache() -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "forklake" / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
