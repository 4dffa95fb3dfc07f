"""Kill every editing command at every system call that changes the disk: `python tests/torture/crashes.py [COMMAND …]`.

The long form of `tests/cli/test_crashes.py`; it takes some minutes and needs strace.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conftest import Brain, Vault
from crash import SavedVault, contents

from brain_cli.capture.observation import Observation
from brain_cli.capture.spool import Spool
from brain_cli.memory.events import SHOWN, Event
from brain_cli.memory.history import History
from brain_cli.paths import vault_name

WRITES = ("write", "pwrite64", "fsync", "ftruncate", "utimensat")
NAMES = ("rename", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "rmdir")
NOTES = {"a/x.md": "# Tea in a\n", "b/x.md": "# Tea in b\n", "b/n.md": "[[a/x]] and [b](x.md)\n", "c.md": "[[a/x]]\n"}
SLEEP = ["sleep", "--apply", "--yes", "--all"]
TEXT = "We keep carts in Redis because Postgres polling was too slow."
LINE = '{"title": "Soup", "text": "With leek.", "date": "2024-01-01"}\n'
PAGE, CONFIG = "page.html", "config/brain/config.toml"
# By name: the commands that go before, and the one that is killed.
COMMANDS: dict[str, tuple[list[list[str]], list[str]]] = {
    "archive": ([], ["archive", "a/x.md"]),
    "archive-status": ([], ["archive", "a/x.md", "--status", "--to", "archive"]),
    "restore": ([["archive", "a/x.md"]], ["restore", "archive/a/x.md"]),
    "sleep": ([], SLEEP),
    "restore-last": ([SLEEP], ["restore", "--last"]),
    "pin": ([], ["pin", "c.md"]),
    "add": ([], ["add", "Green tea"]),
    "forget": ([], ["forget", "c.md", "--yes"]),
    "feedback": ([], ["feedback", "c.md", "useful"]),
    "append": ([], ["add", "--append", "c.md", "Later"]),
    "snooze": ([], ["snooze", "c.md", "2w"]),
    "capture": ([], ["capture", "--flush"]),
    "import": ([], ["import", "jsonl", "lines.jsonl"]),
    "report": ([["report", "--out", PAGE]], ["report", "--out", PAGE]),
    "config": ([["config", "set", "limit", "4"]], ["config", "set", "limit", "9"]),
    "init": ([], ["init", "--history"]),
}


def main(names: list[str]) -> int:
    failures = 0
    for name in names or COMMANDS:
        kills, failed = 0, 0
        for problem in attacks(*COMMANDS[name]):
            kills += 1
            failed += bool(problem)
            if problem:
                print(f"{name}: {problem}")
        print(f"{name}: killed {kills} times, {failed} failures")
        failures += failed
    return 1 if failures else 0


def attacks(before: list[list[str]], command: list[str]) -> Iterator[str]:
    """Kill a command at each of its calls; yield what was wrong afterwards, empty where nothing was."""
    with tempfile.TemporaryDirectory() as folder:
        vault = prepared(Path(folder))
        for each in before:
            assert vault.brain(*each, "--vault", vault.folder).code == 0
        old = visible(vault)
        saved = SavedVault(vault, Path(folder) / "saved")
        assert vault.brain(*command, "--vault", vault.folder).code == 0
        new = visible(vault)
        for call in (*WRITES, *NAMES):
            number = 1
            while killed(vault, saved, command, call, number):
                killed_state = SavedVault(vault, Path(folder) / f"killed {call} {number}")
                problem = problem_of(vault, old, new, f"{call} {number}")
                killed_state.restore()
                yield problem or problem_of_repetition(vault, command, new, f"{call} {number}")
                number += 1


def prepared(folder: Path) -> Vault:
    (folder / "home").mkdir()
    (folder / "notes").mkdir()
    vault = Vault(folder / "notes", Brain(folder / "home", folder / "home" / "cache"))
    for path, text in NOTES.items():
        vault.note(path, text, date="2024-01-01")
    (vault.brain.home / "lines.jsonl").write_text(LINE)
    state = vault.brain.state / vault_name(str(vault.folder))
    History(state, "desk").append([Event(1_700_000_000.0, SHOWN, [])])
    Spool(str(vault.brain.state / "capture")).append(Observation("1", 1_700_000_000.0, response=TEXT, folder="/"))
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


def killed(vault: Vault, saved: SavedVault, command: list[str], call: str, number: int) -> bool:
    """Run a command anew and kill it at the n-th call of a kind; False if it makes fewer."""
    saved.restore()
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}"]
    strace += ["-e", f"inject={call}:signal=KILL:when={number}"]
    program = [sys.executable, "-m", "brain_cli", *command, "--vault", str(vault.folder)]
    environ = vault.brain.environ(PYTHONPATH=str(Path(__file__).parents[2]))
    done = subprocess.run(
        [*strace, *program], env=environ, capture_output=True, input=b"", check=False, cwd=vault.brain.home
    )
    return done.returncode in (-9, 137)


def visible(vault: Vault) -> dict[str, bytes]:
    """Return the content of the notes, and of what commands write beside the vault."""
    notes = {path: raw for path, raw in contents(vault.folder).items() if not Path(path).name.startswith(".")}
    beside = {name: vault.brain.home / name for name in (PAGE, CONFIG)}
    return notes | {name: path.read_bytes() for name, path in beside.items() if path.exists()}


def problem_of(vault: Vault, old: dict[str, bytes], new: dict[str, bytes], moment: str) -> str:
    """Return what is wrong after a kill, and after the next edit, which completes or undoes what was begun."""
    for path, raw in visible(vault).items():
        if raw not in (old.get(path), new.get(path)):
            return f"{moment}: {path} is neither as before nor as after"
    kept = "b/n.md" if (vault.folder / "b/n.md").exists() else "archive/b/n.md"
    recovered = vault.brain("unpin", kept, "--vault", vault.folder)
    if recovered.code:
        return f"{moment}: the next edit failed: {recovered.err}"
    if visible(vault) not in (old, new):
        return f"{moment}: after recovery the notes are neither as before nor as after"
    return "" if is_history_kept(vault) else f"{moment}: the history has lost an event"


def problem_of_repetition(vault: Vault, command: list[str], new: dict[str, bytes], moment: str) -> str:
    """Return what is wrong after the killed command is repeated, as the documentation says."""
    repeated = vault.brain(*command, "--vault", vault.folder)
    # Where the command was complete already, its note is found no more.
    if repeated.code not in (0, 2, 3) or "bug in brain" in repeated.err:
        return f"{moment}: repeated, it failed: {repeated.err}"
    # Repeated, a second section is appended.
    if visible(vault) != new and "--append" not in command:
        return f"{moment}: repeated, it came to something else: {repeated.err}"
    return "" if is_history_kept(vault) else f"{moment}: repeated, the history has lost an event"


def is_history_kept(vault: Vault) -> bool:
    """Return whether the event that was there before every command is still there."""
    folders = (vault.brain.state / vault_name(str(vault.folder)), vault.folder / ".brain" / "history")
    files = (file for folder in folders for file in folder.glob("*.jsonl"))
    return any(b'"at":1700000000.0' in file.read_bytes() for file in files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
