"""Read the blocks of a body with markdown-it-py, by the rules of CommonMark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from brain_cli.vault.markdown.block_rules import block_tokens
from brain_cli.vault.markdown.blocks import Blocks, Heading

if TYPE_CHECKING:
    from markdown_it.token import Token


def parse(body: str) -> Blocks:
    """Read the blocks of a body."""
    tokens = block_tokens(body)
    return Blocks(
        headings=tuple(_headings(tokens)),
        list_items=sum(token.type == "list_item_open" for token in tokens),
        code_lines=frozenset(_code_lines(tokens)),
    )


def _headings(tokens: list[Token]) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        # A heading inside a quotation or a list item is part of that block, not of the note's outline.
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield Heading(" ".join(inline.content.split()), int(token.tag[1:]), *token.map)


def _code_lines(tokens: list[Token]) -> Iterator[int]:
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map:
            yield from range(*token.map)
