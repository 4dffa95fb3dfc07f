"""How far long work has come: a bar on a terminal, at most a line every few seconds off it."""

from __future__ import annotations

import time
from typing import Any

from brain_cli.cli._context import command_context

SILENT_SECONDS = 1.0
LINE_SECONDS = 5.0


class Progress:
    """Called with (done, in all); says nothing about work that is over before anyone wonders."""

    def __init__(self, what: str = "reading notes") -> None:
        self._what = what
        self._started = time.monotonic()
        self._spoke = self._started
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._started < SILENT_SECONDS:
            return
        if command_context().screen().err:
            self._draw(done, total)
        elif now - self._spoke >= LINE_SECONDS:
            self._spoke = now
            command_context().err(f"brain: {self._what}: {done} of {total}\n")

    def _draw(self, done: int, total: int) -> None:
        width = 30
        filled = width * (done + 1) // max(1, total)
        bar = "█" * filled + "░" * (width - filled)
        end = "\r\x1b[K" if done + 1 >= total else ""
        command_context().err(f"\r\x1b[Kbrain: {self._what} {bar} {done + 1}/{total}{end}")
