"""Phrases that several formats share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from brain_cli.printable import one_line as one_line
from brain_cli.printable import printable as printable
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.iso_dates import day_of

if TYPE_CHECKING:
    from brain_cli.answer.passages.excerpt import Excerpt
    from brain_cli.answer.results import Ranked, Recall
    from brain_cli.ranking.candidate import Candidate
    from brain_cli.types import NoteMetadata

# Its publication labels what other projects contribute; the other formulas know no such competition.
CROSS_PROJECT_SCORER = "claude-mem"


def trail(ranked: Ranked) -> str:
    """Return the best fragment's headings, outermost first; the title where it stands under none."""
    return " › ".join(ranked.hits[0].fragment.trail) or ranked.metadata.title


def title(ranked: Ranked, recall: Recall) -> str:
    """Return a note's title; where projects compete for attention, with the one it comes from."""
    return readable_title(ranked.metadata.title) + origin(ranked, recall)


def readable_title(text: str) -> str:
    """Return a title as it reads; one taken from a heading may have links in it."""
    if "[" not in text:
        return text
    from brain_cli.answer.passages.inline_text import inline_text

    return inline_text(text)


def origin(ranked: Ranked, recall: Recall) -> str:
    """Return ` [from: project]` for a note of another project than the session's, where that is told."""
    project = ranked.metadata.project
    competes = recall.scorer == CROSS_PROJECT_SCORER and not ranked.candidate.signals.same_project
    return f" [from: {one_line(project)}]" if project and competes else ""


def last_access(candidate: Candidate, now: float) -> str:
    """Say how long ago a note was last recalled or, where its date is later, written; and which of the two."""
    written, recalled = candidate.metadata.timestamp, candidate.usage.last_recalled or 0.0
    which = "recalled" if recalled > written else "written"
    return f"{days_ago(max(0.0, now - max(written, recalled)) / SECONDS_PER_DAY)} ({which})"


def days_ago(days: float) -> str:
    """Say how long ago that was; in whole years from the second on."""
    whole = int(days)
    if whole == 0:
        return "today"
    if whole == 1:
        return "yesterday"
    if whole < 730:
        return f"{whole} days ago"
    return f"{whole // 365} years ago"


def counted(count: int, one: str, many: str = "") -> str:
    """Say how many: `1 note`, `2 notes`; `many` where that is not `one` and an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def times(count: int) -> str:
    """Say how often."""
    return counted(count, "time")


def ordinal(number: int) -> str:
    """Return a rank as a word: `1st`, `22nd`, `113th`."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def lines_left(shown: Excerpt) -> str:
    """Say how many lines of a note are not shown, and where they are; empty where all are."""
    before, after = shown.lines_before, shown.lines_left
    if before and after:
        return f"{counted(before, 'more line')} above and {after} below"
    if before:
        return f"{counted(before, 'more line')} above"
    return f"{counted(after, 'more line')} below" if after else ""


def nothing_found(recall: Recall) -> str:
    """Say that no active note answers the query."""
    if not recall.query.strip():
        return "No active memory passes these filters."
    return f"No active memories found for “{shortened(recall.query)}”."


def archive_found(recall: Recall) -> str:
    """Say what the archive had."""
    count = len(recall.archive)
    return f"Searched archive — {f'found {count}' if count else 'no matches'}."


def unknown_words(recall: Recall) -> str:
    """Say which words of the question no note has; empty where all are known or taken for others."""
    corrected = {typed for typed, _ in recall.corrections}
    words = [f"“{one_line(word)}”" for word in recall.unknown if word not in corrected]
    if not words:
        return ""
    return f"No note mentions {' or '.join(filter(None, (', '.join(words[:-1]), words[-1])))}."


def quoted(path: str) -> str:
    """Return a path as a shell takes it for one word."""
    return path if re.fullmatch(r"[\w./+:@%,=-]+", path) else "'" + path.replace("'", "'\\''") + "'"


def shortened(text: str, most: int = 80) -> str:
    """Return a text on one line of at most so many characters, cut off with “…”."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def remarks(ranked: Ranked) -> list[str]:
    """Say how a note stands out: its date if a time was asked for, no word of the query, a better note it repeats."""
    said = [] if ranked.date is None else [day_of(ranked.date).isoformat()]
    if ranked.only_by_meaning:
        said.append("related in meaning")
    if ranked.resembles:
        said.append(resemblance(ranked.metadata.title, ranked.resembles))
    return said


def resemblance(name: str, original: NoteMetadata) -> str:
    """Say which better note one repeats: by its title, or of notes with the same title by its path."""
    return f"resembles {one_line(original.path if original.title == name else original.title)}"


def in_one_line(passage: str) -> str:
    """Return a passage of several lines, such as list items, on one line."""
    return one_line(passage.replace("\n- ", " · ").removeprefix("- ").replace("\n", " · "))
