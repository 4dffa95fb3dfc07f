"""Notes are counted by day, month or year: no gap is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.health import MAX_DAYS, MAX_MONTHS, notes_by_period
from brain_cli.vault.dates import timestamp_of


def at(*days: str) -> list[float]:
    return [timestamp_of(day) or 0.0 for day in days]


@pytest.mark.parametrize(
    ("days", "counts"),
    [
        ([], {}),
        (["2026-11-20"], {"2026-11-20": 1}),
        (["2026-11-20", "2026-11-22"], {"2026-11-20": 1, "2026-11-21": 0, "2026-11-22": 1}),
        (
            ["2025-12-01", "2026-03-01", "2026-03-02"],
            {"2025-12": 1, "2026-01": 0, "2026-02": 0, "2026-03": 2},
        ),
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
