"""The titles of Logseq's journal pages, by which other notes link to them."""

from __future__ import annotations

import re
from datetime import date

from brain_cli.files import read_beginning
from brain_cli.vault.languages import TIME_WORDS

_JOURNAL = re.compile(r"(?:^|/)journals/(\d{4})[_-](\d\d)[_-](\d\d)\.\w+$")
_CONFIG = "logseq/config.edn"
_MAX_CONFIG_BYTES = 1 << 20
_FORMAT = re.compile(r'^[^;\n]*:journal/page-title-format\s+"([^"\n]+)"', re.MULTILINE)
# The parts of a format; text between quotes stands for itself.
_PART = re.compile(r"'([^']*)'|yyyy|yy|MMMM|MMM|MM?|do|dd?|EEEE|E{1,3}")
DEFAULT_FORMATS = ("yyyy-MM-dd", "MMM do, yyyy")


def title_format(folder: str) -> str:
    """Return the format of the titles of journal pages in a graph; empty if it names none."""
    try:
        config = read_beginning(f"{folder}/{_CONFIG}", _MAX_CONFIG_BYTES)
    except OSError:
        return ""
    found = _FORMAT.search(config.decode("utf-8", "replace"))
    return found[1] if found else ""


def journal_names(path: str, *formats: str) -> tuple[str, ...]:
    """Return the titles of a day, `journals/2026_11_20.md`, in these formats or the usual ones."""
    found = _JOURNAL.search(path) if "journals/" in path else None
    try:
        day = found and date(*map(int, found.groups()))
    except ValueError:
        return ()
    if not day:
        return ()
    return tuple(
        _PART.sub(lambda part: _written(day, part), each) for each in formats or DEFAULT_FORMATS
    )


def _written(day: date, part: re.Match[str]) -> str:
    """Return one part of a format for a day."""
    # English, in any locale.
    words = TIME_WORDS["english"]
    month = words.months.split()[day.month - 1].partition("|")[0].capitalize()
    weekday = words.weekdays[day.weekday()].capitalize()
    ordinal = (
        "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    )
    written = {
        "yyyy": f"{day.year:04}",
        "yy": f"{day.year % 100:02}",
        "MMMM": month,
        "MMM": month[:3],
        "MM": f"{day.month:02}",
        "M": str(day.month),
        "do": f"{day.day}{ordinal}",
        "dd": f"{day.day:02}",
        "d": str(day.day),
        "EEEE": weekday,
    }
    if part[1] is not None:
        return part[1]
    return written.get(part[0], weekday[:3])
