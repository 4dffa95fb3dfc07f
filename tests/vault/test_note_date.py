"""The date of a note comes from the first source that has one."""

from __future__ import annotations

import pytest

from brain_cli.types import DATE_SOURCES
from brain_cli.vault.clock import iso, one_moment
from brain_cli.vault.dates import date_in_path, section_dates
from brain_cli.vault.note import parse_note

MODIFIED = 1_700_000_000.0
HOUR = 3_600.0


@pytest.mark.parametrize(
    ("path", "date"),
    [
        ("2024-03-01.md", "2024-03-01"),
        ("daily.journal.2024.03.01.md", "2024-03-01"),
        ("2024_03_01.md", "2024-03-01"),
        ("2021-06-05 New Themes.md", "2021-06-05"),
        ("20240301-standup.md", "2024-03-01"),
        ("notes/202403011530 an idea.md", "2024-03-01"),
        ("journal/2024/03/01.md", "2024-03-01"),
        ("journal/2024/03-March/01.md", "2024-03-01"),
        ("journal/2024-03-01/agenda.md", "2024-03-01"),
        ("journal/2024/03/retro.md", "2024-03-01"),
        ("journal/2024/03/2024-03-05.md", "2024-03-05"),
        ("2024-W12.md", "2024-03-18"),
        ("2024-03.md", "2024-03-01"),
        ("2024-Q2 plan.md", "2024-04-01"),
        ("01.03.2024 Besuch.md", "2024-03-01"),
        ("October 6th, 2022.md", "2022-10-06"),
        ("6. März 2024.md", "2024-03-06"),
        ("3 de mayo de 2023.md", "2023-05-03"),
        ("6 декабря 2023.md", "2023-12-06"),
    ],
)
def test_a_file_name_or_its_folders_tell_the_date(path: str, date: str) -> None:
    seconds = date_in_path(path)
    assert seconds is not None
    assert iso(seconds) == f"{date}T00:00:00Z"


@pytest.mark.parametrize(
    "path",
    [
        "roadmap 2025.md",
        "2024-02-31.md",
        "7368697661.md",
        "wth461694678.md",
        "v2024.13.md",
        "7.20191218.md",
        "a.md",
    ],
)
def test_a_number_that_is_not_a_date_gives_no_date(path: str) -> None:
    assert date_in_path(path) is None


@pytest.mark.parametrize(
    ("path", "head", "sources", "expected"),
    [
        (
            "2024-03-01.md",
            "date: 2025-01-01",
            DATE_SOURCES,
            ("2025-01-01T00:00:00Z", "frontmatter"),
        ),
        (
            "2024-03-01.md",
            "date: 2025-01-01",
            ("name", "mtime"),
            ("2024-03-01T00:00:00Z", "name"),
        ),
        ("2024-03-01.md", "title: x", DATE_SOURCES, ("2024-03-01T00:00:00Z", "name")),
        ("2024-03-01.md", "date: soon", DATE_SOURCES, ("2024-03-01T00:00:00Z", "name")),
        (
            "a.md",
            "created: March 5, 2024",
            DATE_SOURCES,
            ("2024-03-05T00:00:00Z", "frontmatter"),
        ),
        ("a.md", "title: x", DATE_SOURCES, ("2023-11-14T22:13:20Z", "mtime")),
        ("2024-03-01.md", "title: x", ("mtime", "name"), ("2023-11-14T22:13:20Z", "mtime")),
    ],
)
def test_the_first_source_that_knows_a_date_counts(
    path: str, head: str, sources: tuple[str, ...], expected: tuple[str, str]
) -> None:
    metadata = parse_note(
        path, f"---\n{head}\n---\ntext\n", MODIFIED, date_sources=sources
    ).metadata
    assert (iso(metadata.timestamp), metadata.dated_by) == expected


def test_a_section_is_as_old_as_the_innermost_heading_that_names_a_date() -> None:
    trails = [
        ("Log",),
        ("Log", "2026-11-03"),
        ("Log", "2026-11-03", "Standup"),
        ("Log", "2026-11", "2026-11-04 Plan"),
    ]
    found = [(number, iso(seconds)[:10]) for number, seconds in section_dates(trails)]
    assert found == [(1, "2026-11-03"), (2, "2026-11-03"), (3, "2026-11-04")]


def test_files_of_one_clone_have_one_time_and_files_of_a_working_week_do_not() -> None:
    assert one_moment([0.0, 1.0, 2.0, 90 * HOUR]) == (0.0, 2.0)
    assert one_moment([0.0, 30 * HOUR, 60 * HOUR, 90 * HOUR]) is None
    assert one_moment([5.0]) is None
