"""What a soak leaves: how it went over time, and how it ended."""

from collections import Counter
from dataclasses import dataclass, field

from trust.load.client import Books
from trust.load.meter import Held
from trust.load.server import NONE, Connections
from trust.load.soak import Soak
from trust.load.tally import Counts


@dataclass(frozen=True, slots=True)
class Moment:
    """An interval of the run."""

    at: float
    """Seconds since the beginning, when it ended."""
    counts: Counts
    held: dict[int, Held]
    """By client, at its end."""
    connections: int
    """The most that were open at once."""
    size: int
    """Bytes of the database."""


@dataclass(slots=True)
class Record:
    """Everything that is judged at the end."""

    soak: Soak
    before: dict[int, Held] = field(default_factory=dict)
    """What each client held before it attached the lake."""
    moments: list[Moment] = field(default_factory=list)
    last: Counts = field(default_factory=Counts)
    """What was done after the last moment, until all had stopped."""
    books: list[Books] = field(default_factory=list)
    after_work: Connections = NONE
    """When all sessions had ended, and the pools were still there."""
    closed: dict[int, Held] = field(default_factory=dict)
    """What each client held after it had closed the lake."""
    after_close: Connections = NONE
    looked: int = 0
    """How often connections were counted."""
    verified: int = 0
    found: list[str] = field(default_factory=list)
    """What is wrong with the lake at the end."""

    def total(self) -> Counts:
        whole = Counts()
        for moment in self.moments:
            whole.include(moment.counts)
        whole.include(self.last)
        return whole

    def own(self) -> dict[str, int]:
        return {name: rows for books in self.books for name, rows in books.own.items()}

    def shared(self) -> Counter[str]:
        whole: Counter[str] = Counter()
        for books in self.books:
            whole.update(books.shared)
        return whole

    def done(self) -> dict[int, int]:
        """Operations that went well, by session."""
        return {session: done for books in self.books for session, done in books.done.items()}
