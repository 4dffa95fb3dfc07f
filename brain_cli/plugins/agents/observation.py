"""An observation (which tool did what, where and when), which ones are not captured, and the spool of the others.

Tools are named without case: agents call the same one `Bash`, `shell` or `run_shell_command`.

The spool has observations that wait to become notes, one file each, in the user's state folder (a maildir). A hook
writes a file and renames it, so that concurrent hooks need no lock and a reader sees no half of one. One background
process at a time holds the flush lock, makes notes, and removes the files. Payloads that cannot be used are kept beside
them for `brain capture --retry`. Both are bounded: the oldest are dropped, and the caller learns how many.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping
from math import inf
from typing import NamedTuple

from brain_cli.files import MAX_STDIN_BYTES, lock_file, read_regular
from brain_cli.paths import make_private_folder, state_home

TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")
ENDS = ("Stop", "SessionEnd", "PreCompact")
PROMPT = "UserPromptSubmit"
# All other events are ignored.
EVENTS = (*TOOL_EVENTS, *ENDS, PROMPT)
# The uses of a session's tools are noted after this time, if the session did not stop before.
NOTE_SECONDS = 600.0
PENDING, WRITING, ASIDE = "new", "tmp", "aside"
# Observations leave the spool within seconds, unless no vault accepts them; this is room for weeks of those.
MAX_PENDING = 5_000
MAX_ASIDE = 200
# A hook writes its file in milliseconds, so an older one was left by a killed process; a maildir keeps those so long.
WRITING_SECONDS, LEFTOVER_SECONDS = 60.0, 36 * 3600.0

_ORDER = re.compile(
    r"\s*(?:please\s+)?(?:remember(?::|\s+that\b)|from now on\b|(?=(?:decision|preference):))[:,]?\s*(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
_EDITING = """
edit multiedit write notebookedit apply_patch replace write_file create_file edit_file str_replace
insert_edit_into_file replace_string_in_file multi_replace_string_in_file patch editfiles createfile strreplace delete
"""
EDITING = frozenset(_EDITING.split())
_SHELL = """
bash shell local_shell exec_command exec run_shell_command run_in_terminal runterminalcommand execute_command terminal
"""
SHELL = frozenset(_SHELL.split())
# Tools whose answers deserve notes of their own: they took time, and cannot be read again from the files.
_ANSWERING = "webfetch websearch web_fetch web_search google_web_search fetch fetch_webpage task agent runsubagent"
ANSWERING = frozenset(_ANSWERING.split())
ASKING, PLANNING = "askuserquestion", "exitplanmode"
# The agent's own lists; the setting `skip_tools` names others.
_SKIPPED = "TodoRead TodoWrite LS TaskCreate TaskUpdate TaskGet TaskList ToolSearch update_plan"
SKIPPED_TOOLS = tuple(_SKIPPED.split())
# What these return can be read again; the last ones are other agents' own lists.
_READING = """
read notebookread grep glob lsp list ls bashoutput taskoutput skill enterplanmode view_image read_file
read_many_files list_directory search_file_content list_dir grep_search file_search semantic_search
write_todos manage_todo_list
"""
READING = frozenset(_READING.split())
# Publication "Smarter Memory Retrieval", phase 1a: noise reduction.
MIN_CHARS = 50
_LOW_VALUE_COMMAND = re.compile(
    r"(git\s+(status|branch|fetch|stash\s+list|remote(\s+-v)?|log\b.*|diff\b.*|show\b.*|add\b.*)"
    r"|(cat|head|tail|grep|rg|find|sed -n|wc)\b.*"
    r"|ls(\s+\S+)*|pwd|cd(\s+\S+)?|clear|true|whoami|date|tree(\s+\S+)*|which\s+\S+|echo(\s.*)?|sleep\s+\S+)\s*",
)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
# Agents name the tools of a server `mcp__brain__add`, `mcp_brain_add`, `brain_add` or `MCP:add`.
_OWN_TOOL = re.compile(
    r"mcp_.*brain|brain_|mcp:(?:remember|context|recent|show|related|add|append|feedback|archive|restore)$",
    re.IGNORECASE,
)
_OWN_COMMAND = re.compile(r"(\w+=\S+\s+)*((uv|poetry|pipx)\s+run\s+)?(\S*/)?(brain|python3?\s+-m\s+brain_cli)(\s|$)")


class Observation(NamedTuple):
    """One use of a tool, or a text from a pipe.

    `at` is seconds since the epoch. `event` is the hook's event, one of `EVENTS`. `prompt` is what the user said last,
    and the `response` of the end of a session what the agent said last. `vault` is the vault named on the command line
    or in the environment; empty means the one found from `folder`.
    """

    id: str
    at: float
    tool: str = ""
    input: str = ""
    response: str = ""
    title: str = ""
    files: tuple[str, ...] = ()
    folder: str = ""
    session: str = ""
    event: str = "PostToolUse"
    transcript: str = ""
    vault: str = ""
    prompt: str = ""
    failed: bool = False

    @property
    def ends_session(self) -> bool:
        return self.event in ENDS


def orders_to_remember(prompt: str) -> str:
    """Return what a prompt orders to remember (“remember: …”, “from now on …”); empty for other prompts."""
    found = _ORDER.match(prompt)
    return found["rest"].strip() if found and not prompt.rstrip().endswith("?") else ""


def wants_note(observation: Observation) -> bool:
    """Return whether a note is to be made now; uses of tools wait for the end of their session."""
    return observation.event not in TOOL_EVENTS or not observation.tool


def to_line(observation: Observation) -> bytes:
    """Return the observation as one line of ASCII JSON, leaving out default values."""
    defaults = Observation._field_defaults
    fields = {key: value for key, value in observation._asdict().items() if value != defaults.get(key)}
    return json.dumps(fields).encode("ascii") + b"\n"


def from_line(line: bytes) -> Observation | None:
    """Read one line of the spool; None if it is incomplete or not an observation."""
    try:
        fields = json.loads(line)
        fields["files"] = tuple(fields.get("files", ()))
        observation = Observation(**fields)
    except (ValueError, TypeError, AttributeError):
        return None
    return observation if isinstance(observation.at, int | float) and isinstance(observation.id, str) else None


def ignored(observation: Observation, skipped_tools: Collection[str] = SKIPPED_TOOLS) -> str | None:
    """Return why a tool's use is not captured; None if it is captured."""
    tool = observation.tool.casefold()
    if tool in {name.casefold() for name in skipped_tools}:
        return f"{observation.tool} is a skipped tool"
    if tool in READING:
        return "it only reads"
    commands = [part.strip() for part in _SEPARATOR.split(observation.input)] if tool in SHELL else []
    if _OWN_TOOL.match(tool) or any(map(_OWN_COMMAND.match, commands)):
        return "it asks this memory"
    only_shows = ">" not in observation.input and all(map(_LOW_VALUE_COMMAND.fullmatch, filter(None, commands)))
    if commands and only_shows and not observation.failed:
        return "it only lists or shows a state"
    is_short = len(observation.input) + len(observation.response) < MIN_CHARS
    # A short command may be the one that succeeds after a failure.
    if tool and is_short and not observation.failed and tool not in (*EDITING, *SHELL, ASKING, PLANNING):
        return f"it has fewer than {MIN_CHARS} characters"
    return None


def spool_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the captured observations that wait to become notes."""
    return os.path.join(state_home(environ), "brain", "capture")


class Spool:
    """The spool in one folder, which is made on first use and private to the user."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def append(self, observation: Observation) -> int:
        """Add an observation; return how many old ones were dropped for it. OSError if it is not written completely."""
        self._write(PENDING, f"{time.time_ns():020d}-{os.urandom(4).hex()}", to_line(observation))
        return self._drop_oldest(PENDING, MAX_PENDING)

    def waiting(self) -> int:
        """Return how many observations wait."""
        return len(self._names(PENDING))

    def oldest(self) -> float:
        """Return when the oldest waiting observation was added, in seconds since the epoch; infinity if none waits."""
        number = next(iter(self._names(PENDING)), "").partition("-")[0]
        return int(number) / 1e9 if number.isdecimal() else inf

    def observations(self, seen: Collection[str] = ()) -> dict[str, Observation]:
        """Return the waiting observations by the names of their files, without those `seen`, oldest first.

        A damaged file is removed: hooks rename only complete ones.
        """
        found: dict[str, Observation] = {}
        for name in self._names(PENDING):
            if name not in seen:
                with contextlib.suppress(FileNotFoundError):
                    path = os.path.join(self.folder, PENDING, name)
                    with open(path, "rb") as file:
                        observation = from_line(file.read())
                    if observation:
                        found[name] = observation
                    else:
                        os.unlink(path)
        return found

    def remove(self, names: Collection[str]) -> None:
        """Remove the observations in these files."""
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, PENDING, name))

    def set_aside(self, raw: bytes, name: str) -> tuple[str, int]:
        """Keep a payload that cannot be used; return its path, and how many old ones were dropped for it."""
        path = self._write(ASIDE, name, raw)
        return path, self._drop_oldest(ASIDE, MAX_ASIDE)

    def aside(self) -> list[str]:
        """Return the paths of the payloads set aside, oldest first."""
        return [os.path.join(self.folder, ASIDE, name) for name in self._names(ASIDE)]

    def tidy(self) -> None:
        """Take in whole observations that killed hooks left, and remove other leftovers after 36 hours."""
        from brain_cli.vault.atomic_write import remove_leftovers

        with contextlib.suppress(OSError):
            remove_leftovers(self.folder, LEFTOVER_SECONDS)
        for name in self._names(WRITING):
            path = os.path.join(self.folder, WRITING, name)
            with contextlib.suppress(OSError):
                age = time.time() - os.stat(path).st_mtime
                if age >= WRITING_SECONDS and from_line(read_regular(path, MAX_STDIN_BYTES, os.O_NOFOLLOW)):
                    os.rename(path, os.path.join(self.folder, PENDING, name))
                elif age >= LEFTOVER_SECONDS:
                    os.unlink(path)

    @contextlib.contextmanager
    def flushing(self) -> Iterator[bool]:
        """Hold the flush lock inside the block; the value is False if another process holds it."""
        make_private_folder(self.folder)
        handle = os.open(os.path.join(self.folder, "flush.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield lock_file(handle)
        finally:
            os.close(handle)

    def _write(self, folder: str, name: str, content: bytes) -> str:
        make_private_folder(os.path.join(self.folder, WRITING))
        make_private_folder(os.path.join(self.folder, folder))
        unfinished, path = os.path.join(self.folder, WRITING, name), os.path.join(self.folder, folder, name)
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            os.rename(unfinished, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            raise
        return path

    def _names(self, folder: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return sorted(os.listdir(os.path.join(self.folder, folder)))
        return []

    def _drop_oldest(self, folder: str, most: int) -> int:
        """If a folder is full, drop its oldest files; return how many."""
        old = self._names(folder)[:-most]
        for name in old:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, folder, name))
        return len(old)
