"""The notes that `brain context` shows: a passage of each, its lines of Markdown and its JSON, within the budget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.answer.passages import Passage, passages
from brain_cli.answer.pieces import NoteToQuote
from brain_cli.answer.screen_rows import plain_text
from brain_cli.answer.term_weights import TermWeights
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.agents.surfacing import Surfaced, Surfacing
from brain_cli.render.phrases import one_line
from brain_cli.types import Fragment
from brain_cli.vault.dates import iso

if TYPE_CHECKING:
    from brain_cli.render.note_list import ListedNote

HANDOFF = "handoff"
# A passage is about three lines of a terminal.
PASSAGE_ROWS, PASSAGE_COLUMNS = 4, 80
# The most useful sections of a handoff for the next session.
_LEFT_OPEN = re.compile(r"\b(open|next|to ?do|remaining|unfinished|blocked|pending)\b", re.IGNORECASE)


class ShownNote(NamedTuple):
    """A note with the passage that is shown of it."""

    note: Surfaced
    passage: Passage | None


def shown_notes(surfacing: Surfacing, snapshot: Snapshot) -> list[ShownNote]:
    """Return each note with the passage that matches the current work best, else its first one."""
    return [ShownNote(each, _passage(each, surfacing, snapshot)) for each in surfacing.notes]


def within(shown: list[ShownNote], budget_chars: int) -> list[ShownNote]:
    """Return the notes that fit the budget, in order. A note that does not fit is shown without its passage."""
    kept: list[ShownNote] = []
    for each in shown:
        for form in (each, ShownNote(each.note, None)):
            size = sum(len(line) + 1 for line in lines(form))
            if size <= budget_chars:
                kept.append(form)
                budget_chars -= size
                break
    return kept


def lines(each: ShownNote) -> Iterator[str]:
    """Yield the lines of Markdown for a note."""
    metadata = each.note.metadata
    line = f":{each.passage.line}" if each.passage else ""
    date = iso(metadata.timestamp)[:10]
    facts = f"({metadata.kind}, {date}{_replaced(each.note)})"
    yield one_line(f"- **{metadata.title}**{_origin(each.note)} {facts} {metadata.path}{line}")
    if each.passage:
        yield f"  > {one_line(_under_heading(each.passage, metadata.kind))}"


def listed_note(each: ShownNote) -> ListedNote:
    """Return a note for a list on a terminal."""
    from brain_cli.render.note_list import ListedNote

    metadata, passage = each.note.metadata, each.passage
    return ListedNote(
        metadata.title,
        metadata.path,
        passage.line if passage else 0,
        remark=f"{_origin(each.note)} ({metadata.kind}, {iso(metadata.timestamp)[:10]}{_replaced(each.note)})".strip(),
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
        "score": each.note.score.share,
        "total": each.note.score.total,
        "relevance": each.note.relevance,
        "age_days": each.note.age_days,
        "tags": list(metadata.tags),
    }


def _replaced(note: Surfaced) -> str:
    return ", superseded" if note.metadata.superseded else ""


def _origin(note: Surfaced) -> str:
    project = note.metadata.project
    return f" [from: {project}]" if project and not note.same_project else ""


def _passage(each: Surfaced, surfacing: Surfacing, snapshot: Snapshot) -> Passage | None:
    """Return a note's best passage; none if it has only code, which is hard to read out of context."""
    fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(each.note_id)]
    weights = TermWeights(surfacing.term_weights)
    if each.metadata.kind == HANDOFF and (left_open := next(filter(_is_left_open, fragments), None)):
        # Its beginning: no words are asked for.
        fragments, weights = [left_open], TermWeights({})
    note = NoteToQuote(each.metadata.title, snapshot.language(each.note_id), fragments)
    found = passages(note, weights, PASSAGE_ROWS, PASSAGE_COLUMNS, PASSAGE_ROWS, most=1)
    return found[0] if found and not found[0].is_code else None


def beginning(note_id: int, title: str, snapshot: Snapshot) -> Passage | None:
    """Return a note's first lines of prose; None if it begins with code."""
    fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id)]
    note = NoteToQuote(title, snapshot.language(note_id), fragments)
    found = passages(note, TermWeights({}), PASSAGE_ROWS, PASSAGE_COLUMNS, PASSAGE_ROWS, most=1)
    return found[0] if found and not found[0].is_code else None


def _is_left_open(fragment: Fragment) -> bool:
    return bool(fragment.trail and _LEFT_OPEN.search(fragment.trail[-1]))


def _under_heading(passage: Passage, kind: str) -> str:
    """Return the text of a passage, with the heading of a handoff's open points."""
    text = plain_text(passage.parts)
    return f"{passage.heading[-1]}: {text}" if kind == HANDOFF and len(passage.heading) > 1 else text
