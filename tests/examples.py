"""How many Hypothesis examples a test runs: few every day, many in CI (HYPOTHESIS_PROFILE=ci)."""

from __future__ import annotations

import os

from hypothesis import settings

IN_CI = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
# Every day a test runs a tenth of its examples, but at least this many.
FEWEST = 25

settings.register_profile("everyday", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=500, deadline=None)


def examples(in_ci: int) -> settings:
    """Run `in_ci` examples in CI and about a tenth of them every day."""
    everyday = min(in_ci, max(FEWEST, in_ci // 10))
    return settings(max_examples=in_ci if IN_CI else everyday, deadline=None)
