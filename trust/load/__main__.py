"""A soak from the command line: `python -m trust.load --seconds 600`."""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.postgres_server import TestPostgres
from trust.load.part import PROCESSES, SECONDS, SESSIONS, SETTINGS
from trust.load.run_soak import run_soak
from trust.load.server import named_url
from trust.load.show import as_json, kind_lines
from trust.load.soak import Soak
from trust.load.verdict import judge


def main(arguments: Sequence[str]) -> int:
    """Run it, and tell how it went; 1 if something is wrong."""
    options = _parser().parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    with TestPostgres(settings=SETTINGS) as server, tempfile.TemporaryDirectory(prefix="forklake-soak-") as folder:
        url = named_url(f"postgres:{server.create_database()}")
        soak = Soak(url, f"{folder}/", options.seed, options.seconds, options.sessions, options.processes)
        record = run_soak(soak, lambda line: print(line, flush=True))
    found = judge(record)
    print("\n".join(kind_lines(record.total())))
    for subject, sentences in found.items():
        print("\n".join([f"{subject}: {'FAIL' if sentences else 'pass'}", *(f"  {each}" for each in sentences)]))
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(record, found), indent=1))
    return 1 if any(found.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trust.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long; default %(default)s")
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="how many; default %(default)s")
    parser.add_argument(
        "--processes", type=int, default=PROCESSES, help="over how many processes; 0 is this one; default %(default)s"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="default: a new one, printed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the whole record")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
