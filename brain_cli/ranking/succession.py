"""Score a note after the notes that supersede it, so that it can be kept below them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def successors_first(notes: Iterable[int], successors: Callable[[int], Iterable[int]]) -> Iterator[int]:
    """Yield every note once, after its successors; a cycle is broken at its first note.

    The generator reads the next note only after the caller has processed those it yielded.
    """
    seen: set[int] = set()
    done: set[int] = set()
    stack: list[int] = []
    for start in notes:
        stack.append(start)
        while stack:
            note = stack[-1]
            unseen = () if note in seen else [each for each in successors(note) if each not in seen]
            seen.add(note)
            if unseen:
                stack += unseen
                continue
            stack.pop()
            if note not in done:
                done.add(note)
                yield note
