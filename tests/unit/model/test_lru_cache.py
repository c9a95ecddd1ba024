"""A cache that is bounded by weight."""

from forklake.model.lru_cache import LruCache


def test_the_least_recently_used_values_leave_beyond_the_size() -> None:
    cache: LruCache[str, int] = LruCache(3)
    for number, name in enumerate("abc"):
        cache.put(name, number)
    assert cache.get("a") == 0
    cache.put("d", 3)
    assert [cache.get(name) for name in "abcd"] == [0, None, 2, 3]


def test_a_value_that_is_larger_than_the_cache_evicts_no_other() -> None:
    cache: LruCache[str, int] = LruCache(3)
    cache.put("a", 0, 2)
    cache.put("b", 1, 4)
    assert (cache.get("a"), cache.get("b"), len(cache)) == (0, None, 1)
    cache.put("c", 2, 3)
    assert (cache.get("a"), cache.get("c")) == (None, 2)
    cache.put("c", 3, 4)
    assert len(cache) == 0
