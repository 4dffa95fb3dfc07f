"""Phrases that several formats share."""

import re
from collections.abc import Iterator, Sequence

from brain_cli.answer.results import LIKELY, RELATED, Newer, Ranked, Recall, Related
from brain_cli.printable import counted, one_line
from brain_cli.ranking import Candidate
from brain_cli.record import Record
from brain_cli.types import MTIME, NoteMetadata, Strategy
from brain_cli.vault.clock import day_of, iso_date, local_date, on_calendar
from brain_cli.vault.inline_text import inline_text, plain_title
from brain_cli.vault.languages import phrases_of

# The publication of this formula names the project of a note also to a session of no project.
CROSS_PROJECT_SCORER = "claude-mem"
# The formulas whose publications also say how an answer looks.
PUBLISHED_SCORERS = ("brain", "clawmem", "claude-mem", "clawdbot")


def is_published(recall: Recall) -> bool:
    """Return whether an answer with its formula has the published layout."""
    return recall.scorer in PUBLISHED_SCORERS


def trail(ranked: Ranked) -> str:
    """Return the headings above a note's passage, outermost first; the title if it has none."""
    return " › ".join(map(plain_title, ranked.heading)) or ranked.metadata.title


def ended(ranked: Ranked) -> str:
    """Return ` (ended 30 Sep 2026)` for a note that does not hold now."""
    return f" ({ranked.candidate.ended})" if ranked.candidate.ended else ""


def title(note: Ranked | Related, recall: Recall) -> str:
    """Return a note's title; in a published layout with ` [from: project]` if it is of another
    project than the session's.
    """
    names_project = recall.project and is_published(recall)
    if note.other_project and (names_project or recall.scorer == CROSS_PROJECT_SCORER):
        return f"{note.title} [from: {one_line(note.other_project)}]"
    return note.title


def last_access(candidate: Candidate, now: float, zone: str) -> str:
    """Return how long ago a note was last recalled or written, whichever is later, and which of the
    two it was.

    The time of a file says only when that was changed, which may have been by a copy.
    """
    metadata = candidate.metadata
    which = "file changed" if metadata.dated_by == MTIME else "written"
    last = local_date(metadata, zone)
    if (recalled := candidate.usage.last_recalled or 0.0) > metadata.timestamp:
        which = "recalled"
        last = on_calendar(recalled, zone)
    days = (day_of(on_calendar(now, zone)) - day_of(last)).days
    return f"{days_ago(max(0, days))} ({which})"


def shown_date(metadata: NoteMetadata, zone: str) -> str:
    """Return the day of a note; `file changed` before that of a file, which may be a copy's."""
    day = iso_date(metadata, zone)[:10]
    return f"file changed {day}" if metadata.dated_by == MTIME else day


def newer_words(newer: Newer, zone: str) -> tuple[str, str]:
    """Return what a newer note says with its day, and its place."""
    day = day_of(local_date(newer.note, zone))
    text = one_line(inline_text(newer.text))
    return f"{day.day} {day:%b %Y}  {text}", f"{one_line(newer.note.path)}:{newer.line}"


def days_ago(days: float) -> str:
    """Return `today`, `yesterday`, or the number of days; from two years on, the number
    of years.
    """
    whole = int(days)
    if whole < 2:
        return "yesterday" if whole else "today"
    return f"{whole} days ago" if whole < 730 else f"{whole // 365} years ago"


def undated_notes(count: int, notes: int) -> str:
    """Return how many of the notes have only the time at which their files were copied."""
    has, its = ("has", "its") if count == 1 else ("have", "their")
    return (
        f"{count} of {counted(notes, 'note')} {has} no date of {its} own: their files were "
        "copied or cloned together."
    )


def times(count: int) -> str:
    """Return `1 time`, `2 times`."""
    return counted(count, "time")


def nothing_found(recall: Recall) -> str:
    """Return the sentence that no active note answers the query."""
    query = shortened(recall.query)
    if not query:
        return "No active memory passes these filters."
    if recall.is_filtered:
        return f"No active memory that passes the filters matches “{query}”."
    return f"No active memories found for “{query}”."


def verdict(recall: Recall, most: int = 0) -> str:
    """Return the sentence above an answer: how sure it is, and what is known about the notes in it,
    of which `most` are listed if so many were asked for.
    """
    # A number that was asked for overrules it.
    if recall.is_off_topic and not most:
        return f"No note about “{shortened(recall.query)}”."
    if recall.strategy is Strategy.ARCHIVE_FALLBACK:
        return nothing_found(recall)
    if recall.strategy is Strategy.SINGLE_STRONG:
        return "Found a strong match:"
    listed = len(recall.listed(most))
    if is_published(recall):
        if recall.strategy is Strategy.SYNTHESIZE:
            return f"Found {counted(listed, 'related memory', 'related memories')}:"
        matches = counted(recall.clear, "partial match", "partial matches")
        return f"Found {matches}. Which is most relevant?"
    if recall.subject:
        return f"Notes about “{shortened(recall.subject)}”:"
    if not recall.certainty:
        return f"{counted(listed, 'note')}:"
    if recall.claim == LIKELY:
        return "Probably this note:"
    if recall.claim == RELATED:
        return f"{counted(listed, 'note comes', 'notes come')} near:"
    return "No note clearly answers. The nearest:"


def archive_found(recall: Recall) -> str:
    """Return how many notes the archive had."""
    count = len(recall.archive)
    return f"Searched archive — {f'found {count}' if count else 'no matches'}."


def notes_with_a_word(recall: Recall) -> str:
    """Return how many notes have a word of a question that none is about, and what lists them; one
    with its title.
    """
    count = recall.considered
    if count > 1:
        return f"{count} notes have a word of it; -n {count} lists them."
    only = recall.results[0]
    words = ", ".join(f"“{one_line(word)}”" for word in only.matched) or "a word of it"
    return f"One note has {words}: {one_line(only.title)} ({one_line(only.path)})."


RELATED_TOPICS = "Related topics you have memories about: "


def related_topics(recall: Recall) -> str:
    """Return tags to ask for: those of notes with a word of the query, in a published layout also
    the most frequent ones.
    """
    topics = recall.suggestions if is_published(recall) else recall.near_topics
    return ", ".join(topics)


def unknown_words(recall: Recall) -> str:
    """Return which words of the question no note has; empty if all are known or corrected."""
    corrected = {typed for typed, _ in recall.corrections}
    # That no note has one of these is not worth saying.
    without_subject = phrases_of("without_subject").replace("|", " ").split()
    unknown = [
        f"“{one_line(word)}”"
        for word in recall.unknown
        if word not in corrected and word.casefold() not in without_subject
    ]
    words = " or ".join(filter(None, (", ".join(unknown[:-1]), *unknown[-1:])))
    return f"No note mentions {words}." if words else ""


def left_out(recall: Recall) -> list[str]:
    """Return which snoozed and archived notes match; empty if none does, or if the archive is
    shown.
    """
    found = []
    for note in recall.snoozed[:1]:
        from brain_cli.vault.note import snoozed_until

        wakes = day_of(snoozed_until(note.properties))
        first = f"{note.title} (until {wakes.day} {wakes:%B})"
        found.append(_matching(len(recall.snoozed), "snoozed", first))
    if (best := recall.best_archived) and not recall.archive:
        found.append(_matching(recall.archived, "archived", f"{best.title} ({best.path})"))
    return found


def _matching(count: int, state: str, first: str) -> str:
    others = f" and {count - 1} more" if count > 1 else ""
    return (
        f"{counted(count, f'{state} note matches', f'{state} notes match')}: "
        f"{one_line(first)}{others}."
    )


def quoted(path: str) -> str:
    """Return a path quoted for a shell."""
    return (
        path
        if re.fullmatch(r"[\w./+:@%,=-]+", path)
        else "'" + path.replace("'", "'\\''") + "'"
    )


def shortened(text: str, max_chars: int = 80) -> str:
    """Return a text on one line of at most `max_chars` characters, cut off with “…”."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def remarks(ranked: Ranked) -> list[str]:
    """Return remarks on a note: its date if the query names a time, that another replaces it, a
    match only by meaning, a note that it repeats.
    """
    found = []
    if ranked.date is not None:
        found.append(day_of(ranked.date).isoformat())
    if ended := ranked.candidate.ended or (ranked.passage and ranked.passage.ended):
        found.append(ended)
    if ranked.candidate.signals.superseded:
        found.append("replaced")
    if ranked.only_by_meaning:
        found.append("related in meaning")
    if ranked.resembles:
        found.append(resemblance(ranked.metadata.title, ranked.resembles))
    return found


def resemblance(name: str, original: NoteMetadata) -> str:
    """Return the name of the better note that a note repeats: its title, or its path if the titles
    are equal.
    """
    return f"resembles {one_line(original.path if original.title == name else original.title)}"


class Sum(Record):
    """How a number came about: the heads of the columns, the terms, and the result."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    end: Sequence[str]


def sums_of(recall: Recall) -> Iterator[Sum]:
    """Yield how the certainty and the scores of a recall came about."""
    if certainty := recall.certainty:
        yield Sum(
            title="",
            heads=("certainty", "value", "weight", "product"),
            rows=[
                (
                    each.name,
                    f"{each.value:.3f}",
                    f"{each.weight:.3f}",
                    f"{each.value * each.weight:.3f}",
                )
                for each in certainty.parts
            ],
            end=(certainty.rule or "probability", "", "", f"{certainty.probability:.3f}"),
        )
    for ranked in (*recall.results, *recall.archive):
        score = ranked.candidate.score
        yield Sum(
            title=f"{ranked.rank}. {shortened(one_line(ranked.metadata.title), 60)}",
            heads=("step", "", "value", "weight", "total"),
            rows=[
                (
                    step.name,
                    step.op,
                    f"{step.value:.3f}",
                    "" if step.weight is None else f"{step.weight:.3f}",
                    f"{step.total:.3f}",
                )
                for step in score.steps
            ],
            end=("share", "", "", "", f"{score.share:.3f}"),
        )
