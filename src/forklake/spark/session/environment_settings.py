"""The settings that Spark takes from its environment when it starts: known before, for what is done without Spark."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_PROPERTY = re.compile(r"\s*([^\s=:#!][^\s=:]*)(?:\s*[=:]\s*|\s+)(.*?)\s*", re.DOTALL)


def environment_settings(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings of `spark-defaults.conf`, and those of PYSPARK_SUBMIT_ARGS, which take precedence."""
    arguments = _arguments(environment)
    files = [Path(value) for name, value in arguments if name == "--properties-file"]
    has_defaults = not files or any(name == "--load-spark-defaults" for name, _ in arguments)
    found: dict[str, str] = {}
    for file in [*([_defaults_file(environment)] if has_defaults else []), *files]:
        # Spark does not start without the file, and says so.
        with suppress(OSError):
            found |= _properties(file)
    for name, value in arguments:
        if name in ("--conf", "-c") and "=" in value:
            key, _, given = value.partition("=")
            found[key.strip()] = given
    return found


def _arguments(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """The options of the command line, each with what follows it."""
    words = []
    with suppress(ValueError):
        words = shlex.split(environment.get(_ARGUMENTS, ""))
    # `--conf=a=b` is `--conf a=b`.
    parts = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return list(pairwise([*parts, ""]))


def _defaults_file(environment: Mapping[str, str]) -> Path:
    folder = environment.get("SPARK_CONF_DIR")
    if folder:
        return Path(folder) / "spark-defaults.conf"
    pyspark = find_spec("pyspark")
    own_home = Path(pyspark.origin).parent if pyspark is not None and pyspark.origin is not None else Path()
    return Path(environment.get("SPARK_HOME") or own_home) / "conf" / "spark-defaults.conf"


def _properties(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if found := _PROPERTY.fullmatch(line):
            yield found[1], found[2]
