"""`man brain` says what `brain --help` says."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from man_page import PAGE, page

from brain_cli.cli import COMMANDS


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run tests/docs/regenerate.py"


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_it_formats_without_a_warning() -> None:
    groff = ["groff", "-man", "-Tutf8", "-ww", "-K", "utf8", "-P-c", "-P-b", "-P-u", str(PAGE)]
    done = subprocess.run(groff, capture_output=True, text=True, check=True)
    assert not done.stderr
    for name in COMMANDS:
        assert f"brain {name}" in done.stdout
