"""The README and the docs are true: generated parts are up to date, links lead to files, the docs
are a vault.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import (
    TYPE_CHECKING,
)

import pytest
from examples import in_ci

if TYPE_CHECKING:
    from conftest import Brain

sys.path.insert(0, str(Path(__file__).parent))

from regenerate import COG, PAGES, ROOT

LICENCES = ROOT / "docs" / "licences.md"


def test_generated_parts_are_up_to_date(warm_program: Path) -> None:
    environ = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "BRAIN_TEST_PROGRAM": str(warm_program / "brain"),
    }
    # One process for all pages: what it imports takes longer than a page.
    done = subprocess.run(
        [*COG, "--check", "--diff", *PAGES],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (
        f"run: python tests/docs/regenerate.py docs\n{done.stdout}{done.stderr}"
    )


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    # Links to a file of the repository.
    for target in sorted(set(re.findall(r"\]\(((?!https?:)[^)]+)\)", text))):
        path, _, anchor = target.partition("#")
        file = ROOT / page if not path else (ROOT / page).parent / path
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), target


def test_the_names_of_the_map_are_in_its_files() -> None:
    page = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
    for name, path in re.findall(r"`(\w+)`,? (?:in|of) \[[^]]+\]\(\.\./([^)]+)\)", page):
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8")), (
            f"{name} is not in {path}"
        )


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_a_front_page() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 80
    assert sum(any(map(str.isalnum, word)) for word in by_hand("README.md").split()) <= 400


@pytest.mark.exhaustive
def test_the_docs_are_a_vault_that_answers_why(brain: Brain) -> None:
    before = sorted((ROOT / "docs").rglob("*"))
    answer = brain("--vault", ROOT / "docs", "remember", "why whoosh", "--json")
    assert answer.json["results"][0]["path"] == "decisions/whoosh-reloaded.md"
    assert sorted((ROOT / "docs").rglob("*")) == before


def test_product_decisions_are_not_in_the_sample_vault() -> None:
    notes = (ROOT / "sample_vault").rglob("*.md")
    assert not [
        note.name for note in notes if "project: brain" in note.read_text(encoding="utf-8")
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "caller",
    [in_ci({}), {"TERM": "dumb", "COLUMNS": "40", "NO_COLOR": "1"}],
    ids=["", "dumb terminal"],
)
def test_the_picture_shows_the_terminal_output(
    caller: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from picture import PICTURE, drawn

    for name, value in caller.items():
        monkeypatch.setenv(name, value)
    assert PICTURE.read_text(encoding="utf-8") == drawn(), (
        "run: python tests/docs/regenerate.py docs"
    )


def test_every_package_that_brain_needs_has_its_licence_on_the_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = ("test", "lint", "release")
    extras = (
        needs for extra, needs in project["optional-dependencies"].items() if extra not in tools
    )
    page = LICENCES.read_text(encoding="utf-8").casefold()
    for need in (*project["dependencies"], *chain(*extras)):
        name = re.split(r"[\[<>=]", need)[0].casefold()
        assert f"| {name} |" in page, f"{name}: run python tools/licences.py"


def by_hand(page: str) -> str:
    """Return a page without its code blocks and generated parts."""
    text = (ROOT / page).read_text(encoding="utf-8")
    generated_or_code = r"<!-- \[\[\[cog.*?\[\[\[end\]\]\] -->|^```\w+$.*?^```$|<!--.*?-->"
    return re.sub(generated_or_code, "", text, flags=re.DOTALL | re.MULTILINE)


def test_the_hand_written_pages_stay_short() -> None:
    pages = (
        by_hand(page) for page in PAGES if page.startswith("docs/") and ROOT / page != LICENCES
    )
    assert sum(any(map(str.isalnum, word)) for text in pages for word in text.split()) <= 14_500


def test_the_changes_of_this_version_are_quickly_read() -> None:
    version = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    assert len(version.splitlines()) <= 120
