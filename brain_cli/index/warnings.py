"""Group the warnings of a refresh by reason, each with its notes; long lists are cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brain_cli.printable import some_of

MAX_REASONS = 10


def grouped(warnings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines for some warnings (path and reason), in their order."""
    paths_of: dict[str, list[str]] = {}
    for path, why in dict.fromkeys(warnings):
        paths_of.setdefault(why, []).append(path)
    groups = [*paths_of.items()]
    for why, paths in groups[:MAX_REASONS]:
        yield f"{some_of(paths)}: {why}"
    hidden = sum(len(paths) for _, paths in groups[MAX_REASONS:])
    if hidden:
        yield f"and {hidden} more {'warning' if hidden == 1 else 'warnings'}; `brain doctor` counts them."
