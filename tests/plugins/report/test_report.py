"""`brain report`: one page, the same numbers as `brain status`, and nothing of a note that could
act in a browser.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import Brain, Vault, copy_with_index
from examples import in_ci

CHROMIUM = (
    shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
NO_BROWSER = pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")


class Page(HTMLParser):
    """The tags of a page with their attributes, and the numbers named by `data-key`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.numbers: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        key = self.tags[-1][1].get("data-key") if self.tags else None
        if key and key not in self.numbers:
            self.numbers[key] = data


@pytest.fixture
def used_vault(brain: Brain, sample: Vault, tmp_path: Path) -> Path:
    """Return a copy of the sample vault that has been recalled from and judged."""
    vault = copy_with_index(sample, tmp_path / "used", brain).folder
    for query in ("why did we leave REST", "kafka", "dead letter queue"):
        assert brain("--vault", str(vault), "remember", query).code == 0
    assert brain("--vault", str(vault), "feedback", "Kafka architecture", "useful").code == 0
    return vault


def test_the_page_gives_the_numbers_of_status(brain: Brain, used_vault: Path) -> None:
    status = brain("--vault", str(used_vault), "status", "--json").json
    page = Page(brain("--vault", str(used_vault), "report", "--out", "-").out)
    for name in ("notes", "archived", "pinned", "recalls", "recalled_notes", "feedback"):
        assert page.numbers[name] == str(status[name]), name
    assert page.numbers["useful_share"] == "100%"


def test_the_page_loads_nothing(brain: Brain, used_vault: Path) -> None:
    text = brain("--vault", str(used_vault), "report", "--out", "-").out
    links = [
        attributes.get(name) or ""
        for _, attributes in Page(text).tags
        for name in ("src", "href")
    ]
    assert {link.partition(":")[0] for link in links if link and not link.startswith("#")} == {
        "file"
    }
    assert "@import" not in text
    assert "url(" not in text


def test_every_calendar_has_its_numbers_as_text(brain: Brain, used_vault: Path) -> None:
    text = brain("--vault", str(used_vault), "report", "--out", "-").out
    [chart] = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert 'role="img"' in chart
    assert "<summary>By month</summary><table" in chart


def test_a_year_of_writing_and_recalling_is_drawn_day_by_day(
    brain: Brain, vault: Vault
) -> None:
    for month in range(1, 11):
        vault.note(f"{month}.md", f"# Boat {month}\n", date=f"2026-{month:02}-03")
        brain(
            "--vault",
            str(vault.folder),
            "remember",
            f"boat {month}",
            "--now",
            f"2026-{month:02}-04",
        )
    year = section(brain, vault.folder, "a-year")
    assert "<title>2026-03-03: 1 notes</title>" in year
    assert "<title>2026-03-04: 1 recalls</title>" in year
    assert "<title>2026-03-05: 0 notes</title>" in year
    assert year.count('class="notes d4"') == 10
    assert '<th scope="row">2026-03</th><td class="number">1</td>' in year


def test_the_page_of_a_young_vault_says_so_instead_of_drawing_one_bar(
    brain: Brain, vault: Vault
) -> None:
    vault.note("a.md", "# A\n", date="2026-11-20")
    vault.note("b.md", "# B\n", date="2026-11-21")
    year = section(brain, vault.folder, "a-year")
    assert "So far 2 notes since 2026-11-20: too young for a calendar" in year
    assert "So far no recalls: too young" in year
    assert "<svg" not in year
    assert "Kinds: all note." in section(brain, vault.folder, "notes")


def test_the_text_of_a_note_cannot_run_in_a_browser(brain: Brain, vault: Vault) -> None:
    vault.note(
        "x.md",
        '---\ntags: ["<b>"]\n---\n# </script><script>alert(1)</script>\n\n[[<img src=x onerror=alert(2)>]]\n',
    )
    text = brain("--vault", str(vault.folder), "report", "--out", "-").out
    tags = [tag for tag, _ in Page(text).tags]
    assert tags.count("script") == 2
    assert "img" not in tags
    assert not any(
        name.startswith("on") for _, attributes in Page(text).tags for name in attributes
    )


def test_an_empty_vault_has_a_report(brain: Brain, vault: Vault) -> None:
    page = Page(brain("--vault", str(vault.folder), "report", "--out", "-").out)
    assert page.numbers["notes"] == "0"


def test_an_older_report_is_replaced_and_no_other_file(
    brain: Brain, used_vault: Path, tmp_path: Path
) -> None:
    page, mine = tmp_path / "page.html", tmp_path / "mine.html"
    mine.write_text("my own page")
    for _ in range(2):
        answer = brain("--vault", str(used_vault), "report", "--out", str(page), "--json")
        assert answer.json["path"] == str(page)
    refused = brain("--vault", str(used_vault), "report", "--out", str(mine))
    assert refused.code == 3
    assert "is not a report of brain" in refused.err
    assert mine.read_text() == "my own page"


@pytest.mark.exhaustive
@NO_BROWSER
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("#kind=decision", "8 of 47"),
        in_ci("", "47 of 47"),
        in_ci("#tag=none", "0 of 47"),
    ],
)
def test_a_browser_draws_the_graph_without_an_error(
    brain: Brain, used_vault: Path, tmp_path: Path, address: str, shown: str
) -> None:
    page = tmp_path / "page.html"
    brain("--vault", str(used_vault), "report", "--out", str(page))
    drawn = _opened(f"file://{page}{address}", tmp_path)
    html = next(attributes for tag, attributes in Page(drawn).tags if tag == "html")
    assert html == {"lang": "en", "data-state": "ready"}
    assert f"{shown} notes shown" in drawn


def _opened(address: str, folder: Path) -> str:
    """Return the page as it is after its scripts have run."""
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--virtual-time-budget=20000",
    ]
    command = [
        CHROMIUM or "",
        *flags,
        f"--user-data-dir={folder}/browser",
        "--dump-dom",
        address,
    ]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True
    ).stdout


def test_the_graph_joins_linked_notes_and_notes_recalled_together(
    brain: Brain, vault: Vault
) -> None:
    vault.note("a.md", "# A\n\nThe harbour. See [[b]].\n", date="2026-10-20")
    vault.note("b.md", "# B\n\nThe lighthouse.\n")
    vault.note("c.md", "# C\n\nThe harbour and its ships.\n", date="2026-10-20")
    brain(
        "--vault",
        str(vault.folder),
        "remember",
        "harbour",
        "--scorer",
        "clawmem",
        "--now",
        "2026-11-20",
    )
    text = brain("--vault", str(vault.folder), "report", "--out", "-").out
    data = re.search(r'id="graph-data">(.*?)</script>', text)
    assert data
    graph = json.loads(data[1])
    assert [node["title"] for node in graph["nodes"]] == ["A", "B", "C"]
    assert [0, 1, 1] in graph["edges"]
    assert [0, 2, 0] in graph["edges"]


def section(brain: Brain, vault: Path, name: str) -> str:
    """Return the text of a section of the page."""
    page = brain("--vault", str(vault), "report", "--out", "-").out
    return page.partition(f'<section id="{name}"')[2].partition("</section>")[0]


def test_the_page_begins_with_what_to_do(brain: Brain, vault: Vault) -> None:
    vault.note("old.md", "# Old rule\n\n- [ ] Ask Priya\n", date="2026-01-01")
    vault.note("new.md", "# New rule\n", date="2026-11-18", supersedes="old")
    vault.note("due.md", "# Due\n\n- [ ] Pay the pilot 2026-11-20\n", date="2025-01-01")
    vault.note("lease.md", "# Lease\n", date="2026-01-01", valid_until="2026-12-05")
    vault.note("later.md", "# Later\n", date="2026-01-01", valid_until="2027-06-01")
    page = brain("--vault", str(vault.folder), "report", "--out", "-").out
    assert page.index('<section id="to-do"') == page.index("<section")
    todo = section(brain, vault.folder, "to-do")
    assert "Replaced, but still active (1)" in todo
    assert "Open tasks (2)" in todo
    assert todo.index("Pay the pilot 2026-11-20") < todo.index("Ask Priya")
    assert "Notes that end (1)" in todo
    assert "Lease</a></td><td>2026-12-05</td>" in todo
    assert "None." not in todo


@pytest.mark.exhaustive
def test_questions_that_found_nothing_are_listed_if_they_are_recorded(
    brain: Brain, used_vault: Path
) -> None:
    for _ in range(2):
        brain("--vault", str(used_vault), "remember", "photosynthesis & chlorophyll")
    assert "found nothing" not in section(brain, used_vault, "to-do")
    recorded = {"BRAIN_RECORD_QUERIES": "true"}
    for _ in range(2):
        brain(
            "--vault", str(used_vault), "remember", "photosynthesis & chlorophyll", env=recorded
        )
    brain("--vault", str(used_vault), "remember", "photosynthesis", "--no-touch", env=recorded)
    todo = section(brain, used_vault, "to-do")
    assert "Questions that found nothing (1)" in todo
    assert "<td>photosynthesis &amp; chlorophyll</td><td>2 times</td>" in todo


@NO_BROWSER
@pytest.mark.parametrize(
    ("address", "shown"),
    [("", "600 notes in 6 groups"), in_ci("#group=f1", "100 of 600 notes shown")],
)
def test_a_large_graph_is_drawn_in_groups(
    brain: Brain, vault: Vault, tmp_path: Path, address: str, shown: str
) -> None:
    for number in range(600):
        vault.note(
            f"f{number % 6}/{number}.md", f"# Note {number}\n\nSee [[{(number + 1) % 600}]].\n"
        )
    page = tmp_path / "page.html"
    brain("--vault", str(vault.folder), "report", "--out", str(page))
    drawn = _opened(f"file://{page}{address}", tmp_path)
    assert shown in drawn
    assert 'data-state="ready"' in drawn
