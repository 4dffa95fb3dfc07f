"""On a terminal, titles and places are links that open the note in the editor that `editor_uri`
names.
"""

from __future__ import annotations

import re

import pytest
from conftest import Brain, Vault
from terminal import on_a_terminal

from brain_cli.render import note_uri

LINK = re.compile(r"\x1b]8;[^;]*;([^\x1b]+)\x1b")


@pytest.fixture
def harbour(vault: Vault) -> Vault:
    vault.note(
        "the harbour.md",
        "# Harbour\n\nIt is old.\n\n## Tide\n\nThe tide comes at six and goes at noon.\n",
    )
    return vault


def links_shown(vault: Vault) -> set[str]:
    return set(
        LINK.findall(on_a_terminal(vault, "remember", "when does the tide come", "--no-touch"))
    )


def test_a_title_links_to_the_file(harbour: Vault) -> None:
    assert f"file://{harbour.folder}/the%20harbour.md" in links_shown(harbour)


def test_a_place_links_to_its_line_in_the_editor(harbour: Vault) -> None:
    harbour.brain.config.parent.mkdir(parents=True)
    harbour.brain.config.write_text('editor_uri = "vscode://file{path}:{line}"\n')
    found = links_shown(harbour)
    assert any(
        re.fullmatch(rf"vscode://file{harbour.folder}/the%20harbour\.md:\d+", link)
        for link in found
    ), found


@pytest.mark.parametrize(
    "template",
    ["vscode://file", "{path}", "javascript:{path}", "data:{path}", "my editor:{path}", ""],
)
def test_an_address_that_is_not_a_link_to_a_note_is_refused(
    harbour: Vault, brain: Brain, template: str
) -> None:
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(f'editor_uri = "{template}"\n')
    answer = brain("remember", "tide", "--vault", harbour.folder)
    assert answer.code == 2
    assert "a link with {path} in it" in answer.err


def test_a_vault_cannot_name_the_editor(harbour: Vault, brain: Brain) -> None:
    (harbour.folder / ".brain").mkdir()
    (harbour.folder / ".brain" / "config.toml").write_text('editor_uri = "evil://{path}"\n')
    answer = brain("remember", "tide", "--vault", harbour.folder)
    assert answer.code == 2
    assert "A vault cannot set “editor_uri”" in answer.err


def test_a_path_is_quoted_and_keeps_its_slashes() -> None:
    assert note_uri("x://{path}#{line}", "/v", "a b/ü?.md", 7) == "x:///v/a%20b/%C3%BC%3F.md#7"
