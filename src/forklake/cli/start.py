"""Starts the command line. Ctrl-C while it is imported ends the process as it does later, without a traceback."""

import os
import signal
from types import FrameType

_INTERRUPTED = 130


def main() -> None:
    """The command `forklake`."""
    # A process that was started to ignore interrupts goes on to.
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, _end)
    from forklake.cli.main import main as run

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)
