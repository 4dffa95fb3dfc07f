"""A daemon collects its garbage between its answers."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from brain_cli.daemon.loop import MANY_OBJECTS, collect_if_due


class Circle:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def no_automatic_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_few_new_objects_are_left_alone() -> None:
    garbage = ref(Circle())
    collect_if_due()
    assert garbage() is not None


def test_garbage_is_freed_once_many_objects_have_been_made() -> None:
    garbage = ref(Circle())
    kept: list[list[int]] = [[] for _ in range(MANY_OBJECTS + 1)]
    collect_if_due()
    assert garbage() is None
    assert len(kept) == MANY_OBJECTS + 1
