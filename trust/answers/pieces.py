"""Texts as trees of typed pieces, so that a statement that fails can be made smaller piece by piece."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

Naming: TypeAlias = Callable[[str], str]
"""From the name of a column to how a statement calls it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A column, whatever a statement calls it."""

    column: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that stands in the text as a literal, or is given beside it as a parameter."""

    literal: str
    value: Any = field(compare=False)
    kind: str


Spelling: TypeAlias = Callable[[Constant], str]
"""From a constant to what stands for it."""


def _literal(constant: Constant) -> str:
    return constant.literal


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a kind: words, references to columns, constants, and further pieces."""

    kind: str
    parts: "tuple[str | Reference | Constant | Piece, ...]"

    def text(self, naming: Naming = str, spelling: Spelling = _literal) -> str:
        return "".join(_text(part, naming, spelling) for part in self.parts)

    def pieces(self) -> "Iterator[Piece]":
        """This piece and all inside of it, from the outside in."""
        yield self
        for part in self.parts:
            if isinstance(part, Piece):
                yield from part.pieces()

    @property
    def size(self) -> int:
        return sum(1 for _ in self.pieces())


def _text(part: str | Reference | Constant | Piece, naming: Naming, spelling: Spelling) -> str:
    match part:
        case Reference():
            return naming(part.column)
        case Constant():
            return spelling(part)
        case Piece():
            return part.text(naming, spelling)
    return part


def smaller(piece: Piece, simplest: Callable[[str], Iterator[str]]) -> Iterator[Piece]:
    """What a piece may become in one step: a piece of its kind from inside of it, or the simplest text of its kind;
    and the same for each of the pieces in it.
    """
    inside = sorted((each for each in piece.pieces() if each.kind == piece.kind and each is not piece), key=_size)
    yield from (each for each in inside if each.size < piece.size)
    for text in simplest(piece.kind):
        plain = Piece(piece.kind, (text,))
        if plain != piece and not (piece.size == 1 and len(text) >= len(piece.text())):
            yield plain
    for at, part in enumerate(piece.parts):
        if isinstance(part, Piece):
            for less in smaller(part, simplest):
                yield replace(piece, parts=(*piece.parts[:at], less, *piece.parts[at + 1 :]))


def _size(piece: Piece) -> int:
    return piece.size


def shrink(
    piece: Piece, fails: Callable[[Piece], bool], simplest: Callable[[str], Iterator[str]], tries: int = 150
) -> Piece:
    """The smallest piece found that still fails, within so many tries."""
    progress = True
    while progress:
        progress = False
        for candidate in smaller(piece, simplest):
            if tries <= 0:
                return piece
            tries -= 1
            if fails(candidate):
                piece, progress = candidate, True
                break
    return piece
