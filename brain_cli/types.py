"""The values that all packages share: notes, sessions, signals, answers. They have data and hardly
any behaviour.

They are named tuples and records rather than dataclasses, which take ten times as long to define.
"""

import posixpath
from collections.abc import Mapping
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.record import Record

SECONDS_PER_DAY = 86_400.0
# The time zone of an asker who names none.
DEFAULT_ZONE = "UTC"
# A note with more links than this neither sends nor relays activation.
MAX_LINKS = 64
# The date of a section whose own heading has one.
HEADING = "heading"
# The sources of a note's date, in order of preference unless the setting `dates` names another.
FRONTMATTER, NAME, GIT, MTIME = DATE_SOURCES = ("frontmatter", "name", "git", "mtime")


# The defaults of settings that formulas, readers and plugins need, too (config.Config).
DEFAULT_SCORER = "blend"
# Notes below this relevance are left out, whatever their other factors are.
MINIMUM_RELEVANCE = 0.01
ARCHIVE_FOLDERS = ("archive", "_archived")
# The endings of the files that are notes.
NOTE_SUFFIXES = (".md", ".markdown")
# The order of results: by score, newest first, or by path.
BY_SCORE, BY_DATE, BY_PATH = ORDERS = ("score", "date", "path")
# The names of the files that stand for their folder: Hugo's section pages and bundles, and the
# pages of code hosts.
INDEX_PAGES = frozenset(("_index", "index", "readme"))
# The forms of notes with little content (vault/form.py).
INDEX = "index"
TEMPLATE = "template"


class Link(NamedTuple):
    """One mention of another note: `target` as written (title, stem or path), `heading` after its
    `#`.

    `text` is what a reader sees instead of the target: a link's words or an alias; empty if there
    is none.
    """

    target: str
    heading: str = ""
    text: str = ""


class Fragment(NamedTuple):
    """One section of a note: its heading trail (outermost first) and its text.

    `line` is the line of the heading (of the text if there is none), `text_line` that of the text;
    both count from 1. `above` are the lines between the section before it and its text, which are
    its headings. `pieces` are its pieces, packed (vault/blocks.py), with lines counted from its
    text.
    """

    trail: tuple[str, ...]
    text: str
    line: int
    text_line: int
    above: str = ""
    pieces: str = ""


class Memory(Record):
    """One memory of another program. `at` is in seconds since the epoch; `path` is its former path,
    if known.

    `raw` is a whole exported note, which is written unchanged. An id that no other program gives to
    another memory `is_unique`. A record that cannot be read has only a `problem`, and its place as
    `source_id`.
    """

    source_id: str
    title: str
    text: str
    kind: str = ""
    at: float | None = None
    project: str = ""
    session: str = ""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    more: Mapping[str, bool | str | list[str]] = MappingProxyType({})
    raw: bytes | None = None
    is_unique: bool = False
    problem: str = ""


class NoteMetadata(NamedTuple):
    """The metadata of a note: everything that ranking needs, without its text.

    `timestamp` is in seconds since the epoch, and `dated_by` its source (vault/dates.py); `offset`
    is how far the zone in which it is written is ahead of UTC, None for the moment of a file or
    commit; `quality`, `salience` and `confidence` are 0..1; `strength` and `decay_rate` are None if
    the kind's table decides; `body_chars` counts characters. `form` is `index`, `template` or empty
    (vault/form.py).
    """

    path: str
    title: str
    timestamp: float
    kind: str = "note"
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    project: str | None = None
    task: str | None = None
    salience: float = 0.5
    confidence: float = 0.5
    strength: float | None = None
    decay_rate: float | None = None
    pinned: bool = False
    archived: bool = False
    quality: float = 0.0
    body_chars: int = 0
    revisions: int | None = None
    files: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded: bool = False
    properties: Mapping[str, str | list[str]] = MappingProxyType({})
    dated_by: str = MTIME
    form: str = ""
    offset: float | None = None


class Note(Record):
    """A note as read from its file: its facts, its fragments in file order, all its headings and
    links.

    `language` is a Snowball name, empty if it could not be detected; `warning` completes
    “notes/a.md: …”. `link_words` are the targets and texts of the links in each fragment.
    """

    metadata: NoteMetadata
    fragments: tuple[Fragment, ...]
    headings: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    link_words: tuple[str, ...] = ()
    language: str = ""
    warning: str | None = None


class Evidence(Record):
    """The match of a note with a query: the numbers from which its certainty to be the right one is
    computed.

    `match` is the mean BM25 of the best section and the whole note ÷ Σ idf of the query (0..k1+1).
    All others are 0..1: `only_in_links` is the share of the matched idf that belongs to words which
    it has only in links to other notes, `name_coverage` the largest share of the words of one of
    its names (title, alias, file name) that the query has, `name_match` the same with regard to how
    much of the query the name has. `exact_name`: the query is one of its names. `named`: one of its
    names has every word of the query.
    """

    match: float = 0.0
    only_in_links: float = 0.0
    name_coverage: float = 0.0
    name_match: float = 0.0
    exact_name: bool = False
    named: bool = False


class Session(Record):
    """The time of a recall, `now` in seconds since the epoch, and the user's current work and time
    zone.
    """

    now: float
    project: str | None = None
    topics: frozenset[str] = frozenset()
    task: str | None = None
    folder: str | None = None
    zone: str = DEFAULT_ZONE


class Usage(NamedTuple):
    """The usage of one note in the history; all zero if there is none. Times are in seconds since
    the epoch.

    `accesses`, `last_access` and `boost` (the strength added by recalls) are used for ranking and
    exclude the last hour; `recalled` and `last_recalled` are shown and include it.
    """

    accesses: int = 0
    last_access: float | None = None
    boost: float = 0.0
    useful: int = 0
    wrong: int = 0
    revisions: int = 0
    recalled: int = 0
    last_recalled: float | None = None


class Signals(NamedTuple):
    """The only inputs of a scorer (the contract of `brain score` describes each).

    0..1: relevance, quality, confidence, strength, decay_rate, salience, spreading, context,
    file_overlap, concept_overlap, runner_up. Days, never negative: age_days, idle_days (None: as
    age_days). `strength` and `decay_rate` None: by kind. `spreading` and `context` None: absent
    from this recall. `runner_up` is the best relevance among the other candidates, 0 without any;
    `successor` the total of a note that supersedes this one, None if that note is not a candidate.
    `weight` is 0..1, the share of the relevance that folder and kind leave; `form` is that of
    `NoteMetadata`, or `unused` (docs/capture.md).
    """

    relevance: float = 0.0
    age_days: float = 0.0
    idle_days: float | None = None
    accesses: float = 0.0
    kind: str = "note"
    quality: float = 0.5
    confidence: float = 0.5
    useful: float = 0.0
    wrong: float = 0.0
    superseded: bool = False
    strength: float | None = None
    decay_rate: float | None = None
    salience: float = 0.5
    spreading: float | None = None
    context: float | None = None
    body_chars: float = 500.0
    revisions: float = 1.0
    duplicates: float = 1.0
    co_recalls: float = 0.0
    pinned: bool = False
    same_project: bool = False
    file_overlap: float = 0.0
    concept_overlap: float = 0.0
    recent_intent: bool = False
    runner_up: float = 0.0
    successor: float | None = None
    weight: float = 1.0
    form: str = ""

    @property
    def idle(self) -> float:
        """Days since the last access; a note never recalled has been idle since its timestamp."""
        return self.age_days if self.idle_days is None else self.idle_days


# The kind of a piece of code (vault/blocks.py).
CODE = "c"


class QuotedPart(NamedTuple):
    """A piece of a quoted passage: its kind (vault/blocks.py), and its lines as they are in the
    file.

    `gap` are the line ends between the part before it and this one.
    """

    kind: str
    text: str
    gap: str = ""
    has_blank_row: bool = False


class Shown(Record):
    """A passage of a note as it stands on a screen: contiguous lines of the file, unchanged, or a
    part of one line.

    `heading` are the headings above it, outermost first. `value` is its value for the query,
    `best_line` the first one of the piece that says most about it, maybe before `line`; `is_whole`
    if it is the whole note. It `ends_sentence` unless it breaks off within one. `ended` says why a
    part of it does not hold now, `more_lines` how many lines of code follow that were cut off.
    `rank`, `path` and `title` are those of the note's result.
    """

    line: int
    end_line: int
    heading: tuple[str, ...]
    parts: tuple[QuotedPart, ...]
    value: float = 0.0
    is_whole: bool = False
    ends_sentence: bool = True
    best_line: int = 0
    ended: str = ""
    more_lines: int = 0
    rank: int = 0
    path: str = ""
    title: str = ""

    @property
    def text(self) -> str:
        """The lines as they are in the file."""
        return "".join(f"{part.gap}{part.text}" for part in self.parts)

    @property
    def code(self) -> bool:
        return all(part.kind == CODE for part in self.parts)


class Strategy(StrEnum):
    """The four ways to answer (docs/scoring.md)."""

    SINGLE_STRONG = "single-strong"
    SYNTHESIZE = "synthesize"
    MANY_WEAK = "many-weak"
    ARCHIVE_FALLBACK = "archive-fallback"


class Intent(StrEnum):
    """The kind of answer that a query wants, besides its topic."""

    NORMAL = "normal"
    RECENCY = "recency"


def stem(path: str) -> str:
    """Return a note's file name without its folder and suffix."""
    return posixpath.splitext(posixpath.basename(path))[0]


def is_index_page(path: str) -> bool:
    """Return whether a file stands for its folder."""
    return stem(path).lower() in INDEX_PAGES


MAX_COLUMNS = 110
# The columns beside a quotation: the frame of a card, or the line number in the margin of a list.
MARGIN_COLUMNS = 9


class Quotes(Enum):
    """The choice of notes to quote: none, only the line of each, those that the screen shows, or
    every result.
    """

    NOTHING = "nothing"
    LINES = "lines"
    SHOWN = "shown"
    EVERY = "every"


class Screen(Record):
    """The size of a screen; an answer takes at most two rows less than it has.

    `listed` is the number of results asked for; 0 lists those that are worth it, at most five.
    """

    rows: int = 40
    columns: int = 80
    listed: int = 0

    @property
    def text_columns(self) -> int:
        """The columns of quoted text; longer lines are hard to read."""
        return max(20, min(self.columns, MAX_COLUMNS) - MARGIN_COLUMNS)


USUAL_SCREEN = Screen()


# Signals are brought into their ranges here only. `max(0.0, value)` keeps its first argument when
# `value` is NaN, so the order of the arguments makes NaN count as 0 everywhere. Larger than any
# vault or lifetime; finite, so that no formula meets infinity times zero.
MOST = 1e12


def unit(value: float) -> float:
    """Return a share, clamped to 0..1."""
    return min(1.0, max(0.0, value))


def finite(value: float) -> float:
    """Return an age or a count that is never negative (the future counts as today) and never
    infinite.
    """
    return min(MOST, max(0.0, value))
