"""Write the memories of agents and of other programs as notes."""

from __future__ import annotations

from brain_cli.types import Memory
from brain_cli.vault.edit import Value, composed


def composed_of(memory: Memory, date: str | None, **more: Value | None) -> bytes:
    """Return the bytes of a memory's note, with its properties and `more` where they are not empty;
    only brain writes its head.
    """
    properties: dict[str, Value | None] = {
        "type": memory.kind,
        "date": date,
        "project": memory.project,
        "session": memory.session,
        "files": list(memory.files),
        "tags": list(memory.tags),
        **memory.more,
        **more,
    }
    given = {key: value for key, value in properties.items() if value}
    # A text that begins with an empty line has no head of its own.
    return composed(memory.title, f"\n{memory.text}", given, heading=True)
