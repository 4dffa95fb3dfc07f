"""A vault may come from anybody: its settings stay inside it, and those of another version of brain
are ignored.
"""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deadline import deadline
from on_notes import contents, runner

if TYPE_CHECKING:
    from conftest import Vault

OUTSIDE = [
    "../.claude",
    "{tmp}/away",
    "..",
    ".",
    "/",
    ".git",
    ".obsidian",
    "a/../../b",
    "notes/.hidden",
    "a\u0000b",
]


def configured(vault: Vault, text: str) -> None:
    (vault.folder / ".brain").mkdir(exist_ok=True)
    (vault.folder / ".brain" / "config.toml").write_text(text)


@pytest.mark.parametrize("folder", OUTSIDE)
def test_an_archive_folder_outside_the_vault_is_ignored_by_its_name(
    vault: Vault, tmp_path: Path, folder: str
) -> None:
    for place in ("notes/.git", "notes/.obsidian", ".claude"):
        (vault.folder.parent / place).mkdir(parents=True)
    (tmp_path / "away").mkdir()
    vault.note("tea.md", "# Green tea\n")
    written = folder.format(tmp=tmp_path).replace("\0", "\\u0000")
    configured(vault, f'limit = 3\narchive_folders = ["{written}"]\n')
    run = runner(vault)
    with deadline():
        answer = run("archive", "tea.md")
    assert answer.code == 0, answer.err
    assert "The setting “archive_folders” cannot be" in answer.err
    assert "so it is ignored. It takes a list of folders of the vault" in answer.err
    assert (vault.folder / "archive" / "tea.md").is_file()
    assert "limit = 3 " in run("config").out
    assert run("restore", "archive/tea.md").code == 0


@pytest.mark.parametrize("folder", OUTSIDE)
def test_an_inbox_outside_the_vault_is_ignored_by_its_name(
    vault: Vault, tmp_path: Path, folder: str
) -> None:
    written = folder.format(tmp=tmp_path).replace("\0", "\\u0000")
    configured(vault, f'inbox = "{written}"\n')
    answer = runner(vault)("config", "get", "inbox")
    assert (answer.code, answer.out) == (0, "inbox\n")
    assert "The setting “inbox” cannot be" in answer.err


@pytest.mark.parametrize("key", ["archive_folders", "inbox"])
@pytest.mark.parametrize("folder", ["../other", "/etc", ".git"])
def test_such_a_folder_in_your_own_settings_is_wrong_usage(
    vault: Vault, key: str, folder: str
) -> None:
    run = runner(vault)
    assert run("config", "set", key, folder).code == 2
    vault.brain.config.parent.mkdir(parents=True, exist_ok=True)
    vault.brain.config.write_text(f'{key} = "{folder}"\n')
    answer = run("status")
    assert (answer.code, answer.out) == (2, "")
    assert f"The setting “{key}” cannot be “{folder}”" in answer.err


def test_an_unknown_setting_of_a_vault_is_ignored_with_a_sentence(vault: Vault) -> None:
    vault.note("tea.md", "# Green tea\n")
    configured(
        vault, "limt = 5\nlimit = 4\n[future]\nx = 1\n[kinds.meeting]\ndecay_rate = 0.5\n"
    )
    run = runner(vault)
    answer = run("remember", "tea", "--json")
    assert answer.code == 0
    file = vault.folder / ".brain" / "config.toml"
    assert answer.err.splitlines()[0] == (
        f"brain: There is no setting “limt” (in {file}), so it is ignored, and so is another. Did you mean “limit”?"
    )
    settings = run("config", "--json").json["settings"]
    assert settings["limit"]["value"] == 4
    assert settings["kinds"]["meeting"]["decay_rate"]["value"] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'scorer = "blende"\n',
            "There is no scorer “blende” (in {file}), so it is ignored. Did you mean “blend”?",
        ),
        (
            "[scorers.blend]\nfuture = 1\n",
            "blend has no setting “future” (in {file}), so it is ignored.",
        ),
        (
            "[scorers.newer]\nx = 1\n",
            "There is no scorer “newer” (in {file}), so it is ignored.",
        ),
        (
            'profile = "p"\n[profiles.p]\nscorer = "newer"\n',
            "There is no scorer “newer” (in profile p), so it is",
        ),
        (
            'profile = "p"\n[profiles.p]\nfuture = 1\n',
            "blend has no setting “future” (in profile p), so it is",
        ),
    ],
)
def test_a_formula_of_a_newer_version_in_a_vault_is_ignored_with_a_sentence(
    vault: Vault, text: str, message: str
) -> None:
    vault.note("tea.md", "# Green tea\n")
    configured(vault, text)
    answer = runner(vault)("remember", "tea", "--json")
    assert (answer.code, answer.json["scorer"]) == (0, "blend")
    assert message.format(file=vault.folder / ".brain" / "config.toml") in answer.err


@pytest.mark.parametrize("text", ['scorer = "blende"\n', "[scorers.blend]\nfuture = 1\n"])
def test_an_unknown_formula_in_your_own_settings_is_wrong_usage(
    vault: Vault, text: str
) -> None:
    vault.brain.config.parent.mkdir(parents=True)
    vault.brain.config.write_text(text)
    assert runner(vault)("remember", "tea").code == 2


def test_a_wrong_value_of_a_constant_is_wrong_usage_also_in_a_vault(vault: Vault) -> None:
    vault.note("tea.md", "# Green tea\n")
    configured(vault, '[scorers.clawdbot]\nhalf_life_days = "much"\n')
    assert runner(vault)("remember", "tea").code == 2


def test_an_unknown_setting_of_your_own_is_wrong_usage(vault: Vault) -> None:
    vault.brain.config.parent.mkdir(parents=True)
    vault.brain.config.write_text("limt = 5\n")
    answer = runner(vault)("status")
    assert answer.code == 2
    assert "Did you mean “limit”?" in answer.err


def test_a_setting_that_a_vault_must_not_change_is_refused(vault: Vault) -> None:
    configured(vault, "unknown = 1\nrecord_queries = true\n")
    answer = runner(vault)("status")
    assert (answer.code, answer.out) == (2, "")
    assert "A vault cannot set “record_queries”" in answer.err


@pytest.mark.parametrize(
    "uri", ["x://{path}\x1b]8;;", "x://{path}\x07", "x://{path}\x9b", "x://{path}\u202e"]
)
def test_a_link_with_control_characters_is_refused(vault: Vault, uri: str) -> None:
    assert runner(vault)("config", "set", "editor_uri", uri).code == 2
    assert not vault.brain.config.exists()


def test_an_archive_folder_may_lie_in_another_folder(vault: Vault) -> None:
    vault.note("tea/green.md", "# Green tea\n")
    configured(vault, 'archive_folders = ["old/archive/"]\n')
    run = runner(vault)
    assert run("archive", "tea/green.md", "--json").json["path"] == "old/archive/tea/green.md"
    assert (
        run("remember", "tea", "--json").json["archive"][0]["path"]
        == "old/archive/tea/green.md"
    )
    assert run("restore", "old/archive/tea/green.md", "--json").json["path"] == "tea/green.md"
    assert contents(vault).keys() == {"tea/green.md", ".brain/config.toml"}
    assert not (vault.folder / "old" / "archive" / "tea").exists()


def test_a_broken_journal_is_set_aside_and_edits_go_on(vault: Vault) -> None:
    vault.note("tea.md", "# Green tea\n")
    vault.note("cup.md", "# Cup\n")
    run = runner(vault)
    run("archive", "cup.md")
    [last] = vault.brain.home.rglob("changes/*.json")
    pending = last.parent.with_name("pending.json")
    pending.write_text("[")
    answer = run("archive", "tea.md")
    assert answer.code == 0
    assert f"it was set aside: {pending.with_name('set-aside-1.json')}" in answer.err
    assert "set aside" not in run("restore", "archive/tea.md").err


def test_the_state_folder_is_the_users_alone(vault: Vault) -> None:
    vault.note("tea.md", "# Green tea\n")
    run = runner(vault)
    run("remember", "tea")
    state = Path(run("config", "--json").json["places"]["history"])
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (state, state.parent)] == [
        0o700,
        0o700,
    ]


READ_ONLY = 'mount -t tmpfs none "$0" && echo "# Tea" >"$0/tea.md" && mount -o remount,ro "$0" && exec "$@"'


@pytest.mark.exhaustive
def test_on_a_read_only_disk_the_note_is_named_and_what_to_do(vault: Vault) -> None:
    mounted = [
        "unshare",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        READ_ONLY,
        str(vault.folder),
    ]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*mounted, "true"], check=False).returncode
    ):
        pytest.skip("no file system can be mounted here")
    for command in (["pin", "tea.md"], ["archive", "tea.md"], ["add", "Cup"]):
        done = subprocess.run(
            [*mounted, sys.executable, "-m", "brain_cli", *command, "--vault", str(vault.folder)],
            capture_output=True, text=True, check=False, input="A cup.\n", env=vault.brain.environ(),
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (3, "")
        assert "Read-only file system" in done.stderr
        assert "Mount the file system for writing" in done.stderr
        assert "Nothing was changed." in done.stderr
        assert "brain-tmp" not in done.stderr
        assert (".md: " in done.stderr) or ("note" in done.stderr)
