"""Answer "what should I know here?" without a question: clues from the working folder replace the
query.

A place is a folder in a repository, its branch, the files changed lately and, if there is one, the
user's prompt. Each of these clues is a query; a note's relevance is that for its best clue. Notes
of all projects compete. Then the adaptive threshold of ClawMem keeps the notes whose score is near
the best. Links and co-activation count only afterwards, and only among the kept notes, so that they
cannot rescue a weak note. The project's last handoffs, its pinned notes and preferences are shown
whatever matches; in an unknown project, nothing is.

    total = score * (1 + 0.15 * received)

received  0..1, the activation that a kept note receives from the other kept ones over links
          (ranking/signals.py)
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from itertools import accumulate, chain, islice
from math import log

from brain_cli.answer.passages import Quotation
from brain_cli.answer.pieces import NoteToQuote, TermWeights, WeighedPieces
from brain_cli.answer.results import Ranked
from brain_cli.answer.screen_rows import plain_text
from brain_cli.history.usage import base_strength
from brain_cli.index.snapshot import AskedWords, Snapshot
from brain_cli.plugins.agents.place import Place, clues
from brain_cli.plugins.agents.typed import ASKED
from brain_cli.printable import one_line
from brain_cli.ranking import Candidate
from brain_cli.ranking.note_history import NoteHistory, linked
from brain_cli.ranking.scorers import Formula
from brain_cli.ranking.signals import Activation, SignalExtractor
from brain_cli.ranking.threshold import Threshold, surfaced
from brain_cli.ranking.top_k import repeats_in
from brain_cli.record import Record
from brain_cli.render.formats import Row
from brain_cli.render.phrases import shown_date
from brain_cli.search.asked_time import HANDOFF, recency_intent
from brain_cli.search.bm25 import look_up
from brain_cli.search.relevance import matches
from brain_cli.types import (
    DEFAULT_ZONE,
    MTIME,
    SECONDS_PER_DAY,
    Fragment,
    Session,
    Shown,
    Signals,
)
from brain_cli.vault.analyzer import Word, query_words
from brain_cli.vault.clock import Clock, iso_date, local_date
from brain_cli.vault.form import is_navigation
from brain_cli.vault.git import overlap_in
from brain_cli.vault.repetition import bigrams

# The minimum relevance for a clue.
CLUE_FLOOR = 0.35
HANDOFF_DAYS = 14.0
# The kinds of notes that are shown whatever the clues are.
STANDING_KINDS = (HANDOFF, "project", "preference")
MAX_NEWEST = 3
MAX_PREFERENCES = 4
# The maximum that co-activation adds in the publication.
SPREADING_BOOST = 0.15
# A passage is about three lines of a terminal.
PASSAGE_ROWS = 4
PASSAGE_COLUMNS = 80
# A note of a kind that does not decay is checked after so many days.
LASTING_DAYS = 180.0
# Notes about people say nothing to those who work on another project.
PERSONAL_KINDS = ("preference", "relationship", "person", "people", "contact", "feedback")
# The most useful sections of a handoff for the next session.
_LEFT_OPEN = re.compile(
    r"\b(open|next|to ?do|remaining|unfinished|blocked|pending)\b", re.IGNORECASE
)


def _dated(note: Candidate, zone: str) -> str:
    """Return the date of a note; in words if it is older than the half-life of its kind, so that an
    agent checks it before relying on it.
    """
    metadata = note.metadata
    rate = base_strength(metadata.kind)[1]
    half_life = log(0.5) / log(rate) if 0 < rate < 1 else LASTING_DAYS
    if note.signals.age_days <= half_life or metadata.dated_by == MTIME:
        return shown_date(metadata, zone)
    # Imported here, because most notes that a prompt brings up are young.
    from brain_cli.vault.validity import written_day

    verb = "decided" if metadata.kind == "decision" else "written"
    return f"{verb} {written_day(local_date(metadata, zone))}"


class ShownNote(Record):
    """A note worth knowing here, with the passage that is shown of it.

    A `standing` one is shown whatever the clues are; `outdated` says why to check it.
    """

    note: Candidate
    standing: bool = False
    passage: Shown | None = None
    outdated: str = ""

    def row(self, zone: str = DEFAULT_ZONE) -> Row:
        """Return the note as one or two lines of Markdown, as JSON, and for a list on a
        terminal.
        """
        metadata = self.note.metadata
        signals = self.note.signals
        score = self.note.score
        passage = self.passage
        other = None if signals.same_project else metadata.project or None
        origin = f" [from: {other}]" if other else ""
        marks = ", superseded" if metadata.superseded else ""
        marks += f", check: {self.outdated}" if self.outdated else ""
        facts = f"({metadata.kind}, {_dated(self.note, zone)}{marks})"
        place = f"{metadata.path}:{passage.line}" if passage else metadata.path
        line = one_line(f"- **{metadata.title}**{origin} {facts} {place}")
        quote = ""
        if passage:
            # The heading of a handoff's open points says that they are open.
            is_open = metadata.kind == HANDOFF and len(passage.heading) > 1
            above = f"{passage.heading[-1]}: " if is_open else ""
            quote = one_line(above + plain_text(passage.parts))
            # “remember: …” says what the title says.
            is_title = quote.endswith(metadata.title) and len(quote) < len(metadata.title) + 20
            line += "" if is_title else f"\n  > {quote}"
        document = {
            "path": metadata.path,
            "title": metadata.title,
            "kind": metadata.kind,
            "project": metadata.project,
            "dated_by": metadata.dated_by,
            "line": passage and passage.line,
            "from": other,
            "date": iso_date(metadata, zone),
            "passage": passage and passage.text,
            "check": bool(self.outdated),
            "score": score.share,
            "total": score.total,
            "relevance": signals.relevance,
            "age_days": signals.age_days,
            "tags": list(metadata.tags),
        }
        return Row(
            line,
            document,
            metadata.path,
            metadata.title,
            remark=f"{origin} {facts}".strip(),
            passage=quote,
            number=passage.line if passage else 0,
            markdown=line,
        )


def within(shown: list[ShownNote], budget_chars: int) -> list[ShownNote]:
    """Return the first notes, up to one that does not fit the budget."""
    ends = accumulate(len(each.row().line) + 1 for each in shown)
    return shown[: sum(end <= budget_chars for end in ends)]


class Surfacing:
    """Chooses the notes to surface at a place, also by the words of a prompt there."""

    def __init__(
        self,
        place: Place,
        prompt: str,
        session: Session,
        snapshot: Snapshot,
        *,
        scorer: Formula,
        history_of: Callable[[Snapshot], NoteHistory],
        cross_project: bool,
    ) -> None:
        languages = snapshot.note_table.languages
        clock = Clock(session.now, session.zone)
        named = list(clues(place, session, languages))
        self._prompt = list(query_words(prompt, languages))
        words = [*chain.from_iterable(named), *self._prompt]
        snapshot = snapshot.about(AskedWords(words, () if prompt else STANDING_KINDS), clock)
        table = snapshot.note_table
        self._place = place
        self._session = session
        self._snapshot = snapshot
        self._table = table
        self._scorer = scorer
        self._history = history_of(snapshot)
        self._intent = recency_intent(prompt).intent
        self._clues = list(filter(None, map(self._known, named)))
        self._projects = table.column("project")
        self._kinds = table.column("kind")
        self._project = (session.project or "").casefold()
        hidden = table.archived | table.superseded | table.snoozed(clock.local)
        hidden |= table.invalid(clock.local).keys()
        self._active = [
            each
            for each, project in self._projects.items()
            if each not in hidden
            and (
                project in ("", self._project)
                or (cross_project and self._kinds[each] not in PERSONAL_KINDS)
            )
        ]

    def surface(self, threshold: Threshold, limit: int) -> list[ShownNote]:
        """Return the notes to surface, perhaps none: standing ones first, then best first.

        The passage of each is what a handoff leaves open, else what matches the current work best,
        else the first one.
        """
        relevances, weights = self._relevances()
        standing = [] if self._prompt else self._standing()
        matched = list(self._readable(each for each in relevances if each not in standing))
        signals = SignalExtractor(
            self._table,
            self._session,
            self._intent,
            (),
            {**dict.fromkeys(standing, 0.0), **relevances},
            self._history,
            file_overlap=overlap_in(self._session),
        )
        # No formula counts links here.
        alone = {
            each: signals.signals(each)._replace(spreading=None, co_recalls=0)
            for each in (*standing, *matched)
        }
        shares = {each: self._scorer.score(found).share for each, found in alone.items()}
        kept = [
            matched[number]
            for number in surfaced([shares[each] for each in matched], threshold)
        ]
        best = self._with_activation(kept, kept, alone, shares)
        best.sort(
            key=lambda each: (-each.score.total, each.signals.age_days, each.metadata.path)
        )
        always = self._with_activation(standing, [*standing, *kept], alone, shares)
        notes = [*(ShownNote(each, standing=True) for each in always), *map(ShownNote, best)]
        notes = [each for each in notes[:limit] if not each.note.signals.superseded]
        snapshot = self._snapshot
        repeats = repeats_in([bigrams(snapshot.body(each.note.note_id)) for each in notes])
        # A repeat goes behind the others, as published.
        in_order = sorted(range(len(notes)), key={*repeats}.__contains__)
        return [
            notes[each]._replace(
                passage=open_points(notes[each].note, snapshot)
                or prose(notes[each].note, snapshot, weights)
            )
            for each in in_order
        ]

    def _relevances(self) -> tuple[dict[int, float], TermWeights]:
        """Return the relevance of every active note that matches a clue, which is that for its best
        clue, and the weights of the words that found notes.
        """
        found: dict[int, float] = {}
        weights: dict[str, float] = {}
        for words in (*self._clues, *([self._prompt] if self._prompt else ())):
            match = matches(self._snapshot, words)
            weights |= match.term_weights
            for note_id, relevance in match.relevances.items():
                if relevance < CLUE_FLOOR or note_id in match.fuzzy:
                    continue
                # A single word of a name often means something else elsewhere.
                if (
                    words is self._prompt
                    or self._is_own(note_id)
                    or sum(note_id in each.scores.notes for each in match.terms) > 1
                ):
                    found[note_id] = max(relevance, found.get(note_id, 0.0))
        active = {note_id: found[note_id] for note_id in self._active if note_id in found}
        return active, TermWeights(weights)

    def _known(self, words: Sequence[Word]) -> list[Word]:
        """Return the words of a name that the vault knows, if half of them are."""
        known = [word for word in words if look_up(self._snapshot, word).scores.frequency]
        return known if len(known) * 2 >= len(words) else []

    def _is_own(self, note_id: int) -> bool:
        return bool(self._project) and self._projects.get(note_id) == self._project

    def _readable(self, note_ids: Iterable[int]) -> Iterator[int]:
        """Yield the notes that are neither an index nor a template, in their order."""
        for note_id in note_ids:
            record = self._table.read_record(note_id)
            if not is_navigation(record.metadata, record.links):
                yield note_id

    def _standing(self) -> list[int]:
        """Return the project's last handoffs, its pinned notes and its preferences; its project
        notes, else new ones.

        The handoffs are the last one and the last that leaves something open. Preferences of no
        project count too.
        """
        project = self._session.project
        if not (project or self._place.is_neutral):
            return []
        times = self._table.column("timestamp")
        newest = sorted(self._active, key=lambda each: -times[each])
        own = [each for each in newest if not project or self._is_own(each)]

        def of_kind(kind: str, note_ids: Iterable[int]) -> Iterator[int]:
            return self._readable(each for each in note_ids if self._kinds[each] == kind)

        fresh_since = self._session.now - HANDOFF_DAYS * SECONDS_PER_DAY
        fresh = (each for each in own if times[each] >= fresh_since)
        handoffs = [*of_kind(HANDOFF, fresh)]
        leaving_open = (each for each in handoffs if _open_sections(each, self._snapshot))
        standing = [*handoffs[:1], *islice(leaving_open, 1)]
        standing += self._readable(filter(self._table.pinned.__contains__, own))
        here = {*own, *(each for each in newest if own and not self._projects[each])}
        preferences = of_kind("preference", filter(here.__contains__, newest))
        standing += islice(preferences, MAX_PREFERENCES)
        # Where nothing says what the work is, what there is on the project as a whole.
        if not self._clues:
            overview = list(of_kind("project", own))
            standing += overview or islice(self._readable(own), MAX_NEWEST)
        return list(dict.fromkeys(standing))

    def _with_activation(
        self,
        note_ids: Iterable[int],
        kept: Collection[int],
        alone: Mapping[int, Signals],
        shares: Mapping[int, float],
    ) -> list[Candidate]:
        """Return notes with the activation from the kept ones, over links and joint recalls, added
        to their scores.
        """
        table = self._table
        history = self._history
        activation = Activation(
            {each: shares[each] for each in kept}, lambda each: linked(table, history, each)
        )
        return [
            Candidate(
                each,
                table.rows[each].content_hash,
                self._snapshot.shown(each),
                alone[each],
                self._scorer.score(
                    alone[each]._replace(co_recalls=history.co_recalls(each, kept))
                ).times("spreading", 1 + SPREADING_BOOST * activation.get(each)),
                history.usage(each),
            )
            for each in note_ids
        ]


def told(each: Candidate | Ranked, snapshot: Snapshot) -> list[Fragment]:
    """Return the sections of a note; of a handoff without its request, if more is left."""
    parts = [snapshot.index.fragment(number) for number in snapshot.numbers_of(each.note_id)]
    if each.metadata.kind != HANDOFF:
        return parts
    return [part for part in parts if part.trail[-1:] != (ASKED,)] or parts


def open_points(each: Candidate | Ranked, snapshot: Snapshot) -> Shown | None:
    """Return the beginning of what a handoff leaves open; None if it leaves nothing open, or is
    none.
    """
    left_open = _open_sections(each.note_id, snapshot) if each.metadata.kind == HANDOFF else []
    return prose(each, snapshot, TermWeights({}), left_open[:1]) if left_open else None


def _open_sections(note_id: int, snapshot: Snapshot) -> list[Fragment]:
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(note_id))
    return [part for part in fragments if part.trail and _LEFT_OPEN.search(part.trail[-1])]


def prose(
    each: Candidate | Ranked,
    snapshot: Snapshot,
    weights: TermWeights,
    fragments: Sequence[Fragment] = (),
) -> Shown | None:
    """Return the best passage of a note, or of some of its sections; None if there is only code,
    which is hard to read out of context.
    """
    note = NoteToQuote(
        each.metadata.title, snapshot.language(each.note_id), fragments or told(each, snapshot)
    )
    quotation = Quotation(WeighedPieces(note, weights), PASSAGE_COLUMNS)
    quotation.add(PASSAGE_ROWS + 1, PASSAGE_ROWS)
    return next((passage for passage in quotation.passages if not passage.code), None)
