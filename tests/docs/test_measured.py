"""The figures of the README and of the measurements are those of the files in docs/measured/."""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

import pytest
from conformance import points
from regenerate import PAGES, ROOT
from test_readme import by_hand

sys.path.insert(0, str(Path(__file__).parents[1]))

from measured import CIRCUMSTANCES, MEASURED, kept

NAMES = sorted(file.stem for file in MEASURED.glob("*.json"))
# Numbers in the README's own sentences that are not measured: the range of a score, Python's version,
# a day, an order.
NO_MEASUREMENTS = {"0", "1", "2", "3", "4", "3.11", "21", "2026"}
# A share, a fraction, a time or a size. An interval of 95 % and a licence of version 4.0 are none.
MEASUREMENT = re.compile(
    r"(?<![\w-])(?!4\.0\b|95 %)(\d*\.\d+|\d[\d,]* ?(?:%|ms|s|[KMG]i?B)(?!\w))"
)


def test_files_have_the_circumstances_of_their_figures() -> None:
    for name in NAMES:
        assert kept(name).keys() == {*CIRCUMSTANCES, "figures"}, name
        assert date.fromisoformat(kept(name)["date"]) >= date(2026, 11, 1), name
        assert re.fullmatch("[0-9a-f]{7,}", kept(name)["commit"]), name
        assert "/tmp" not in kept(name)["command"], name


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_printed_by_a_page(name: str) -> None:
    pages = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    assert re.search(rf'measured_tables\.\w+\([^)]*"{name}"', pages), name


def test_the_readme_has_no_figure_of_its_own() -> None:
    text = re.sub(r"\]\([^)]*\)", "]", by_hand("README.md"))
    assert set(re.findall(r"(?<!\w)\d[\d.,]*\d|(?<!\w)\d", text)) <= NO_MEASUREMENTS


def test_the_page_of_measurements_has_no_figure_of_its_own() -> None:
    assert MEASUREMENT.findall(by_hand("docs/measurements.md")) == []


def test_the_page_of_conformance_repeats_what_was_measured() -> None:
    page = (ROOT / "docs/measurements.md").read_text(encoding="utf-8")
    for each in points():
        figures = (
            re.findall(r"\d*\.\d+|\d[\d,]*(?= ms)", each.remark)
            if each.state == "measured"
            else []
        )
        assert [figure for figure in figures if figure not in page] == [], each
