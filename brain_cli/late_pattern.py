"""Regular expressions that are compiled when they are first used.

Compiling the hundred patterns of the modules that a recall imports would take as long as starting Python; it uses half.
"""

from __future__ import annotations

import re
from typing import cast


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object that behaves like `re.compile(pattern, flags)`, compiled at its first use."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    """A pattern that is not compiled yet; each method of the compiled pattern is looked up once."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        # `re` caches the compiled pattern, so a second method compiles nothing.
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found
