"""Interrupt a command that waits for a file or reads without end, so that a test of it fails
instead of hanging.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

DEADLINE_SECONDS = 60


@contextlib.contextmanager
def deadline() -> Iterator[None]:
    """Raise TimeoutError in the block when it takes too long."""

    def interrupt(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(DEADLINE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
