"""The fingerprint of the rules by which an index is made: version, field weights and analyzer.

An index with another fingerprint is built anew, so changing a weight or a stop rule needs no other step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType
from zlib import crc32

from brain_cli.index import INDEX_VERSION

_PLAIN = (str, int, float, tuple, frozenset)


@cache
def fingerprint() -> str:
    """Return the index version and a checksum of all constants and functions that decide what is indexed."""
    from brain_cli.index import document
    from brain_cli.vault import analyzer, folding

    rules = "\n".join(rule for module in (document, analyzer, folding) for rule in _rules(module))
    return f"{INDEX_VERSION}-{crc32(rules.encode('utf-8', 'surrogatepass')):08x}"


def _rules(module: ModuleType) -> Iterator[str]:
    """Yield the constants and the functions' code of a module in the order of their names."""
    for name, value in sorted(vars(module).items()):
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield f"{name}: {_code(value.__code__)}"
        elif isinstance(value, re.Pattern):
            yield f"{name}: {value.pattern} {value.flags}"
        elif isinstance(value, _PLAIN) and not name.startswith("__"):
            yield f"{name}: {_constant(value)}"


def _code(code: CodeType) -> str:
    constants = [_code(each) if isinstance(each, CodeType) else _constant(each) for each in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {constants}"


def _constant(value: object) -> str:
    # The order of a set changes from process to process.
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)
