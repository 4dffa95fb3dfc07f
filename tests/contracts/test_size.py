"""The product stays small, and its imports go down only: the bars of `size.toml`."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools.house import House, measure

if TYPE_CHECKING:
    from conftest import Vault

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "brain_cli"
BARS = tomllib.loads(Path(__file__).with_name("size.toml").read_text(encoding="utf-8"))
FILES = sorted(PACKAGE.rglob("*.py"))
OUR_MODULES = """
import atexit, sys
atexit.register(lambda: print(*sorted(m for m in sys.modules if m.startswith("brain_cli.")), file=sys.stderr))
from brain_cli.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def house() -> House:
    return measure(ROOT)


def test_no_room_has_more_tokens_than_its_bar(house: House) -> None:
    over = {
        name: count
        for name, count in house.rooms.items()
        if count > BARS["tokens"].get(name, 0)
    }
    assert not over, (
        "give a new room a row in size.toml; raising a number is a decision with a note"
    )


@pytest.mark.parametrize("name", ["tokens", "core_tokens", "density", "wide", "local_imports"])
def test_the_product_stays_small(house: House, name: str) -> None:
    assert getattr(house, name) <= BARS["all"][name]


@pytest.mark.parametrize("name", ["circles", "up", "borrowed"])
def test_imports_keep_to_the_floors(house: House, name: str) -> None:
    found = getattr(house, name)
    assert len(found) <= BARS["all"][name], found


def test_no_two_classes_have_the_same_name() -> None:
    """One name, one thing: a reader who meets the name knows which class is meant."""
    files: dict[str, list[str]] = {}
    for file in FILES:
        for name in re.findall(
            r"^ *class (\w+)[(:]", file.read_text(encoding="utf-8"), re.MULTILINE
        ):
            files.setdefault(name, []).append(str(file.relative_to(PACKAGE)))
    assert not {name: found for name, found in files.items() if len(found) > 1}


def test_a_plain_recall_imports_few_of_our_modules(sample: Vault) -> None:
    sample.brain("index", "--vault", sample.folder)
    done = subprocess.run(
        [sys.executable, "-c", OUR_MODULES, "remember", "why did we leave REST"],
        capture_output=True,
        text=True,
        env=sample.brain.environ(BRAIN_VAULT=str(sample.folder)),
        check=True,
    )
    assert done.stdout
    assert len(done.stderr.split()) <= BARS["recall"]["modules"]
