"""What the sessions of a process have done, failed at and found. Shared by its threads."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter

from forklake.errors import CommitConflict, ForklakeError, NoSuchSnapshot
from trust.load.histogram import Histogram

EXPECTED: dict[str, tuple[type[ForklakeError], ...]] = {
    # Snapshots of shared catalogs may expire between the moment they are seen and the moment they are asked for: the
    # newest too, because an old one can go as soon as it is no longer the newest.
    "fork": (NoSuchSnapshot,),
    "travel": (NoSuchSnapshot,),  # those that a fork has from its parent, and that expire there
    "travel hot": (NoSuchSnapshot,),
    "read hot": (NoSuchSnapshot,),
    "list hot": (NoSuchSnapshot,),
    "attach hot": (NoSuchSnapshot,),
    # An insert is refused when somebody has deleted meanwhile, and a delete when somebody has inserted.
    "commit hot": (NoSuchSnapshot, CommitConflict),
    "truncate": (CommitConflict,),
}
"""By kind of operation, the errors that a user of a busy lake has to live with. In a catalog of one's own: none,
but for its parent's past."""
MOST_FOUND = 20


@dataclass(slots=True)
class Counts:
    """What took place in some time."""

    times: dict[str, Histogram] = field(default_factory=dict)
    """By kind of operation, those that went well."""
    errors: Counter[str] = field(default_factory=Counter)
    """By kind and class, the expected ones."""

    @property
    def done(self) -> int:
        return sum(histogram.count for histogram in self.times.values())

    def include(self, other: "Counts") -> None:
        self.errors += other.errors
        for kind, histogram in other.times.items():
            self.times.setdefault(kind, Histogram()).include(histogram)


class Tally:
    """Counts since they were last taken, and what was found wrong, of which only the first few are kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts = Counts()
        self._found: list[str] = []

    @contextmanager
    def operation(self, kind: str, who: str) -> Iterator[None]:
        """Time what is done in the block. An error ends the block, and is counted or found."""
        began = perf_counter()
        try:
            yield
        except EXPECTED.get(kind, ()) as error:
            with self._lock:
                self._counts.errors[f"{kind}: {type(error).__name__}"] += 1
        except Exception as error:
            self.find(f"{who}: {kind} failed with {type(error).__name__}: {str(error)[:300]}")
        else:
            took = perf_counter() - began
            with self._lock:
                self._counts.times.setdefault(kind, Histogram()).add(took)

    def find(self, what: str) -> None:
        with self._lock:
            if len(self._found) < MOST_FOUND:
                self._found.append(what)

    def take(self) -> Counts:
        """What took place since this was last asked for."""
        with self._lock:
            taken, self._counts = self._counts, Counts()
            return taken

    @property
    def found(self) -> list[str]:
        with self._lock:
            return list(self._found)
