"""Share one open snapshot of the index between threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from threading import Lock

from brain_cli.index import Index
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import Fragment

Postings = tuple[Sequence[int], Sequence[float]]
CACHED_FRAGMENTS = 4_096


class SnapshotRef:
    """A reference-counted snapshot: closed once it is replaced and the last recall has released it."""

    def __init__(self, snapshot: Snapshot, stamp: object) -> None:
        snapshot.index = SharedIndex(snapshot.index)
        self.snapshot = snapshot
        self.stamp = stamp
        self._users = 1

    def acquire(self) -> None:
        """Add a user."""
        self._users += 1

    def release(self) -> None:
        """Remove a user, and close the index after the last one."""
        self._users -= 1
        if not self._users:
            self.snapshot.index.close()
            # The matches of a question refer to the snapshot: without this cycle everything is freed at once.
            self.snapshot.question_cache.clear()


class SharedIndex:
    """An index that several threads may read: one at a time, because an engine keeps a position in its files."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = Lock()
        self.generation, self.note_ids, self.lengths = index.generation, index.note_ids, index.lengths
        self.fragment: Callable[[int], Fragment] = lru_cache(CACHED_FRAGMENTS)(self._read_fragment)

    def postings(self, field: str, term: str) -> Iterator[Postings]:
        with self._lock:
            return iter(list(self._index.postings(field, term)))

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        with self._lock:
            return iter(list(self._index.terms_with_prefix(field, prefix)))

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:
        with self._lock:
            return iter(list(self._index.similar_terms(field, term, edits)))

    def close(self) -> None:
        self._index.close()
        # Break the reference cycle through the cache's bound method, so that the memory is freed immediately.
        del self.fragment

    def _read_fragment(self, number: int) -> Fragment:
        with self._lock:
            return self._index.fragment(number)
