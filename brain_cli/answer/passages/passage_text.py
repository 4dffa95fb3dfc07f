"""Join the pieces of a passage to the text that is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brain_cli.answer.passages.blocks import Kind
from brain_cli.answer.passages.quotable import Piece
from brain_cli.vault.text_width import columns, separator

_LONE_BRACKETS = re.compile(r"[\s{}()\[\]<>/;,]*$")
_OPENING, _CLOSING = "{([", "})]"


def piece_columns(piece: Piece) -> int:
    """Return how many columns a piece takes with its separator, and its marker or the backticks around code."""
    return columns(piece.text) + len(piece.marker) + (3 if piece.kind is Kind.CODE else 2)


def without_lone_brackets(parts: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the pieces of a passage without lines of brackets at its end that close nothing in it, or only open."""
    kept = list(parts)
    while len(kept) > 1 and _is_lone_brackets(kept[-1]) and not _is_balanced(kept):
        kept.pop()
    return tuple(kept)


def _is_lone_brackets(piece: Piece) -> bool:
    return piece.kind is Kind.CODE and bool(_LONE_BRACKETS.match(piece.text))


def _is_balanced(parts: Sequence[Piece]) -> bool:
    """Return whether the code in a passage opens and closes as many brackets."""
    code = "".join(piece.text for piece in parts if piece.kind is Kind.CODE)
    return all(code.count(opening) == code.count(closing) for opening, closing in zip(_OPENING, _CLOSING, strict=True))


def code_span(code: str) -> str:
    """Return a line of code in backticks after its indentation; one that contains backticks is unchanged."""
    bare = code.lstrip()
    return code if "`" in code else f"{code[: len(code) - len(bare)]}`{bare}`"


def joined(parts: Sequence[Piece]) -> str:
    """Join pieces: sentences of a paragraph on one line; each item, row and paragraph on its own line."""
    return "".join(_with_separator(parts)) + ("…" if parts[-1].cut else "")


def _with_separator(parts: Sequence[Piece]) -> Iterator[str]:
    several = len({piece.block for piece in parts}) > 1
    for index, piece in enumerate(parts):
        if index:
            before = parts[index - 1]
            same = piece.block == before.block and piece.kind in (Kind.PROSE, Kind.ITEM)
            yield separator(before.text, piece.text) if same else "\n"
        marked = several or piece.marker != "-"
        text = code_span(piece.text) if piece.kind is Kind.CODE else piece.text
        yield f"{piece.marker} {text}" if piece.marker and marked else text
