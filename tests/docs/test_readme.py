"""The README tells the truth: what it shows is what the program prints, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pytest

if TYPE_CHECKING:
    from conftest import Vault

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


@pytest.mark.parametrize("query", ["event-driven design", "duplicate payments", "SOAP gateway", "zeppelin"])
def test_the_json_has_the_keys_and_types_of_the_table(query: str, sample: Vault) -> None:
    from brain_cli.render.shape import Document

    check(sample.remember(query), Document, query)


def check(value: Any, kind: Any, place: str) -> None:
    """Assert that a value of the JSON is what its shape says."""
    if get_origin(kind) in (Annotated, NotRequired):
        check(value, get_args(kind)[0], place)
    elif get_origin(kind) is list:
        assert isinstance(value, list), place
        for part in value:
            check(part, get_args(kind)[0], place)
    elif is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        assert list(value) == list(hints), place  # the recall was asked with --explain: no key is left out
        for key, hint in hints.items():
            check(value[key], hint, f"{place}.{key}")
    elif get_origin(kind) is not dict:
        assert isinstance(value, kind), place
