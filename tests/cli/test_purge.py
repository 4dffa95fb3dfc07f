"""`brain forget --purge` leaves nothing of a note on this machine, and all of the others."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from crash import SavedVault, killed_at_every_change

from brain_cli.paths import vault_name
from brain_cli.plugins.agents.intake import Spool
from brain_cli.plugins.agents.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Answer, Vault

    Run = Callable[..., Answer]

SECRET = "The tangerine password opens the cellar door."


@pytest.fixture
def run(vault: Vault) -> Run:
    def ask(*words: str, stdin: str = "") -> Answer:
        return vault.brain(*words, "--vault", vault.folder, cwd=vault.folder, stdin=stdin)

    return ask


@pytest.fixture
def used(vault: Vault, run: Run) -> Vault:
    """A vault whose note `cellar.md` was added, asked, rated, edited, moved, forgotten and restored,
    beside another one.
    """
    vault.note("tea.md", "# Tea\n\nGreen tea, see [[wine]].\n")
    run("add", "Wine", stdin=f"{SECRET}\n")
    run("remember", "tangerine password")
    for words in (
        ["feedback", "wine", "useful"],
        ["feedback", "tea", "useful"],
        ["pin", "wine", "tea"],
        ["mv", "wine", "cellar"],
        ["forget", "cellar", "--yes", "--force"],
        ["undo"],
        ["add", "--append", "cellar", "Later"],
        ["archive", "cellar", "--status"],
        ["undo"],
    ):
        answer = run(*words)
        assert answer.code == 0, answer.err
    return vault


def places(vault: Vault, *marks: str) -> set[str]:
    """Return the files of the vault and of its user's home that have one of some texts."""
    files = [file for top in (vault.folder, vault.brain.home) for file in top.rglob("*")]
    return {
        str(file) for file in files if file.is_file() and _has(file, [*map(str.encode, marks)])
    }


def _has(file: Path, marks: list[bytes]) -> bool:
    raw = file.read_bytes()
    if file.parent.name == "changes":
        changes = json.loads(raw)["changes"]
        raw += b"".join(os.fsencode(str(each[0])) for each in changes)
    return any(mark in raw for mark in marks)


def test_nothing_of_a_purged_note_is_left_and_all_of_the_others(used: Vault, run: Run) -> None:
    assert places(used, "tangerine", "cellar.md", "wine.md")
    tea = (used.folder / "tea.md").read_bytes()
    answer = run("forget", "cellar", "--purge", "--yes", "--force")
    assert (answer.code, answer.out) == (0, "purged cellar.md\n"), answer.err
    assert "undo" not in answer.err
    assert places(used, "tangerine", "cellar.md", "wine.md") == set()
    assert (used.folder / "tea.md").read_bytes() == tea
    assert run("remember", "tangerine").code == 1
    assert run("remember", "green tea", "--format", "paths").out == "tea.md\n"
    changes = run("undo", "--list", "--json").json["changes"]
    assert {tuple(each["notes"]) for each in changes} == {("tea.md",)}
    assert run("feedback", "tea", "useful", "--undo").code == 0


def test_it_asks_first_and_says_that_it_cannot_be_undone(used: Vault, run: Run) -> None:
    before = places(used, "tangerine")
    answer = run("forget", "cellar", "--purge", "--force")
    assert (answer.code, "Add --yes" in answer.err) == (2, True)
    assert run("forget", "cellar", "--purge", "--yes").code == 3, "it is pinned"
    assert places(used, "tangerine") == before


def test_a_note_that_was_forgotten_before_can_be_purged_by_its_path(
    used: Vault, run: Run
) -> None:
    run("unpin", "cellar")
    run("forget", "cellar", "--yes")
    assert any("Trash" in place for place in places(used, "tangerine"))
    assert run("forget", "no-such", "--purge", "--yes").code == 2
    for name in ("cellar.md", "cellar"):
        answer = run("forget", name, "--purge", "--yes")
        assert answer.code == (0 if name == "cellar.md" else 2), answer.err
    assert places(used, "tangerine", "cellar.md") == set()


def test_what_agents_keep_of_it_goes_too(vault: Vault, run: Run) -> None:
    vault.note("tea.md", "# Tea\n")
    spool = Spool(str(vault.brain.state / "capture"))
    at = 1_700_000_000.0

    def observed(text: str, session: str = "") -> Observation:
        return Observation(
            "1",
            at,
            response=text,
            session=session,
            folder=str(vault.folder),
            vault=str(vault.folder),
        )

    spool.append(observed(SECRET))
    assert run("capture", "--flush").code == 0
    [note] = [path for path in vault.folder.rglob("*.md") if path.name != "tea.md"]
    name = note.relative_to(vault.folder).as_posix()
    note.write_text(note.read_text().replace("---\n", "---\nsession: s1\n", 1))
    spool.append(observed("Something else of the session.", "s1"))
    spool.append(observed(f"We said: {SECRET}", "s2"))
    spool.append(observed("The kettle boils at a hundred degrees.", "s3"))
    spool.set_aside(f'{{"broken: "{SECRET}"'.encode(), "1")
    log = vault.brain.state / "capture" / "week.jsonl"
    lines = [json.dumps({"path": path, "at": at}) for path in (name, "tea.md")]
    log.write_text("\n".join([*lines, ""]))
    (log.parent / "brought-up").mkdir()
    (log.parent / "brought-up" / "x.jsonl").write_text(lines[0])
    assert run("forget", name, "--purge", "--yes").code == 0
    assert places(vault, "tangerine", "Something else", name) == set()
    assert [each.session for each in spool.observations().values()] == ["s3"]
    assert log.read_text() == f"{lines[1]}\n"


def test_a_killed_purge_can_be_repeated(used: Vault, run: Run, tmp_path: Path) -> None:
    saved = SavedVault(used, tmp_path / "saved")
    command = ["forget", "cellar.md", "--purge", "--yes", "--force"]
    tea = (used.folder / "tea.md").read_bytes()
    for _ in killed_at_every_change(used, saved, [*command, "--vault", used.folder]):
        is_left = (used.folder / "cellar.md").exists()
        assert run(*command).code == (0 if is_left else 2)
        run("index", "--full")
        assert places(used, "tangerine", "cellar.md") == set()
        assert (used.folder / "tea.md").read_bytes() == tea
        state = used.brain.state / vault_name(str(used.folder))
        assert not (state / "pending.json").exists()
