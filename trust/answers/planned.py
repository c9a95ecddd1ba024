"""What a statement plans to read and to delete, without doing it: the product's own plans, seen on their way."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from forklake.catalog.planning import scan_planning
from forklake.catalog.planning.scan_planning import DeletePlan, ScanPlan


class _Planned(BaseException):
    """Stops a statement that has its plan."""


@dataclass(slots=True)
class Plans:
    """The last plan that a statement made, if it made one."""

    last: ScanPlan | DeletePlan | None = None
    error: Exception | None = field(default=None)

    def of(self, run: Callable[[], object]) -> ScanPlan | DeletePlan | None:
        """The plan of a statement, which goes no further; None if it ended without one, well or not."""
        self.last, self.error = None, None
        try:
            run()
        except _Planned:
            return self.last
        except Exception as error:
            self.error = error
        return None


@contextmanager
def plans_only() -> Iterator[Plans]:
    """While this lasts, statements stop where they have planned which files to read or to delete."""
    plans = Plans()
    with _replaced("plan_scan", plans), _replaced("plan_delete", plans):
        yield plans


@contextmanager
def _replaced(name: str, plans: Plans) -> Iterator[None]:
    really = getattr(scan_planning, name)

    def plan(*given: Any, **named: Any) -> None:
        plans.last = really(*given, **named)
        raise _Planned

    with each_caller(name, really, plan):
        yield


@contextmanager
def each_caller(name: str, really: object, instead: object) -> Iterator[None]:
    """Put a function in the place of another wherever a module of the product has imported it by name."""
    patches = [
        patch.object(module, name, instead)
        for path, module in list(sys.modules.items())
        if path.startswith("forklake.") and getattr(module, "__name__", "") != getattr(really, "__module__", "")
        if getattr(module, name, None) is really
    ]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
