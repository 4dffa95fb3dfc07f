"""Fetch from a shared memory the notes that may be shown at a place: those its clues find, and the standing ones."""

from __future__ import annotations

from brain_cli.answer.clues import Place, clues
from brain_cli.index.filter_keys import ANYTHING, Compared, Either, Scope
from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.shared_store_values import Wanted
from brain_cli.search.conditions import Everything
from brain_cli.search.gathering import Question, gather, saturation
from brain_cli.types import Session

# At most this many notes of each sort are fetched; more are never shown.
MAX_CANDIDATES, MAX_NEWEST = 500, 60
# The kinds of notes that are shown whatever the clues are (the plugin agents).
STANDING_KINDS: Scope = Either((Compared("kind", "is", "handoff"), Compared("kind", "is", "project")))


def gather_place(snapshot: SharedSnapshot, place: Place, session: Session) -> None:
    """Fill a snapshot with the notes that may be shown at a place."""
    languages = snapshot.note_table.languages
    possible_words = [word for clue in clues(place, session, languages, lambda _: True) for word in clue.words]
    snapshot.learn_terms(variant for word in possible_words for variant in word.variants)
    known_clues = clues(place, session, languages, snapshot.fetched.stems.__contains__)
    words = list({word.variants: word for clue in known_clues for word in clue.words}.values())
    standing = [] if place.prompt else _standing(snapshot)
    gather(snapshot, Question("", words, Everything(), most=MAX_CANDIDATES if words else MAX_NEWEST, also=standing))


def _standing(snapshot: SharedSnapshot) -> list[int]:
    """Return the newest handoffs and project notes, the newest notes of all kinds, and those this user has pinned."""
    reader, scale = snapshot.reader, saturation(snapshot)
    kinds, newest = (
        reader.candidates(Wanted((), (), scale, scope, most=MAX_NEWEST, anywhere=0, linked_to=0)).note_ids
        for scope in (STANDING_KINDS, ANYTHING)
    )
    pinned = [
        note_id for path, is_pinned in reader.pins().items() if is_pinned for note_id in reader.named(path).values()
    ]
    return list(dict.fromkeys((*kinds, *newest, *pinned)))
