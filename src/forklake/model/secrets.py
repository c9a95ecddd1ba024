"""Passwords are neither for screens nor for errors."""

import re

_IN_URL = re.compile(r"(://[^\s:/@]*:)[^\s/]*@")
# In quotes, in the doubled quotes of a string of SQL, in some that do not end, or without any.
_IN_WORDS = re.compile(
    r"((?:ssl)?pass(?:word|file)?\s*=\s*)(''[^']*''|'(?:[^'\\]|\\.)*(?:'|\Z)|(?:\\.|''|[^\s&'\\]|'(?=\S))+)",
    re.IGNORECASE | re.DOTALL,
)
# Values can be written in many ways: nothing of what is in the brackets is shown.
_CREATE_SECRET = re.compile(r"(\bcreate\s+(?:or\s+replace\s+)?(?:\w+\s+)?secret\b[^(]*\().*", re.IGNORECASE | re.DOTALL)
_IN_SECRETS = re.compile(
    r"(\b(?:secret|password|\w*token|\w*access_key|account_key|connection_string)\s*(?:=>?|:=)?\s*)'(?:[^']|'')*'?",
    re.IGNORECASE,
)


def without_passwords(text: str) -> str:
    """The text with every password in it, as URLs, connection strings and CREATE SECRET give them, struck out."""
    text = _CREATE_SECRET.sub(r"\1***)", text)
    return _IN_SECRETS.sub(r"\1'***'", _IN_WORDS.sub(r"\1***", _IN_URL.sub(r"\1***@", text)))
