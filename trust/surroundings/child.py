"""All faults of the surroundings, in a process that may mount: `python -m trust.surroundings.child FOLDER SEED TIMES`.

Each line of the trial is a line of JSON on standard output; what is told on the way is text.
"""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import forklake
from tests.postgres_server import TestPostgres
from trust.surroundings.clocks import jumping_clocks
from trust.surroundings.damage import damaged_files
from trust.surroundings.disks import full_disks
from trust.surroundings.locks import locked_and_lost
from trust.surroundings.permissions import denied
from trust.surroundings.servers import unreachable_servers
from trust.surroundings.setting import Setting
from trust.trial import Line, Trial

Fault = Callable[[Setting], Iterator[Line]]
FAULTS: Sequence[Fault] = (
    full_disks,
    denied,
    jumping_clocks,
    locked_and_lost,
    unreachable_servers,
    damaged_files,
)
SETTINGS = {"spark.master": "local[2]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}


def main(folder: Path, seed: int, times: int) -> None:
    # Whoever ends us is to find nothing left of our server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    trial = Trial(seed, folder, times, say=lambda text: print(text, flush=True))
    with TestPostgres() as server, forklake.connect(settings=SETTINGS) as session:
        setting = Setting(trial, server, session)
        for fault in FAULTS:
            for line in fault(setting):
                print(json.dumps(asdict(line)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
