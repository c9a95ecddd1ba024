"""What was tried and found."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Tally:
    """Statements by how they were judged, and what was wrong with any."""

    in_bulk: int = 0
    end_to_end: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    shrinks: bool = True
    """Whether a statement is made small before it is told, which takes far longer than to find it."""

    @property
    def tried(self) -> int:
        return self.in_bulk + self.end_to_end

    def count(self, what: str, happened: int = True) -> None:
        self.outcomes[what] += happened

    def told(self) -> dict[str, Any]:
        """For another process, as JSON."""
        return {
            "in_bulk": self.in_bulk,
            "end_to_end": self.end_to_end,
            "outcomes": dict(self.outcomes),
            "found": self.found,
        }

    @classmethod
    def heard(cls, told: Mapping[str, Any]) -> "Tally":
        return cls(**{**told, "outcomes": Counter(told["outcomes"])})

    def add(self, other: "Tally") -> None:
        self.in_bulk += other.in_bulk
        self.end_to_end += other.end_to_end
        self.outcomes.update(other.outcomes)
        self.found += other.found
