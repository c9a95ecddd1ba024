"""A strict grammar of simple conditions and queries in Spark's dialect.

sqlglot accepts more than Spark: trailing commas, clauses in any order, `a ISNULL`, `LIMIT 1, 2`. Where Spark does not
see the text, such a text must not be answered as if it were valid. This grammar contains only what Spark accepts, and
only what is needed; a text outside of it is left to Spark.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot.tokenizer_core import TokenType

from forklake.errors import SyntaxProblem
from forklake.sql.parsing.cursor import tokens_of

_GAP = re.compile(r"(?:[ \t\r\n]|--[^\r\n\\]*(?:\r?\n|\Z)|/\*(?!\+)(?:(?!\*/|/\*).)*\*/)*", re.DOTALL)
"""What may be between tokens. A backslash before a line break continues a comment in Spark, and comments nest there."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMPARISONS = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">="})
_TYPED_TEXTS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"})
_TRUTH_VALUES = frozenset({"NULL", "TRUE", "FALSE"})
_NO_NAMES = """
    ALL AND ANTI ANY AS ASC AUTHORIZATION BETWEEN BOTH BY CASE CAST CHECK CLUSTER COLLATE COLUMN CONSTRAINT CREATE
    CROSS CURRENT_CATALOG CURRENT_DATABASE CURRENT_DATE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DESC
    DISTINCT DISTRIBUTE DIV ELSE END ESCAPE EXCEPT EXISTS FALSE FETCH FILTER FOR FOREIGN FROM FULL GRANT GROUP HAVING
    ILIKE IN INNER INTERSECT INTERVAL INTO IS ISNULL JOIN LATERAL LEADING LEFT LIKE LIMIT LOCALTIME LOCALTIMESTAMP MATCH
    MINUS NATURAL NOT NOTNULL NULL NULLS OFFSET ON ONLY OR ORDER OUTER OVER OVERLAPS PIVOT PRIMARY QUALIFY REFERENCES
    REGEXP RIGHT RLIKE ROWS SELECT SEMI SESSION_USER SETMINUS SIMILAR SOME SORT TABLE TABLESAMPLE THEN TO TRAILING TRUE
    UNION UNIQUE UNKNOWN UNPIVOT USER USING VALUES WHEN WHERE WINDOW WITH WITHIN XOR"""
_KEYWORDS = frozenset(_NO_NAMES.split())
"""Words that are no names here, although Spark may take some of them for names."""


def is_plain_condition(text: str) -> bool:
    """Whether a text is certainly one valid condition in Spark."""
    return _is_all_of(text, lambda reader: reader.condition())


def is_plain_select(text: str) -> bool:
    """Whether a text is certainly a valid SELECT from one table or function in Spark."""
    return _is_all_of(text, lambda reader: reader.select())


def is_plain_sum(text: str) -> bool:
    """Whether a text is certainly a valid value in Spark, or a sum, difference or product of values."""
    return _is_all_of(text, lambda reader: reader.sum())


def is_plain_rows(text: str) -> bool:
    """Whether a text is certainly valid VALUES in Spark, perhaps with an alias, or a valid SELECT without FROM."""
    return _is_all_of(text, lambda reader: reader.rows())


@dataclass(frozen=True, slots=True)
class _Part:
    """A word in capitals, a sign, or the kind of a value."""

    kind: str
    text: str = ""


_END = _Part("end")


class _NotPlain(Exception):
    """The text is not in this grammar."""


def _is_all_of(text: str, read: Callable[["_Reader"], None]) -> bool:
    try:
        reader = _Reader(list(_parts(text)))
        read(reader)
        reader.expect_end()
    except (_NotPlain, SyntaxProblem, RecursionError):
        return False
    return True


def _parts(text: str) -> Iterator[_Part]:
    """The parts of a text, in which values and words are separated from each other."""
    end, before = 0, _Part("sign")
    for token in tokens_of(text, "spark"):
        gap = text[end : token.start]
        if not _GAP.fullmatch(gap):
            raise _NotPlain
        end = token.end + 1
        written = text[token.start : end]
        for part in _parts_of(token.token_type, written):
            if not gap and part.kind == "text" and part == before:
                # A doubled quote within a text.
                continue
            if not gap and not _may_touch(before, part):
                raise _NotPlain
            yield part
            before, gap = part, " "
    if not _GAP.fullmatch(text[end:]):
        raise _NotPlain


def _may_touch(before: _Part, after: _Part) -> bool:
    """Whether two parts are two without a space: `1a` is a name in Spark, and `a"b"` something else again."""
    return "sign" in (before.kind, after.kind) or (before.text in _TYPED_TEXTS and after.kind == "text")


def _parts_of(kind: TokenType, written: str) -> Iterator[_Part]:
    if kind == TokenType.STRING and written[0] in "'\"":
        yield _Part("text", written[0])
    elif kind == TokenType.IDENTIFIER and written[0] == "`":
        yield _Part("name")
    elif kind == TokenType.NUMBER and _NUMBER.fullmatch(written):
        yield _Part("number")
    elif all(_WORD.fullmatch(word) for word in written.split()):
        # Some keywords of two words are one token.
        yield from (_Part("word", word.upper()) for word in written.split())
    else:
        yield _Part("sign", written)


class _Reader:
    """Reads parts from left to right; _NotPlain where they do not fit."""

    def __init__(self, parts: list[_Part]) -> None:
        self._parts = parts
        self._at = 0

    def select(self) -> None:
        self._expect("SELECT")
        self._accept("DISTINCT")
        self._list_of(self._shown)
        self._expect("FROM")
        self._source()
        if self._accept("WHERE"):
            self.condition()
        if self._accept("GROUP"):
            self._expect("BY")
            self._list_of(self.condition)
        if self._accept("HAVING"):
            self.condition()
        if self._accept("ORDER"):
            self._expect("BY")
            self._list_of(self._sort_key)
        for clause in ("LIMIT", "OFFSET"):
            if self._accept(clause):
                self._value()
        self._accept(";")

    def rows(self) -> None:
        if self._accept("SELECT"):
            self._list_of(self._shown)
            return
        self._expect("VALUES")
        self._list_of(self._row)
        if self._accept("AS") or self._is_name():
            self._name()
            if self._accept("("):
                self._list_of(self._name)
                self._expect(")")

    def sum(self) -> None:
        self._value()
        while any(map(self._accept, "+-*")):
            self._value()

    def condition(self) -> None:
        self._conjunction()
        while self._accept("OR"):
            self._conjunction()

    def expect_end(self) -> None:
        if self._at < len(self._parts):
            raise _NotPlain

    def _conjunction(self) -> None:
        self._negation()
        while self._accept("AND"):
            self._negation()

    def _negation(self) -> None:
        while self._accept("NOT"):
            pass
        self._test()

    def _test(self) -> None:
        self._value()
        if self._peek().kind == "sign" and self._peek().text in _COMPARISONS:
            self._at += 1
            self._value()
            return
        if self._accept("IS"):
            self._accept("NOT")
            self._expect(*_TRUTH_VALUES)
            return
        negated = self._accept("NOT")
        if self._accept("IN"):
            self._expect("(")
            self._list_of(self._value)
            self._expect(")")
        elif self._accept("BETWEEN"):
            self._value()
            self._expect("AND")
            self._value()
        elif self._accept("LIKE"):
            self._value()
        elif negated:
            raise _NotPlain

    def _value(self) -> None:
        self._accept("-")
        if self._accept("("):
            self.condition()
            self._expect(")")
        elif self._peek().kind in ("number", "text"):
            self._at += 1
        elif self._accept(":"):
            self._expect_kind("word")
        elif self._accept("CAST"):
            self._expect("(")
            self.condition()
            self._expect("AS")
            self._type()
            self._expect(")")
        elif self._peek().kind == "word" and self._peek().text in _TRUTH_VALUES:
            self._at += 1
        elif self._peek().text in _TYPED_TEXTS and self._peek(1).kind == "text":
            self._at += 2
        else:
            self._name_or_call()
        while self._accept("::"):
            self._type()

    def _name_or_call(self) -> None:
        self._name()
        if self._accept("("):
            if not self._accept("*"):
                self._accept("DISTINCT")
                self._list_of(self.condition)
            self._expect(")")
            return
        while self._accept("."):
            self._name()

    def _type(self) -> None:
        self._name()
        if self._accept("("):
            self._list_of(lambda: self._expect_kind("number"))
            self._expect(")")

    def _shown(self) -> None:
        if self._accept("*"):
            return
        self.condition()
        if self._accept("AS") or self._is_name():
            self._name()

    def _source(self) -> None:
        self._name()
        while self._accept("."):
            self._name()
        self._skip_arguments()
        if self._accept("AS") or self._is_name():
            self._name()
        elif self._peek().text == "WHERE" and self._is_list_of_names(1):
            # `FROM t WHERE (a)`: Spark takes WHERE for an alias with a list of columns.
            raise _NotPlain

    def _is_list_of_names(self, ahead: int) -> bool:
        if self._peek(ahead) != _Part("sign", "("):
            return False
        while self._peek(ahead).text in ("(", ","):
            if self._peek(ahead + 1).kind not in ("name", "word"):
                return False
            ahead += 2
        return self._peek(ahead).text == ")"

    def _row(self) -> None:
        self._expect("(")
        self._list_of(self._value)
        self._expect(")")

    def _skip_arguments(self) -> None:
        """The arguments of a function of ours, which Spark never sees."""
        depth = 0
        while depth or self._peek() == _Part("sign", "("):
            part = self._peek()
            if part == _END:
                raise _NotPlain
            depth += (part == _Part("sign", "(")) - (part == _Part("sign", ")"))
            self._at += 1
            if not depth:
                return

    def _sort_key(self) -> None:
        self.condition()
        if not self._accept("ASC"):
            self._accept("DESC")
        if self._accept("NULLS"):
            self._expect("FIRST", "LAST")

    def _list_of(self, read: Callable[[], None]) -> None:
        read()
        while self._accept(","):
            read()

    def _is_name(self) -> bool:
        part = self._peek()
        return part.kind == "name" or (part.kind == "word" and part.text not in _KEYWORDS)

    def _name(self) -> None:
        if not self._is_name():
            raise _NotPlain
        self._at += 1

    def _expect_kind(self, kind: str) -> None:
        if self._peek().kind != kind:
            raise _NotPlain
        self._at += 1

    def _peek(self, ahead: int = 0) -> _Part:
        place = self._at + ahead
        return self._parts[place] if place < len(self._parts) else _END

    def _accept(self, text: str) -> bool:
        part = self._peek()
        found = part.kind in ("word", "sign") and part.text == text
        self._at += found
        return found

    def _expect(self, *texts: str) -> None:
        if not any(self._accept(text) for text in texts):
            raise _NotPlain
