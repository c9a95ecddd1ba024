"""A least-recently-used cache."""

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

from forklake.model.process_forks import register_for_forks

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A least-recently-used cache of immutable values, bounded by weight. Safe to share between threads."""

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._used = 0
        self._found: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: cached values are valid in every process."""

    def after_fork(self) -> None:
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: K) -> V | None:
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key: K, found: V, weight: int = 1) -> None:
        """Add a value, and evict the least recently used ones beyond the size. One that is larger alone is left out."""
        with self._lock:
            if key in self._found:
                self._used -= self._found.pop(key)[1]
            if weight > self._size:
                return
            self._found[key] = (found, weight)
            self._used += weight
            while self._used > self._size:
                _, (_, gone) = self._found.popitem(last=False)
                self._used -= gone

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._found.clear()
            self._used = 0
