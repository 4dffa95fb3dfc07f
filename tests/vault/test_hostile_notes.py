"""A hostile note fails nothing but itself: not the index, a recall, the doctor or a running
watcher.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hostile_heads import HOSTILE_HEADS

from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.note import parse_note

if TYPE_CHECKING:
    from conftest import Vault


@pytest.mark.parametrize("name", ["hex", "hex key in a table", "decimal"])
def test_a_number_of_5000_digits_is_reported_in_plain_words(name: str) -> None:
    warning = split_head(HOSTILE_HEADS[name]).warning
    assert warning
    assert warning.startswith("its frontmatter cannot be read (")


@pytest.mark.parametrize("name", HOSTILE_HEADS)
def test_any_head_is_read_or_kept_as_text(name: str) -> None:
    text = HOSTILE_HEADS[name] + "\nplain words\n"
    head = split_head(text)
    assert "plain words" in text[head.body_start :]
    assert "plain words" in parse_note("a.md", text, 0.0).fragments[-1].text


@pytest.mark.exhaustive
def test_commands_answer_beside_notes_with_hostile_heads(vault: Vault) -> None:
    vault.note("good.md", "# Tea\n\nGreen tea with milk.\n")
    for name, head in HOSTILE_HEADS.items():
        vault.note(f"bad/{name}.md", f"{head}\nbitter words\n")
    for command in (
        "index",
        "remember tea",
        "remember bitter -n 100 --json",
        "status",
        "doctor",
        "review",
        "recent",
    ):
        answer = vault.brain(*command.split(), "--vault", vault.folder)
        assert answer.code in (0, 2, 3), (command, answer.err)
        assert "bug in brain" not in answer.err, (command, answer.err)
    assert vault.order("tea") == ["good"]
    assert len(vault.order("bitter", "-n", 100)) == len(HOSTILE_HEADS)


def test_a_note_that_the_reader_itself_fails_on_is_indexed_as_plain_text(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.vault import note, sections

    real = sections.outline

    def broken(body: str, first_line: int) -> object:
        if "poison" in body:
            raise RuntimeError("as if the markdown reader had a bug")
        return real(body, first_line)

    monkeypatch.setattr(note, "outline", broken)
    vault.note("bad.md", "# Bad\n\nSome poison here.\n")
    vault.note("good.md", "# Good\n\nTea.\n")
    answer = vault.brain("index", "--vault", vault.folder)
    assert answer.code == 0
    assert (
        "bad.md: it could not be understood (RuntimeError), so it is indexed as plain text"
        in answer.err
    )
    assert vault.order("tea") == ["good"]
    assert vault.order("poison") == ["bad"]


def test_frontmatter_behind_bare_carriage_returns_is_not_shown_as_body(vault: Vault) -> None:
    vault.note("old-mac.md", "---\rtitle: Old Mac\r---\rGreen tea.\r")
    for options in (["--format", "markdown"], ["--json"], ["--format", "plain"]):
        answer = vault.brain("remember", "green tea", *options, "--vault", vault.folder)
        assert answer.code == 0
        assert "---" not in answer.out.replace("----", "")
    document = vault.brain("show", "old-mac", "--json", "--vault", vault.folder).json
    assert (document["title"], document["text"].strip()) == ("Old Mac", "Green tea.")
