"""Sanitize all text that is shown: nothing in a note, a name or a message may control a terminal.

It removes control characters of both sets (also escape sequences), overrides of the writing
direction, which show a name as another one, and invisible tag characters.
"""

import re

_CONTROLS = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    "\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f"
)
_ODD_BREAKS = "\r\v\f\x85\u2028\u2029"
# Most texts have no such character, so these are texts, which `re` compiles on first use and keeps.
_UNSHOWN = f"[{_CONTROLS}]"
_BREAK = f"[{_ODD_BREAKS}]"
_NOT_IN_A_LINE = f"[{_CONTROLS}{_ODD_BREAKS}\t\n]"
# The two sequences that rich writes: colours, and links to files.
_STYLES = r"\x1b\[[\d;]*m|\x1b\]8;[^\x00-\x1f\x7f-\x9f]*\x1b\\"
_NOT_FOR_TERMINALS = f"({_STYLES})|[{_CONTROLS}{_ODD_BREAKS}\ud800-\udfff]"


def printable(text: str) -> str:
    """Return a text of several lines without characters that control a terminal; tabs and newlines
    stay.
    """
    if all(map(str.isprintable, text.split("\n"))):
        return text
    return re.sub(_BREAK, " ", re.sub(_UNSHOWN, "", text))


def one_line(text: str) -> str:
    """Return a text that fits into one line and one tab-separated column."""
    if text.isprintable() or not re.search(_NOT_IN_A_LINE, text):
        return text
    return " ".join(printable(text).split())


def some_of(texts: list[str], most: int = 3) -> str:
    """Return the first of some texts in one line, and how many more there are: `a, b, c and 2
    more`.
    """
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 note`, `2 notes`. `many` is the plural if it is not `one`
    and an s.
    """
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def for_terminal(text: str) -> str:
    """Return output that is safe for a terminal: of the escape sequences only colours and links are
    kept.
    """
    return re.sub(_NOT_FOR_TERMINALS, lambda match: match[1] or "", text)
