"""Import `dataclasses` without `inspect`, which takes as long to import as a quarter of an empty Python.

Up to Python 3.12 it needs `inspect` only for a class without a docstring. What stands in for it imports it then.
"""

from __future__ import annotations

import sys
from types import ModuleType


class LateInspect(ModuleType):
    """`inspect`, imported when something of it is used."""

    def __getattr__(self, name: str) -> object:
        import inspect

        return getattr(inspect, name)


if "inspect" not in sys.modules:
    sys.modules["inspect"] = LateInspect("inspect")
    try:
        import dataclasses as dataclasses
    finally:
        del sys.modules["inspect"]
