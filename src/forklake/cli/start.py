"""Starts the command line. Ctrl-C while it is imported ends the process as it does later, without a traceback."""

import os
import signal
from types import FrameType

_INTERRUPTED = 130


def main() -> None:
    """The command `forklake`."""
    before = signal.signal(signal.SIGINT, _end)
    from forklake.cli.main import main as run

    signal.signal(signal.SIGINT, before)
    run()


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)
