"""`python -m trust.history --seed N` runs this part alone; `--check FOLDER` checks histories that were kept."""

import argparse
import secrets
import sys
import tempfile
from pathlib import Path

from trust.history.checker import check
from trust.history.part import run
from trust.history.records import read_histories
from trust.trial import Trial


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m trust.history", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="the same choices again")
    parser.add_argument("--times", type=int, default=1, help="how many times the short form")
    parser.add_argument("--check", type=Path, help="a folder of histories")
    given = parser.parse_args()
    if given.check is not None:
        found = check(read_histories(given.check))
        print("\n".join(found) or "Nothing is wrong.")
        return 1 if found else 0
    folder = Path(tempfile.mkdtemp(prefix="trust-history-"))
    print(f"seed {given.seed}, histories in {folder}", flush=True)
    passed = True
    for line in run(Trial(given.seed, folder, given.times)):
        passed = passed and line.passed
        print(
            f"{'ok  ' if line.passed else 'FAIL'} {line.what}: {line.tried} of {line.at_least}; {line.outcome}",
            flush=True,
        )
        print("".join(f"     {sentence}\n" for sentence in line.found[:20]), end="")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
