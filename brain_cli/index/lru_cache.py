"""A cache of values computed from one generation of the index, which discards the least recently used values."""

from __future__ import annotations

# Importing `threading` for its lock alone would take longer.
from _thread import allocate_lock
from collections.abc import Callable, Hashable, Sized
from typing import Any, TypeVar

Kept = TypeVar("Kept", bound=Sized)


class LruCache:
    """A thread-safe cache of values by key, for `room` items in all values together."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._values: dict[Hashable, Any] = {}
        self._lock = allocate_lock()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return the cached value of a key, computing it on a miss.

        Two threads may compute the same value; neither waits for the other.
        """
        with self._lock:
            value = self._values.pop(key, None)
            if value is not None:
                self._values[key] = value
                return value  # type: ignore[no-any-return]
        made = make()
        self._keep(key, made)
        return made

    def _keep(self, key: Hashable, value: Sized) -> None:
        with self._lock:
            if key not in self._values:
                self._room -= len(value)
            self._values[key] = value
            while self._room < 0 and len(self._values) > 1:
                self._room += len(self._values.pop(next(iter(self._values))))
