"""The drawn strength of a note."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.explain import COLUMNS, ROWS, curve, drawn
from brain_cli.types import NoteMetadata

DAY = 86_400.0
NOW = 1_000 * DAY


def metadata(age_days: float) -> NoteMetadata:
    return NoteMetadata("a.md", "A", NOW - age_days * DAY)


def test_without_a_recall_strength_only_falls() -> None:
    strengths = curve(metadata(100), [], NOW).strengths
    assert list(strengths) == sorted(strengths, reverse=True)
    assert strengths[0] == pytest.approx(0.7)


def test_a_recall_lifts_the_curve_from_there_on() -> None:
    plain, lifted = (
        curve(metadata(100), recalls, NOW).strengths for recalls in ([], [NOW - 50 * DAY])
    )
    assert plain[:20] == lifted[:20]
    assert all(more > less for more, less in zip(lifted[30:], plain[30:], strict=True))


@examples(200)
@given(st.floats(0, 5_000), st.lists(st.floats(0, 1), max_size=5))
def test_every_curve_fits_its_frame(age_days: float, recalled: list[float]) -> None:
    recalls = [NOW - age_days * DAY * share for share in recalled]
    lines = list(
        drawn(curve(metadata(age_days), recalls, NOW), "2026-01-01", "2026-02-01", "2026-03-01")
    )
    assert len(lines) == ROWS + 3
    assert all(len(line) <= COLUMNS + 20 for line in lines)
    assert sum(line.count("*") + line.count(".") - 1 for line in lines[: ROWS + 1]) == COLUMNS
