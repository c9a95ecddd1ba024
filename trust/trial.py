"""What a part of the trial is given, and what it answers."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Trial:
    """One run. Everything random in it follows from the seed."""

    seed: int
    folder: Path
    """New and empty; it stays when something is found."""
    times: int = 1
    """How many times the short form: 1, or 10 for the long one."""
    say: Callable[[str], None] = field(default=print)
    """Where to tell how far it has come."""

    def rng(self, *names: object) -> random.Random:
        """A source of chance for one purpose: the same for the same seed and names, whatever else is run."""
        return random.Random(f"{self.seed}/{'/'.join(map(str, names))}")

    def sub_folder(self, name: str) -> Path:
        made = self.folder / name
        made.mkdir(parents=True)
        return made


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of thing that was tried: how often it took place, and what came of it."""

    what: str
    tried: int
    at_least: int
    """Fewer than this, and the trial has not tried what it says: that is a failure as well."""
    outcome: str = ""
    """What users see of it, in a few words."""
    found: tuple[str, ...] = ()
    """What was wrong, each with what is needed to see it again."""

    @property
    def passed(self) -> bool:
        return not self.found and self.tried >= self.at_least


Part: TypeAlias = Callable[[Trial], Iterator[Line]]
