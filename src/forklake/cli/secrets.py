"""Passwords are not for the screen."""

import re

_IN_URL = re.compile(r"(://[^\s:/@]*:)[^\s/]*@")
_IN_WORDS = re.compile(r"((?:ssl)?pass(?:word|file)?\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """The text with every password in it, as URLs and connection strings give them, struck out."""
    return _IN_WORDS.sub(r"\1***", _IN_URL.sub(r"\1***@", text))
