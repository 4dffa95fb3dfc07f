"""A cache of values computed from one generation of the index, which discards the least recently used values."""

from __future__ import annotations

# Importing `threading` for its lock alone would take longer.
from _thread import allocate_lock
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from typing import Any, TypeVar

Cached = TypeVar("Cached", bound=Sized)


class LruCache:
    """A thread-safe cache of values by key; all values together have at most `capacity` items."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        # Each value with its size. Taking the first key from a dictionary takes longer the more were taken before.
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = allocate_lock()

    def get(self, key: Hashable, make: Callable[[], Cached], size: Callable[[Cached], int] = len) -> Cached:
        """Return the cached value of a key, computing it on a miss; `size` counts the items in it.

        Two threads may compute the same value; neither waits for the other.
        """
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                return found[0]  # type: ignore[no-any-return]
        value = make()
        self._store(key, value, size(value))
        return value

    def clear(self) -> None:
        """Discard all values."""
        with self._lock:
            self._capacity += sum(size for _, size in self._values.values())
            self._values.clear()

    def _store(self, key: Hashable, value: Sized, size: int) -> None:
        with self._lock:
            if key not in self._values:
                self._capacity -= size
                self._values[key] = value, size
            while self._capacity < 0 and len(self._values) > 1:
                self._capacity += self._values.popitem(last=False)[1][1]
