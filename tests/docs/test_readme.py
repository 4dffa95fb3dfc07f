"""The README tells the truth: what it shows is what the program prints, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_generated_parts_of_the_readme_are_up_to_date() -> None:
    command = [sys.executable, "-m", "cogapp", "--check", "--diff", "-I", "tests/docs", "README.md"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run: python -m cogapp -r -I tests/docs README.md\n{done.stdout}"


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(((?!https?:|#)[^)]+)\)", README))))
def test_links_of_the_readme_lead_to_files(target: str) -> None:
    assert (ROOT / target.partition("#")[0]).exists()


def test_the_picture_shows_what_the_terminal_does() -> None:
    from picture import PICTURE, drawn

    assert PICTURE.read_text(encoding="utf-8") == drawn(), "run: python tests/docs/picture.py"
