"""Methods of handles that are statements of their own."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from forklake.spark.session.failures import translate_query_errors
from forklake.spark.writing.incoming import make_repeatable
from forklake.sql.session.state import SessionState

P = ParamSpec("P")
T = TypeVar("T")


class Handle(Protocol):
    _state: SessionState


H = TypeVar("H", bound=Handle)


def one_statement(method: Callable[Concatenate[H, P], T]) -> Callable[Concatenate[H, P], T]:
    """Let a method read each catalog at one snapshot, as a statement does, and try again when that has expired.

    Arguments that can be read only once are read before the first attempt. Errors of Spark are told as errors of ours.
    """

    @wraps(method)
    def run(handle: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        given = [make_repeatable(value) for value in args]
        named = {name: make_repeatable(value) for name, value in kwargs.items()}
        with translate_query_errors():
            return handle._state.transactions.run(lambda: method(handle, *given, **named))

    return run
