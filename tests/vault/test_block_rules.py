"""The block rules that are imported alone read a body as the whole markdown-it-py does."""

from __future__ import annotations

import subprocess
import sys

from examples import examples
from hypothesis import given
from markdown_it import MarkdownIt

from brain_cli.vault.markdown.block_rules import block_tokens

from .strategies import ANY_TEXT, MARKDOWN_ISH

WHOLE = MarkdownIt("commonmark").disable(["inline", "text_join", "reference"])
IN_A_NEW_PROCESS = """
import sys
from brain_cli.vault.markdown.block_rules import block_tokens
assert [token.type for token in block_tokens("# Tea")] == ["heading_open", "inline", "heading_close"]
assert not any(name.partition(".")[0] in ("markdown_it", "logging", "inspect") for name in sys.modules)
import inspect, logging
from dataclasses import dataclass
from markdown_it import MarkdownIt
assert MarkdownIt().render("*tea*") == "<p><em>tea</em></p>\\n"
assert logging.getLogger("tea").name == "tea"
@dataclass
class Tea:
    leaves: int
assert Tea.__doc__ == "Tea(leaves: int)", Tea.__doc__
"""


@given(MARKDOWN_ISH)
@examples(300)
def test_the_tokens_are_those_of_the_whole_parser(body: str) -> None:
    assert [vars_of(token) for token in block_tokens(body)] == [vars_of(token) for token in WHOLE.parse(body)]


@given(ANY_TEXT)
def test_the_tokens_of_any_text_are_those_of_the_whole_parser(text: str) -> None:
    body = f"{text}\r\n\0{text}\r{text}"
    assert [vars_of(token) for token in block_tokens(body)] == [vars_of(token) for token in WHOLE.parse(body)]


def vars_of(token: object) -> dict[str, object]:
    return {name: getattr(token, name) for name in ("type", "tag", "level", "map", "content", "markup", "info")}


def test_nothing_that_stood_in_for_a_module_is_left() -> None:
    done = subprocess.run([sys.executable, "-c", IN_A_NEW_PROCESS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
