"""Methods of handles that are statements of their own."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from forklake.sql.state import SessionState

P = ParamSpec("P")
T = TypeVar("T")


class Handle(Protocol):
    _state: SessionState


H = TypeVar("H", bound=Handle)


def one_statement(method: Callable[Concatenate[H, P], T]) -> Callable[Concatenate[H, P], T]:
    """Let a method read each catalog at one snapshot, as a statement does, and try again when that has expired."""

    @wraps(method)
    def run(handle: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return handle._state.transactions.run(lambda: method(handle, *args, **kwargs))

    return run
