"""Cut notes into the passages that are embedded, and embed all notes that are not embedded yet.

The sentences of a section are embedded in groups. Single sentences besides would find no more notes
and take twice as long. Boilerplate and lists of bare links are omitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from brain_cli.answer.pieces import pieces_of
from brain_cli.answer.screen_rows import display_lines
from brain_cli.answer.sentences import sentences
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.meaning.embedder import Embedder
from brain_cli.plugins.meaning.token_codes import record_of
from brain_cli.plugins.meaning.vectors import (
    PassageRow,
    VectorStore,
    note_keys,
    opening_key,
    row_of,
)
from brain_cli.types import Fragment
from brain_cli.vault.analyzer import words_of
from brain_cli.vault.blocks import CODE
from brain_cli.vault.repetition import without_boilerplate

MAX_PIECES = 6
# A log of megabytes would take longer than all other notes together.
MAX_PASSAGES = 400
MAX_SECTION_CHARS = 50_000
# A group is at most this long; so is a single sentence, of which the rest is left out.
MAX_CHARS = 320
MIN_WORDS = 3
_LINK_ALONE = re.compile(
    r"[\W_]*(?:!?\[\[[^\]]*\]\]|!?\[[^\]]*\]\([^)]*\)|<?https?://\S+|[\s,;|·&/-])+[\W_]*$"
)
# Machine-readable data: a picture, a key, a compressed drawing.
_DATA = re.compile(r"[\w+/=-]{100}")
OPENING_CHARS = 600
# About as many weighted words.
OPENING_WORDS = 100
# A note with at most so many weighted words takes hardly longer than its opening.
SHORT_WORDS = 400
# Vectors are saved after this many passages, so an interruption loses a second of work.
PASSAGES_AT_ONCE = 64
# The passages of so few notes are embedded at once, without their openings.
NOTES_AT_ONCE = 20


class EmbeddedShare(NamedTuple):
    """How far the embedding is: parts of the work that are done, of all, their passages and
    weighted words, and the words of all parts.
    """

    done: int
    total: int
    passages: int
    words: int
    all_words: int


def embed(
    snapshot: Snapshot,
    store: VectorStore,
    embedder: Embedder,
    last_used: Callable[[int], Any],
) -> Iterator[EmbeddedShare]:
    """Embed every note that is not embedded yet, the most recently used first, batch by batch.

    At first only the opening of a long note is embedded, so that a vault answers by meaning after
    seconds. An interruption keeps the finished batches.
    """
    with store.writing():
        store.keep_dimensions(embedder.dimensions)
        known = store.notes()
        keys = note_keys(snapshot.note_table)
        lengths = snapshot.note_table.column("length")
        store.keep_only([*keys.values(), *map(opening_key, keys.values())])
        missing = sorted(
            (each for each, key in keys.items() if key not in known),
            key=last_used,
            reverse=True,
        )
        most = SHORT_WORDS if len(missing) > NOTES_AT_ONCE else inf
        parts = {
            opening_key(keys[each]) if lengths[each] > most else keys[each]: each
            for each in missing
        }
        # The whole of the notes of which the opening comes first.
        parts |= {keys[each]: each for each in missing}
        parts = {key: each for key, each in parts.items() if key not in known}
        sizes = {
            key: lengths[each] if key == keys[each] else OPENING_WORDS
            for key, each in parts.items()
        }
        all_words = sum(sizes.values())
        batch: dict[str, Sequence[EmbeddedPassage]] = {}
        passages = 0
        words = 0
        for done, (key, note_id) in enumerate(parts.items(), start=1):
            is_whole = key == keys[note_id]
            batch[key] = (
                note_passages(snapshot, note_id) if is_whole else [opening(snapshot, note_id)]
            )
            words += sizes[key]
            number = sum(map(len, batch.values()))
            if number >= PASSAGES_AT_ONCE or done == len(parts):
                store.append(_rows(batch, embedder), embedder.dimensions)
                passages += number
                yield EmbeddedShare(done, len(parts), passages, words, all_words)
                batch = {}


def _rows(
    batch: Mapping[str, Sequence[EmbeddedPassage]], embedder: Embedder
) -> dict[str, list[PassageRow]]:
    """Return the rows of notes that were cut into passages, by the key of each note."""
    found = iter(embedded([each for passages in batch.values() for each in passages], embedder))
    return {
        key: [row_of(each.position, *next(found)) for each in passages]
        for key, passages in batch.items()
    }


class Position(NamedTuple):
    """The position of a passage in a file: the line on which it begins, and its number of
    sentences.

    `ordinal` is the index of its first sentence among those of its piece. A passage without any is
    the note's title.
    """

    line: int = 0
    ordinal: int = 0
    pieces: int = 0


class Sentence(NamedTuple):
    """A sentence, or a line of code, as plain text.

    `line` is that on which its piece begins, `ordinal` its index among those of the piece; `bare`:
    it is only links.
    """

    text: str
    line: int
    ordinal: int = 0
    bare: bool = False

    @property
    def says_something(self) -> bool:
        """Return whether it is worth a vector of its own."""
        return not self.bare and len(words_of(self.text)) >= MIN_WORDS


class EmbeddedPassage(NamedTuple):
    """A passage of a note: its context, which is the note's title and the heading, and its
    sentences.
    """

    position: Position
    context: str
    sentences: Sequence[Sentence] = ()

    @property
    def parts(self) -> list[str]:
        """The texts that are embedded together."""
        return [self.context, *(each.text for each in self.sentences)]


def embedded(
    passages: Sequence[EmbeddedPassage], embedder: Embedder
) -> Iterator[tuple[Sequence[float], bytes]]:
    """Yield the vector of each passage, and the record of its tokens."""
    texts = [each.parts for each in passages]
    for passage, found in zip(passages, embedder.passages(texts), strict=True):
        lines = [passage.position.line, *(each.line for each in passage.sentences)]
        yield found.vector, record_of(lines, found)


def note_passages(snapshot: Snapshot, note_id: int) -> list[EmbeddedPassage]:
    """Return the passages of a note to embed, in order; of a note without any, its short sentences
    or its title.
    """
    return (
        _passages(snapshot, note_id, lambda sentence: sentence.says_something)
        or _passages(snapshot, note_id, lambda sentence: not sentence.bare)
        or [EmbeddedPassage(Position(), snapshot.note_table.metadata(note_id).title)]
    )


def _passages(
    snapshot: Snapshot, note_id: int, is_wanted: Callable[[Sentence], bool]
) -> list[EmbeddedPassage]:
    title = snapshot.note_table.metadata(note_id).title
    found = (
        _passage(fragment, group, title)
        for fragment in map(snapshot.index.fragment, snapshot.numbers_of(note_id))
        for group in _groups(_sentences(snapshot, fragment))
        if any(map(is_wanted, group))
    )
    return [*islice(found, MAX_PASSAGES)]


def opening(snapshot: Snapshot, note_id: int) -> EmbeddedPassage:
    """Return the beginning of a note as one passage: embedded alone, it finds almost as many notes
    as all passages.
    """
    title = snapshot.note_table.metadata(note_id).title
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(note_id))
    words: list[str] = []
    for fragment in fragments:
        words += (sentence.text for sentence in _sentences(snapshot, fragment))
        if sum(map(len, words)) > OPENING_CHARS:
            break
    return EmbeddedPassage(Position(), f"{title}: {' '.join(words)[:OPENING_CHARS]}")


def passages_at(
    snapshot: Snapshot, note_id: int, positions: Collection[Position]
) -> list[EmbeddedPassage]:
    """Return some passages of a note as they were embedded. Other notes may have made boilerplate
    of one since.
    """
    found = [opening(snapshot, note_id), *note_passages(snapshot, note_id)]
    by_position = {each.position: each for each in found}
    return [by_position[each] for each in positions if each in by_position]


def _sentences(snapshot: Snapshot, fragment: Fragment) -> Iterator[Sentence]:
    """Yield the sentences of a section, in order."""
    for each in pieces_of(fragment._replace(text=fragment.text[:MAX_SECTION_CHARS])):
        own = (
            without_boilerplate(each.text, snapshot.note_table.boilerplate)
            if each.is_text
            else ""
        )
        if own.strip():
            bare = bool(_LINK_ALONE.match(own))
            texts = enumerate(_texts(each.kind, own))
            yield from (Sentence(text, each.first, ordinal, bare) for ordinal, text in texts)


def _texts(kind: str, own: str) -> Iterator[str]:
    """Yield the sentences of a piece, or its lines of code, as plain text."""
    for line in display_lines(kind, own):
        if _DATA.search(line.text):
            continue
        spans = [(0, len(line.text))] if line.is_code or kind == CODE else sentences(line.text)
        yield from filter(
            None, (line.text[start:end].strip()[:MAX_CHARS] for start, end in spans)
        )


def _passage(fragment: Fragment, group: Sequence[Sentence], title: str) -> EmbeddedPassage:
    """Return a group of sentences with the title of its note and the heading of its section."""
    heading = fragment.trail[-1] if fragment.trail else ""
    context = title if heading in ("", title) else f"{title} > {heading}"
    position = Position(group[0].line, group[0].ordinal, len(group))
    return EmbeddedPassage(position, f"{context}:", group)


def _groups(found: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield groups of neighbouring sentences."""
    group: list[Sentence] = []
    for sentence in found:
        chars = sum(len(each.text) for each in group) + len(sentence.text)
        if group and (chars > MAX_CHARS or len(group) == MAX_PIECES):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group
