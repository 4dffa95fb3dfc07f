"""What a watcher remembers of an index has room for so much, and no more."""

from __future__ import annotations

from examples import sized
from growth import assert_linear

from brain_cli.index.snapshot import LruCache


def ask(cache: LruCache, key: str, made: list[str], size: int = 4) -> None:
    def make() -> list[int]:
        made.append(key)
        return [0] * size

    assert len(cache.get(key, make)) == size


def test_a_cached_value_is_computed_once() -> None:
    cache, made = LruCache(10), list[str]()
    for key in "abab":
        ask(cache, key, made)
    assert made == ["a", "b"]


def test_the_least_recently_used_value_is_evicted() -> None:
    cache, made = LruCache(10), list[str]()
    for key in ("a", "b", "a", "c", "a", "b"):
        ask(cache, key, made)
    assert made == ["a", "b", "c", "b"]


def test_a_value_that_holds_others_is_counted_as_large_as_they_are() -> None:
    cache, made = LruCache(10), list[str]()

    def ask_for(key: str) -> None:
        def make() -> list[str]:
            made.append(key)
            return ["eight of"]

        cache.get(key, make, lambda texts: sum(map(len, texts)))

    for key in "aba":
        ask_for(key)
    assert made == ["a", "b", "a"]


def test_freed_space_is_used_again() -> None:
    cache, made = LruCache(10), list[str]()
    for turn in range(100):
        ask(cache, str(turn), made)
    ask(cache, "99", made)
    ask(cache, "98", made)
    assert len(made) == 100


def test_a_value_larger_than_the_cache_is_returned_and_evicted_first() -> None:
    cache, made = LruCache(10), list[str]()
    for key, size in (("large", 50), ("a", 4), ("b", 4), ("a", 4), ("b", 4)):
        ask(cache, key, made, size)
    assert made == ["large", "a", "b"]


def test_evicting_takes_no_longer_after_many_evictions() -> None:
    def fill(keys: range) -> None:
        cache = LruCache(len(keys) // 2)
        for key in keys:
            cache.get(key, lambda: "v")

    assert_linear(fill, range, sized(20_000, everyday=8_000))


def test_a_cleared_cache_has_all_its_capacity_again() -> None:
    cache, made = LruCache(10), list[str]()
    ask(cache, "a", made, 10)
    cache.clear()
    for key in ("a", "b", "a"):
        ask(cache, key, made, 5)
    assert made == ["a", "a", "b"]
