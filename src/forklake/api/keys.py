"""Partition and sort keys as given by users."""

from collections.abc import Collection, Sequence
from typing import TypeAlias, TypeVar

from forklake.model.entities import SortKey
from forklake.sql.values.sort_keys import parse_sort_key

T = TypeVar("T")
PartitionKeys: TypeAlias = str | Sequence[str | tuple[str, str]]
SortKeys: TypeAlias = str | Sequence[str | SortKey]


def partition_keys(keys: PartitionKeys) -> list[tuple[str, str]]:
    """Column names with their transforms; a bare name means `identity`."""
    return [(key, "identity") if isinstance(key, str) else key for key in _as_sequence(keys)]


def sort_keys(keys: SortKeys, columns: Collection[str]) -> list[SortKey]:
    """Sort keys; a string is a column, or an expression, which ASC or DESC and NULLS FIRST or LAST may follow."""
    return [key if isinstance(key, SortKey) else parse_sort_key(key, columns) for key in _as_sequence(keys)]


def _as_sequence(keys: str | Sequence[T]) -> Sequence[str | T]:
    """Wrap a string as a single key, so that it is not iterated by character; an empty one is no key."""
    if isinstance(keys, str):
        return [keys] if keys.strip() else []
    return keys
