"""Work on several items at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def map_in_threads(run: Callable[[T], U], items: Sequence[T], threads: int) -> list[U]:
    """The results for all items, in their order. Starting a thread costs more than reading a small file."""
    if len(items) < 2:
        return [run(item) for item in items]
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        return list(pool.map(run, items))
