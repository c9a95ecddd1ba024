"""Suppression of logs of libraries that would repeat statements or credentials."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager


class _LogSwitch(threading.local):
    """Whether this thread may log."""

    is_open = True

    def filter(self, record: logging.LogRecord) -> bool:
        return self.is_open


def log_suppressor(*loggers: str) -> Callable[[], AbstractContextManager[None]]:
    """A context manager in which a thread logs nothing by these loggers."""
    switch = _LogSwitch()
    for name in loggers:
        logging.getLogger(name).addFilter(switch.filter)

    @contextmanager
    def suppress_log() -> Iterator[None]:
        before, switch.is_open = switch.is_open, False
        try:
            yield
        finally:
            switch.is_open = before

    return suppress_log
