"""The notes that `brain context` shows: a passage of each, its lines of Markdown and its JSON, within the budget.

A prompt in the middle of a session brings up what `brain remember` finds for it, ranked alike, or nothing. Most prompts
ask for no memory ("run the tests"), so a note is shown only if its score is near the best possible one.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from brain_cli.answer.passages import Passage, Quotation
from brain_cli.answer.pieces import NoteToQuote, TermWeights
from brain_cli.answer.results import NONE, Ranked, Recall
from brain_cli.answer.screen_rows import plain_text
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.agents.surfacing import ShownNote
from brain_cli.ranking import Candidate
from brain_cli.render.phrases import one_line
from brain_cli.types import Fragment, Intent
from brain_cli.vault.dates import iso

if TYPE_CHECKING:
    from brain_cli.render.terminal import ListedNote
    from brain_cli.types import Shown

HANDOFF = "handoff"
# A passage is about three lines of a terminal.
PASSAGE_ROWS, PASSAGE_COLUMNS = 4, 80
# For a prompt.
MOST_NOTES = 3
# The score of a note that answers, 0..1. “Make it faster” has .45 with its best note.
LEAST_SCORE = 0.8
# “Commit this” has one content word, which says too little.
LEAST_WORDS = 2
# The most useful sections of a handoff for the next session.
_LEFT_OPEN = re.compile(r"\b(open|next|to ?do|remaining|unfinished|blocked|pending)\b", re.IGNORECASE)


def with_passages(notes: Iterable[ShownNote], snapshot: Snapshot, weights: TermWeights) -> list[ShownNote]:
    """Return each note with the passage that matches the current work best, else its first one."""
    return [
        each._replace(passage=_open_points(each.note, snapshot) or _prose(each.note, snapshot, weights))
        for each in notes
    ]


def prompted_notes(
    recall: Recall,
    snapshot: Snapshot,
    content_words: int,
    project: str | None,
    seen: Container[str],
    *,
    cross_project: bool,
) -> list[ShownNote]:
    """Return the notes that surely answer a prompt, best first, without those `seen` in this session."""
    asks_for_time = recall.intent is Intent.RECENCY
    if recall.claim == NONE or not (asks_for_time or content_words >= LEAST_WORDS):
        return []
    home = {None, "", project}
    found: list[ShownNote] = []
    # Who asks what is new gets what is next; a question has the best notes, or none if they were shown.
    for ranked in recall.results if asks_for_time else recall.results[:MOST_NOTES]:
        is_here = cross_project or ranked.metadata.project in home
        if ranked.candidate.score.share >= LEAST_SCORE and is_here and ranked.metadata.path not in seen:
            passage = (asks_for_time and _open_points(ranked, snapshot)) or _shown_passage(ranked.passage)
            passage = passage or _prose(ranked, snapshot, TermWeights({}))
            # A bare title says nothing, and code is hard to read out of context.
            found += [ShownNote(ranked.candidate, passage=passage)] if passage else []
    return found[:MOST_NOTES]


def _shown_passage(shown: Shown | None) -> Passage | None:
    if shown is None or shown.code or not shown.parts:
        return None
    return Passage(shown.value, shown.line, shown.end_line, shown.heading, shown.parts)


def within(shown: list[ShownNote], budget_chars: int) -> list[ShownNote]:
    """Return the notes that fit the budget, in order."""
    kept: list[ShownNote] = []
    for each in shown:
        size = sum(len(line) + 1 for line in lines(each))
        if size <= budget_chars:
            kept.append(each)
            budget_chars -= size
    return kept


def lines(each: ShownNote) -> Iterator[str]:
    """Yield the lines of Markdown for a note."""
    metadata = each.note.metadata
    line = f":{each.passage.line}" if each.passage else ""
    date = iso(metadata.timestamp)[:10]
    facts = f"({metadata.kind}, {date}{_remarks(each)})"
    yield one_line(f"- **{metadata.title}**{_origin(each.note)} {facts} {metadata.path}{line}")
    if each.passage:
        yield f"  > {one_line(_under_heading(each.passage, metadata.kind))}"


def listed_note(each: ShownNote) -> ListedNote:
    """Return a note for a list on a terminal."""
    from brain_cli.render.terminal import ListedNote

    metadata, passage = each.note.metadata, each.passage
    return ListedNote(
        metadata.title,
        metadata.path,
        passage.line if passage else 0,
        remark=f"{_origin(each.note)} ({metadata.kind}, {iso(metadata.timestamp)[:10]}{_remarks(each)})".strip(),
        passage=one_line(_under_heading(passage, metadata.kind)) if passage else "",
    )


def document(each: ShownNote) -> dict[str, object]:
    """Return the JSON of a note."""
    metadata, passage = each.note.metadata, each.passage
    return {
        "path": metadata.path,
        "line": passage.line if passage else None,
        "title": metadata.title,
        "kind": metadata.kind,
        "project": metadata.project,
        "from": metadata.project if _origin(each.note) else None,
        "date": iso(metadata.timestamp),
        "dated_by": metadata.dated_by,
        "passage": passage.text if passage else None,
        "check": bool(each.outdated),
        "score": each.note.score.share,
        "total": each.note.score.total,
        "relevance": each.note.signals.relevance,
        "age_days": each.note.signals.age_days,
        "tags": list(metadata.tags),
    }


def _remarks(each: ShownNote) -> str:
    superseded = ", superseded" if each.note.metadata.superseded else ""
    return f"{superseded}, check: {each.outdated}" if each.outdated else superseded


def _origin(note: Candidate) -> str:
    project = note.metadata.project
    return f" [from: {project}]" if project and not note.signals.same_project else ""


def _open_points(each: Candidate | Ranked, snapshot: Snapshot) -> Passage | None:
    """Return the beginning of what a handoff leaves open; None if it leaves nothing open, or is none."""
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(each.note_id))
    named = (part for part in fragments if part.trail and _LEFT_OPEN.search(part.trail[-1]))
    if each.metadata.kind != HANDOFF or not (left_open := next(named, None)):
        return None
    return _prose(each, snapshot, TermWeights({}), [left_open])


def _prose(
    each: Candidate | Ranked, snapshot: Snapshot, weights: TermWeights, fragments: Sequence[Fragment] = ()
) -> Passage | None:
    """Return the first passage of a note, or of some of its sections; None if it is code, hard to read alone."""
    parts = fragments or [snapshot.index.fragment(number) for number in snapshot.numbers_of(each.note_id)]
    note = NoteToQuote(each.metadata.title, snapshot.language(each.note_id), parts)
    quotation = Quotation(note, weights, PASSAGE_COLUMNS)
    quotation.add(PASSAGE_ROWS + 1, PASSAGE_ROWS)
    return next((passage for passage in quotation.passages if not passage.is_code), None)


def _under_heading(passage: Passage, kind: str) -> str:
    """Return the text of a passage, with the heading of a handoff's open points."""
    text = plain_text(passage.parts)
    return f"{passage.heading[-1]}: {text}" if kind == HANDOFF and len(passage.heading) > 1 else text
