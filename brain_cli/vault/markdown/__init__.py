"""Read the blocks of a body: headings, list items, and lines of code. This is the only reader of markdown.

`parser` follows CommonMark exactly, but takes quadratic time for some bodies. So a body that is long or full of
quotations is read by `scanner`, in one pass over the lines. Both agree on markdown as people write it.
"""

from __future__ import annotations

import re

from brain_cli.vault.markdown.blocks import Blocks as Blocks
from brain_cli.vault.markdown.blocks import Heading as Heading

# The parser takes a second per megabyte of lists.
LARGE_BODY_CHARS = 100_000
MAX_LINES_OF_QUOTATIONS = 200_000
# A quoted line after a line without a quotation sign; list markers may precede the sign.
_QUOTATION = re.compile(r"^(?![ \t]*>).*\n(?=[ \t]*(?:[-+*] |\d{1,9}[.)] )?[ \t]*>)", re.MULTILINE)


def read_blocks(body: str) -> Blocks:
    """Read the blocks of a body of any size."""
    if _is_costly(body):
        from brain_cli.vault.markdown.scanner import scan

        return scan(body)
    from brain_cli.vault.markdown.parser import parse

    return parse(body)


def _is_costly(body: str) -> bool:
    """Return whether the parser would take long: from each start of a quotation, it scans to the end of the note."""
    if len(body) > LARGE_BODY_CHARS:
        return True
    quotations = len(_QUOTATION.findall(body)) if ">" in body else 0
    return quotations * body.count("\n") > MAX_LINES_OF_QUOTATIONS
