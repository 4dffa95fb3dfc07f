"""The posting lists of one transaction: collected in memory, eight bytes per posting, and written list by list.

Whoosh's own pool sorts tuples on disk, and its field writer is called for each posting. The bytes are the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import sub
from pickle import dumps
from typing import Any

from brain_cli.index.engines._whoosh_import import lean_imports

with lean_imports():
    from whoosh.codec.whoosh3 import WHOOSH3_HEADER_MAGIC, W3TermInfo
    from whoosh.system import pack_ushort

# The numbers of a term's fragments, in ascending order, and its weights in them.
Lists = Mapping[bytes, tuple["array[int]", "array[float]"]]
PICKLE_PROTOCOL = 2
UNCOMPRESSED = 0
NO_LENGTH = 0


class Pool:
    """The posting lists of a transaction, by field and term."""

    def __init__(self) -> None:
        self._fields: dict[str, dict[bytes, tuple[array[int], array[float]]]] = {}

    def add_terms(self, field: str, number: int, weights: Mapping[bytes, float]) -> None:
        """Add the terms of one fragment; fragments come in ascending order."""
        lists = self._fields.setdefault(field, {})
        for term, weight in weights.items():
            found = lists.get(term)
            if found is None:
                lists[term] = array("I", (number,)), array("f", (weight,))
            else:
                found[0].append(number)
                found[1].append(weight)

    def add(self, posting: tuple[str, bytes, int, float, bytes]) -> None:
        """Add a posting as Whoosh does when it merges segments: (field, term, fragment number, weight, nothing)."""
        field, term, number, weight, _ = posting
        self.add_terms(field, number, {term: weight})

    def iter_postings(self) -> Iterator[tuple[str, Lists]]:
        """Yield the lists of each field; Whoosh passes them on to `write_lists`."""
        return ((field, lists) for field, lists in sorted(self._fields.items()) if lists)

    def cleanup(self) -> None:
        self._fields.clear()


def write_lists(writer: Any, schema: Any, lengths: object, fields: Iterable[tuple[str, Lists]]) -> None:  # noqa: ARG001
    """Write posting lists, each as one block: `W3FieldWriter.add_postings` for whole lists."""
    for field, lists in fields:
        writer.start_field(field, schema[field])
        prefix = pack_ushort(writer._fieldid)
        for term in sorted(lists):
            writer._tindex.add(prefix + term, _written(writer._postfile, *lists[term]))
        writer.finish_field()


def _written(file: Any, numbers: array[int], weights: array[float]) -> bytes:
    """Write one posting list; return the entry of the term that leads to it."""
    start, highest = file.tell(), max(weights)
    data = dumps((tuple(map(sub, numbers, chain((0,), numbers))), _packed(weights), None), PICKLE_PROTOCOL)
    head = dumps((len(numbers), numbers[-1], highest, UNCOMPRESSED, NO_LENGTH, NO_LENGTH), PICKLE_PROTOCOL)
    file.write(WHOOSH3_HEADER_MAGIC)
    # A negative length marks the last block of a list.
    file.write_int(-len(head) - len(data))
    file.write(head)
    file.write(data)
    entry = W3TermInfo(sum(weights), len(numbers), maxweight=highest, minid=numbers[0], maxid=numbers[-1])
    entry.set_extent(start, file.tell() - start)
    found: bytes = entry.to_bytes()
    return found


def _packed(weights: array[float]) -> float | tuple[float, ...] | None:
    """Return weights as Whoosh stores them: one number if all are equal, None if all are 1."""
    if weights.count(weights[0]) < len(weights):
        return tuple(weights)
    return None if weights[0] == 1.0 else weights[0]
