"""How to install an extra: with those that are there, because the environment is made anew."""

from __future__ import annotations

import re

from brain_cli.extras import install_hint, installed_extras


def test_the_hint_names_every_installed_extra_and_the_missing_one() -> None:
    hint = install_hint("sauna")
    named = re.findall(r"\.\[([\w,]+)\]", hint)
    assert len(set(named)) == 1
    assert set(named[0].split(",")) == {*installed_extras(), "sauna"}


def test_extras_of_developers_are_not_named() -> None:
    assert installed_extras() <= {"lsp", "meaning", "postgresql"}
    assert "lsp" in installed_extras(), "the tests install it"
