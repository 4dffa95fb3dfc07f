"""Set how many Hypothesis examples a test runs, and how long its inputs are: less every day than in
CI.

HYPOTHESIS_PROFILE=ci runs all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

IN_CI = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
# Every day a test runs a twentieth of its examples, but at least this many.
FEWEST = 10

settings.register_profile("everyday", max_examples=15, deadline=None)
# In CI a commit passes or fails for good, so its examples are the same each time. The everyday runs,
# which are many, try new ones.
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)


def examples(in_ci: int) -> settings:
    """Run `in_ci` examples in CI and about a twentieth of them every day."""
    everyday = min(in_ci, max(FEWEST, in_ci // 20))
    return settings(max_examples=in_ci if IN_CI else everyday, deadline=None, derandomize=IN_CI)


def in_ci(*parameters: object) -> ParameterSet:
    """Try these parameters of a test in CI alone: they prove little more than the others, and take
    as long.
    """
    import pytest  # not before: the warm program imports this module, too

    return pytest.param(*parameters, marks=pytest.mark.exhaustive)


def few_every_day(parameters: Iterable[object], few: int) -> list[object]:
    """Try the first few of these parameters every day, and the others in CI alone."""
    return [each if number < few else in_ci(each) for number, each in enumerate(parameters)]


def sized(in_ci: int, everyday: int) -> int:
    """Return the size of an input: the full one in CI, a smaller one every day."""
    return in_ci if IN_CI else everyday
