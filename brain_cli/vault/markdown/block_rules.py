"""The block rules of markdown-it-py, without its inline rules and its renderer.

Importing the whole package takes as long as starting Python twice, half of it for parts that are not used here. So only
the modules of the block rules are imported, with stand-ins for the package, whose `__init__` imports everything, and
for `logging`, because each rule logs a message at each line. `sys.modules` is then restored, so that other importers
get the complete package.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.token import Token

PACKAGE = "markdown_it"
# Definitions of link references remain text, because finding their end takes quadratic time in a hostile note.
LEFT_OUT = ("reference",)


def block_tokens(text: str) -> list[Token]:
    """Return the tokens of a text's blocks as `MarkdownIt("commonmark")` does, without parsing inline markup."""
    tokens: list[Token] = []
    settings = _settings()
    settings.block.parse(_normalized(text), settings, {}, tokens)
    return tokens


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


class _Settings:
    """The attributes of a `MarkdownIt` that its block rules use."""

    def __init__(self, options: Any, block: Any) -> None:
        self.options = options
        self.block = block

    def __getitem__(self, name: str) -> Any:
        return {"block": self.block}[name]


@cache
def _settings() -> Any:
    with _block_rules_alone():
        from markdown_it.parser_block import ParserBlock
        from markdown_it.presets import commonmark
        from markdown_it.utils import OptionsDict
    preset = commonmark.make()
    block = ParserBlock()
    rules: Any = preset["components"]["block"]["rules"]
    block.ruler.enableOnly([rule for rule in rules if rule not in LEFT_OUT])
    return _Settings(OptionsDict(preset["options"]), block)


@contextlib.contextmanager
def _block_rules_alone() -> Iterator[None]:
    """Import a private, partial copy of the package inside this context; restore `sys.modules` afterwards."""
    threading = sys.modules.get("threading")
    if threading and threading.active_count() > 1:
        # Another thread may be importing one of the replaced modules.
        yield
        return
    stand_ins = {PACKAGE: _package(), "logging": _logging()}
    before = {name: module for name, module in sys.modules.items() if name in stand_ins or _is_of_package(name)}
    for name in before:
        del sys.modules[name]
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name in stand_ins or _is_of_package(name)]:
            del sys.modules[name]
        sys.modules.update(before)


def _is_of_package(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


def _package() -> ModuleType:
    package, spec = ModuleType(PACKAGE), find_spec(PACKAGE)
    package.__path__ = list(spec.submodule_search_locations or ()) if spec else []
    return package


def _logging() -> ModuleType:
    module = ModuleType("logging")
    logger = SimpleNamespace(debug=lambda *_: None)
    vars(module)["getLogger"] = lambda _: logger
    return module
