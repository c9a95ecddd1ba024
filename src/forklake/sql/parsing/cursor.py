"""Tokenizer and cursor over a statement: reads tokens from left to right, with access to the text."""

import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, wraps
from importlib import import_module
from itertools import pairwise
from typing import TypeVar, cast

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from forklake.errors import InvalidInput, SyntaxProblem
from forklake.model.encodable import check_encodable
from forklake.model.secrets import without_passwords

_READERS: Mapping[str, tuple[str, str]] = {
    "spark": ("forklake.sql.parsing.spark_dialect", "SparkReadDialect"),
    "duckdb": ("forklake.sql.parsing.duckdb_dialect", "DuckDBReadDialect"),
    "duckdb without dollars": ("forklake.sql.parsing.duckdb_dialect", "DuckDBReadDialectWithoutDollars"),
}
"""sqlglot dialects by name: module and class. Few need both, and they are slow to import."""
DIALECTS = ("spark", "duckdb")
_DOLLAR_QUOTE = re.compile(r"\$([^\W\d]\w*)?\$")
S = TypeVar("S")
T = TypeVar("T")

_MOST_NESTED = 100
"""Maximum nesting of brackets; sqlglot gets slower with depth, and eventually fails."""
_KEPT_TEXTS, _LONGEST_KEPT = 64, 4_000
"""Maximum number of texts in a parser cache, and maximum length of a cached text."""
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}


@cache
def sqlglot_dialect(dialect: str) -> type[Dialect]:
    """The sqlglot dialect."""
    module, name = _READERS[dialect]
    return cast("type[Dialect]", getattr(import_module(module), name))


def has_dollar_quotes(text: str) -> bool:
    """Whether a text may have strings in dollar quotes, such as `$$text$$` or `$tag$text$tag$`."""
    return _DOLLAR_QUOTE.search(text) is not None


def _reader(text: str, dialect: str) -> type[Dialect]:
    """The sqlglot dialect that reads this text."""
    has_no_dollars = dialect == "duckdb" and not has_dollar_quotes(text)
    return sqlglot_dialect("duckdb without dollars" if has_no_dollars else dialect)


def quoted_name(name: str, dialect: str) -> str:
    """A name quoted for a dialect, whatever it contains."""
    quote = '"' if dialect == "duckdb" else "`"
    return quote + name.replace(quote, quote * 2) + quote


def syntax_problem(message: str, text: str, position: int) -> SyntaxProblem:
    """An error at a position in the text, which it shows without passwords."""
    shown = without_passwords(text)
    place = position if shown == text else min(len(without_passwords(text[:position])), len(shown))
    return SyntaxProblem(without_passwords(message), shown, place)


def cache_short_texts(read: Callable[[str, str], T]) -> Callable[[str, str], T]:
    """Cache results for recent short texts; most are parsed several times, and many recur."""
    kept = lru_cache(_KEPT_TEXTS)(read)

    @wraps(read)
    def reading(text: str, dialect: str) -> T:
        return kept(text, dialect) if len(text) <= _LONGEST_KEPT else read(text, dialect)

    return reading


@cache_short_texts
def tokens_of(text: str, dialect: str) -> Sequence[Token]:
    """The tokens of a text, aware of strings and comments."""
    check_encodable(text, "The statement")
    try:
        # After a bracket no word is a command, the rest of which sqlglot would not tokenize.
        found = sqlglot.tokenize(f"({text}", read=_reader(text, dialect))[1:]
    except SqlglotError:
        raise syntax_problem("The text has a string or a comment without an end.", text, len(text)) from None
    return tuple(Token(token.token_type, token.text, start=token.start - 1, end=token.end - 1) for token in found)


@cache_short_texts
def parse_text(text: str, dialect: str) -> exp.Expr:
    """Parse a query or expression to a sqlglot tree with positions in the text. Raises SqlglotError.

    The tree is cached and shared: it must not be modified.
    """
    if max(text.count("("), text.count("[")) > _MOST_NESTED and _nesting_depth(text, dialect) > _MOST_NESTED:
        raise InvalidInput("The statement is nested too deeply.")
    plain = _escape_doubled_quotes(text) if dialect == "spark" else text
    with quiet_parsing():
        return sqlglot.parse_one(plain, read=_reader(plain, dialect))


def _nesting_depth(text: str, dialect: str) -> int:
    """The maximum number of open or, as in `int[][]`, consecutive brackets, which are nested as well."""
    found, depth, in_a_row = 0, 0, 0
    for token in tokens_of(text, dialect):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if token.token_type == TokenType.L_BRACKET:
            in_a_row += 1
        elif token.token_type not in (TokenType.R_BRACKET, TokenType.NUMBER):
            in_a_row = 0
        found = max(found, depth, in_a_row)
    return found


class _LogSwitch(threading.local):
    """Whether sqlglot may log in this thread."""

    is_open = True

    def filter(self, record: logging.LogRecord) -> bool:
        return self.is_open


_LOG = _LogSwitch()
logging.getLogger("sqlglot").addFilter(_LOG.filter)


@contextmanager
def without_log() -> Iterator[None]:
    """Suppress sqlglot's log: its warnings repeat statements, including secrets."""
    before, _LOG.is_open = _LOG.is_open, False
    try:
        yield
    finally:
        _LOG.is_open = before


@contextmanager
def quiet_parsing() -> Iterator[None]:
    """Suppress the log, and turn any failure of sqlglot into SqlglotError, or InvalidInput if nested too deeply."""
    try:
        with without_log():
            yield
    except SqlglotError:
        raise
    except RecursionError:
        raise InvalidInput("The statement is nested too deeply.") from None
    except Exception as error:
        # On texts outside its language it fails in any way: with IndexError, AttributeError and others.
        raise ParseError(f"{type(error).__name__} in sqlglot") from error


def _escape_doubled_quotes(text: str) -> str:
    """The text with `\\'` for `''` in strings: both are a quote to Spark, but the second is two strings to sqlglot."""
    characters = list(text)
    for before, token in pairwise(tokens_of(text, "spark") if "''" in text or '""' in text else ()):
        together = token.start == before.end + 1 and text[before.end] == text[token.start]
        if together and token.token_type == before.token_type == TokenType.STRING:
            characters[before.end] = "\\"
    return "".join(characters)


def split_statements(text: str, dialect: str) -> list[str]:
    """Split a text into statements, without the semicolons."""
    statements, start, is_empty = [], 0, True
    for token in tokens_of(text, dialect):
        if token.token_type != TokenType.SEMICOLON:
            is_empty = False
            continue
        if not is_empty:
            statements.append(text[start : token.start])
        start, is_empty = token.end + 1, True
    if not is_empty:
        statements.append(text[start:])
    return [statement.strip() for statement in statements]


@lru_cache
def _single_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of phrases such as `NOT MATCHED`, one by one."""
    return tuple(" ".join(words).split())


def check_end(cursor: "Cursor", statement: S) -> S:
    """Return the statement if nothing follows it."""
    cursor.expect_end()
    return statement


class Cursor:
    """Reads a statement token by token. Keywords are case-insensitive."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.dialect = dialect
        self._tokens: Sequence[Token] = tokens_of(text, dialect)
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    @property
    def position(self) -> int:
        """Start of the next token in the text."""
        return len(self.text) if self.at_end else self._tokens[self._at].start

    @property
    def last_end(self) -> int:
        """End of the last token read."""
        return self._tokens[self._at - 1].end + 1 if self._at else 0

    def peek(self, ahead: int = 0) -> str:
        """The next token in upper case; empty for strings, quoted names and the end."""
        place = self._at + ahead
        if place >= len(self._tokens):
            return ""
        token = self._tokens[place]
        return "" if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) else token.text.upper()

    def next_is(self, *words: str) -> bool:
        """Whether these words come next."""
        here = self._at
        found = self.accept(*words)
        self._at = here
        return found

    def accept(self, *words: str) -> bool:
        """Consume these words if they come next."""
        wanted = _single_words(words)
        # Most attempts fail at the first word.
        if wanted and not self.peek().startswith(wanted[0]):
            return False
        place, read = self._at, 0
        while read < len(wanted):
            if place >= len(self._tokens):
                return False
            here = self.peek(place - self._at).split()
            if not here or tuple(here) != wanted[read : read + len(here)]:
                return False
            read += len(here)
            place += 1
        self._at = place
        return True

    def expect(self, *words: str) -> None:
        if not self.accept(*words):
            raise self.problem(f"Expected {' '.join(words)}")

    def expect_one(self, *choices: str) -> None:
        if not any(self.accept(words) for words in choices):
            raise self.problem(f"Expected {' or '.join(choices)}")

    def expect_end(self) -> None:
        if not self.at_end:
            raise self.problem("Expected the end of the statement")

    def is_string(self) -> bool:
        return not self.at_end and self._tokens[self._at].token_type == TokenType.STRING

    def is_quoted_name(self) -> bool:
        return not self.at_end and self._tokens[self._at].token_type == TokenType.IDENTIFIER

    def is_plain_name(self) -> bool:
        """Whether an identifier that is not a keyword comes next."""
        if self.at_end or not self._is_name(self._tokens[self._at]):
            return False
        return self._tokens[self._at].token_type in (TokenType.VAR, TokenType.IDENTIFIER)

    def string(self) -> str:
        """A quoted string; adjacent strings are joined."""
        if not self.is_string():
            raise self.problem("Expected a string")
        quote = self.text[self.position]
        found = self._take().text
        while self.is_string():
            # A doubled quote within a string is tokenized as two strings.
            found += (quote if self.position == self.last_end else "") + self._take().text
        return found

    def identifier(self) -> str:
        """A name, quoted or not."""
        if self.at_end or not self._is_name(self._tokens[self._at]):
            raise self.problem("Expected a name")
        return self._take().text

    def identifier_or_string(self) -> str:
        return self.string() if self.is_string() else self.identifier()

    def dotted_name(self) -> tuple[str, ...]:
        """A dotted name, outermost part first."""
        parts = [self.identifier()]
        while self.accept("."):
            parts.append(self.identifier())
        return tuple(parts)

    def number(self) -> int:
        if self.at_end or self._tokens[self._at].token_type != TokenType.NUMBER or not self.peek().isdecimal():
            raise self.problem("Expected a whole number")
        return int(self._take().text)

    def simple_value(self) -> str:
        """The text of a number, a string, a typed string, a parameter, or an expression in brackets."""
        start = self.position
        if self.peek() == "(":
            return f"({self.in_brackets()})"
        if self.accept(":") or not self.is_string():
            self._take()
        if self.is_string():
            self.string()
        return self.text[start : self.last_end]

    def type_until(self, *stops: str) -> str:
        """The text of a type, in which angle brackets nest as well."""
        return self._text_until_any(stops, "<", ">")

    def text_until(self, *stops: str, first: str = "") -> str:
        """The non-empty text up to one of these words outside brackets, or to the end.

        The text may begin with the word `first`, even if it is one of them.
        """
        return self._text_until_any(stops, first=first)

    def _text_until_any(
        self, stops: Sequence[str], more_opening: str = " ", more_closing: str = " ", *, first: str = ""
    ) -> str:
        start, end = self.position, self.position
        depth = 0
        while not self.at_end:
            begins = bool(first) and end == start and self.peek() == first
            if depth == 0 and not begins and any(self.next_is(stop) for stop in stops):
                break
            word = self.peek()
            if depth == 0 and word in _CLOSING:
                break
            if (length := self._length_of_unit()) > 1:
                self._at += length - 1
            depth += (word in _OPENING) - (word in _CLOSING) + word.count(more_opening) - word.count(more_closing)
            end = self._take().end + 1
        if end <= start:
            raise self.problem("Expected an expression")
        return self.text[start:end]

    def _length_of_unit(self) -> int:
        """The number of tokens of the next unit, which is not split: CASE … END, or IS [NOT] DISTINCT FROM."""
        for words in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
            if self.next_is(words):
                return len(words.split())
        if not self.next_is("CASE"):
            return 1
        here, depth, length = self._at, 0, 0
        while not self.at_end:
            depth += self.next_is("CASE") - self.next_is("END")
            length += 1
            if depth == 0:
                break
            self._at += 1
        self._at = here
        # Without END it is a name.
        return length if depth == 0 else 1

    def in_brackets(self) -> str:
        """The text between the next bracket and its match."""
        self.expect("(")
        found = "" if self.peek() == ")" else self.text_until()
        self.expect(")")
        return found

    def has_ahead(self, words: str) -> bool:
        """Whether these words follow anywhere, outside brackets."""
        here, depth, found = self._at, 0, False
        while not self.at_end and not found:
            found = depth == 0 and self.next_is(words)
            depth += (self.peek() in _OPENING) - (self.peek() in _CLOSING)
            self._at += 1
        self._at = here
        return found

    def rest_of_text(self) -> str:
        """All remaining text."""
        found = self.text[self.position :]
        self._at = len(self._tokens)
        return found.strip()

    def problem(self, what: str) -> SyntaxProblem:
        """An error at the next token."""
        if self.at_end:
            return syntax_problem(f"{what}, but the statement ends here.", self.text, len(self.text))
        return syntax_problem(f"{what}, not {self._tokens[self._at].text!r}.", self.text, self.position)

    def _take(self) -> Token:
        if self.at_end:
            raise self.problem("Expected a value")
        token = self._tokens[self._at]
        self._at += 1
        return token

    @staticmethod
    def _is_name(token: Token) -> bool:
        if token.token_type in (TokenType.STRING, TokenType.NUMBER):
            return False
        return token.token_type == TokenType.IDENTIFIER or token.text.replace("_", "a").isalnum()
