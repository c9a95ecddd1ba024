"""Texts as trees of typed pieces, so that a statement that fails can be made smaller piece by piece."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

Naming: TypeAlias = Callable[[str], str]
"""From the name of a column to how a statement calls it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A column, whatever a statement calls it."""

    column: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a kind: words, references to columns, and further pieces."""

    kind: str
    parts: "tuple[str | Reference | Piece, ...]"

    def text(self, naming: Naming = str) -> str:
        return "".join(
            part if isinstance(part, str) else naming(part.column) if isinstance(part, Reference) else part.text(naming)
            for part in self.parts
        )

    def pieces(self) -> "Iterator[Piece]":
        """This piece and all inside of it, from the outside in."""
        yield self
        for part in self.parts:
            if isinstance(part, Piece):
                yield from part.pieces()

    @property
    def size(self) -> int:
        return sum(1 for _ in self.pieces())


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
