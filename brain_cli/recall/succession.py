"""In which order candidates are scored: a note after those that supersede it, so that it can stay below them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator


def successors_first(notes: Collection[int], successors: Callable[[int], Collection[int]]) -> Iterator[int]:
    """Yield every note once, after those of its successors that are among the notes; a circle is cut where entered."""
    met: set[int] = set()
    done: set[int] = set()
    stack: list[int] = []
    for start in notes:
        stack.append(start)
        while stack:
            note = stack[-1]
            waiting = () if note in met else [each for each in successors(note) if each in notes and each not in met]
            met.add(note)
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if note not in done:
                done.add(note)
                yield note
