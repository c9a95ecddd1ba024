"""INSERT of literal rows in its usual form, which is read without a tokenizer.

Tokens of such a text cannot be cached, because every row has another text, and take longer than everything else that is
known of it. Whatever has another form is read by `sql/parsing/parse_dml.py`, which gives the same result for this one.
"""

import re
from functools import cache

from forklake.sql.parsing.cursor import sqlglot_dialect
from forklake.sql.parsing.statements import Insert
from forklake.sql.values.values_clause import parse_values

_SPACE = r"[ \t\r\n]"
# Possessive where two runs of spaces could be next to each other: a text of nothing else would take quadratic time.
_NAME = r"[A-Za-z_]\w*"
_FORM = re.compile(
    rf"{_SPACE}*INSERT{_SPACE}+INTO{_SPACE}+(?P<name>{_NAME}(?:\.{_NAME}){{0,2}}){_SPACE}*"
    rf"(?:\({_SPACE}*(?P<columns>{_NAME}(?:{_SPACE}*,{_SPACE}*{_NAME})*){_SPACE}*\){_SPACE}*|(?<={_SPACE}))"
    rf"(?P<query>VALUES{_SPACE}*\(.*\)){_SPACE}*+;?{_SPACE}*",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMA = re.compile(rf"{_SPACE}*,{_SPACE}*")


def plain_insert(text: str, dialect: str) -> Insert | None:
    """The statement, if the text is a single INSERT of literals, and its names are not quoted and no keywords."""
    found = _FORM.fullmatch(text)
    # What cannot be encoded is refused with all other texts.
    if found is None or _LONE_SURROGATE.search(text):
        return None
    name = tuple(found["name"].split("."))
    columns = tuple(_COMMA.split(found["columns"])) if found["columns"] else ()
    if not _keywords(dialect).isdisjoint(word.upper() for word in (*name, *columns)):
        return None
    return None if parse_values(found["query"], dialect) is None else Insert(name, found["query"], columns)


@cache
def _keywords(dialect: str) -> frozenset[str]:
    """The words that the tokenizer reads as anything but names, or as parts of keywords."""
    phrases = sqlglot_dialect(dialect).tokenizer_class.KEYWORDS
    return frozenset(word for phrase in phrases for word in phrase.upper().split())
