"""Sanitize all text that is shown: nothing in a note, a name or a message may control a terminal.

It removes control characters of both sets (also escape sequences), overrides of the writing direction, which
show a name as another one, and invisible tag characters.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f"
_ODD_BREAKS = "\r\v\f\x85\u2028\u2029"
_UNSHOWN = re.compile(f"[{_CONTROLS}]")
_BREAK = re.compile(f"[{_ODD_BREAKS}]")
_NOT_IN_A_LINE = re.compile(f"[{_CONTROLS}{_ODD_BREAKS}\t\n]")
# The two sequences that rich writes: colours, and links to files.
_STYLES = r"\x1b\[[\d;]*m|\x1b\]8;[^\x00-\x1f\x7f-\x9f]*\x1b\\"
_NOT_FOR_TERMINALS = re.compile(f"({_STYLES})|[{_CONTROLS}{_ODD_BREAKS}\ud800-\udfff]")


def printable(text: str) -> str:
    """Return a text of several lines without characters that control a terminal; tabs and newlines stay."""
    return _BREAK.sub(" ", _UNSHOWN.sub("", text))


def one_line(text: str) -> str:
    """Return a text that fits into one line and one tab-separated column."""
    return " ".join(printable(text).split()) if _NOT_IN_A_LINE.search(text) else text


def some_of(texts: list[str], most: int = 3) -> str:
    """Return the first of some texts in one line, and how many more there are: `a, b, c and 2 more`."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def for_terminal(text: str) -> str:
    """Return output that is safe for a terminal: of the escape sequences only colours and links are kept."""
    return _NOT_FOR_TERMINALS.sub(lambda match: match[1] or "", text)
