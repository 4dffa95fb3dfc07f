"""Choose windows of a section: one to four neighbouring pieces with the highest value, about 250 characters.

    value = own + 0.35 * before + 0.2 * after + 0.3 * around,   times 0.7 for a question, 0.8 for code,
                                                                0.5 for a template's field that is not in the query

`own` is the sum of idf of the query's distinct words in a piece, `before` and `after` that of the pieces next to it,
`around` that of its headings and its note's title. Long passages are not penalized.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from typing import NamedTuple

from brain_cli.answer.passages.blocks import Kind
from brain_cli.answer.passages.passage_text import joined, piece_columns, without_lone_brackets
from brain_cli.answer.passages.quotable import Piece
from brain_cli.answer.passages.term_weights import TermWeights

BEFORE = 0.35
AFTER = 0.2
AROUND = 0.3
ASKED = 0.5
QUESTION = 0.7
CODE = 0.8
MARKUP = 0.3
FIELD = 0.5
# Both in columns: a Chinese character takes two.
USUAL_CHARS = 250
MAX_CHARS = 320
MAX_PIECES = 4
# The total factor of a word that one, two or three neighbouring pieces have.
NEIGHBOUR_SHARES = (1.0, 1 + BEFORE, 1 + BEFORE + AFTER)


class Around(NamedTuple):
    """The weight of a section's headings and its note's title (`headings`), and of its own heading (`asked`).

    `asked` is 0 unless the query has all words of that heading. `named` are the query's words in all of these.
    """

    headings: float = 0.0
    asked: float = 0.0
    named: Set[str] = frozenset()


def highest_value(own: float, around: Around) -> float:
    """Return an upper bound of the value of a window; `own` is one for its pieces and those next to them."""
    return own + AROUND * around.headings + ASKED * around.asked


class Window(NamedTuple):
    """A passage: its value, and its pieces in order; `minor` if it is a template's field that is not in the query."""

    value: float
    pieces: tuple[Piece, ...]
    indexes: frozenset[int]
    minor: bool = False

    @property
    def text(self) -> str:
        return joined(self.pieces)


def windows(
    found: Sequence[Piece],
    around: Around,
    term_weights: TermWeights,
    language: str,
    usual_chars: int = USUAL_CHARS,
    left_out: Collection[str] = (),
) -> Iterator[Window]:
    """Yield a window around each quotable piece, best first; `around` is the weight of the headings.

    A piece that is in another window, or in `left_out`, is in a window only if it is needed to understand it.
    """
    fields = ((index, piece.field) for index, piece in enumerate(found) if piece.field)
    minor = {index for index, field in fields if not term_weights.has_all(field, language)}
    words = (term_weights.words(piece.text, language) for piece in found)
    counted = [_new_words(each, index in minor, found[index], around) for index, each in enumerate(words)]
    own = list(map(term_weights.sum_of, counted))
    shares = (FIELD if index in minor else _share(piece) for index, piece in enumerate(found))
    values = [_value(index, found, own, around) * share for index, share in enumerate(shares)]
    in_order = sorted(range(len(found)), key=lambda index: -values[index])
    taken = {index for index, piece in enumerate(found) if piece.text in left_out}

    def added_weight(index: int, indexes: Sequence[int]) -> float:
        return term_weights.sum_of(counted[index].difference(*(counted[each] for each in indexes)))

    for index in in_order:
        # Code without a word of the query does not answer it.
        is_other_code = found[index].kind is Kind.CODE and not values[index]
        if index in taken or is_other_code or not found[index].says_something:
            continue
        excluded = taken if index in minor else taken | minor
        if window := _window(_WindowBuilder(index, found, own, usual_chars, excluded, added_weight), values[index]):
            taken |= window.indexes
            yield window._replace(minor=index in minor)


def _new_words(words: set[str], is_minor: bool, piece: Piece, around: Around) -> set[str]:
    """Return the words that count; in a template's field or in code, repeating the title counts nothing."""
    if is_minor:
        return words - around.named
    return set() if piece.kind is Kind.CODE and words <= around.named else words


def understandable_around(found: Sequence[Piece], index: int) -> tuple[Piece, ...]:
    """Return a piece with the pieces that it needs to be understood, and more of its paragraph."""
    builder = _WindowBuilder(index, found, [0.0] * len(found), USUAL_CHARS)
    builder.add_required()
    builder.add_neighbours()
    return builder.pieces()


def _value(index: int, found: Sequence[Piece], own: Sequence[float], around: Around) -> float:
    piece = found[index]
    before = max(own[index - 1] if index else 0.0, own[piece.lead] if piece.lead >= 0 else 0.0)
    after = own[index + 1] if index + 1 < len(own) else 0.0
    value = own[index] + BEFORE * before + AFTER * after + AROUND * around.headings
    # A section whose heading is in the query is quoted by its prose, not by its code.
    return value + (ASKED * around.asked if piece.kind is not Kind.CODE else 0.0)


def _share(piece: Piece) -> float:
    """Return the share of its value that a piece keeps."""
    if piece.kind is Kind.CODE:
        # HTML in code is rarely worth quoting.
        return MARKUP if piece.text.lstrip().startswith("<") else CODE
    return QUESTION if piece.text.endswith("?") else 1.0


def _window(builder: _WindowBuilder, value: float) -> Window | None:
    """Return the window of a piece; None if it introduces something that does not fit."""
    builder.add_required()
    builder.add_neighbours()
    pieces = builder.pieces()
    return None if pieces[-1].introduces_next else Window(value, pieces, frozenset(builder.indexes))


class _WindowBuilder:
    """Builds a window: the indexes of its pieces in order, at first only that of its anchor."""

    def __init__(
        self,
        anchor: int,
        found: Sequence[Piece],
        own: Sequence[float],
        usual_chars: int,
        taken: Set[int] = frozenset(),
        added_weight: Callable[[int, Sequence[int]], float] | None = None,
    ) -> None:
        self._added_weight = added_weight
        self._taken = taken
        self.indexes = [anchor]
        self._anchor = found[anchor]
        self._found = found
        self._own = own
        self._columns = piece_columns(found[anchor])
        self._usual_chars = usual_chars

    def pieces(self) -> tuple[Piece, ...]:
        return without_lone_brackets([self._found[index] for index in self.indexes])

    def add_required(self) -> None:
        """Add the piece before one that begins with “This”, an item's introduction, and what a piece introduces."""
        while (
            self._found[self.indexes[0]].needs_previous
            and self._is_prose(self.indexes[0] - 1)
            and self._add(self.indexes[0] - 1)
        ):
            pass
        lead = self._found[self.indexes[0]].lead
        if 0 <= lead < self.indexes[0]:
            self._add_beginning_of_item()
            self._add(lead)
        while self._found[self.indexes[-1]].introduces_next and self._add(self._introduced_by(self.indexes[-1])):
            pass

    def add_neighbours(self) -> None:
        """Add neighbouring pieces until the window is long enough; the one with more new words of the query first."""
        while len(self.indexes) < MAX_PIECES and self._columns < self._usual_chars:
            sides = [self.indexes[-1] + 1]
            # The introduction of an item may be further up; nothing is added between the two.
            if self.indexes[-1] - self.indexes[0] == len(self.indexes) - 1:
                sides.append(self.indexes[0] - 1)
            fitting = [side for side in sides if self._may_add(side)]
            if not fitting or not self._add(max(fitting, key=self._neighbour_weight)):
                return

    def _neighbour_weight(self, index: int) -> tuple[float, float]:
        """Return the weight of the words that a piece would add to the window, then that of all its words."""
        added = self._added_weight(index, self.indexes) if self._added_weight else 0.0
        return added, self._own[index]

    def _is_prose(self, index: int) -> bool:
        return index >= 0 and self._found[index].kind is not Kind.CODE and not self._found[index].field

    def _add_beginning_of_item(self) -> None:
        """Add the sentences of the anchor's item before it, because the first one often names the subject."""
        while len(self.indexes) < MAX_PIECES - 1:
            before = self.indexes[0] - 1
            if before < 0 or self._found[before].block != self._anchor.block or not self._add(before):
                return

    def _introduced_by(self, lead: int) -> int:
        """Return the piece to show after the introduction of a list: the item with the highest weight, or the next."""
        weights: dict[int, float] = {}  # of each item, by the index of its first piece
        first = lead + 1
        for index in range(lead + 1, len(self._found)):
            piece = self._found[index]
            first = index if piece.block != self._found[index - 1].block else first
            if piece.lead == lead:
                weights[first] = weights.get(first, 0.0) + self._own[index]
        best = max(weights, key=weights.__getitem__, default=lead + 1)
        return best if weights.get(best) else lead + 1

    def _add(self, index: int) -> bool:
        """Add a piece at one end, if it exists and fits; return whether it was added."""
        if not 0 <= index < len(self._found) or self._columns + piece_columns(self._found[index]) > MAX_CHARS:
            return False
        self.indexes.insert(0 if index < self.indexes[0] else len(self.indexes), index)
        self._columns += piece_columns(self._found[index])
        return True

    def _may_add(self, index: int) -> bool:
        if index in self._taken or not 0 <= index < len(self._found):
            return False
        piece = self._found[index]
        if piece.bare and piece.lead not in self.indexes:
            return False
        if index < self.indexes[0] and (piece.needs_previous or piece.kind is Kind.CODE):
            return False
        if piece.introduces_next and index > self.indexes[-1]:
            return False
        if self._anchor.introduces_next and piece.lead in self.indexes:
            return True
        is_another = piece.kind is Kind.ROW or piece.bare or not self._own[index]
        return not (self._is_other_item(piece) and is_another)

    def _is_other_item(self, piece: Piece) -> bool:
        """Return whether a piece is an item or row other than the anchor's, so it is about something else."""
        return (
            piece.kind in (Kind.ITEM, Kind.ROW) and piece.block != self._anchor.block and not piece.marker[:1].isdigit()
        )
