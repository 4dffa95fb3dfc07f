"""Git hooks and commits, with real git: nothing of the user's is lost, and a commit never fails
because of brain.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Answer, Brain, Vault
from examples import few_every_day

from brain_cli.plugins.agents.commit_notes import Commit, worth_remembering

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Repository:
    """A git repository, with `brain` on the hooks' PATH."""

    def __init__(self, folder: Path, brain: Brain, vault: Path) -> None:
        self.folder = folder
        self.brain = brain
        self.vault = vault
        self.bin = folder.parent / f"{folder.name}-bin"
        self.bin.mkdir(parents=True)
        script = self.bin / "brain"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m brain_cli "$@"\n')
        script.chmod(0o755)
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", "-b", "main")

    @property
    def environ(self) -> dict[str, str]:
        path = f"{self.bin}:{os.environ['PATH']}"
        return {
            **self.brain.environ(),
            **IDENTITY,
            "PATH": path,
            "BRAIN_VAULT": str(self.vault),
        }

    def git(self, *arguments: str, check: bool = True, **environ: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**self.environ, **environ},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def commit(self, message: str, file: str = "code.py", at: int = 0, **environ: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{path.read_text() if path.exists() else ''}{message}\n")
        self.git("add", "-A")
        date = {"GIT_AUTHOR_DATE": f"{1_790_000_000 + at} +0000"} if at else {}
        self.git("commit", "-q", "-m", message, check=True, **date, **environ)

    def run(self, *arguments: str) -> Answer:
        return self.brain(*arguments, cwd=self.folder, env={"BRAIN_VAULT": str(self.vault)})

    def notes(self, at_least: int = 0) -> list[str]:
        """Return the notes of the vault, once the hooks' background processes have written this
        many.
        """
        until = time.monotonic() + 20
        while len(list(self.vault.rglob("*.md"))) < at_least and time.monotonic() < until:
            time.sleep(0.05)
        return [path.read_text() for path in sorted(self.vault.rglob("*.md"))]

    def hook(self, name: str = "post-commit") -> Path:
        return self.folder / self.git("rev-parse", "--git-path", f"hooks/{name}").strip()


@pytest.fixture
def repository(tmp_path: Path, vault: Vault) -> Repository:
    return Repository(tmp_path / "shop", vault.brain, vault.folder)


HISTORY = [
    ("feat(cart): keep carts for a week", "feature"),
    ("fix: stop the double charge on retry", "bugfix"),
    ("refactor: split the tax rules by country", "refactor"),
    ("Use PostgreSQL instead of MySQL", "decision"),
]
TRIVIAL = [
    "wip",
    "fixup! fix: stop the double charge on retry",
    "chore: bump dependencies",
    "typo",
    "style: format",
    "v1.2.0",
]


def test_history_becomes_notes_and_trivial_commits_do_not(repository: Repository) -> None:
    for number, subject in enumerate([*(subject for subject, _ in HISTORY), *TRIVIAL]):
        repository.commit(subject, at=number + 1)
    repository.git("checkout", "-q", "-b", "side", "HEAD~3")
    repository.commit("docs: explain", "docs.txt", at=50)
    repository.git("checkout", "-q", "main")
    repository.git(
        "merge", "-q", "--no-ff", "-m", "Merge branch 'side' because of docs", "side"
    )
    answer = repository.run("capture", "git", "--json")
    assert (answer.json["stored"], answer.json["seen"]) == (
        len(HISTORY),
        len(HISTORY) + len(TRIVIAL) + 2,
    )
    notes = repository.notes()
    for subject, kind in HISTORY:
        title = subject.partition(": ")[2] or subject
        [note] = [each for each in notes if title[1:] in each]
        assert f"type: {kind}" in note
        assert "files: [code.py]" in note
        assert "project: shop" in note
        assert ("salience: 0.65" in note.replace('"', "")) == (kind == "decision")


@pytest.mark.parametrize(
    ("message", "file", "kind"),
    [
        ("Count a correction as decided when it is known", "code.py", None),
        ("Build the index anew, because it counts more", "code.py", None),
        ("Build the index anew\n\nIt counts more now, because templates have fields.", "code.py", "decision"),
        ("Quote passages instead of sentences", "code.py", "decision"),
        ("We decided to keep one index", "code.py", "decision"),
        ("Add a case with two carts", "tests/test_cart.py", None),
        ("Add a case with two carts\n\nThe second one was lost at midnight, once a week, until now.",
         "tests/test_cart.py", "feature"),
        ("fix: compare carts by day", "tests/test_cart.py", "bugfix"),
        ("[test] Ask for every API once\n\nNo test asks for this one, and it is a good check.", "code.py", None),
        ("Use add_array instead of add_sorted_array", "code.py", None),
        ("Fix memory leak", "code.py", None),
        ("Fix the leak again\n\nhttps://example.org/bugs/102141 and /usr/lib\n\nReviewed-by: Bo", "code.py", None),
        ("Fix the leak\n\nA cache that nobody closes keeps its files, one a minute.", "code.py", "bugfix"),
    ],
)  # fmt: skip
def test_a_commit_is_a_note_if_its_author_says_more_than_what_was_changed(
    message: str, file: str, kind: str | None
) -> None:
    subject, _, body = message.partition("\n\n")
    commit = Commit("a" * 40, ("b",), "ann@example.org", 1, subject, body, (file,))
    assert worth_remembering(commit) == kind


def test_a_commit_links_the_notes_that_it_names_also_when_amended(
    repository: Repository, vault: Vault
) -> None:
    vault.note("decisions/grpc.md", "# Switch to gRPC\n")
    vault.note("code.md", "# Code\n")
    repository.commit(
        "fix: stop the double charge\n\nIt came with the switch to gRPC, in `code.py`.", at=1
    )
    for number in range(2):
        repository.run("capture", "git")
        [note] = [each for each in repository.notes() if "double charge" in each]
        assert 'related: ["[[decisions/grpc]]"]\n' in note
        assert "files: [code.py]\n" in note
        message = (
            f"fix: stop the double charge again\n\nIt came {number} times with switch to gRPC."
        )
        repository.git("commit", "-q", "--amend", "-m", message)


def test_the_same_commit_makes_no_second_note_also_when_amended_or_rebased(
    repository: Repository,
) -> None:
    repository.commit("chore: start", at=1)
    repository.commit("fix: stop the double charge", at=2)
    assert repository.run("capture", "git").out == "Made 1 note from 2 commits, updated 0.\n"
    repository.run("capture", "git")
    assert len(repository.notes()) == 1
    repository.git("commit", "-q", "--amend", "-m", "fix: stop the double charge on retries")
    repository.run("capture", "git")
    [amended] = repository.notes()
    assert "on retries" in amended
    repository.git("checkout", "-q", "-b", "other", "HEAD~1")
    repository.commit("chore: elsewhere", "other.txt", at=3)
    repository.git("checkout", "-q", "main")
    repository.git("rebase", "-q", "other")
    repository.run("capture", "git")
    [rebased] = repository.notes()
    assert repository.git("rev-parse", "HEAD").strip() in rebased


def edited(repository: Repository, title: str = "") -> Path:
    """Edit the only note as a user does: an own section, pinned and snoozed, and maybe another
    title.
    """
    [path] = repository.vault.rglob("*.md")
    note = str(path.relative_to(repository.vault))
    for command in (["pin", note], ["snooze", note, "2w"]):
        assert repository.run(*command).code == 0
    text = path.read_text()
    if title:
        text = "".join(
            f"# {title}\n" if line.startswith("# ") else line
            for line in text.splitlines(keepends=True)
        )
    path.write_text(f"{text}\n## Why\n\nThe bank asked for it.\n")
    return path


def unquoted(text: str) -> str:
    """Return a note without quotation marks, which a hash needs in YAML if it begins with a digit."""
    return text.replace('"', "")


def test_a_note_that_the_user_edited_keeps_his_words_when_the_commit_is_rebased(
    repository: Repository,
) -> None:
    repository.commit("chore: start", at=1)
    repository.commit("fix: stop the double charge", at=2)
    repository.run("capture", "git")
    before = repository.git("rev-parse", "HEAD").strip()
    path = edited(repository)
    text = path.read_text()
    repository.git("checkout", "-q", "-b", "other", "HEAD~1")
    repository.commit("chore: elsewhere", "other.txt", at=3)
    repository.git("checkout", "-q", "main")
    repository.git("rebase", "-q", "other")
    assert (
        repository.run("capture", "git", "--since", "30y", "--known", "--json").json["updated"]
        == 1
    )
    after = repository.git("rev-parse", "HEAD").strip()
    assert unquoted(path.read_text()) == unquoted(text).replace(before, after).replace(
        before[:12], after[:12]
    )
    assert "pinned: true" in text
    assert len(repository.notes()) == 1


@pytest.mark.parametrize("title", ["", "Double charges"])
@pytest.mark.parametrize("message", ["stop the double charge on retries", "stop the double"])
def test_a_line_says_that_an_edited_note_s_commit_has_another_message_now(
    repository: Repository, title: str, message: str
) -> None:
    repository.commit("chore: start", at=1)
    repository.commit("fix: stop the double charge", at=2)
    repository.run("capture", "git")
    before = repository.git("rev-parse", "HEAD").strip()
    path = edited(repository, title)
    text = path.read_text()
    for _ in range(3):
        repository.git("commit", "-q", "--amend", "-m", f"fix: {message}")
        repository.git(
            "commit", "-q", "--amend", "--no-edit", GIT_COMMITTER_DATE="1790000900 +0000"
        )
        repository.run("capture", "git")
    after = repository.git("rev-parse", "HEAD").strip()
    line = f"The commit was rewritten as {after[:12]}: {message}"
    assert unquoted(path.read_text()) == f"{unquoted(text).replace(before, after)}\n{line}\n"


def test_a_note_that_an_older_brain_made_is_recognized_and_counts_as_edited(
    repository: Repository,
) -> None:
    repository.commit("chore: start", at=1)
    repository.commit("fix: stop the double charge", at=2)
    before = repository.git("rev-parse", "HEAD").strip()
    repository.vault.joinpath("old.md").write_text(
        f"---\ntype: bugfix\ncommit: {before}\ncommit_id: ada@example.org@1790000002\n---\n\n# Mine\n\nMy words.\n"
    )
    repository.git("commit", "-q", "--amend", "-m", "fix: stop the double charge on retries")
    answer = repository.run("capture", "git", "--json")
    assert (answer.json["stored"], answer.json["updated"]) == (0, 1)
    [note] = repository.notes()
    assert "# Mine\n\nMy words.\n" in note
    assert repository.git("rev-parse", "HEAD").strip() in note


def test_a_commit_of_another_repository_never_touches_a_note(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("chore: start", at=1)
    repository.commit("fix: stop the double charge", at=2)
    repository.run("capture", "git")
    [note] = repository.notes()
    other = Repository(tmp_path / "elsewhere" / "shop", repository.brain, repository.vault)
    other.commit("fix: stop the double charge", "other.py", at=2)
    assert other.run("capture", "git", "--json").json["stored"] == 1
    other.git("commit", "-q", "--amend", "-m", "fix: stop the double charge for good")
    assert other.run("capture", "git", "--json").json["updated"] == 1
    assert note in repository.notes()
    assert len(repository.notes()) == 2


@pytest.mark.parametrize(
    "sign", ["\x1e", "\x1f", "\x1e\x1f" * 9, "\x1e" + "0" * 40 + "\x1f" * 7]
)
def test_no_character_of_a_message_voids_a_capture_or_forges_a_commit(
    repository: Repository, sign: str
) -> None:
    repository.commit("fix: the first thing", at=1)
    repository.commit(
        f"fix: the second {sign} thing\n\nBecause of{sign}this.", f"a{sign}b.py", at=2
    )
    repository.commit("fix: the third thing", at=3)
    answer = repository.run("capture", "git", "--json")
    assert (answer.json["seen"], answer.json["stored"]) == (3, 3), answer.err


def test_a_null_character_in_a_message_forges_no_commit(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("fix: the first thing", at=1)
    forged = b"\0\0" + b"0" * 40 + b"\0\0me\0me@example.org\x001\0fix: a forged thing\0\0\0"
    commit = (
        repository.git("cat-file", "commit", "HEAD")
        .encode()
        .replace(b"first", b"second" + forged)
    )
    (tmp_path / "commit").write_bytes(commit + forged)
    made = ["hash-object", "-t", "commit", "-w", "--literally", str(tmp_path / "commit")]
    repository.git("reset", "-q", "--hard", repository.git(*made).strip())
    assert repository.run("capture", "git", "--json").code == 0
    assert not any("forged" in note for note in repository.notes())


def test_the_mailmap_of_a_repository_is_not_read(repository: Repository) -> None:
    repository.commit("fix: the first thing", at=1)
    os.mkfifo(repository.folder / "pipe")
    repository.git("config", "mailmap.file", "pipe")
    repository.git("config", "diff.orderFile", "pipe")
    assert repository.run("capture", "git", "--json").json["stored"] == 1


def test_two_commits_of_one_second_are_two_notes(repository: Repository) -> None:
    repository.commit("fix: round prices up", at=1)
    repository.commit("fix: round taxes down", "tax.py", at=1)
    repository.run("capture", "git")
    assert len(repository.notes()) == 2


@pytest.mark.parametrize("known", [[], ["--known"]])
def test_after_a_rebase_a_note_stays_with_its_commit_also_beside_another_of_that_second(
    repository: Repository, known: list[str]
) -> None:
    repository.commit("chore: start", at=1)
    repository.commit("fix: round prices up", at=2)
    repository.commit("fix: round taxes down", "tax.py", at=2)
    repository.run("capture", "git", "--commit", "HEAD")
    path = edited(repository)
    repository.git("checkout", "-q", "-b", "other", "HEAD~2")
    repository.commit("chore: elsewhere", "other.txt", at=3)
    repository.git("checkout", "-q", "main")
    repository.git("rebase", "-q", "other")
    repository.run("capture", "git", "--since", "30y", *known)
    text = path.read_text()
    assert repository.git("rev-parse", "HEAD").strip() in text
    assert "was rewritten" not in text
    assert len(repository.notes()) == (1 if known else 2)


def test_a_commit_is_captured_by_the_hook(repository: Repository) -> None:
    assert repository.run("hooks", "install", "--capture").code == 0
    repository.commit("fix: stop the double charge")
    [note] = repository.notes(at_least=1)
    assert "stop the double charge" in note


@pytest.mark.exhaustive
def test_a_commit_from_a_worktree_and_a_subfolder_belongs_to_the_main_project(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("chore: start")
    repository.run("hooks", "install", "--capture")
    repository.git("worktree", "add", "-q", str(tmp_path / "elsewhere"))
    folder = tmp_path / "elsewhere" / "deep"
    folder.mkdir()
    (folder / "a.txt").write_text("x")
    subprocess.run(
        "git add . && git commit -qm 'fix: a thing deep below'",
        shell=True,
        cwd=folder,
        env=repository.environ,
        check=True,
    )
    [note] = repository.notes(at_least=1)
    assert "project: shop" in note
    assert "deep/a.txt" in note


def test_in_a_vault_the_hooks_keep_the_index_fresh(repository: Repository) -> None:
    repository.vault = repository.folder
    (repository.folder / "tea.md").write_text("# Tea\n")
    assert repository.run("hooks", "install").code == 0
    repository.commit("Add tea", "oolong.md")
    until = time.monotonic() + 20
    while not list(repository.brain.cache.rglob("current")) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(repository.brain.cache.rglob("current"))


@pytest.mark.exhaustive
def test_a_checkout_on_a_terminal_shows_what_is_known(repository: Repository) -> None:
    repository.vault.joinpath("carts.md").write_text(
        "---\npinned: true\nproject: shop\n---\n# Carts expire\n\nAfter a week.\n"
    )
    assert repository.run("hooks", "install", "--context").code == 0
    repository.commit("one")
    assert "Carts expire" not in repository.git("checkout", "-q", "-b", "in-a-pipe")
    reader, terminal = pty.openpty()
    subprocess.run(
        ["git", "checkout", "-q", "-b", "other"],
        cwd=repository.folder,
        env=repository.environ,
        stdout=terminal,
        stderr=terminal,
        check=True,
    )
    os.close(terminal)
    assert b"Carts expire" in os.read(reader, 65_536)
    os.close(reader)


def test_a_repository_that_is_not_a_vault_needs_an_option(repository: Repository) -> None:
    answer = repository.run("hooks", "install")
    assert answer.code == 2
    assert "--capture" in answer.err


EXISTING = {
    "a shell script": "#!/bin/sh\necho ran >> log\nexit 0\n",
    "bash by env": "#!/usr/bin/env bash\necho ran >> log\n",
    "a strict shell": "#!/bin/sh -e\necho ran >> log\n",
    "another language": f"#!{sys.executable}\nopen('log', 'a').write('ran\\n')\n",
}


@pytest.mark.parametrize("script", few_every_day(EXISTING.values(), 1), ids=EXISTING.keys())
def test_an_existing_hook_still_runs_and_comes_back_as_it_was(
    repository: Repository, script: str
) -> None:
    hook = repository.hook()
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(script)
    hook.chmod(0o755)
    repository.run("hooks", "install", "--capture")
    repository.run("hooks", "install", "--capture")
    repository.commit("fix: stop the double charge")
    assert (repository.folder / "log").read_text() == "ran\n"
    assert len(repository.notes(at_least=1)) == 1
    assert repository.run("hooks", "uninstall", "--json").json["removed"] == 3
    assert hook.read_text() == script
    assert [
        path.name for path in hook.parent.iterdir() if not path.name.endswith(".sample")
    ] == ["post-commit"]


def test_hooks_of_a_configured_folder_and_of_husky_are_the_ones_changed(
    repository: Repository,
) -> None:
    (repository.folder / "ci-hooks").mkdir()
    repository.git("config", "core.hooksPath", "ci-hooks")
    repository.run("hooks", "install", "--capture")
    assert (repository.folder / "ci-hooks" / "post-commit").exists()
    repository.run("hooks", "uninstall")
    assert not list((repository.folder / "ci-hooks").iterdir())
    (repository.folder / ".husky" / "_").mkdir(parents=True)
    (repository.folder / ".husky" / "post-commit").write_text("npm run noted\n")
    repository.git("config", "core.hooksPath", ".husky/_")
    repository.run("hooks", "install", "--capture")
    assert "npm run noted" in (repository.folder / ".husky" / "post-commit").read_text()
    repository.run("hooks", "uninstall")
    assert (repository.folder / ".husky" / "post-commit").read_text() == "npm run noted\n"


@pytest.mark.exhaustive
def test_a_hooks_folder_that_all_repositories_share_is_not_changed(
    repository: Repository, tmp_path: Path
) -> None:
    shared = tmp_path / "shared-hooks"
    shared.mkdir()
    for name in ("pre-commit", "post-commit"):
        (shared / name).write_text(f"#!/bin/sh\necho {name} >> log\n")
        (shared / name).chmod(0o755)
    repository.git("config", "--global", "core.hooksPath", str(shared))
    repository.run("hooks", "install", "--capture")
    installed = repository.run("hooks", "install", "--capture", "--json").json["hooks"]
    assert [
        hook["chained"] for hook in installed if hook["name"] in ("post-commit", "post-merge")
    ] == [True, False]
    repository.commit("fix: stop the double charge")
    assert (repository.folder / "log").read_text() == "pre-commit\npost-commit\n"
    assert len(repository.notes(at_least=1)) == 1
    assert sorted(path.name for path in shared.iterdir()) == ["post-commit", "pre-commit"]
    repository.run("hooks", "uninstall")
    assert repository.git("config", "core.hooksPath").strip() == str(shared)
    assert not (repository.folder / ".git" / "brain-hooks").exists()


def test_a_hooks_path_of_the_repository_that_leads_elsewhere_is_set_again(
    repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "team").mkdir()
    repository.git("config", "core.hooksPath", str(tmp_path / "team"))
    repository.run("hooks", "install", "--capture")
    assert repository.hook().parent.name == "brain-hooks"
    repository.run("hooks", "uninstall")
    assert repository.git("config", "--local", "core.hooksPath").strip() == str(
        tmp_path / "team"
    )


@pytest.mark.exhaustive
def test_every_commit_that_a_merge_brings_is_captured(repository: Repository) -> None:
    repository.commit("chore: start")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("fix: one thing in the cart")
    repository.commit("feat: another thing in the cart")
    repository.git("checkout", "-q", "main")
    repository.run("hooks", "install", "--capture")
    repository.git("merge", "-q", "side")
    assert len(repository.notes(at_least=2)) == 2


@pytest.mark.exhaustive
def test_commits_in_quick_succession_are_all_captured(repository: Repository) -> None:
    repository.run("hooks", "install", "--capture")
    for number in range(5):
        repository.commit(f"fix: thing number {number}")
    assert len(repository.notes(at_least=5)) == 5


@pytest.mark.exhaustive
def test_hooks_that_run_at_the_same_time_make_one_note_of_a_commit(
    repository: Repository,
) -> None:
    repository.commit("chore: start")
    repository.commit("feat: side feature one", at=5)
    before = repository.git("rev-parse", "HEAD").strip()
    repository.git(
        "commit",
        "-q",
        "--amend",
        "--no-edit",
        "--date",
        "1790000005 +0000",
        GIT_COMMITTER_DATE="1790000009 +0000",
    )
    after = repository.git("rev-parse", "HEAD").strip()
    command = [sys.executable, "-m", "brain_cli", "capture", "git", "--commit"]
    running = [
        subprocess.Popen([*command, each], cwd=repository.folder, env=repository.environ)
        for each in (before, after, before, after)
    ]
    assert [each.wait(60) for each in running] == [0, 0, 0, 0]
    [note] = repository.notes()
    assert after in note


def test_a_rebase_makes_no_notes_of_commits_that_had_none(repository: Repository) -> None:
    repository.commit("fix: an old thing")
    answer = repository.run("capture", "git", "--since", "30d", "--known", "--json")
    assert (answer.json["seen"], answer.json["stored"]) == (1, 0)


@pytest.mark.exhaustive
def test_hooks_of_a_submodule_and_of_a_bare_repository_are_their_own(
    repository: Repository, tmp_path: Path
) -> None:
    part = Repository(tmp_path / "part", repository.brain, repository.vault)
    part.commit("chore: start")
    repository.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(part.folder),
        "lib/part",
    )
    part.folder = repository.folder / "lib" / "part"
    part.run("hooks", "install", "--capture")
    part.commit("fix: inside the submodule")
    [note] = part.notes(at_least=1)
    assert "project: part" in note
    repository.git("clone", "-q", "--bare", str(part.folder), str(tmp_path / "store.git"))
    part.folder = tmp_path / "store.git"
    assert part.run("hooks", "install", "--capture").code == 0
    assert part.run("capture", "git", "--json").json["stored"] == 0
    part.git("worktree", "add", "-q", str(tmp_path / "tree"))
    part.folder = tmp_path / "tree"
    part.commit("fix: from the worktree of a bare repository")
    assert any("project: store" in note for note in part.notes(at_least=2))


def test_a_commit_that_looks_like_an_option_is_refused(repository: Repository) -> None:
    repository.commit("fix: one thing")
    answer = repository.run("capture", "git", "--commit=--output=stolen")
    assert answer.code == 2
    assert not (repository.folder / "stolen").exists()


def test_a_commit_succeeds_where_brain_is_missing_or_broken(repository: Repository) -> None:
    repository.run("hooks", "install", "--capture")
    (repository.bin / "brain").write_text("#!/bin/sh\nexit 70\n")
    repository.commit("fix: one thing")
    (repository.bin / "brain").unlink()
    repository.commit("fix: another thing")


def test_status_says_which_hooks_are_there(repository: Repository) -> None:
    before = repository.run("hooks", "status", "--json").json["hooks"]
    repository.run("hooks", "install", "--capture")
    after = repository.run("hooks", "status", "--json").json["hooks"]
    assert not any(hook["installed"] for hook in before)
    assert {hook["name"] for hook in after if hook["installed"]} == {
        "post-commit",
        "post-merge",
        "post-rewrite",
    }


def test_outside_a_repository_is_an_error_in_a_sentence(vault: Vault) -> None:
    answer = vault.brain("hooks", "status", cwd=vault.folder)
    assert (answer.code, "git repository" in answer.err) == (3, True)
    installed = vault.brain("hooks", "install", cwd=vault.folder.parent)
    assert (installed.code, "git repository" in installed.err) == (3, True)


def test_agent_hooks_are_not_written_without_being_asked(repository: Repository) -> None:
    answer = repository.run("hooks", "agent", "--write")
    assert (answer.code, "--yes" in answer.err) == (2, True)
    assert not (repository.folder / ".claude").exists()
    printed = json.loads(repository.run("hooks", "agent").out)["hooks"]["PostToolUse"][0][
        "hooks"
    ][0]["command"]
    assert printed.startswith("brain capture --vault ")


@pytest.mark.exhaustive
def test_the_configuration_of_a_repository_starts_no_program_when_commits_are_captured(
    vault: Vault, tmp_path: Path
) -> None:
    repository = Repository(tmp_path / "hostile", vault.brain, vault.folder)
    repository.commit("fix: keep the orders of a lost connection")
    signed = repository.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n", 1
    )
    (tmp_path / "commit").write_text(signed)
    full_hash = repository.git(
        "hash-object", "-t", "commit", "-w", str(tmp_path / "commit")
    ).strip()
    repository.git("reset", "-q", "--hard", full_hash)
    started, program = tmp_path / "started", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o755)
    repository.git("config", "log.showSignature", "true")
    for key in (
        "gpg.program",
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "core.sshCommand",
    ):
        repository.git("config", key, str(program))
    repository.git("log", "-1")
    assert started.exists(), "git itself starts the program, so the test shows something"
    started.unlink()
    captured = vault.brain.process(
        "capture", "git", "--vault", vault.folder, cwd=repository.folder
    )
    assert captured.code == 0, captured.err
    assert [path.read_text() for path in vault.folder.rglob("*.md")]
    assert not started.exists()


@pytest.mark.exhaustive
def test_hooks_name_their_vault_and_a_program_that_starts_without_the_shell_s_environment(
    repository: Repository,
) -> None:
    """An editor commits with its own environment, which has neither BRAIN_VAULT nor the folder of
    brain in PATH.
    """
    done = subprocess.run(
        ["brain", "hooks", "install", "--capture"],
        cwd=repository.folder,
        env=repository.environ,
        check=False,
    )
    assert done.returncode == 0
    text = repository.hook().read_text()
    assert f"--vault {repository.vault}" in text
    assert "timeout" in text
    repository.commit("fix: stop the double charge", BRAIN_VAULT="", PATH=os.environ["PATH"])
    assert "stop the double charge" in repository.notes(at_least=1)[0]
    assert f"vault: {repository.vault}\n" in repository.run("hooks").out
    assert {
        each["vault"]
        for each in repository.run("hooks", "--json").json["hooks"]
        if each["installed"]
    } == {str(repository.vault)}
    assert (
        f"post-commit, post-merge, post-rewrite → {repository.vault}"
        in repository.run("status").out
    )


def test_hooks_without_a_vault_are_refused(repository: Repository) -> None:
    answer = repository.brain("hooks", "install", "--capture", cwd=repository.folder)
    assert answer.code == 3
    assert "There is no vault here" in answer.err
    assert not repository.hook().exists()


def odd_commit(repository: Repository, author: bytes, message: bytes, number: int) -> None:
    """Commit bytes that `git commit` would refuse."""
    head, tree = repository.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    lines = [
        f"tree {tree}\nparent {head}\nauthor ".encode() + author,
        b"committer a <a> 1795829873 +0000\n",
        message,
    ]
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
        cwd=repository.folder,
        input=b"\n".join(lines),
        capture_output=True,
        check=True,
    )
    repository.git("update-ref", "HEAD", done.stdout.decode().strip())


ODD = [bytes([each]) for each in (1, 9, 13, 27, 127, 128, 133, 160, 255)]
ODD += [each.encode() for each in ("\u2028", "\ufeff", "\ufffe", "\u202e", "\U000e0001")]


def test_commits_of_any_bytes_become_notes_and_one_that_cannot_is_named(
    repository: Repository, vault: Vault
) -> None:
    repository.git("commit", "-q", "--allow-empty", "-m", "fix: first because of the reason")
    for number, odd in enumerate(ODD):
        author = b"a <a" + odd + b"@c> %d +0000" % (1795829000 + number)
        odd_commit(repository, author, b"fix: mail %d because" % number, number)
        author = b"a <b@c> %d +0000" % (1795839000 + number)
        message = b"fix: subject " + odd + b" %d because\n\nWe decided " % number + odd
        odd_commit(repository, author, message, number)
    for number, author in enumerate(
        (b"a", b"a <a> 99999999999999999999 +0000", b"a <a> x +0000")
    ):
        odd_commit(repository, author, b"fix: author %d because" % number, number)
    for number, body in enumerate((b"---\na: [b\n---\n", b"+++\na = {\n+++\n")):
        message = b"fix: body %d\n\n" % number + body + b"decided to do so"
        odd_commit(repository, b"a <b@c> 1795849000 +0000", message, number)
    (repository.folder / "\u2028").write_text("x")
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "fix: a file because")
    repository.git("commit", "-q", "--allow-empty", "-m", "fix: a later one because of that")
    answer = repository.brain(
        "capture", "git", "--since", "1y", "--vault", vault.folder, cwd=repository.folder
    )
    assert answer.code == 0
    hash_of_file = repository.git("rev-parse", "HEAD~1")[:12]
    assert f"No note can be made of commit {hash_of_file}" in answer.err
    assert answer.err.count("\n") == 2
    assert "To undo: brain undo 1" in answer.err
    assert f"Made {2 * len(ODD) + 7} notes from {2 * len(ODD) + 8} commits" in answer.out
    doctor = vault.brain("doctor", "--json", "--vault", vault.folder).json
    states = {each["name"]: each["state"] for each in doctor["checks"]}
    assert states["frontmatter"] == "fine"
