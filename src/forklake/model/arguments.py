"""Runtime checks of the arguments of public methods against their annotations."""

import types
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache, wraps
from inspect import Signature, isfunction, signature
from types import SimpleNamespace
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from forklake.errors import InvalidInput
from forklake.model.encodable import check_encodable

C = TypeVar("C", bound=type)
P = ParamSpec("P")
T = TypeVar("T")

_MOST_SHOWN = 100
_LONG = 2**63
"""Neither databases nor Arrow count further."""
_NOT_PUBLIC = "_"


def checked_methods(cls: C) -> C:
    """Class decorator: every public method rejects arguments that do not match their annotations."""
    for name, method in list(vars(cls).items()):
        if not name.startswith(_NOT_PUBLIC) and isfunction(method):
            setattr(cls, name, checked_arguments(method))
    return cls


def checked_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Decorator: rejects arguments that do not match their annotations, and strings that are not valid Unicode."""

    @lru_cache(1)
    def own_signature() -> Signature:
        return signature(function)

    @lru_cache(1)
    def plain_parameters() -> tuple[Sequence[str], int]:
        return _plain_parameters(own_signature())

    @cache
    def resolve_hint(name: str) -> Any:
        # Evaluated when such an argument is first given: annotations may name classes that are defined further down,
        # or whose modules are slow to import.
        only = SimpleNamespace(__annotations__={name: function.__annotations__[name]})
        return get_type_hints(only, function.__globals__)[name]

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        parameters, (names, required) = own_signature(), plain_parameters()
        given: Mapping[str, Any]
        if not kwargs and required <= len(args) <= len(names):
            # As `bind` does it, which takes longer than the checks.
            given = dict(zip(names, args, strict=False))
        else:
            try:
                given = parameters.bind(*args, **kwargs).arguments
            except TypeError:
                # Python's own message about missing or unknown arguments is the best one.
                return function(*args, **kwargs)
        for name, value in given.items():
            if name in function.__annotations__:
                is_several = parameters.parameters[name].kind is parameters.parameters[name].VAR_POSITIONAL
                for each in value if is_several else (value,):
                    _check(function.__name__, name, each, resolve_hint(name))
        return function(*args, **kwargs)

    return run


def _plain_parameters(parameters: Signature) -> tuple[Sequence[str], int]:
    """The names of parameters that can be given in order, and how many must be; none if others are required as well."""
    found = list(parameters.parameters.values())
    plain = [each for each in found if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    required = [each for each in found if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    if len(plain) < len(found) and any(each not in plain for each in required):
        return (), 1
    return [each.name for each in plain], len(required)


def _check(method: str, name: str, value: Any, hint: Any) -> None:
    if not _is_a(value, hint):
        if type(value) is int and int in (hint, *get_args(hint)) and not -_LONG <= value < _LONG:
            raise InvalidInput(f"The argument {name} of {method} is beyond the range of 64-bit integers.")
        shown = repr(value)
        shown = shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}..."
        raise InvalidInput(f"The argument {name} of {method} must be {_describe_hint(hint)}, not {shown}.")
    for text in _texts(value):
        check_encodable(text, f"The argument {name} of {method}")


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value matches an annotation; protocols and type variables match anything."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is_a(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _is_a(key, arguments[0]) and _is_a(item, arguments[1]) for key, item in value.items()
        )
    if origin in (Sequence, Collection):
        is_several = isinstance(value, origin) and not isinstance(value, str | bytes)
        return is_several and all(_is_a(item, arguments[0]) for item in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(arguments) and all(map(_is_a, value, arguments))
    if hint in (int, float) and isinstance(value, bool):
        return False
    if hint is int:
        return isinstance(value, int) and -_LONG <= value < _LONG
    if hint is float:
        return isinstance(value, int | float)
    is_open = hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False)
    return is_open or isinstance(value, hint) or _is_of_connect(value, hint)


def _is_of_connect(value: Any, hint: type) -> bool:
    """Whether a value is an instance of the Spark Connect class with the same name."""
    names = {(base.__module__.partition(".")[0], base.__name__) for base in type(value).__mro__}
    return ("pyspark", hint.__name__) in names and hint.__module__.startswith("pyspark")


def _texts(value: Any) -> list[str]:
    """The strings in an argument, one level deep; rows and their values are checked when they are read."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for text in pair if isinstance(text, str)]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list | tuple) else []


def _describe_hint(hint: Any) -> str:
    """Describes an annotation in words."""
    arguments = get_args(hint)
    match get_origin(hint):
        case None:
            return "None" if hint is type(None) else str(getattr(hint, "__name__", hint))
        case origin if origin in (Union, types.UnionType):
            return " or ".join(_describe_hint(each) for each in arguments)
        case origin if origin is Literal:
            return " or ".join(repr(each) for each in arguments)
        case origin if origin is Mapping:
            return f"a mapping of {_describe_hint(arguments[0])} to {_describe_hint(arguments[1])}"
        case origin if origin is tuple:
            return f"a tuple of {', '.join(_describe_hint(each) for each in arguments)}"
    return f"a list of {_describe_hint(arguments[0])}"
