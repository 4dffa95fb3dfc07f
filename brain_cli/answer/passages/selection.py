"""Select the passages of an answer: the best of each note, and the key points among them, without repetition."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence, Set
from functools import partial
from typing import NamedTuple

from brain_cli.answer.passages.inline_text import inline_text
from brain_cli.answer.passages.quotable import Piece, pieces
from brain_cli.answer.passages.regions import Region, regions
from brain_cli.answer.passages.section_text import SectionText
from brain_cli.answer.passages.term_weights import TermWeights
from brain_cli.answer.passages.windows import MAX_CHARS, USUAL_CHARS, Around, Window, highest_value, windows
from brain_cli.types import Fragment, KeyPoint
from brain_cli.vault.text_similarity import Bigram, bigrams
from brain_cli.vault.text_width import columns

MAX_POINTS = 5
MAX_POINTS_PER_NOTE = 3
MAX_PIECES_PER_REGION = 8
MAX_SIMILARITY = 0.6
# The key points are chosen among this many passages of all notes.
MAX_COMPARED = 16
RANK_PENALTY = 0.08
LOWEST_RANK_FACTOR = 0.5
# A passage of the best note comes first if it is worth at least this share of the best passage.
NEARLY_AS_GOOD = 0.6
# The share of a word's weight that a passage loses if an already chosen passage has the word.
REPETITION_PENALTY = 0.4


class Pieces:
    """The pieces of one region, with a size for a cache."""

    def __init__(self, found: Iterable[Piece]) -> None:
        self.found = tuple(found)

    def __len__(self) -> int:
        """Return the size in units of about a hundred bytes."""
        return 1 + 4 * len(self.found)


class Source(NamedTuple):
    """A section to quote from: its note's path, title and language, and the vault's boilerplate.

    `section_text` returns its text, if the caller caches that; `kept` returns the pieces between two lines, which the
    caller may cache too. `usual_chars` is the length at which a passage stops growing. `left_out` are sentences
    that are not quoted unless another one needs them.
    """

    path: str
    title: str
    language: str
    fragment: Fragment
    boilerplate: Container[str]
    section_text: Callable[[], SectionText] | None = None
    usual_chars: int = USUAL_CHARS
    kept: Callable[[int, int, Callable[[], Pieces]], Pieces] | None = None
    left_out: Collection[str] = ()


class Passage(NamedTuple):
    """A passage of a note with its value for the query; `key_point` is how it is shown.

    A `minor` one is around a template's field that the query does not name; it is never shown beside others.
    `indexes` are those of its pieces in their region. `is_definition`: it defines what the query asks the meaning of.
    """

    value: float
    key_point: KeyPoint
    language: str = ""
    minor: bool = False
    indexes: tuple[int, ...] = ()
    is_definition: bool = False


def passages(sources: Iterable[Source], term_weights: TermWeights) -> list[Passage]:
    """Return passages of some sections, best first; they do not overlap."""
    regions_ = (each for source in sources for each in _bounded_regions(source, term_weights))
    found = [each for region in regions_ for each in _passages_of(region, term_weights)]
    return sorted(found, key=lambda passage: -passage.value)


def best_passage(sources: Iterable[Source], term_weights: TermWeights) -> KeyPoint | None:
    """Return the first of `passages`, without reading regions whose bound is lower."""
    regions_ = [each for source in sources for each in _bounded_regions(source, term_weights)]
    best: Passage | None = None
    best_index = 0
    for index in sorted(range(len(regions_)), key=lambda index: -regions_[index].most):
        region = regions_[index]
        # Of two with the same value, the earlier one wins.
        if best and (region.most, best_index) <= (best.value, index):
            continue
        found = next(_passages_of(region, term_weights), None)
        if found and (best is None or (found.value, best_index) > (best.value, index)):
            best, best_index = found, index
    return best.key_point if best else None


class _BoundedRegion(NamedTuple):
    """A region of a source, the weight of its headings, and an upper bound of the value of its passages."""

    source: Source
    section: SectionText
    region: Region
    around: Around
    most: float


def _bounded_regions(source: Source, term_weights: TermWeights) -> Iterator[_BoundedRegion]:
    trail = source.fragment.trail
    named = term_weights.words(" ".join((source.title, *trail)), source.language)
    heading_weight = term_weights.of_name(trail[-1], source.language) if len(trail) > 1 else 0.0
    around = Around(term_weights.sum_of(named), heading_weight, named)
    section = source.section_text() if source.section_text else SectionText(source.fragment, source.boilerplate)
    for region in regions(section, term_weights):
        yield _BoundedRegion(source, section, region, around, highest_value(region.most, around))


def _passages_of(bounded: _BoundedRegion, term_weights: TermWeights) -> Iterator[Passage]:
    source, region = bounded.source, bounded.region
    read_pieces = partial(_pieces, bounded)
    found = read_pieces() if source.kept is None else source.kept(region.first, region.last, read_pieces)
    yield from _from_windows(bounded, found.found, term_weights)


def _pieces(bounded: _BoundedRegion) -> Pieces:
    lines = bounded.section.readable(bounded.region.first, bounded.region.last)
    return Pieces(pieces(lines, bounded.source.boilerplate))


def _from_windows(bounded: _BoundedRegion, found: Sequence[Piece], term_weights: TermWeights) -> Iterator[Passage]:
    source = bounded.source
    pieces_left = MAX_PIECES_PER_REGION
    for window in windows(found, bounded.around, term_weights, source.language, source.usual_chars, source.left_out):
        indexes = tuple(sorted(window.indexes))
        yield Passage(window.value, _key_point(source, window), source.language, window.minor, indexes)
        pieces_left -= len(window.pieces)
        if pieces_left <= 0:
            return


def _key_point(source: Source, window: Window) -> KeyPoint:
    return KeyPoint(
        text=_understandable(source, window),
        path=source.path,
        line=window.pieces[0].line,
        end_line=max(piece.end_line for piece in window.pieces),
        heading=source.fragment.trail,
        title=source.title,
    )


def _understandable(source: Source, window: Window) -> str:
    """Return the text of a window; one that begins with “This …” is preceded by its heading."""
    if not window.pieces[0].needs_previous:
        return window.text
    heading = inline_text((source.fragment.trail or (source.title,))[-1])
    named = f"{heading}: {window.text}"
    return named if columns(named) <= MAX_CHARS else window.text


def key_points(notes: Iterable[Sequence[Passage]], term_weights: TermWeights, most: int = MAX_POINTS) -> list[KeyPoint]:
    """Return the best passages of some notes, at most three of one note, without repetition.

    The notes are ordered best first. Passages of later notes, and passages whose words are chosen already, lose value.
    """
    by_rank = [
        passage._replace(value=passage.value * max(LOWEST_RANK_FACTOR, 1 - RANK_PENALTY * rank))
        for rank, found in enumerate(notes)
        for passage in found
    ]
    best = sorted(by_rank, key=lambda passage: -passage.value)[:MAX_COMPARED]
    remaining = [_Candidate(each, term_weights.words(each.key_point.text, each.language)) for each in best]
    best_path = by_rank[0].key_point.path if by_rank else ""
    chosen: list[Passage] = []
    covered: set[str] = set()

    def value(candidate: _Candidate) -> float:
        return candidate.passage.value - REPETITION_PENALTY * term_weights.sum_of(candidate.words & covered)

    while remaining and len(chosen) < most:
        candidate = max(remaining, key=value)
        remaining.remove(candidate)
        point, points = candidate.passage.key_point, [passage.key_point for passage in chosen]
        of_its_note = sum(each.path == point.path for each in points)
        if of_its_note < MAX_POINTS_PER_NOTE and not _is_repeated(point, points):
            chosen.append(candidate.passage)
            covered |= candidate.words
    return [passage.key_point for passage in _best_note_first(chosen, best_path)]


class _Candidate(NamedTuple):
    """A passage that may be a key point, and the words of the query that it has."""

    passage: Passage
    words: Set[str]


def _best_note_first(chosen: Sequence[Passage], path: str) -> Sequence[Passage]:
    """Return the chosen passages; one of the best note is moved to the front if it is nearly as good as the first."""
    index = next((index for index, passage in enumerate(chosen) if passage.key_point.path == path), 0)
    if not index or chosen[index].value < NEARLY_AS_GOOD * chosen[0].value:
        return chosen
    return [chosen[index], *chosen[:index], *chosen[index + 1 :]]


def _is_repeated(point: KeyPoint, chosen: Collection[KeyPoint]) -> bool:
    pairs = bigrams(point.text)
    return any(_similarity(pairs, bigrams(other.text)) > MAX_SIMILARITY or point.text == other.text for other in chosen)


def _similarity(pairs: frozenset[Bigram], others: frozenset[Bigram]) -> float:
    return len(pairs & others) / max(1, len(pairs | others))
