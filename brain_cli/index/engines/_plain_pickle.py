"""Unpickle numbers, texts, and lists and tables of them; a pickle that names anything else is refused."""

from __future__ import annotations

from _pickle import Unpickler, UnpicklingError
from collections import defaultdict
from typing import Any

# The types that a pickle may name.
HARMLESS = {"builtins.set": set, "builtins.int": int, "collections.defaultdict": defaultdict}


class Named:
    """Anything that a table of contents names: its segments have attributes, and no methods are needed."""


class PlainUnpickler(Unpickler):
    """Reads plain values; raises UnpicklingError for everything else."""

    def find_class(self, module: str, name: str) -> Any:
        found = HARMLESS.get(f"{module}.{name}")
        if found is None:
            raise UnpicklingError(f"{module}.{name}")
        return found


class ContentsUnpickler(PlainUnpickler):
    """Reads a list of segments: what they name becomes an object of attributes."""

    def find_class(self, module: str, name: str) -> Any:
        return Named if module.startswith("whoosh.") else super().find_class(module, name)
