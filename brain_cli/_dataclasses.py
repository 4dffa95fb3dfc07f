"""Import `dataclasses` without `inspect`, which takes as long to import as a quarter of an empty Python.

Up to Python 3.11 it needs `inspect` only for a class without a docstring, in 3.12 and 3.13 also for the annotations of
a class. The stand-in reads those itself, and imports the real module for everything else.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType


class LateInspect(ModuleType):
    """`inspect`, imported when anything but `get_annotations` is used."""

    @staticmethod
    def get_annotations(cls: type) -> dict[str, object]:
        return dict(cls.__dict__.get("__annotations__", {}))  # noqa: RUF063 - this replaces that function

    def __getattr__(self, name: str) -> object:
        import inspect

        return getattr(inspect, name)


class _WithoutSignatures(LateInspect):
    """`inspect` without signatures."""

    @staticmethod
    def signature(of: object) -> str:  # noqa: ARG004 - this replaces that function
        return ""


if "inspect" not in sys.modules:
    sys.modules["inspect"] = LateInspect("inspect")
    try:
        import dataclasses as dataclasses
    finally:
        del sys.modules["inspect"]
else:
    import dataclasses as dataclasses


@contextlib.contextmanager
def without_signatures() -> Iterator[None]:
    """Create classes inside the block without a signature in their docstring, which alone needs `inspect`."""
    names = vars(dataclasses)
    before = names["inspect"]
    names["inspect"] = _WithoutSignatures("inspect")
    try:
        yield
    finally:
        names["inspect"] = before
