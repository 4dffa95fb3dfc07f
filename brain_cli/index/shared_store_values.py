"""The values that pass between brain and a store: what is asked, what is found, and what is put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from brain_cli.index.scope import ANYTHING, Scope

# The terms under which one word of a query stands in the index.
Variants = tuple[str, ...]
# Two words of a query and the compound that they form, by their places among the words asked about.
Pair = tuple[int, int, int]
# A fragment: its note's id, and its place in the note, from 0.
Section = tuple[int, int]
MAX_CANDIDATES = 3_000
# Of the terms that begin as an unknown word does, so many are counted.
MAX_BEGUN = 20
# So many where only the best by words can come first: so many of them are joined by notes linked with them, and by so
# many of these.
FEW_CANDIDATES, FEW_LINKED, FEW_JOINED = 300, 100, 2_000
# A note of at most so many sections is short.
SHORT_SECTIONS = 12


class Totals(NamedTuple):
    """The numbers of a whole store: `languages` are the most frequent first, `boilerplate` hashes frequent lines."""

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
    """A request for candidates: the words with their weights, and which notes come into question.

    The best `most` notes within `scope` are wanted, with the best `anywhere` of all notes, and as many of the archive.
    Notes linked within two hops of the best `linked_to` join them, at most `most_joined`, and pinned ones, and those
    that have one of the `names`. Without words the notes are wanted that are dated nearest to one of the spans `dates`,
    or else the newest.
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
    """The places of one word in some notes, as parallel lists of note ids, sections and weights."""

    body: tuple[Sequence[int], Sequence[int], Sequence[float]] = ((), (), ())
    in_links: tuple[Sequence[int], Sequence[int], Sequence[float]] = ((), (), ())
    about: tuple[Sequence[int], Sequence[float]] = ((), ())
    anchors: tuple[Sequence[int], Sequence[float]] = ((), ())


class Found(NamedTuple):
    """The candidates of a request: best first, then those that join them, with the places of each word in them all.

    `matched` counts the notes that matched within the scope; `is_complete` tells whether all of them are here. `named`
    are the notes that have one of the names asked for.
    """

    note_ids: list[int]
    joined: list[int]
    places: list[Places]
    matched: int
    is_complete: bool
    named: frozenset[int] = frozenset()


class StoredNote(NamedTuple):
    """A note as a store keeps it, besides its words.

    `row` and `record` are opaque texts (`NoteRow` without its links, and `NoteRecord`); `keys` is what filters ask;
    `lengths` are those of its sections. `tells_date` is false where its file has the time of a clone.
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
    """The values of a note by which requests are filtered, each in the form in which it is compared.

    `tags` include the tags above each tag; `grams` are letter 4-grams of its names; `dates` are its own and those of
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
    """A term of a word that may be misspelt, looked up where no note has the word.

    `word` is the place of the word among those asked about. The terms within so many `edits` are looked up, and those
    of the `stems` that are terms, and some of those with this `beginning`.
    """

    word: int
    term: str
    edits: int
    stems: Sequence[str]
    beginning: str


class Frequencies(NamedTuple):
    """In how many fragments each word stands, those included whose note has it in its title.

    `names` are those in which two neighbouring words make up one of the compounds asked about. `written_as_one` are
    the pairs asked about whose compound is in a name, and whose words are in no name together. `near` are the terms
    that were found for slips, each with its frequency; `known` are the words that were not looked up, because some
    note has them.
    """

    counts: list[int]
    names: list[str]
    written_as_one: frozenset[Pair] = frozenset()
    near: Mapping[str, int] = {}
    known: frozenset[int] = frozenset()


class Details(NamedTuple):
    """The details of some notes, fetched at once.

    `notes` are those asked for, others that may be asked for next, and some without a `row`, which only pass activation
    on. `tags` are those all of whose terms were asked for, each with its terms.
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
    """A note that a store has of a vault, by its path; the keys tell whether it has to be sent again."""

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
