"""The passages of an answer: the best of each note, and the key points among them, none said twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from brain_cli.answer.passages.inline_text import inline_text
from brain_cli.answer.passages.quotable import Piece, pieces
from brain_cli.answer.passages.regions import MAX_READ_CHARS, Region, regions
from brain_cli.answer.passages.term_weights import FoldedText, TermWeights, sum_of
from brain_cli.answer.passages.windows import MAX_CHARS, USUAL_CHARS, Around, Window, highest_value, windows
from brain_cli.types import Fragment, KeyPoint
from brain_cli.vault.analyzer import terms
from brain_cli.vault.bigrams import Bigram, bigrams

MAX_POINTS = 5
MAX_POINTS_PER_NOTE = 3
MAX_PIECES_PER_REGION = 8
TOO_ALIKE = 0.6
# The first note of a list says more: this many passages after its best one, each on a line of its own.
MAX_BESIDE = 2
SEPARATOR = "\n"
# Among so many passages of all notes the key points are chosen.
MAX_COMPARED = 16
RANK_PENALTY = 0.08
LOWEST_RANK_FACTOR = 0.5
# A passage of the best note comes first if it is worth at least this share of the best passage.
NEARLY_AS_GOOD = 0.6
# The share of its words' weight that a passage loses when a chosen passage has them already.
REPETITION_PENALTY = 0.4


class Pieces:
    """The pieces of one stretch, in a form whose size a cache can ask for."""

    def __init__(self, found: Iterable[Piece]) -> None:
        self.found = tuple(found)

    def __len__(self) -> int:
        """Return the size in units of about a hundred bytes."""
        return 1 + 6 * len(self.found)


class Source(NamedTuple):
    """A section to quote from: its note's path, title and language, and the vault's boilerplate.

    `folded` returns its text without case and accents, where a caller keeps that; `kept` returns the pieces of the
    stretch between two lines, which a caller may keep too;
    `usual_chars` is how long a passage of it grows.
    """

    path: str
    title: str
    language: str
    fragment: Fragment
    boilerplate: Container[str]
    folded: Callable[[], FoldedText] | None = None
    usual_chars: int = USUAL_CHARS
    kept: Callable[[int, int, Callable[[], Pieces]], Pieces] | None = None


class Passage(NamedTuple):
    """A passage of a note and what it is worth to the query; `key_point` is how it is shown.

    A `minor` one is around a template's field that is not asked for: it is shown beside no other.
    """

    value: float
    key_point: KeyPoint
    language: str = ""
    minor: bool = False


def passages(sources: Iterable[Source], term_weights: Mapping[str, float]) -> list[Passage]:
    """Return the passages of some sections that do not overlap, best first."""
    known = TermWeights(term_weights)
    stretches = (each for source in sources for each in _stretches(source, known))
    found = [each for stretch in stretches for each in _of_stretch(stretch, known)]
    return sorted(found, key=lambda passage: -passage.value)


def best_passage(sources: Iterable[Source], term_weights: Mapping[str, float]) -> KeyPoint | None:
    """Return the first of `passages`; stretches that cannot hold it are not read."""
    known = TermWeights(term_weights)
    stretches = [each for source in sources for each in _stretches(source, known)]
    best: Passage | None = None
    best_place = 0
    for place in sorted(range(len(stretches)), key=lambda place: -stretches[place].most):
        stretch = stretches[place]
        # Of two with the same value the earlier one is the best.
        if best and (stretch.most, best_place) <= (best.value, place):
            continue
        found = next(_of_stretch(stretch, known), None)
        if found and (best is None or (found.value, best_place) > (best.value, place)):
            best, best_place = found, place
    return best.key_point if best else None


def several_in_one(found: Sequence[Passage], term_weights: Mapping[str, float]) -> KeyPoint | None:
    """Return the best of a note's passages with some others that fit beside it, each on its own line.

    Those with most of the query's words come first.
    """
    if not found:
        return None
    best = found[0].key_point
    others = (passage for passage in found[1:MAX_COMPARED] if not passage.minor)
    by_words = sorted(others, key=lambda passage: -sum_of(_words(passage, term_weights), term_weights))
    room = MAX_CHARS - len(best.text)
    beside: list[KeyPoint] = []
    said = set(best.text.split("\n"))
    for passage in by_words:
        lines = _not_said(passage.key_point.text, said)
        point = passage.key_point._replace(text="\n".join(lines))
        needed = len(SEPARATOR) + len(point.text)
        if lines and needed <= room and len(beside) < MAX_BESIDE:
            beside.append(point)
            said.update(lines)
            room -= needed
    beside.sort(key=lambda point: point.line)
    return best._replace(text=SEPARATOR.join((best.text, *(point.text for point in beside))))


def _not_said(text: str, said: Collection[str]) -> list[str]:
    """Return the lines of a passage that are not shown yet; none if the rest repeats a shown line."""
    lines = [line for line in text.split("\n") if line not in said]
    is_repeated = any(line.startswith(tuple(said)) for line in lines)
    return [] if is_repeated or (lines and lines[-1].endswith(":")) else lines


class _Stretch(NamedTuple):
    """A stretch of a source, what is around it, and the most that a passage of it may be worth."""

    source: Source
    region: Region
    around: Around
    most: float


def _stretches(source: Source, term_weights: TermWeights) -> Iterator[_Stretch]:
    trail = source.fragment.trail
    named = term_weights.words(" ".join((source.title, *trail)), source.language)
    asked = term_weights.of_name(trail[-1], source.language) if len(trail) > 1 else 0.0
    around = Around(term_weights.sum_of(named), asked, named)
    folded = source.folded or (lambda: FoldedText(source.fragment.text[:MAX_READ_CHARS]))
    for region in regions(source.fragment, term_weights, folded, source.boilerplate):
        yield _Stretch(source, region, around, highest_value(region.most, around))


def _of_stretch(stretch: _Stretch, term_weights: TermWeights) -> Iterator[Passage]:
    source, region = stretch.source, stretch.region
    read = partial(_pieces, source, region)
    found = read() if source.kept is None else source.kept(region.first, region.last, read)
    yield from _of_region(source, found.found, stretch.around, term_weights)


def _pieces(source: Source, region: Region) -> Pieces:
    return Pieces(pieces(region.lines(), source.boilerplate))


def _of_region(source: Source, found: Sequence[Piece], around: Around, term_weights: TermWeights) -> Iterator[Passage]:
    pieces_left = MAX_PIECES_PER_REGION
    for window in windows(found, around, term_weights, source.language, source.usual_chars):
        yield Passage(window.value, _key_point(source, window), source.language, window.minor)
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
    """Return the text of a window; one that begins with “This …” and has nothing before it follows its heading."""
    text = window.text
    if not window.pieces[0].needs_previous:
        return text
    heading = inline_text((source.fragment.trail or (source.title,))[-1])
    named = f"{heading}: {text}"
    return named if len(named) <= MAX_CHARS else text


def key_points(
    notes: Iterable[Sequence[Passage]], term_weights: Mapping[str, float], most: int = MAX_POINTS
) -> list[KeyPoint]:
    """Return the best passages of some notes, at most three of one note; what was said is not said again.

    The notes come best first: a passage of a later one is worth less. So is one whose words the chosen ones have.
    """
    by_rank = [
        passage._replace(value=passage.value * max(LOWEST_RANK_FACTOR, 1 - RANK_PENALTY * rank))
        for rank, found in enumerate(notes)
        for passage in found
    ]
    left = sorted(by_rank, key=lambda passage: -passage.value)[:MAX_COMPARED]
    best_path = by_rank[0].key_point.path if by_rank else ""
    chosen: list[Passage] = []
    told: set[str] = set()
    while left and len(chosen) < most:
        best = max(
            left,
            key=lambda passage: (
                passage.value - REPETITION_PENALTY * sum_of(_words(passage, term_weights) & told, term_weights)
            ),
        )
        left.remove(best)
        points = [passage.key_point for passage in chosen]
        of_its_note = sum(point.path == best.key_point.path for point in points)
        if of_its_note < MAX_POINTS_PER_NOTE and not _said(best.key_point, points):
            chosen.append(best)
            told |= _words(best, term_weights)
    return [passage.key_point for passage in _best_note_first(chosen, best_path)]


def _best_note_first(chosen: Sequence[Passage], path: str) -> Sequence[Passage]:
    """Return the chosen passages, first that of the best note if it is nearly as good as the first."""
    place = next((place for place, passage in enumerate(chosen) if passage.key_point.path == path), 0)
    if not place or chosen[place].value < NEARLY_AS_GOOD * chosen[0].value:
        return chosen
    return [chosen[place], *chosen[:place], *chosen[place + 1 :]]


def _words(passage: Passage, term_weights: Mapping[str, float]) -> frozenset[str]:
    """Return the words of the query that a passage has."""
    return frozenset(term_weights.keys() & set(terms(passage.key_point.text, passage.language)))


def _said(point: KeyPoint, chosen: Collection[KeyPoint]) -> bool:
    pairs = bigrams(point.text)
    return any(_likeness(pairs, bigrams(other.text)) > TOO_ALIKE or point.text == other.text for other in chosen)


def _likeness(pairs: frozenset[Bigram], others: frozenset[Bigram]) -> float:
    return len(pairs & others) / max(1, len(pairs | others))
