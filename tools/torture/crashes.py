"""Kill every editing command at every system call that changes the disk; then make another edit, and
undo the killed command.

    python tools/torture/crashes.py [--every N] [--faults KILL,EIO,ENOSPC] [COMMAND …]

The long form of `tests/cli/test_crashes.py`; it takes some minutes and needs strace. With `--faults`
the command runs in a fork, and is killed or gets the error at each change of the file system.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from conftest import Answer, Brain, Vault
from crash import SavedVault, contents, killed_before

from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, SHOWN, Event, History
from brain_cli.paths import vault_name
from brain_cli.plugins.agents.intake import Spool
from brain_cli.plugins.agents.observation import Observation

WRITES = ("write", "pwrite64", "fsync", "ftruncate", "utimensat")
NAMES = ("rename", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "rmdir")
NOTES = {
    "a/x.md": "# Tea in a\n",
    "b/x.md": "# Tea in b\n",
    "b/n.md": "[[a/x]] and [b](x.md)\n",
    "c.md": "[[a/x]]\n",
    "marked.md": "# Marked\n",
}
# A change that only a wrong undo takes back.
MARK = ["pin", "marked.md"]
REVIEW = ["review", "--apply", "--yes", "--all"]
TEXT = "We keep carts in Redis because Postgres polling was too slow."
LINE = '{"title": "Soup", "text": "With leek.", "date": "2024-01-01"}\n'
PAGE, CONFIG = "page.html", "config/brain/config.toml"
HOOKS, SETTINGS = "shop/.git/hooks", "shop/.claude/settings.json"
INSTALL = ["hooks", "install", "--capture"]
AGENT = ["hooks", "agent", "--write", "--yes"]
# A hook in another language than the shell's is kept beside ours, one of the shell's gets our lines.
USERS_HOOKS = {
    "post-commit": "#!/usr/bin/env python3\n",
    "post-merge": "#!/bin/sh\necho merged\n",
}


class Attack(NamedTuple):
    """A command that is killed, the commands that go before, its stdin, and the folder below the
    home where it runs.
    """

    command: list[str]
    before: tuple[list[str], ...] = ()
    stdin: str = ""
    folder: str = ""
    # Several files that belong to no vault are written one after the other; the command is then to be
    # repeated.
    is_whole: bool = True

    @property
    def appends(self) -> bool:
        """Return whether repeating the command writes a second time."""
        return "--append" in self.command or "mcp" in self.command


def call(tool: str, **arguments: str) -> str:
    """Return the lines with which a client of `brain mcp` calls a tool."""
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)


ATTACKS: dict[str, Attack] = {
    "remember": Attack(["remember", "tea"]),
    "archive": Attack(["archive", "a/x.md"]),
    "archive-status": Attack(["archive", "a/x.md", "--status"]),
    "restore": Attack(["restore", "archive/a/x.md"], (["archive", "a/x.md"],)),
    "review": Attack(REVIEW),
    "undo-review": Attack(["undo"], (REVIEW,)),
    "mv": Attack(["mv", "a/x.md", "d/y.md"]),
    "undo": Attack(["undo"], (["archive", "a/x.md", "b/n.md"],)),
    "undo-mv": Attack(["undo"], (["mv", "a/x.md", "d/y.md"],)),
    "undo-forget": Attack(["undo"], (["forget", "c.md", "--yes"],)),
    "undo-forget-several": Attack(["undo"], (["forget", "c.md", "a/x.md", "--yes"],)),
    "undo-import": Attack(["undo"], (["import", "jsonl", "lines.jsonl"],)),
    "undo-add": Attack(["undo"], (["add", "Green tea"],)),
    "undo-pin": Attack(["undo"], (["pin", "c.md", "b/x.md"],)),
    "pin": Attack(["pin", "c.md"]),
    "pin-several": Attack(["pin", "c.md", "b/x.md", "a/x.md"]),
    "unpin": Attack(["unpin", "c.md"], (["pin", "c.md"],)),
    "add": Attack(["add", "Green tea"]),
    "append": Attack(["add", "--append", "c.md", "Later"]),
    "forget": Attack(["forget", "c.md", "--yes"]),
    "forget-several": Attack(["forget", "c.md", "b/x.md", "a/x.md", "--yes"]),
    "feedback": Attack(["feedback", "c.md", "useful"]),
    "feedback-undo": Attack(
        ["feedback", "c.md", "useful", "--undo"], (["feedback", "c.md", "useful"],)
    ),
    "snooze": Attack(["snooze", "c.md", "2w"]),
    "capture": Attack(["capture", "--flush"]),
    "capture-git": Attack(["capture", "git"], folder="shop"),
    "import": Attack(["import", "jsonl", "lines.jsonl"]),
    "report": Attack(["report", "--out", PAGE], (["report", "--out", PAGE],)),
    "config": Attack(["config", "set", "limit", "9"], (["config", "set", "limit", "4"],)),
    "config-unset": Attack(["config", "unset", "limit"], (["config", "set", "limit", "4"],)),
    "init": Attack(["init", "--history"]),
    "index": Attack(["index", "--full"]),
    "mcp": Attack(["mcp"], stdin=call("archive", note="a/x.md")),
    "hooks": Attack(INSTALL, folder="shop", is_whole=False),
    "hooks-again": Attack(INSTALL, (INSTALL,), folder="shop", is_whole=False),
    "hooks-uninstall": Attack(
        ["hooks", "uninstall"], (INSTALL,), folder="shop", is_whole=False
    ),
    "agent": Attack(AGENT, folder="shop"),
    "agent-undo": Attack(["hooks", "agent", "--undo", "--yes"], (AGENT,), folder="shop"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="kill at every N-th call of a kind only",
    )
    parser.add_argument(
        "--faults", default="", metavar="FAULT,…", help="KILL or names of errors"
    )
    parser.add_argument(
        "names", nargs="*", metavar="COMMAND", choices=[[], *ATTACKS], help=", ".join(ATTACKS)
    )
    arguments = parser.parse_args()
    failures = total = 0
    for name in arguments.names or ATTACKS:
        kills, failed = 0, 0
        for problem in problems(ATTACKS[name], arguments.every, arguments.faults):
            kills += 1
            failed += bool(problem)
            if problem:
                print(f"{name}: {problem}")
        print(f"{name}: killed {kills} times, {failed} failures", flush=True)
        failures, total = failures + failed, total + kills
    print(f"killed {total} times, {failures} failures")
    return 1 if failures else 0


def problems(attack: Attack, every: int = 1, faults: str = "") -> Iterator[str]:
    """Kill a command at every n-th of its calls; yield what was wrong afterwards, empty where
    nothing was.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder), attack)
        if faults and attack.command != ["mcp"]:
            for fault in faults.split(","):
                yield from scene.problems_of(fault, every)
            return
        for call in (*WRITES, *NAMES):
            number = every // 2 + 1
            while killed(scene, call, number):
                yield scene.problem(f"{call} {number}")
                number += every


class Scene:
    """A vault and a repository as they are before a command, and how they look before and after it."""

    def __init__(self, folder: Path, attack: Attack) -> None:
        self.attack = attack
        self.vault = prepared(folder)
        for each in (MARK, *attack.before):
            assert self.run(each).code == 0
        self.old = visible(self.vault)
        self._old_changes = self._changes()
        self._killed = folder / "killed"
        self.saved = SavedVault(self.vault, folder / "saved")
        assert self.run(attack.command).code == 0
        self.new = visible(self.vault)
        self._new_changes = self._changes()

    def arguments(self, command: list[str]) -> list[str]:
        return [*command, "--vault", str(self.vault.folder)]

    def run(self, command: list[str]) -> Answer:
        stdin = self.attack.stdin if command == self.attack.command else ""
        # The server of `brain mcp` reads its own standard input, so it runs in a process of its own.
        run = self.vault.brain.process if command == ["mcp"] else self.vault.brain
        return run(*self.arguments(command), stdin=stdin, cwd=self.folder)

    @property
    def folder(self) -> Path:
        return self.vault.brain.home / self.attack.folder

    def problem(self, moment: str) -> str:
        """Return what is wrong after a kill; empty if nothing is."""
        shutil.rmtree(self._killed, ignore_errors=True)
        state = SavedVault(self.vault, self._killed)
        problem = self._after_the_kill() or self._after_the_next_edit() or self._after_undo()
        state.restore()
        problem = problem or self._after_repetition()
        return f"{moment}: {problem}" if problem else ""

    def _after_the_kill(self) -> str:
        now = visible(self.vault)
        for path in {*now, *self.old, *self.new}:
            if now.get(path) not in (self.old.get(path), self.new.get(path)):
                return f"{path} is neither as before nor as after"
        trash = self.vault.brain.home / "data" / "Trash" / "files"
        kept = [*contents(self.vault.folder), *(contents(trash) if trash.exists() else ())]
        was = [path for path in self.old if path.endswith(".md")]
        return "a note is lost" if sum(path.endswith(".md") for path in kept) < len(was) else ""

    def _after_the_next_edit(self) -> str:
        """Make another edit, which completes or undoes what was begun."""
        kept = "b/n.md" if (self.vault.folder / "b/n.md").exists() else "archive/b/n.md"
        recovered = self.run(["unpin", kept])
        if recovered.code:
            return f"the next edit failed: {recovered.err}"
        if self.attack.is_whole and visible(self.vault) not in (self.old, self.new):
            return "after the next edit the files are neither as before nor as after"
        return "" if is_history_kept(self.vault) else "the history has lost an event"

    def _changes(self) -> list[tuple[str, list[str]]]:
        """Return what can be undone, newest first."""
        listed = self.run(["undo", "--list", "--json"]).json["changes"]
        return [(each["command"], each["notes"]) for each in listed]

    def _after_undo(self) -> str:
        """Undo the killed command, if it has happened and can be undone."""
        changes = self._changes()
        if not self.attack.is_whole:
            return ""
        if changes not in (self._old_changes, self._new_changes):
            return f"the journal lists {changes}"
        if self._new_changes == self._old_changes:
            return ""
        has_happened = changes == self._new_changes
        if self.old != self.new and visible(self.vault) != (
            self.new if has_happened else self.old
        ):
            return "the journal and the files disagree"
        if not has_happened or len(self._new_changes) <= len(self._old_changes):
            return ""
        undone = self.run(["undo", "1"])
        if undone.code or not undone.out.startswith(f"undid: {changes[0][0]} "):
            return f"undo printed {undone.out}{undone.err}"
        if self._changes() != self._old_changes or visible(self.vault) != self.old:
            return "undo has not undone it"
        return "" if self._is_feedback_even() else "undo has not taken the feedback back"

    def _is_feedback_even(self) -> bool:
        """Return whether as much feedback was taken back as before the command."""
        given = self.attack.before == (["feedback", "c.md", "useful"],)
        files = (self.vault.brain.state / vault_name(str(self.vault.folder))).glob("*.jsonl")
        lines = [line for file in files for line in file.read_text().splitlines()]
        events = [json.loads(line)["event"] for line in lines]
        return events.count(FEEDBACK) - events.count(FEEDBACK_UNDONE) == given

    def problems_of(self, fault: str, every: int) -> Iterator[str]:
        """Let every n-th change of the file system fail; yield what was wrong, empty if nothing."""
        number = 1
        while True:
            self.saved.restore()
            answer = self._with_fault(fault, number)
            if answer is None:
                return
            wrong = "" if fault == "KILL" else self._what_it_said(answer)
            yield f"{fault} {number}: {wrong}" if wrong else self.problem(f"{fault} {number}")
            number += every

    def _with_fault(self, fault: str, number: int) -> Answer | None:
        """Run the command in a fork whose n-th change fails; None if it makes fewer."""
        said = self._killed.with_name("said")
        said.write_text(repr((0, "")))

        def fail() -> None:
            if fault == "KILL":
                os.kill(os.getpid(), signal.SIGKILL)
            code = getattr(errno, fault)
            raise OSError(code, os.strerror(code), "a file")

        def run() -> None:
            answer = self.run(self.attack.command)
            os.write(handle, repr((answer.code, answer.err)).encode())

        handle = os.open(said, os.O_WRONLY | os.O_TRUNC)
        is_reached = killed_before(number, run, str(self.vault.brain.cache), fail, syncs=True)
        os.close(handle)
        if not is_reached:
            return None
        code, err = eval(said.read_text() or "(0, '')")
        return Answer(code, "", err)

    def _what_it_said(self, answer: Answer) -> str:
        """Return what was wrong with the answer to an error of the system."""
        now = visible(self.vault)
        if answer.code not in (0, 1, 2, 3) or "bug in brain" in answer.err:
            return f"exit {answer.code}: {answer.err}"
        waits = "cannot become notes yet" in answer.err
        if answer.code == 0 and now != self.new and self.attack.is_whole and not waits:
            return f"exit 0, and it is not done: {answer.err}"
        if answer.code and now != self.old and "Nothing was changed" in answer.err:
            return f"something was changed: {answer.err}"
        if answer.code and now == self.new != self.old:
            return f"exit {answer.code}, though it is done: {answer.err}"
        return ""

    def _after_repetition(self) -> str:
        """Repeat the killed command, as the documentation says."""
        state = self.vault.brain.state / vault_name(str(self.vault.folder))
        is_over = self._changes() == self._new_changes and not (state / "pending.json").exists()
        if self.attack.command == ["undo"] and is_over:
            return ""  # another undo takes back what was before
        repeated = self.run(self.attack.command)
        # Where the command was complete already, its note is found no more.
        if repeated.code not in (0, 2, 3) or "bug in brain" in repeated.err:
            return f"repeated, it failed: {repeated.err}"
        if visible(self.vault) != self.new and not self.attack.appends:
            return f"repeated, it came to something else: {repeated.err}"
        return "" if is_history_kept(self.vault) else "repeated, the history has lost an event"


def prepared(folder: Path) -> Vault:
    (folder / "home").mkdir()
    (folder / "notes").mkdir()
    vault = Vault(folder / "notes", Brain(folder / "home", folder / "home" / "cache"))
    for path, text in NOTES.items():
        vault.note(path, text, date="2024-01-01")
    (vault.brain.home / "lines.jsonl").write_text(LINE)
    (vault.brain.home / HOOKS).mkdir(parents=True)
    subprocess.run(["git", "init", "-q", vault.brain.home / "shop"], check=True)
    commit(vault.brain.home / "shop")
    for name, text in USERS_HOOKS.items():
        hook = vault.brain.home / HOOKS / name
        hook.write_text(text)
        hook.chmod(0o755)
    state = vault.brain.state / vault_name(str(vault.folder))
    History(state, "desk").append([Event(1_700_000_000.0, SHOWN, [])])
    Spool(str(vault.brain.state / "capture")).append(
        Observation("1", 1_700_000_000.0, response=TEXT, folder="/")
    )
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


def commit(folder: Path) -> None:
    """Make two commits that are worth a note, of a known time."""
    ada = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for number, message in enumerate(
        ("fix: stop the double charge", "feat: keep carts for a week")
    ):
        words = [
            *ada,
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            message,
            f"--date=17000000{number:02} +0000",
        ]
        subprocess.run(["git", "-C", folder, *words], check=True)


def killed(scene: Scene, call: str, number: int) -> bool:
    """Run a command anew and kill it at the n-th call of a kind; False if it makes fewer."""
    scene.saved.restore()
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}"]
    strace += ["-e", f"inject={call}:signal=KILL:when={number}"]
    program = [sys.executable, "-m", "brain_cli", *scene.arguments(scene.attack.command)]
    environ = scene.vault.brain.environ(PYTHONPATH=str(Path(__file__).parents[2]))
    stdin = scene.attack.stdin.encode()
    done = subprocess.run(
        [*strace, *program],
        env=environ,
        capture_output=True,
        input=stdin,
        check=False,
        cwd=scene.folder,
    )
    return done.returncode in (-9, 137)


def visible(vault: Vault) -> dict[str, bytes]:
    """Return the content of the notes, and of what commands write beside the vault; a hook must be
    able to run.
    """
    notes = {path: raw for path, raw in contents(vault.folder).items() if not _is_hidden(path)}
    beside = {name: vault.brain.home / name for name in (PAGE, CONFIG, SETTINGS)}
    notes |= {name: path.read_bytes() for name, path in beside.items() if path.exists()}
    hooks = [
        path
        for path in (vault.brain.home / HOOKS).iterdir()
        if path.suffix in ("", ".before-brain")
    ]
    return notes | {
        path.name: path.read_bytes() + b"x" * os.access(path, os.X_OK) for path in hooks
    }


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in Path(path).parts if part != ".brain")


def is_history_kept(vault: Vault) -> bool:
    """Return whether the event that was there before every command is still there."""
    folders = (
        vault.brain.state / vault_name(str(vault.folder)),
        vault.folder / ".brain" / "history",
    )
    files = (file for folder in folders for file in folder.glob("*.jsonl"))
    return any(b'"at":1700000000.0' in file.read_bytes() for file in files)


if __name__ == "__main__":
    sys.exit(main())
