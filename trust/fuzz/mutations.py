"""Texts that were statements once."""

import random
import re
from collections.abc import Callable, Sequence

from trust.fuzz.hostile import any_name, any_text

_TOKENS = re.compile(r"\w+|\s+|'(?:[^']|'')*'|.", re.DOTALL)
_PIECES: Sequence[str] = (
    "'", '"', "`", "''", "--", "/*", "*/", ";", "(", ")", "[", "]", "{", "}", "<", ">", ",", ".", "..", "=>", ":=",
    "\\", "\0", "\n", "\r", "\u2028", "\ud800", "\ufeff", "@", "#", "$", "$$", "?", ":a", "%", "NULL", "SELECT", "FROM",
    "AS", "AT", "VERSION", "TABLE", "IF EXISTS", "AND", "1", "-1", "1e400", "9" * 30, "0x", "e'", "x'", "r'", "{{",
    "::", "}}", "{% for x in y %}", "{# ", "/*+ ", "-- \n", "!", "!=", "^", "~", "\x1a", "+", "@>", "||",
)  # fmt: skip
LONGEST = 200_000


def mutate(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """The text with a few things done to it."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        text = rng.choice(_CHANGES)(rng, text, others)
    return text[:LONGEST]


def _on_tokens(change: Callable[[random.Random, list[str], int], None]) -> Callable[..., str]:
    def changed(rng: random.Random, text: str, others: Sequence[str]) -> str:
        tokens = _TOKENS.findall(text)
        if tokens:
            change(rng, tokens, rng.randrange(len(tokens)))
        return "".join(tokens)

    return changed


def _drop(rng: random.Random, tokens: list[str], at: int) -> None:
    del tokens[at]


def _double(rng: random.Random, tokens: list[str], at: int) -> None:
    tokens[at] = tokens[at] * rng.choice((2, 2, 2, 3, 3, 40))


def _swap(rng: random.Random, tokens: list[str], at: int) -> None:
    other = rng.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]


def _put_piece(rng: random.Random, tokens: list[str], at: int) -> None:
    tokens.insert(at, rng.choice(_PIECES))


def _replace_by_name(rng: random.Random, tokens: list[str], at: int) -> None:
    quote = rng.choice(("", "'", '"', "`"))
    tokens[at] = quote + any_name(rng) + quote


def _replace_by_piece(rng: random.Random, tokens: list[str], at: int) -> None:
    tokens[at] = rng.choice(_PIECES)


def _stretch(rng: random.Random, tokens: list[str], at: int) -> None:
    tokens[at] = tokens[at][:20] * rng.choice((10, 10, 30, 30, 100, 2000))


def _nest(rng: random.Random, tokens: list[str], at: int) -> None:
    deep = rng.choice((2, 2, 5, 20, 50, 300))
    tokens[at] = "(" * deep + tokens[at] + ")" * rng.choice((deep, deep, deep - 1))


def _cut(rng: random.Random, text: str, others: Sequence[str]) -> str:
    return text[: rng.randint(0, len(text))]


def _splice(rng: random.Random, text: str, others: Sequence[str]) -> str:
    other = rng.choice(others)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


def _strange(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + any_text(rng, 8) + text[at:]


_CHANGES: Sequence[Callable[..., str]] = (
    *(_on_tokens(change) for change in (_drop, _drop, _double, _swap, _swap, _put_piece, _put_piece)),
    *(_on_tokens(change) for change in (_replace_by_name, _replace_by_name, _replace_by_piece, _stretch, _nest)),
    _cut,
    _splice,
    _strange,
)
