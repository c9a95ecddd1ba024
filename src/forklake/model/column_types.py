"""Column types: stored names, accepted spellings, and allowed promotions."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from forklake.errors import InvalidType

SIGNED = ("int8", "int16", "int32", "int64", "int128")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64", "uint128")
INTEGERS = frozenset(SIGNED + UNSIGNED)
FLOATS = frozenset({"float32", "float64"})
TIMESTAMPS = frozenset({"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz"})
NESTED = frozenset({"struct", "list", "map"})

_SQL_NAMES = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "int128": "HUGEINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "uint128": "UHUGEINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "date": "DATE",
    "time": "TIME",
    "timetz": "TIME WITH TIME ZONE",
    "time_ns": "TIME_NS",
    "timestamp": "TIMESTAMP",
    "timestamp_s": "TIMESTAMP_S",
    "timestamp_ms": "TIMESTAMP_MS",
    "timestamp_ns": "TIMESTAMP_NS",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "interval": "INTERVAL",
    "varchar": "VARCHAR",
    "blob": "BLOB",
    "uuid": "UUID",
    "json": "JSON",
    "geometry": "GEOMETRY",
    "variant": "VARIANT",
}

# Stored names take precedence over DuckDB's, whose INT8 has eight bytes, while the stored `int8` has eight bits. INT1,
# INT2 and INT4 are omitted, so that users who count in bytes do not silently get another width.
_SPELLINGS = {
    **{name: name for name in _SQL_NAMES},
    **{sql.lower(): name for name, sql in _SQL_NAMES.items()},
    "bool": "boolean",
    "logical": "boolean",
    "byte": "int8",
    "short": "int16",
    "int": "int32",
    "signed": "int32",
    "long": "int64",
    "real": "float32",
    "float4": "float32",
    "float8": "float64",
    "double precision": "float64",
    "time without time zone": "time",
    "datetime": "timestamp",
    "timestamp_us": "timestamp",
    "timestamp_ntz": "timestamp",
    "timestamp without time zone": "timestamp",
    "timestamp_ltz": "timestamptz",
    "string": "varchar",
    "text": "varchar",
    "char": "varchar",
    "bpchar": "varchar",
    "character": "varchar",
    "character varying": "varchar",
    "bytea": "blob",
    "binary": "blob",
    "varbinary": "blob",
    "guid": "uuid",
}
_DECIMAL_SPELLINGS = frozenset({"decimal", "numeric", "dec"})
_WITH_LENGTH = frozenset({"varchar", "char", "bpchar", "character", "character varying", "string", "text"})
_REFUSED = frozenset({"enum", "bit", "bitstring", "bignum", "varint", "union", "null", "void", "unknown"})
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A column's type; `fields` are a struct's children, a list's `element`, a map's `key` and `value`."""

    name: str
    precision: int | None = None
    scale: int | None = None
    fields: "tuple[tuple[str, ColumnType], ...]" = ()

    @property
    def text(self) -> str:
        """The type as stored for the column; the children of a nested type are stored separately."""
        return f"decimal({self.precision},{self.scale})" if self.name == "decimal" else self.name

    @property
    def is_nested(self) -> bool:
        return self.name in NESTED

    def sql(self) -> str:
        """The complete type as SQL text; inverse of `parse_type`."""
        match self.name:
            case "decimal":
                return f"DECIMAL({self.precision},{self.scale})"
            case "list":
                return f"{self.fields[0][1].sql()}[]"
            case "map":
                return f"MAP({self.fields[0][1].sql()}, {self.fields[1][1].sql()})"
            case "struct":
                return f"STRUCT({', '.join(f'{_quote_field(name)} {child.sql()}' for name, child in self.fields)})"
            case _:
                return _SQL_NAMES[self.name]


def decimal_of(precision: int, scale: int) -> ColumnType:
    """A decimal with the given precision and scale."""
    if not (1 <= precision <= 38 and 0 <= scale <= precision):
        raise InvalidType(
            f"DECIMAL({precision},{scale}) is not possible: 1 to 38 digits, of which 0 to all after the point"
        )
    return ColumnType("decimal", precision, scale)


def list_of(element: ColumnType) -> ColumnType:
    """A list of elements of one type."""
    return ColumnType("list", fields=(("element", element),))


def map_of(key: ColumnType, value: ColumnType) -> ColumnType:
    """A map with one key type and one value type."""
    return ColumnType("map", fields=(("key", key), ("value", value)))


def struct_of(fields: "tuple[tuple[str, ColumnType], ...]") -> ColumnType:
    """A struct of named fields; names must differ in more than case."""
    if not fields:
        raise InvalidType("A STRUCT needs at least one field")
    seen: set[str] = set()
    for name, _ in fields:
        if not name:
            raise InvalidType("A field of a STRUCT needs a name")
        if name.lower() in seen:
            raise InvalidType(f'A STRUCT cannot have two fields named "{name}" (names are case-insensitive)')
        seen.add(name.lower())
    return ColumnType("struct", fields=fields)


def parse_type(text: str, *, timestamp: str = "timestamp") -> ColumnType:
    """Parse a type in the stored, DuckDB or Spark spelling; raises InvalidType if it cannot be stored.

    `timestamp` is the type denoted by TIMESTAMP without further words.
    """
    parser = _TypeParser(text, timestamp)
    parsed = parser.type()
    parser.end()
    return parsed


def can_promote(old: ColumnType, new: ColumnType) -> bool:
    """Whether every value of `old` can be read as `new`; False for equal types."""
    return old != new and _can_widen(old, new)


def _can_widen(old: ColumnType, new: ColumnType) -> bool:
    if old == new:
        return True
    if old.is_nested:
        return old.name == new.name and _children_fit(old, new)
    if new.name == "decimal":
        return _fits_decimal(old, new)
    return new.name in _PROMOTIONS.get(old.name, frozenset())


def _children_fit(old: ColumnType, new: ColumnType) -> bool:
    targets = {name.lower(): child for name, child in new.fields}
    sources = {name.lower(): child for name, child in old.fields}
    return sources.keys() == targets.keys() and all(_can_widen(sources[name], targets[name]) for name in sources)


def _fits_decimal(old: ColumnType, new: ColumnType) -> bool:
    digits, scale = _decimal_room(old)
    room, new_scale = _decimal_room(new)
    return digits <= room and scale <= new_scale


def _decimal_room(column_type: ColumnType) -> tuple[float, int]:
    """The digits before and after the point; infinite if the type has no limit, so that it fits no decimal."""
    if column_type.precision is not None and column_type.scale is not None:
        return column_type.precision - column_type.scale, column_type.scale
    return _DIGITS.get(column_type.name, math.inf), 0


# The 128-bit types have 39 digits, more than any decimal.
_DIGITS = {
    "int8": 3,
    "int16": 5,
    "int32": 10,
    "int64": 19,
    "uint8": 3,
    "uint16": 5,
    "uint32": 10,
    "uint64": 20,
}
_PROMOTIONS: dict[str, frozenset[str]] = {
    "boolean": INTEGERS,
    **{name: frozenset(SIGNED[at + 1 :]) | FLOATS for at, name in enumerate(SIGNED)},
    # An unsigned type needs a strictly wider signed type: SIGNED[at] has the same width.
    **{name: frozenset(UNSIGNED[at + 1 :] + SIGNED[at + 1 :]) | FLOATS for at, name in enumerate(UNSIGNED)},
    "float32": frozenset({"float64"}),
    "decimal": FLOATS,
    "date": TIMESTAMPS,
    "timestamp_s": frozenset({"timestamp", "timestamp_ms", "timestamp_ns"}),
    "timestamp_ms": frozenset({"timestamp", "timestamp_ns"}),
    "timestamp": frozenset({"timestamp_ns", "timestamptz"}),
}


def _quote_field(name: str) -> str:
    return name if _PLAIN_NAME.match(name) else '"' + name.replace('"', '""') + '"'


_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|`(?:[^`]|``)*`|\w+|[()<>\[\],:])')
_CLOSING = {"(": ")", "<": ">"}


class _TypeParser:
    """Recursive descent over the tokens of one type."""

    def __init__(self, text: str, timestamp: str) -> None:
        self._text = text
        self._timestamp = timestamp
        self._tokens = self._tokenize()
        self._at = 0

    def type(self) -> ColumnType:
        parsed = self._base()
        while self._accept("["):
            if not self._accept("]"):
                raise InvalidType(f"{self._text}: arrays of fixed length are not supported, use a list (T[])")
            parsed = list_of(parsed)
        return parsed

    def end(self) -> None:
        if self._peek():
            raise self._unexpected_token()

    def _base(self) -> ColumnType:
        word = self._word()
        match word:
            case "struct" | "row":
                return self._parse_enclosed(word, self._struct)
            case "list" | "array":
                return self._parse_enclosed(word, lambda: list_of(self.type()))
            case "map":
                return self._parse_enclosed(word, self._map)
            case _ if word in _DECIMAL_SPELLINGS:
                return decimal_of(*self._decimal_digits())
            case _:
                return self._scalar(word)

    def _scalar(self, word: str) -> ColumnType:
        spelling = self._longest_spelling(word)
        if spelling in _REFUSED:
            raise InvalidType(f"Columns of type {spelling.upper()} are not supported")
        if spelling not in _SPELLINGS:
            raise InvalidType(f'There is no column type "{spelling}"')
        if spelling in _WITH_LENGTH and self._accept("("):
            self._number()
            self._expect(")")
        return ColumnType(self._timestamp if spelling == "timestamp" else _SPELLINGS[spelling])

    def _longest_spelling(self, word: str) -> str:
        """Extends the word by the following ones, for spellings like `timestamp with time zone`."""
        longer = f"{word} {self._peek().lower()}"
        if not self._peek() or not any(known.startswith(longer) for known in _SPELLINGS):
            return word
        self._at += 1
        return self._longest_spelling(longer)

    def _parse_enclosed(self, word: str, inside: Callable[[], ColumnType]) -> ColumnType:
        closing = _CLOSING.get(self._peek())
        if closing is None:
            raise InvalidType(f"{self._text}: the type {word.upper()} needs element types")
        self._at += 1
        parsed = inside()
        self._expect(closing)
        return parsed

    def _struct(self) -> ColumnType:
        fields = [self._field()]
        while self._accept(","):
            fields.append(self._field())
        return struct_of(tuple(fields))

    def _field(self) -> tuple[str, ColumnType]:
        name = self._name()
        self._accept(":")
        return name, self.type()

    def _map(self) -> ColumnType:
        key = self.type()
        self._expect(",")
        return map_of(key, self.type())

    def _decimal_digits(self) -> tuple[int, int]:
        if not self._accept("("):
            return 18, 3
        precision = self._number()
        scale = self._number() if self._accept(",") else 0
        self._expect(")")
        return precision, scale

    def _name(self) -> str:
        token = self._peek()
        if token[:1] in ('"', "`"):
            self._at += 1
            return token[1:-1].replace(token[0] * 2, token[0])
        if not token or not (token[0] == "_" or token[0].isalnum()):
            raise self._unexpected_token()
        self._at += 1
        return token

    def _word(self) -> str:
        return self._name().lower()

    def _number(self) -> int:
        token = self._peek()
        if not (token.isascii() and token.isdigit()):
            raise self._unexpected_token()
        self._at += 1
        return int(token)

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _accept(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._at += 1
        return True

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise self._unexpected_token()

    def _unexpected_token(self) -> InvalidType:
        found = f'"{self._peek()}"' if self._peek() else "the end"
        return InvalidType(f'Cannot read the column type "{self._text}": unexpected {found}')

    def _tokenize(self) -> list[str]:
        tokens = []
        at = 0
        text = self._text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise InvalidType(f'Cannot read the column type "{self._text}": unexpected "{text[at]}"')
            tokens.append(found.group(1))
            at = found.end()
        return tokens
