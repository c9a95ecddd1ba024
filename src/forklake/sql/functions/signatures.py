"""Function signatures: parameters, and binding of arguments to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidInput
from forklake.model.names import closest_name, fold
from forklake.sql.binding.names import Context, read_transaction
from forklake.sql.parsing.constants import as_time, clock_time
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState


@dataclass(frozen=True, slots=True)
class ArgumentKind:
    """A type of arguments: its name, and a conversion from Python values, which raises ValueError on failure."""

    name: str
    read: Callable[[Any], Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: ArgumentKind
    required: bool = False
    nullable: bool = False
    """Whether NULL is allowed although it is required, or a BOOLEAN; all others allow it."""
    by_name: bool = False
    """Whether it can only be given by name."""
    long_form: bool = False
    """Whether it is positional only if the catalog is also an argument."""


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function with its arguments, ready to run."""

    state: SessionState
    attachment: Attachment
    schema: str
    """The schema in which unqualified names are resolved."""
    given: Mapping[str, Any]
    """The arguments by parameter name; those not given are absent."""
    context: Context
    """The context of the call."""
    name: str
    """The name by which the function was called, without its catalog."""

    @property
    def tx(self) -> Transaction:
        """The transaction in which it reads the catalog."""
        return read_transaction(self.state, self.context, self.attachment)

    def get(self, name: str) -> Any:
        return self.given.get(name)


@dataclass(frozen=True, slots=True)
class Function:
    """One of our functions: `ducklake_<name>(catalog, …)`, or `catalog.<name>(…)`."""

    name: str
    parameters: tuple[Parameter, ...]
    run: Callable[[FunctionCall], pa.Table | DataFrame] = field(repr=False)

    @property
    def takes_table(self) -> bool:
        return any(parameter.name == "table_name" for parameter in self.parameters)

    def signature(self, *, short: bool) -> str:
        """The signature as a user would write it, with argument types."""
        positional = [f"{p.name} {p.kind.name}" for p in self.positional(short=short)]
        named = [f"{p.name} => {p.kind.name}" for p in self.parameters if p.by_name]
        if short:
            return f"{self.name}({', '.join([*positional, *named])})"
        return f"ducklake_{self.name}({', '.join(['catalog VARCHAR', *positional, *named])})"

    def positional(self, *, short: bool) -> list[Parameter]:
        return [p for p in self.parameters if not p.by_name and not (short and p.long_form)]

    def bind(
        self, arguments: Sequence[object], named: Mapping[str, object], *, short: bool, zone: Callable[[], tzinfo]
    ) -> dict[str, Any]:
        """Bind arguments to parameters; times without a zone are in the given one.

        Raises InvalidInput, with the signature, if they do not fit.
        """
        positional = self.positional(short=short)
        if len(arguments) > len(positional):
            raise self._refusal(f"takes no more than {len(positional) + (not short)} arguments", short=short)
        given: dict[str, object] = {p.name: value for p, value in zip(positional, arguments, strict=False)}
        for name, value in named.items():
            found = next((p for p in self.parameters if p.name == fold(name)), None)
            if found is None:
                nearest = closest_name(name, [p.name for p in self.parameters])
                hint = f"; did you mean {nearest}?" if nearest else ""
                raise self._refusal(f'Invalid named parameter "{name}"{hint}', short=short)
            if found.name in given:
                raise self._refusal(f'Parameter "{name}" is given twice', short=short)
            given[found.name] = value
        missing = [p.name for p in positional if p.required and p.name not in given]
        if missing:
            raise self._refusal(f"needs a value for {', '.join(missing)}", short=short)
        read = {p.name: self._read(p, given[p.name], short=short) for p in self.parameters if p.name in given}
        return {name: as_time(value, zone) if isinstance(value, datetime) else value for name, value in read.items()}

    def _read(self, parameter: Parameter, value: object, *, short: bool) -> Any:
        if value is None:
            if (parameter.required or parameter.kind is FLAG) and not parameter.nullable:
                raise self._refusal(f"{parameter.name} cannot be NULL", short=short)
            return None
        try:
            return parameter.kind.read(value)
        except ValueError:
            what = f"{parameter.name} must be {parameter.kind.name}, not {value!r}"
            raise self._refusal(what, short=short) from None

    def _refusal(self, problem: str, *, short: bool) -> InvalidInput:
        return InvalidInput(f"{self.name}: {problem}. Its signature is {self.signature(short=short)}.")


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _read_flag(value: Any) -> bool:
    found = {"true": True, "false": False}.get(str(value).lower())
    if found is None:
        raise ValueError
    return found


def _read_whole_number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value != int(value):
        raise ValueError
    return int(value)


def _read_count(value: Any) -> int:
    number = _read_whole_number(value)
    if number < 0:
        raise ValueError
    return number


def _read_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError
    return float(value)


def _read_point(value: Any) -> Any:
    return _read_whole_number(value) if isinstance(value, int | Decimal) else clock_time(value)


def _read_counts(value: Any) -> list[int]:
    return [_read_count(item) for item in _read_items(value)]


def _read_texts(value: Any) -> list[str]:
    return [_read_text(item) for item in ([value] if isinstance(value, str) else _read_items(value))]


def _read_items(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError
    return list(value)


ANY = ArgumentKind("ANY", lambda value: value)
TEXT = ArgumentKind("VARCHAR", _read_text)
FLAG = ArgumentKind("BOOLEAN", _read_flag)
VERSION = ArgumentKind("BIGINT", _read_whole_number)
COUNT = ArgumentKind("UBIGINT", _read_count)
COUNTS = ArgumentKind("UBIGINT[]", _read_counts)
NUMBER = ArgumentKind("DOUBLE", _read_number)
TIME = ArgumentKind("TIMESTAMPTZ", clock_time)
POINT = ArgumentKind("BIGINT or TIMESTAMPTZ", _read_point)
TEXTS = ArgumentKind("VARCHAR or VARCHAR[]", _read_texts)
