"""Redaction of passwords in output and error messages."""

import re

_IN_URL = re.compile(r"(://[^\s:/@]*:)[^\s/]*@")
# In quotes, in doubled quotes within an SQL string, in unterminated quotes, or without quotes.
_IN_WORDS = re.compile(
    r"((?:ssl)?pass(?:word|file)?\s*=\s*)(''[^']*''|'(?:[^'\\]|\\.)*(?:'|\Z)|(?:\\.|''|[^\s&'\\]|'(?=\S))+)",
    re.IGNORECASE | re.DOTALL,
)
# Values can be written in many ways, so everything in the parentheses is hidden.
_CREATE_SECRET = re.compile(r"(\bcreate\s+(?:or\s+replace\s+)?(?:\w+\s+)?secret\b[^(]*\().*", re.IGNORECASE | re.DOTALL)
_IN_SECRETS = re.compile(
    r"(\b(?:secret|password|\w*token|\w*access_key|account_key|connection_string)\s*(?:=>?|:=)?\s*)'(?:[^']|'')*'?",
    re.IGNORECASE,
)


def without_passwords(text: str) -> str:
    """Redacts all passwords in a text, as found in URLs, connection strings and CREATE SECRET."""
    text = _CREATE_SECRET.sub(r"\1***)", text)
    return _IN_SECRETS.sub(r"\1'***'", _IN_WORDS.sub(r"\1***", _IN_URL.sub(r"\1***@", text)))
