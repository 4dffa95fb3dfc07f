"""Pieces of a section → passages: one to four neighbouring pieces that say most about the query, about 250 characters.

    value = own + 0.35 * before + 0.2 * after + 0.3 * around,   times 0.7 for a question, 0.8 for code,
                                                                0.5 for a template's field that is not asked for

`own` is the idf of the query's distinct words in a piece, `before` and `after` that of the pieces beside it, `around`
that of its headings and its note's title. Long passages are not punished.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from brain_cli.answer.passages.blocks import Kind
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
USUAL_CHARS = 250
MAX_CHARS = 320
MAX_PIECES = 4
# The share of its weight with which a word counts that one, two or three neighbouring pieces have.
NEIGHBOUR_SHARES = (1.0, 1 + BEFORE, 1 + BEFORE + AFTER)


class Around(NamedTuple):
    """The worth of a section's headings with its note's title, and of its own heading where that is asked for.

    `asked` counts where the question has all words of the heading; `named` are the words of the question in all these.
    """

    headings: float = 0.0
    asked: float = 0.0
    named: Set[str] = frozenset()


def highest_value(own: float, around: Around) -> float:
    """Return an upper bound of the value of a window; `own` bounds what its pieces and those beside them are worth."""
    return own + AROUND * around.headings + ASKED * around.asked


class Window(NamedTuple):
    """A passage: its pieces in order, and its worth; `minor` if it is a template's field that is not asked for."""

    value: float
    pieces: tuple[Piece, ...]
    places: frozenset[int]
    minor: bool = False

    @property
    def text(self) -> str:
        return joined(self.pieces)


def windows(
    found: Sequence[Piece], around: Around, term_weights: TermWeights, language: str, usual_chars: int = USUAL_CHARS
) -> Iterator[Window]:
    """Yield a window around each piece that can be quoted, best first; `around` is what the headings are worth.

    No piece is shown twice but one that another needs to be understood.
    """
    fields = ((place, piece.field) for place, piece in enumerate(found) if piece.field)
    minor = {place for place, field in fields if not term_weights.has_all(field, language)}
    words = (term_weights.words(piece.text, language) for piece in found)
    said = (_new_words(each, place in minor, found[place], around) for place, each in enumerate(words))
    own = list(map(term_weights.sum_of, said))
    shares = (FIELD if place in minor else _share(piece) for place, piece in enumerate(found))
    values = [_value(place, found, own, around) * share for place, share in enumerate(shares)]
    in_order = sorted(range(len(found)), key=lambda place: -values[place])
    taken: set[int] = set()
    for place in in_order:
        # Code that has no word of the question does not answer it.
        is_other_code = found[place].kind is Kind.CODE and not values[place]
        if place in taken or is_other_code or not found[place].says_something:
            continue
        left_out = taken if place in minor else taken | minor
        if window := _around(_Growing(place, found, own, usual_chars, left_out), values[place]):
            taken |= window.places
            yield window._replace(minor=place in minor)


def _new_words(words: Set[str], is_minor: bool, piece: Piece, around: Around) -> Set[str]:
    """Return the words that count: a template's field, or code, that repeats the title says nothing new."""
    if is_minor:
        return words - around.named
    return set() if piece.kind is Kind.CODE and words <= around.named else words


def understandable_around(found: Sequence[Piece], place: int) -> tuple[Piece, ...]:
    """Return a piece with those beside it that it needs to be understood, and more of its paragraph."""
    growing = _Growing(place, found, [0.0] * len(found), USUAL_CHARS)
    growing.add_what_it_needs()
    growing.add_neighbours()
    return growing.pieces()


def _value(place: int, found: Sequence[Piece], own: Sequence[float], around: Around) -> float:
    piece = found[place]
    before = max(own[place - 1] if place else 0.0, own[piece.lead] if piece.lead >= 0 else 0.0)
    after = own[place + 1] if place + 1 < len(own) else 0.0
    value = own[place] + BEFORE * before + AFTER * after + AROUND * around.headings
    # A section that is named as the question asks is quoted by what it says, and not by its code.
    return value + (ASKED * around.asked if piece.kind is not Kind.CODE else 0.0)


def _share(piece: Piece) -> float:
    """Return the share of its value that a piece keeps."""
    if piece.kind is Kind.CODE:
        # HTML that a program has printed says little.
        return MARKUP if piece.text.lstrip().startswith("<") else CODE
    return QUESTION if piece.text.endswith("?") else 1.0


def _around(growing: _Growing, value: float) -> Window | None:
    """Return the window of a piece; None where it announces something that cannot be shown with it."""
    growing.add_what_it_needs()
    growing.add_neighbours()
    pieces = growing.pieces()
    return None if pieces[-1].introduces_next else Window(value, pieces, frozenset(growing.places))


class _Growing:
    """A window on its way: the places of its pieces in order, at first that of its anchor alone."""

    def __init__(
        self, anchor: int, found: Sequence[Piece], own: Sequence[float], usual_chars: int, taken: Set[int] = frozenset()
    ) -> None:
        self._taken = taken
        self.places = [anchor]
        self._anchor = found[anchor]
        self._found = found
        self._own = own
        self._chars = _chars(found[anchor])
        self._usual_chars = usual_chars

    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self._found[place] for place in self.places)

    def add_what_it_needs(self) -> None:
        """Add the piece before one that begins with “This”, the lead-in of an item, and what a lead-in leads to."""
        while (
            self._found[self.places[0]].needs_previous
            and self._is_prose(self.places[0] - 1)
            and self._add(self.places[0] - 1)
        ):
            pass
        lead = self._found[self.places[0]].lead
        if 0 <= lead < self.places[0]:
            self._add_beginning_of_item()
            self._add(lead)
        while self._found[self.places[-1]].introduces_next and self._add(self._led_to(self.places[-1])):
            pass

    def add_neighbours(self) -> None:
        """Add the pieces beside it until it is long enough: first those that say more, the next one where none does."""
        while len(self.places) < MAX_PIECES and self._chars < self._usual_chars:
            sides = [self.places[-1] + 1]
            # A lead-in may stand further up than its item: nothing is put between the two.
            if self.places[-1] - self.places[0] == len(self.places) - 1:
                sides.append(self.places[0] - 1)
            fitting = [side for side in sides if self._may_stand(side)]
            if not fitting or not self._add(max(fitting, key=self._own.__getitem__)):
                return

    def _is_prose(self, place: int) -> bool:
        return place >= 0 and self._found[place].kind is not Kind.CODE and not self._found[place].field

    def _add_beginning_of_item(self) -> None:
        """Add the sentences of an item before its anchor: often the first one names it."""
        while len(self.places) < MAX_PIECES - 1:
            before = self.places[0] - 1
            if before < 0 or self._found[before].block != self._anchor.block or not self._add(before):
                return

    def _led_to(self, lead: int) -> int:
        """Return the piece to show after one that announces a list: the item that says most, else the next piece."""
        worth: dict[int, float] = {}  # of each item, by the place of its first piece
        first = lead + 1
        for place in range(lead + 1, len(self._found)):
            piece = self._found[place]
            first = place if piece.block != self._found[place - 1].block else first
            if piece.lead == lead:
                worth[first] = worth.get(first, 0.0) + self._own[place]
        best = max(worth, key=worth.__getitem__, default=lead + 1)
        return best if worth.get(best) else lead + 1

    def _add(self, place: int) -> bool:
        """Add a piece at one end where there is one and it fits; return whether it was added."""
        if not 0 <= place < len(self._found) or self._chars + _chars(self._found[place]) > MAX_CHARS:
            return False
        self.places.insert(0 if place < self.places[0] else len(self.places), place)
        self._chars += _chars(self._found[place])
        return True

    def _may_stand(self, place: int) -> bool:
        if place in self._taken or not 0 <= place < len(self._found):
            return False
        piece = self._found[place]
        if piece.bare and piece.lead not in self.places:
            return False
        if place < self.places[0] and (piece.needs_previous or piece.kind is Kind.CODE):
            return False
        if piece.introduces_next and place > self.places[-1]:
            return False
        if self._anchor.introduces_next and piece.lead in self.places:
            return True
        is_another = piece.kind is Kind.ROW or piece.bare or not self._own[place]
        return not (self._is_other_item(piece) and is_another)

    def _is_other_item(self, piece: Piece) -> bool:
        """Return whether a piece is an item or row beside the anchor, which is about something else."""
        return (
            piece.kind in (Kind.ITEM, Kind.ROW) and piece.block != self._anchor.block and not piece.marker[:1].isdigit()
        )


def _chars(piece: Piece) -> int:
    # A separator, and a marker or the ticks around code.
    return len(piece.text) + len(piece.marker) + (3 if piece.kind is Kind.CODE else 2)


def code_span(code: str) -> str:
    """Return a line of code in ticks, its indentation before them; one that has ticks itself stays as it is."""
    bare = code.lstrip()
    return code if "`" in code else f"{code[: len(code) - len(bare)]}`{bare}`"


def joined(parts: Sequence[Piece]) -> str:
    """Return pieces as one text: sentences of a paragraph on one line, each item, row and paragraph on its own."""
    return "".join(_with_separator(parts)) + ("…" if parts[-1].cut else "")


def _with_separator(parts: Sequence[Piece]) -> Iterator[str]:
    several = len({piece.block for piece in parts}) > 1
    for place, piece in enumerate(parts):
        if place:
            same = piece.block == parts[place - 1].block and piece.kind in (Kind.PROSE, Kind.ITEM)
            yield " " if same else "\n"
        marked = several or piece.marker != "-"
        text = code_span(piece.text) if piece.kind is Kind.CODE else piece.text
        yield f"{piece.marker} {text}" if piece.marker and marked else text
