"""Collect a daemon's garbage between its answers, because a collection during one may take 80 ms."""

from __future__ import annotations

import gc

MANY_OBJECTS = 50_000
# Old objects are collected once in this many collections.
COLLECTIONS = 20
YOUNG, OLD = 1, 2


def collect_if_due() -> None:
    """Collect garbage if many objects have been made since the last time. Automatic collection is off in a daemon."""
    made, _, collections = gc.get_count()
    if made > MANY_OBJECTS:
        gc.collect(OLD if collections > COLLECTIONS else YOUNG)
