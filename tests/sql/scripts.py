"""SQL scripts with what they must answer.

A script is statements, each followed by what it must give, in comments:

    SELECT id, item FROM t ORDER BY id;
    --> 1 | pen
    --> 2 | NULL
    SELECT * FROM missing;
    --! does not exist

`--> ` is a row, `--> (none)` no row at all, and `--! ` a phrase of the error. A statement without either must just
work. Lines at the top say more: `-- dialect: duckdb`; `-- oracle: yes` for scripts that the real DuckLake must answer
in the same way; `-- backend: sqlite` for what has nothing to do with the metadata database, so that one is enough.

`{target}` stands for the lake's own address and `{schema}` for the option that goes with it, so that
`ATTACH '{target}' AS other (CATALOG 'other'{schema})` attaches another catalog; `{folder}` is a folder to use, and
`{v3}` the version after three commits, whatever number that has here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pyspark

NOTHING = "(none)"


@dataclass(slots=True)
class Step:
    """A statement, and what is expected of it; None where nothing is."""

    text: str
    line: int
    rows: list[str] | None = None
    error: str | None = None


@dataclass(slots=True)
class Script:
    path: Path
    settings: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def dialect(self) -> str:
        return self.settings.get("dialect", "spark")

    @property
    def has_oracle(self) -> bool:
        return self.settings.get("oracle") == "yes"

    @property
    def backends(self) -> Sequence[str]:
        """The metadata databases that it runs on."""
        chosen = self.settings.get("backend")
        return ("sqlite", "postgres") if chosen is None else (chosen,)


@dataclass(frozen=True, slots=True)
class Names:
    """What the words in braces stand for."""

    folder: Path
    first_version: int
    """The version of a lake with nothing in it."""
    target: str = ""
    schema: str = ""

    def put_into(self, text: str) -> str:
        plain = text.replace("{target}", self.target).replace("{schema}", self.schema)
        plain = plain.replace("{folder}", str(self.folder))
        return re.sub(r"\{v(\d+)\}", lambda found: str(self.first_version + int(found[1])), plain)


def read_script(path: Path) -> Script:
    """Read a script; a statement ends with a semicolon at the end of a line."""
    script = Script(path)
    pending: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := re.fullmatch(r"-- (dialect|oracle|backend): (\w+)", line):
            script.settings[found[1]] = found[2]
        elif line.startswith("--> "):
            expected = script.steps[-1]
            expected.rows = [*(expected.rows or []), *([] if line[4:] == NOTHING else [line[4:]])]
        elif line.startswith("--! "):
            script.steps[-1].error = line[4:]
        elif line.strip() and not line.startswith("-- "):
            pending.append(line)
            if line.rstrip().endswith(";"):
                script.steps.append(Step("\n".join(pending).rstrip().rstrip(";"), number))
                pending = []
    assert not pending, f"{path}: the last statement has no semicolon"
    return script


def scripts_below(folder: Path) -> Iterator[Path]:
    return filter(runs_here, sorted(folder.rglob("*.sql")))


def runs_here(script: Path) -> bool:
    """Whether this Spark has what a script needs: names such as `since_4_2` say from which version on."""
    _, found, version = script.stem.partition("since_")
    return not found or tuple(map(int, version.split("_"))) <= tuple(map(int, pyspark.__version__.split(".")[:2]))


def shown(rows: Sequence[Sequence[object]]) -> list[str]:
    """Rows as scripts write them."""
    return [" | ".join(_text(value) for value in row) for row in rows]


def _text(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case float():
            return repr(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.replace(tzinfo=None).isoformat(" ")
        case date() | time():
            return value.isoformat()
        case list():
            return "[" + ", ".join(_text(item) for item in value) + "]"
        case dict():
            return "{" + ", ".join(f"{name}: {_text(item)}" for name, item in value.items()) + "}"
        case bytes():
            return value.hex()
    return str(value)
