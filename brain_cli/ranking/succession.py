"""Score a note after the notes that supersede it, so that it can be kept below them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def successors_first(notes: Iterable[int], successors: Callable[[int], Iterable[int]]) -> Iterator[int]:
    """Yield every note once, after its successors; a circle of notes begins at the one that is met first.

    The next note is asked for when all that was yielded has been dealt with.
    """
    met: set[int] = set()
    done: set[int] = set()
    stack: list[int] = []
    for start in notes:
        stack.append(start)
        while stack:
            note = stack[-1]
            waiting = () if note in met else [each for each in successors(note) if each not in met]
            met.add(note)
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if note not in done:
                done.add(note)
                yield note
