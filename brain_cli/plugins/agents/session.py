"""One session of an agent: what was said and done in it, which notes it was shown, and which of
them it used.

Every use of a tool is folded into the work of a session, so its size is bounded, and repetitions
are counted: which files were changed and how, which commands ran and how they ended.

A hook adds a line for each note that it brings up. When the agent stops, the work and the words of
the session are compared with these notes: a note is used if the agent changed a file that it names,
opened it, or repeated a quarter of its distinctive words, at least three; of a long passage, six. A
use counts as a recall in the history.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.files import append_lines, open_regular
from brain_cli.history.log import BROUGHT_UP, CONTRADICTED, SHOWN, Event, Mention
from brain_cli.index import BODY
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.agent_table import ANSWERING, ASKING, EDITING, PLANNING, SHELL
from brain_cli.plugins.agents.clues import names_one_of
from brain_cli.plugins.agents.note_store import relative
from brain_cli.plugins.agents.observation import Observation, ignored
from brain_cli.vault.analyzer import terms

if TYPE_CHECKING:
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.plugins.agents.surfacing import ShownNote

USER = "user"
AGENT = "agent"
REPLY = "answer"
PLAN = "plan"
MAX_FILES = 200
MAX_COMMANDS = 60
MAX_LISTED_COMMANDS = 14
MAX_LISTED_FILES = 24
MAX_COMMAND_CHARS = 100
MAX_OUTCOME_CHARS = 160
_FAILURE = re.compile(
    r"^Traceback|\b[A-Z]\w*(?:Error|Exception)\b|^(?:error|fatal|FAILED)\b|\b[1-9]\d* (?:failed|errors?)\b"
    r"|command not found|exit (?:code|status):? [1-9]|^npm ERR!|panic:",
    re.MULTILINE,
)
# A success of these says nothing to a later reader, and a failure is left open.
ROUTINE = re.compile(
    r"\bgit (?:add|commit|push|pull|rm|mv|switch)\b|\b(?:test|pytest|vitest|lint|check|mypy|ruff|tsc|build|install)\b"
    r"|^(?:npm|pnpm|yarn|pip|uv|cargo) "
)
_CODE_LINE = re.compile(r"[{};=<>()\[\]]|^\s*(?:def|class|import|from|return|#include)\b")
_WORDS = re.compile(r"[^\W\d_]{2,}")
# What is known of older sessions is forgotten; their notes stay.
MAX_SESSIONS = 50
# A word is distinctive if few sections of the vault have it.
DISTINCTIVE_SHARE = 0.05
DISTINCTIVE_SECTIONS = 3
LEAST_WORDS = 3
LEAST_SHARE = 0.25
ENOUGH_WORDS = 6
# What a sentence of the user must share with a note that it contradicts: distinctive words, or a
# share of its title.
LEAST_CONTRADICTED_WORDS = 2
CONTRADICTED_SHARE = 2 / 3
_CONTRADICTS = re.compile(
    r"\b(?:no longer|not (?:\w+ ){0,4}any ?more|outdated|out of date|obsolete|deprecated"
    r"|(?:is|are|was|were)(?:n'?t| not) (?:true|right|correct)|(?:is|are|was|were) wrong"
    r"|we(?:'ve| have)? (?:stopped|dropped|abandoned|replaced|moved away)|no,? wait|make it .{1,60}\bnot)\b",
    re.IGNORECASE,
)
_JUDGED = ("used", "contradicted")
_SENTENCES = re.compile(r"[^.!?\n]+[.!?]?")


class Turn(NamedTuple):
    """A text of a session, by the user or the agent: `REPLY` is the user's to a question, `PLAN`
    one he approved.
    """

    speaker: str
    text: str


class Transcript(NamedTuple):
    """A session: what was said, what tools did, the agent's open tasks, and `secrets` that its note
    must not have.
    """

    turns: tuple[Turn, ...] = ()
    uses: tuple[Observation, ...] = ()
    unfinished: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()


class Command(NamedTuple):
    """A command with its last outcome, and what it was before; `mended` are the files changed after
    a failure.
    """

    about: str = ""
    times: int = 0
    failed: bool = False
    outcome: str = ""
    failures: int = 0
    error: str = ""
    mended: Sequence[str] = ()


class SessionWork:
    """The files of a session with the sentences written into them, and its commands, both in the
    order of last use.
    """

    def __init__(self, known: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Continue the work of `known` files and commands; TypeError or AttributeError if they are
        damaged.
        """
        self.files = {path: [*map(str, said)] for path, said in known.get("files", {}).items()}
        self.commands = {name: Command(*each) for name, each in known.get("commands", {}).items()}

    @classmethod
    def of(cls, uses: Iterable[Observation]) -> SessionWork:
        work = cls()
        for use in uses:
            if not ignored(use):
                work.fold(use)
        return work

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
        return [
            f"`{name}` fails: {each.outcome}" for name, each in self.commands.items() if each.failed
        ]

    def file_lines(self, folder: str) -> list[str]:
        """Return the files into which sentences were written, with these; the head of the note
        names all files.
        """
        told = {name: said for name, said in self.files.items() if said}
        lines = zip(relative(told, folder), told.values(), strict=True)
        return [f"`{path}`: {'; '.join(said)}" for path, said in lines][-MAX_LISTED_FILES:]

    def command_lines(self) -> list[str]:
        """Return the commands that failed, and those that the agent described, unless they are
        routine.
        """
        told = [
            _command_line(name, each)
            for name, each in self.commands.items()
            if each.failures or (each.about and not ROUTINE.search(name))
        ]
        return told[-MAX_LISTED_COMMANDS:]

    def _change(self, file: str, use: Observation) -> None:
        before = self.files.pop(file, [])
        added = [line for line in use.input.splitlines() if line.startswith(("+ ", "content: "))]
        said = [line.removeprefix("+ ").removeprefix("content: ").lstrip("#/* ") for line in added]
        said = [short(line) for line in [use.title, *said] if _is_prose(line)]
        self.files[file] = [*dict.fromkeys((*before, *said))][-3:]
        self.files = dict([*self.files.items()][-MAX_FILES:])
        for name, command in self.commands.items():
            if command.failed and file not in command.mended:
                self.commands[name] = command._replace(mended=[*command.mended, file][-5:])

    def _run(self, use: Observation, tool: str) -> None:
        name = f"{tool} {short(use.input, MAX_COMMAND_CHARS)}".strip() or use.title
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
        self.commands = dict([*self.commands.items()][-MAX_COMMANDS:])


def _command_line(name: str, each: Command) -> str:
    about = f"{each.about}: " if each.about else ""
    line = f"{about}`{name.replace('`', '')}`" + (f" ({each.times}×)" if each.times > 1 else "")
    if each.failed:
        return f"{line} failed: {each.outcome}" if each.outcome else f"{line} failed"
    if each.failures:
        mended = ", ".join(f"`{os.path.basename(file)}`" for file in each.mended)
        line += f" failed {each.failures}× ({each.error}), mended in {mended or 'no file of this session'}; then"
    return f"{line}: {each.outcome}" if each.outcome else line


def _outcome(response: str, *, failed: bool) -> str:
    """Return the line of an output that says how it ended: the error, else the last line with
    words.
    """
    lines = [line.strip() for line in response.splitlines() if _WORDS.search(line)]
    if failed:
        wrong = [
            line for line in lines if _FAILURE.search(line) and not line.startswith("Traceback")
        ]
        lines = wrong[-1:] or lines
    described = [line for line in lines if len(_WORDS.findall(line)) > 2]
    return short((described or lines or [""])[-1], MAX_OUTCOME_CHARS).replace("`", "'")


def _is_prose(line: str) -> bool:
    return len(_WORDS.findall(line)) >= 5 and not _CODE_LINE.search(line)


def short(text: str, limit: int = MAX_OUTCOME_CHARS) -> str:
    """Return a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rsplit(' ', 1)[0]}…"


class BroughtUp(NamedTuple):
    """A note that was brought up at a time (seconds), and why; `used` and `contradicted` say by
    what, if it was.

    `words` are its distinctive terms in its `language`, and `asked` those of them that the prompt
    had.
    """

    path: str
    at: float
    why: str
    content_hash: str = ""
    timestamp: float = 0.0
    title: str = ""
    files: Sequence[str] = ()
    words: Sequence[str] = ()
    asked: Sequence[str] = ()
    language: str = ""
    used: str = ""
    contradicted: str = ""

    @property
    def mention(self) -> Mention:
        return Mention(self.path, self.content_hash, self.timestamp)


def brought_up(shown: ShownNote, prompt: str, snapshot: Snapshot, now: float) -> BroughtUp:
    """Describe a note that is brought up now, for a prompt or, without one, for the folder."""
    from brain_cli.answer.screen_rows import plain_text

    note = shown.note
    metadata = shown.note.metadata
    language = snapshot.language(note.note_id)
    text = plain_text(shown.passage.parts) if shown.passage else ""
    most = max(DISTINCTIVE_SECTIONS, DISTINCTIVE_SHARE * snapshot.note_table.fragments)
    found = dict.fromkeys(terms(f"{metadata.title} {text}", language))
    # A prompt waits for this, so only the text of sections is looked up.
    long = [word for word in found if len(word) > 1 and not word.isdecimal()]
    words = [
        word
        for word in long
        if sum(len(each) for each, _ in snapshot.index.postings(BODY, word)) <= most
    ]
    asked = set(terms(prompt, language)).intersection(words)
    reason = (
        "prompt" if prompt else "handoff, pinned or project note" if shown.standing else "folder"
    )
    why = f"{reason}, score {note.score.share:.2f}"
    known = (note.content_hash, metadata.timestamp, metadata.title, metadata.files)
    return BroughtUp(metadata.path, now, why, *known, words, sorted(asked), language)


class SessionMemory:
    """The notes that were brought up in one session of an agent: JSON lines in a file of the state
    folder.
    """

    def __init__(self, folder: str, session: str) -> None:
        self._folder = os.path.join(folder, "brought-up")
        name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:24]
        self._file = os.path.join(self._folder, f"{name}.jsonl") if session else ""

    def notes(self) -> list[BroughtUp]:
        """Return the notes in the order in which they were brought up, each once."""
        found: dict[str, BroughtUp] = {}
        for line in self._lines():
            path = line.get("path", "")
            if path in found:
                found[path] = found[path]._replace(
                    **{key: line[key] for key in _JUDGED if line.get(key)}
                )
            elif path:
                found[path] = BroughtUp(**line)
        return [*found.values()]

    def seen(self) -> set[str]:
        """Return the paths of the notes brought up since the agent's context was compacted."""
        seen: set[str] = set()
        for line in self._lines():
            seen = set() if "compacted" in line else {*seen, line["path"]} if "at" in line else seen
        return seen

    def add(self, notes: Iterable[BroughtUp]) -> None:
        """Remember the notes that are brought up now."""
        self._append([note._asdict() for note in notes])

    def mark(self, notes: Iterable[BroughtUp]) -> None:
        """Remember that these notes were used or contradicted."""
        self._append([{key: getattr(each, key) for key in ("path", *_JUDGED)} for each in notes])

    def forget(self) -> None:
        """Let all of them come up again, because the agent has lost its context."""
        self._append([{"compacted": True}])

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self._file, encoding="utf-8") as file:
                yield from (json.loads(line) for line in file)
        except (OSError, ValueError):
            return

    def _append(self, lines: Sequence[dict[str, Any]]) -> None:
        if not (self._file and lines):
            return
        make_private_folder(self._folder)
        handle = open_regular(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            append_lines(handle, "".join(f"{json.dumps(line)}\n" for line in lines).encode())
        finally:
            os.close(handle)
        keep_newest(self._folder, MAX_SESSIONS)


def keep_newest(folder: str, most: int) -> None:
    """Remove the oldest files of a folder with more than `most`."""
    files = sorted((entry.path for entry in os.scandir(folder)), key=os.path.getmtime)
    for old in files[:-most]:
        os.unlink(old)


def judged(
    notes: Iterable[BroughtUp], said: Transcript, work: Collection[Observation], vault: str
) -> Iterator[BroughtUp]:
    """Yield the notes that the session has used or contradicted, with what was not known of it
    before.
    """
    last = next((turn.text for turn in reversed(said.turns) if turn.speaker == AGENT), "")
    told = "\n".join(turn.text for turn in said.turns if turn.speaker == USER)
    sentences = [
        each.strip()
        for each in _SENTENCES.findall(told)
        if _CONTRADICTS.search(each) and each[-1] != "?"
    ]
    opened = [f"{use.tool} {use.input} {' '.join(use.files)}" for use in said.uses]
    for note in notes:
        changes = [use for use in work if use.tool.casefold() in EDITING and use.at >= note.at]
        changed = [
            file for use in changes for file in (*use.files, *relative(use.files, use.folder))
        ]
        used = "" if note.used else _use(note, changed, [*changed, *opened], last, vault)
        against = (each for each in sentences if not note.contradicted and _is_about(each, note))
        contradicted = next(against, "")[:200]
        if used or contradicted:
            yield note._replace(used=used, contradicted=contradicted)


def _is_about(sentence: str, note: BroughtUp) -> bool:
    words = {*terms(sentence, note.language)}
    title = {*terms(note.title, note.language)}
    least = max(LEAST_CONTRADICTED_WORDS, CONTRADICTED_SHARE * len(title))
    return (
        len(words.intersection(note.words)) >= LEAST_CONTRADICTED_WORDS
        or len(words & title) >= least
    )


def _use(
    note: BroughtUp, changed: Sequence[str], opened: Sequence[str], last: str, vault: str
) -> str:
    """Return how a note was used, in words; empty if it was not."""
    if file := next((file for file in changed if names_one_of(note.files, [file])), ""):
        return f"changed {file}"
    # By its whole path, or by a command or a tool of brain.
    if any(
        f"{vault}/{note.path}" in text or ("brain" in text and f" {note.path}" in text)
        for text in opened
    ):
        return "opened"
    own = {*note.words}.difference(note.asked)
    repeated = own.intersection(terms(last, note.language))
    enough = len(repeated) >= min(ENOUGH_WORDS, max(LEAST_WORDS, LEAST_SHARE * len(own)))
    said = [
        word
        for word in re.findall(r"[\w-]+", last)
        if repeated.intersection(terms(word, note.language))
    ]
    return f"said {', '.join([*dict.fromkeys(said)][:5])}" if enough else ""


def events(judged_notes: Collection[BroughtUp], at: float, session: str) -> Iterator[Event]:
    """Yield the events of what became known of notes: a use is a recall."""
    if used := [each.mention for each in judged_notes if each.used]:
        yield Event(at, SHOWN, used, session=session)
    if contradicted := [each.mention for each in judged_notes if each.contradicted]:
        yield Event(at, BROUGHT_UP, contradicted, CONTRADICTED, session=session)
