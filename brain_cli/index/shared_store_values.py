"""The values that pass between brain and a store: requests, results, and the notes that are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from brain_cli.index.filter_keys import ANYTHING, Scope

# The terms of one word of a query in the index.
Variants = tuple[str, ...]
# Two words of a query and the compound that they form, by their indexes in the request.
Pair = tuple[int, int, int]
# A fragment: its note's id, and its index in the note, from 0.
Section = tuple[int, int]
MAX_CANDIDATES = 3_000
# Of the terms that begin as an unknown word does, so many are counted.
MAX_BEGUN = 20
# The numbers for a query in which only the best matches by words can rank first: candidates, the candidates whose
# linked notes are added, and the linked notes.
FEW_CANDIDATES, FEW_LINKED, FEW_JOINED = 300, 100, 2_000
# A note of at most this many sections is short.
SHORT_SECTIONS = 12


class Totals(NamedTuple):
    """The numbers of a whole store: `languages` are sorted by frequency, `boilerplate` are hashes of frequent lines."""

    notes: int = 0
    fragments: int = 0
    length: int = 0
    generation: int = 0
    languages: tuple[str, ...] = ()
    oldest_date: float = 0.0
    projects: frozenset[str] = frozenset()
    boilerplate: frozenset[str] = frozenset()


class Saturation(NamedTuple):
    """The curve by which a word's weight saturates: `w' * (k1 + 1) / (w' + k1)`.

    `w'` is the weight about the note, plus the weight in a body ÷ (flat + slope * length); slopes are those of sections
    and of whole notes. `complete` and `completeness` lift a low sum that has nearly all words (search/calibration.py).
    """

    k1: float
    flat: float
    section_slope: float
    note_slope: float
    complete: float
    completeness: float


class Wanted(NamedTuple):
    """A request for candidates: words with their weights, and conditions on the notes.

    The result has the best `most` notes within `scope`, the best `anywhere` of all notes, and as many of the archive.
    Added to these are at most `most_joined` notes within two links of the best `linked_to`, pinned notes, and notes
    with one of the `names`. Without words, the best are those dated nearest to one of the spans `dates`, or else the
    newest.
    """

    words: Sequence[Variants]
    weights: Sequence[float]
    saturation: Saturation
    scope: Scope = ANYTHING
    most: int = MAX_CANDIDATES
    anywhere: int = 150
    linked_to: int = 50
    most_joined: int = MAX_CANDIDATES
    names: tuple[str, ...] = ()
    dates: tuple[tuple[float, float], ...] = ()
    archived: bool = False


class Places(NamedTuple):
    """The occurrences of one word in some notes, as parallel lists of note ids, sections and weights.

    `anchored_elsewhere` is the sum of its weights in the links to all other notes.
    """

    body: tuple[Sequence[int], Sequence[int], Sequence[float]] = ((), (), ())
    in_links: tuple[Sequence[int], Sequence[int], Sequence[float]] = ((), (), ())
    about: tuple[Sequence[int], Sequence[float]] = ((), ())
    anchors: tuple[Sequence[int], Sequence[float]] = ((), ())
    anchored_elsewhere: float = 0.0


class Found(NamedTuple):
    """The candidates of a request: `note_ids`, best first, and the added ones, with the occurrences of each word.

    `matched` counts the matching notes within the scope; `is_complete` is whether all of them are included. `named`
    are the notes with one of the requested names.
    """

    note_ids: list[int]
    joined: list[int]
    places: list[Places]
    matched: int
    is_complete: bool
    named: frozenset[int] = frozenset()


class StoredNote(NamedTuple):
    """A note in a store, without its words.

    `row` and `record` are opaque texts (`NoteRow` without its links, and `NoteRecord`); `keys` are compared by filters;
    `lengths` are those of its sections. `tells_date` is false if its only date is the file time of a clone.
    """

    note_id: int
    path: str
    content_key: str
    row_key: str
    content_hash: str
    language: str
    lengths: Sequence[int]
    archived: bool
    timestamp: float
    tells_date: bool
    neighbours: Sequence[int]
    successors: Sequence[int]
    keys: FilterKeys
    row: str
    record: str
    former_paths: Sequence[str] = ()
    pinned: bool = False


class FilterKeys(NamedTuple):
    """The values of a note that filters compare, in comparable form.

    `tags` include the parents of each tag; `grams` are letter 4-grams of its names; `dates` are its own and those of
    its sections.
    """

    kind: str
    path: str
    tags: Sequence[str]
    names: Sequence[str]
    grams: Sequence[str]
    dates: Sequence[float]
    properties: Mapping[str, Sequence[str]]


class NoteWords(NamedTuple):
    """The words of a note: for each section its terms with weights, those of its title and path, and its texts."""

    bodies: Sequence[Mapping[str, float]]
    in_links: Sequence[Mapping[str, float]]
    about: Mapping[str, float]
    texts: Sequence[bytes]


class FoundNote(NamedTuple):
    """A note as a reader returns it, with its vault's name; `duplicates` counts the notes with its content."""

    note_id: int
    vault: str
    row: str
    lengths: Sequence[int]
    neighbours: Sequence[int]
    successors: Sequence[int]
    tells_date: bool
    duplicates: int
    former_paths: Sequence[str] = ()


class Slip(NamedTuple):
    """A request for corrections of a word, in case no note has it.

    `word` is the index of the word in the request. The store looks up the terms within `edits` edits of `term`, which
    of the `stems` are terms, and some terms with this `beginning`.
    """

    word: int
    term: str
    edits: int
    stems: Sequence[str]
    beginning: str


class Frequencies(NamedTuple):
    """The document frequencies of words: fragments with the word, or of notes with it in the title.

    `names` are those in which two neighbouring words form one of the requested compounds. `written_as_one` are the
    requested pairs whose compound is in a name, but whose words are in no name together. `near` are the terms found
    for slips, with their frequencies; `known` are the words that some note has, for which nothing was looked up.
    """

    counts: list[int]
    names: list[str]
    written_as_one: frozenset[Pair] = frozenset()
    near: Mapping[str, int] = {}
    known: frozenset[int] = frozenset()


class Details(NamedTuple):
    """The details of some notes, fetched in one round trip.

    `notes` are the requested ones, others that may be requested next, and some without a `row`, which only relay
    activation. `tags` are those all of whose terms were requested, each with its terms.
    """

    notes: list[FoundNote]
    records: dict[int, str]
    texts: dict[Section, bytes]
    tags: dict[str, frozenset[str]]


class VaultFacts(NamedTuple):
    """The facts of a whole vault, besides its notes: `token` names the state of the vault's index that was sent."""

    token: str = ""
    oldest_date: float = 0.0
    projects: Sequence[str] = ()
    boilerplate: Sequence[str] = ()
    # Tag → its terms, and the number of active notes that have it.
    tags: Mapping[str, tuple[Sequence[str], int]] = {}


class KnownNote(NamedTuple):
    """A note that a store has of a vault; the keys show whether it has to be sent again."""

    note_id: int
    content_key: str
    row_key: str
    anchors_key: str
    lengths: Sequence[int] = ()
    former_paths: Sequence[str] = ()


class StoredEvent(NamedTuple):
    """An event of a user's history as the store keeps it: later events have higher numbers; `line` is its JSON."""

    number: int
    line: str


class Health(NamedTuple):
    """The state of a store: the server's version, the milliseconds of a round trip, generation, notes and bytes."""

    version: str
    latency_ms: float
    generation: int
    notes: int
    fragments: int
    vaults: int
    size_bytes: int
