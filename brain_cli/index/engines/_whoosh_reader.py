"""Read one generation of the Whoosh index as a sequence of fragments."""

from __future__ import annotations

import errno
import os
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

from brain_cli.index.checksums import verify
from brain_cli.index.damage import noticing_damage
from brain_cli.index.directory import generation
from brain_cli.index.engines._whoosh_files import Segment, read_contents, reading
from brain_cli.types import Fragment


class WhooshIndex:
    """An immutable view of one generation: Whoosh's segments as one sequence of fragments."""

    def __init__(self, folder: str) -> None:
        self._segments: list[tuple[Segment, int]] = []
        self.note_ids: array[int] = array("I")
        self.lengths: array[int] = array("I")
        with noticing_damage():
            self.generation = verify_newest(folder)
            for info in read_contents(folder, self.generation):
                segment = Segment(folder, info)
                self._segments.append((segment, len(self.note_ids)))
                self.note_ids += segment.column("note_id")
                self.lengths += segment.column("length")

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Yield a term's (fragment numbers, weights), segment by segment."""
        for segment, offset in self._segments:
            with noticing_damage():
                found = segment.postings(field, term)
            if found:
                numbers, weights = found
                yield (numbers if not offset else [number + offset for number in numbers]), weights

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        for segment, _ in self._segments:
            with noticing_damage(), reading():
                found = list(segment.terms_with_prefix(field, prefix))
            yield from found

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:
        """Yield the terms that begin with the same letter and differ in at most `edits` letters."""
        from brain_cli.index.edit_distance import is_within

        letters = set(term)
        for near in self.terms_with_prefix(field, term[:1]):
            # Each letter that the other term lacks costs an edit, which excludes most terms quickly.
            if len(letters.difference(near)) <= edits and is_within(term, near, edits):
                yield near

    def fragment(self, number: int) -> Fragment:
        segment, offset = next(pair for pair in reversed(self._segments) if pair[1] <= number)
        with noticing_damage():
            return Fragment(*segment.stored(number - offset)["fragment"])

    def close(self) -> None:
        for segment, _ in self._segments:
            segment.close()


def verify_newest(folder: str) -> int:
    """Check every file of the newest generation before any of it is read, and return its number."""
    newest = generation(Path(folder))
    if newest < 0:
        # Another process may be removing this build; if it is not, the build is damaged (see `open_snapshot`).
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    verify(folder, newest)
    return newest
