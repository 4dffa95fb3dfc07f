"""The work of one session: which files were changed and how, which commands ran and how they ended.

Every use of a tool is folded into it, so its size is bounded, and repetitions are counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from brain_cli.plugins.agents.agent_table import ANSWERING, ASKING, EDITING, PLANNING, SHELL
from brain_cli.plugins.agents.note_store import relative
from brain_cli.plugins.agents.observation import Observation, ignored

MAX_FILES, MAX_COMMANDS, MAX_LISTED_COMMANDS = 200, 60, 14
MAX_LISTED_FILES = 24
MAX_COMMAND_CHARS, MAX_OUTCOME_CHARS = 100, 160
_FAILURE = re.compile(
    r"^Traceback|\b[A-Z]\w*(?:Error|Exception)\b|^(?:error|fatal|FAILED)\b|\b[1-9]\d* (?:failed|errors?)\b"
    r"|command not found|exit (?:code|status):? [1-9]|^npm ERR!|panic:",
    re.MULTILINE,
)
_CODE_LINE = re.compile(r"[{};=<>()\[\]]|^\s*(?:def|class|import|from|return|#include)\b")
_WORDS = re.compile(r"[^\W\d_]{2,}")


class Changes(NamedTuple):
    """What was done to a file: the number of changes, and the sentences that were written into it."""

    times: int = 0
    said: tuple[str, ...] = ()


class Command(NamedTuple):
    """A command with its last outcome, and what it was before; `mended` are the files changed after a failure."""

    about: str = ""
    times: int = 0
    failed: bool = False
    outcome: str = ""
    failures: int = 0
    error: str = ""
    mended: tuple[str, ...] = ()


class SessionWork:
    """The files and commands of a session, in the order of their last use."""

    def __init__(self, files: dict[str, Changes] | None = None, commands: dict[str, Command] | None = None) -> None:
        self.files = files or {}
        self.commands = commands or {}

    @classmethod
    def of(cls, uses: Iterable[Observation]) -> SessionWork:
        work = cls()
        for use in uses:
            if not ignored(use):
                work.fold(use)
        return work

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> SessionWork:
        files = {path: Changes(times, tuple(said)) for path, (times, said) in found.get("files", {}).items()}
        commands = {
            name: Command._make((*each[:6], tuple(each[6]))) for name, each in found.get("commands", {}).items()
        }
        return cls(files, commands)

    def as_json(self) -> dict[str, Any]:
        return {"files": self.files, "commands": self.commands}

    def fold(self, use: Observation) -> None:
        """Add one use of a tool."""
        tool = use.tool.casefold()
        if tool in EDITING:
            for file in use.files:
                self._change(file, use)
        elif tool not in (*ANSWERING, ASKING, PLANNING) and not use.files:
            self._run(use, "" if tool in SHELL else use.tool)

    def failing(self) -> list[str]:
        """Return the commands that failed when they ran last."""
        return [f"`{name}` fails: {each.outcome}" for name, each in self.commands.items() if each.failed]

    def file_lines(self, folder: str) -> list[str]:
        """Return the files that were changed: those with a sentence first to stay, then the last ones."""
        names = [*self.files]
        best = sorted(names, key=lambda name: (bool(self.files[name].said), names.index(name)))[-MAX_LISTED_FILES:]
        kept = [name for name in names if name in best]
        lines = [
            f"`{path}`{_times(self.files[name].times)}{''.join(f'; {text}' for text in self.files[name].said)}"
            for name, path in zip(kept, relative(kept, folder), strict=True)
        ]
        more = len(names) - len(kept)
        return [*lines, f"and {more} more"] if more else lines

    def command_lines(self) -> list[str]:
        """Return the commands that say most: those that failed or are described first, then the last ones."""
        names = [*self.commands]
        best = sorted(names, key=lambda name: (self._weight(name), names.index(name)))[-MAX_LISTED_COMMANDS:]
        return [_command_line(name, self.commands[name]) for name in names if name in best]

    def _weight(self, name: str) -> int:
        each = self.commands[name]
        return 2 * bool(each.failures) + bool(each.about)

    def _change(self, file: str, use: Observation) -> None:
        before = self.files.pop(file, Changes())
        added = [line[2:] for line in use.input.splitlines() if line.startswith(("+ ", "content: "))]
        said = [short(line) for line in [use.title, *added] if _is_prose(line)]
        self.files[file] = Changes(before.times + 1, tuple(dict.fromkeys((*before.said, *said)))[-3:])
        _bound(self.files, MAX_FILES)
        for name, command in self.commands.items():
            if command.failed and file not in command.mended:
                self.commands[name] = command._replace(mended=(*command.mended, file)[-5:])

    def _run(self, use: Observation, tool: str) -> None:
        name = short(" ".join(use.input.split()), MAX_COMMAND_CHARS)
        name = (f"{tool} {name}" if tool else name).strip() or use.title
        if not name:
            return
        before = self.commands.pop(name, Command())
        failed = use.failed or bool(_FAILURE.search(use.response))
        outcome = _outcome(use.response, failed=failed)
        is_described = use.title and not use.title.startswith(f"{use.tool}:")
        self.commands[name] = Command(
            use.title if is_described else before.about,
            before.times + 1,
            failed,
            outcome,
            before.failures + failed,
            outcome if failed else before.error,
            () if failed else before.mended,
        )
        _bound(self.commands, MAX_COMMANDS)


def _command_line(name: str, each: Command) -> str:
    about = f"{each.about}: " if each.about else ""
    line = f"{about}`{name.replace('`', '')}`{_times(each.times)}"
    if each.failed:
        return f"{line} failed: {each.outcome}" if each.outcome else f"{line} failed"
    if each.failures:
        mended = ", ".join(f"`{os.path.basename(file)}`" for file in each.mended)
        line += f" failed {each.failures}× ({each.error}), mended in {mended or 'no file of this session'}; then"
    return f"{line}: {each.outcome}" if each.outcome else line


def _outcome(response: str, *, failed: bool) -> str:
    """Return the line of an output that says how it ended: the error, else the last line with words."""
    lines = [line.strip() for line in response.splitlines() if _WORDS.search(line)]
    if failed:
        wrong = [line for line in lines if _FAILURE.search(line) and not line.startswith("Traceback")]
        lines = wrong[-1:] or lines
    described = [line for line in lines if len(_WORDS.findall(line)) > 2]
    return short((described or lines or [""])[-1], MAX_OUTCOME_CHARS).replace("`", "'")


def _is_prose(line: str) -> bool:
    return len(_WORDS.findall(line)) >= 5 and not _CODE_LINE.search(line)


def _times(count: int) -> str:
    return f" ({count}×)" if count > 1 else ""


def short(text: str, limit: int = MAX_OUTCOME_CHARS) -> str:
    """Return a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rsplit(' ', 1)[0]}…"


def _bound(found: dict[str, Any], most: int) -> None:
    while len(found) > most:
        found.pop(next(iter(found)))
