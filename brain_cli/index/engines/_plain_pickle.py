"""Unpickle only numbers, texts, and lists and dicts of them; refuse a pickle that names any other type."""

from __future__ import annotations

from _pickle import Unpickler, UnpicklingError
from collections import defaultdict
from typing import Any

# The types that a pickle may name.
HARMLESS = {"builtins.set": set, "builtins.int": int, "collections.defaultdict": defaultdict}


class Attributes:
    """Stands for any class that a table of contents names: only attributes are needed, no methods."""


class PlainUnpickler(Unpickler):
    """Reads plain values; raises UnpicklingError for everything else."""

    def find_class(self, module: str, name: str) -> Any:
        found = HARMLESS.get(f"{module}.{name}")
        if found is None:
            raise UnpicklingError(f"{module}.{name}")
        return found


class ContentsUnpickler(PlainUnpickler):
    """Reads a list of segments, with Attributes in place of Whoosh's classes."""

    def find_class(self, module: str, name: str) -> Any:
        return Attributes if module.startswith("whoosh.") else super().find_class(module, name)
