"""The reading driver: `python -m trust.drivers.reader PLACE`.

It makes the lake, says that it is ready, and from then on checks the log whose name it gets.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import forklake
from trust.drivers.checker import Checker, explain_failures
from trust.drivers.lake import SETTINGS, Place, create_lake


def main(place: Place) -> None:
    with forklake.connect(settings=SETTINGS) as session:
        checker = Checker(place, create_lake(session, place))
        print("ready", flush=True)
        for line in sys.stdin:
            print(json.dumps(asdict(explain_failures(checker, Path(line.strip())))), flush=True)


if __name__ == "__main__":
    main(Place.from_json(json.loads(sys.argv[1])))
