"""The titles of Logseq's journal pages, in the format of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.vault.logseq import journal_names, title_format

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("yyyy-MM-dd", "2026-11-22"),
        ("MMM do, yyyy", "Nov 22nd, 2026"),
        ("EEEE, MMMM do, yyyy", "Sunday, November 22nd, 2026"),
        ("E, d MMM yy", "Sun, 22 Nov 26"),
        ("dd.MM.yyyy", "22.11.2026"),
        ("yyyy年MM月dd日", "2026年11月22日"),
        ("d 'de' MMMM", "22 de November"),
    ],
)
def test_a_journal_page_has_the_title_of_the_format(written: str, title: str) -> None:
    assert journal_names("journals/2026_11_22.md", written) == (title,)


def test_without_a_format_the_usual_titles_count() -> None:
    assert journal_names("a/journals/2026-11-03.org") == ("2026-11-03", "Nov 3rd, 2026")


@pytest.mark.parametrize(
    "path", ["journals/2026_13_01.md", "2026_11_22.md", "journals/plan.md"]
)
def test_other_pages_have_no_such_title(path: str) -> None:
    assert journal_names(path) == ()


@pytest.mark.parametrize(
    ("config", "written"),
    [
        ('{:journal/page-title-format "yyyy-MM-dd"}', "yyyy-MM-dd"),
        ('{:a 1\n :journal/page-title-format\n "dd.MM.yyyy"}', "dd.MM.yyyy"),
        (';; :journal/page-title-format "yyyy"\n{:a 1}', ""),
        ("{}", ""),
    ],
)
def test_the_format_is_read_from_the_graph(tmp_path: Path, config: str, written: str) -> None:
    (tmp_path / "logseq").mkdir()
    (tmp_path / "logseq/config.edn").write_text(config)
    assert title_format(str(tmp_path)) == written


def test_a_folder_without_a_graph_has_no_format(tmp_path: Path) -> None:
    assert title_format(str(tmp_path)) == ""
