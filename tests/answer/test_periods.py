"""Notes are counted by day, month or year: so that no gap is left out and the bars stay readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.health import MAX_DAYS, MAX_MONTHS, notes_by_period
from brain_cli.cli.status import LEVELS as BARS
from brain_cli.cli.status import sparkline
from brain_cli.vault.dates import timestamp_of


def at(*days: str) -> list[float]:
    return [timestamp_of(day) or 0.0 for day in days]


@pytest.mark.parametrize(
    ("days", "counts"),
    [
        ([], {}),
        (["2026-11-20"], {"2026-11-20": 1}),
        (["2026-11-20", "2026-11-22"], {"2026-11-20": 1, "2026-11-21": 0, "2026-11-22": 1}),
        (["2025-12-01", "2026-03-01", "2026-03-02"], {"2025-12": 1, "2026-01": 0, "2026-02": 0, "2026-03": 2}),
    ],
)
def test_gaps_count_zero(days: list[str], counts: dict[str, int]) -> None:
    assert notes_by_period(at(*days)) == counts


def test_a_long_history_is_counted_by_year() -> None:
    assert list(notes_by_period(at("1999-05-01", "2026-01-01")))[:2] == ["1999", "2000"]


@given(st.lists(st.floats(0, 4e9), max_size=30))
def test_every_note_counts_once(timestamps: list[float]) -> None:
    counts = notes_by_period(timestamps)
    assert sum(counts.values()) == len(timestamps)
    assert len(counts) <= max(MAX_DAYS, MAX_MONTHS, 130)
    assert list(counts) == sorted(counts)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=200), st.integers(20, 200))
def test_a_sparkline_fits_and_shows_the_highest_count(counts: list[int], columns: int) -> None:
    drawn = sparkline({f"{number:03}": count for number, count in enumerate(counts)}, columns)
    assert len(drawn) <= columns
    assert (BARS[-1] in drawn) == any(counts)


def test_a_sparkline_draws_in_proportion_and_leaves_zeros_blank() -> None:
    assert sparkline({"a": 0, "b": 1, "c": 4, "d": 8}, 40) == "a  ▁▄█ d"
