"""A Spark Connect server in a process of its own.

`python -m tests.spark.connect_server` prints its port, and stays until its input ends.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from forklake.spark.session.provider import SparkProvider

_PLUGIN = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.port": "0",
    # As a server has it that PySpark or Spark's script starts: closures are of a session, not of the server.
    "spark.sql.artifact.isolation.enabled": "true",
}


@contextmanager
def connect_server(settings: Mapping[str, str]) -> Iterator[str]:
    """A server with these settings while the block runs, by its address."""
    command = [sys.executable, "-m", "tests.spark.connect_server", json.dumps(dict(settings))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield f"sc://localhost:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()


def _serve(settings: Mapping[str, str]) -> None:
    spark = SparkProvider(settings={**settings, **_PLUGIN}).get()
    # Python has no other way to a Scala object that knows the port.
    service = getattr(spark._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
    print(getattr(service, "MODULE$").localPort(), flush=True)
    sys.stdin.read()
    spark.stop()


if __name__ == "__main__":
    _serve(json.loads(sys.argv[1]))
