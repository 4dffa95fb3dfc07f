"""Body → blocks: its headings, its list items, and the lines that are code. This is the only reader of markdown.

`parser` follows CommonMark to the letter. Its time grows with the square of some bodies, so a body that is long or
full of quotations is read by `scanner`, in one pass over the lines. Both agree on markdown as people write it.
"""

from __future__ import annotations

import re

from brain_cli.vault.markdown.blocks import Blocks as Blocks
from brain_cli.vault.markdown.blocks import Heading as Heading

# The parser takes a second per megabyte of lists.
LARGE_BODY_CHARS = 100_000
MOST_LINES_OF_QUOTATIONS = 200_000
# A line with a quotation sign under one without; the signs of lists may stand before it.
_QUOTATION = re.compile(r"^(?![ \t]*>).*\n(?=[ \t]*(?:[-+*] |\d{1,9}[.)] )?[ \t]*>)", re.MULTILINE)


def read_blocks(body: str) -> Blocks:
    """Read the blocks of a body, whatever its size."""
    if _is_costly(body):
        from brain_cli.vault.markdown.scanner import scan

        return scan(body)
    from brain_cli.vault.markdown.parser import parse

    return parse(body)


def _is_costly(body: str) -> bool:
    """Return whether the parser would take long: it looks from the start of each quotation to the end of the note."""
    if len(body) > LARGE_BODY_CHARS:
        return True
    quotations = len(_QUOTATION.findall(body)) if ">" in body else 0
    return quotations * body.count("\n") > MOST_LINES_OF_QUOTATIONS
