"""Decorator for handle methods that run as a single statement."""

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
    """Run a method on one snapshot per catalog, as a statement does, and retry if that snapshot has expired.

    Single-use iterables among the arguments are materialized before the first attempt. Spark errors are translated to
    ours.
    """

    @wraps(method)
    def run(handle: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        given = [make_repeatable(value) for value in args]
        named = {name: make_repeatable(value) for name, value in kwargs.items()}
        with translate_query_errors():
            return handle._state.transactions.run(lambda: method(handle, *given, **named))

    return run
