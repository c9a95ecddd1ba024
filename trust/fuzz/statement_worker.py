"""A process that runs fuzzed statements: `python -m trust.fuzz.statement_worker <folder> <json of the orders>`."""

import json
import os
import sys
from pathlib import Path

from trust.fuzz.guard import confine
from trust.fuzz.statement_run import Orders, run_statements

PROGRESS = "progress"
"""Where it says which statement it is at; one number."""
RESULT = "result.json"


def main(folder: Path, orders: Orders, server: str) -> None:
    confine(folder, [server])
    progress = os.open(folder / PROGRESS, os.O_CREAT | os.O_WRONLY)
    tally = run_statements(orders, lambda number: _tell(progress, number))
    told = {"tried": tally.tried, "kinds": tally.kinds, "found": tally.found, "crashers": tally.crashers}
    (folder / RESULT).write_text(json.dumps(told), encoding="utf-8")


def _tell(progress: int, number: int) -> None:
    os.pwrite(progress, f"{number:<12}".encode(), 0)


if __name__ == "__main__":
    given = json.loads(sys.argv[2])
    where = Path(sys.argv[1])
    main(where, Orders(given["seed"], where, given["statements"], given["backend"], given["database"]), given["server"])
