"""An index that several threads read at once, and that need not read the same thing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from threading import Lock

from brain_cli.index import Index
from brain_cli.types import Fragment

Postings = tuple[Sequence[int], Sequence[float]]
REMEMBERED_FRAGMENTS = 4_096


class SharedIndex:
    """Another index, asked by one thread at a time: an engine keeps its place in the files it reads."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = Lock()
        self.generation, self.note_ids, self.lengths = index.generation, index.note_ids, index.lengths
        self.fragment: Callable[[int], Fragment] = lru_cache(REMEMBERED_FRAGMENTS)(self._read_fragment)

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
        # They lead back here: without them, all of it is gone at once when nobody uses it any more.
        del self.fragment

    def _read_fragment(self, number: int) -> Fragment:
        with self._lock:
            return self._index.fragment(number)
