"""What one session of an agent was shown, and what it then used.

A hook adds a line for each note that it brings up. When the agent stops, the work and the words of the session are
compared with these notes: a note is used if the agent changed a file that it names, opened it, or repeated a quarter of
its distinctive words, at least three; of a long passage, six. A use counts as a recall in the history.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.answer.clues import names_one_of
from brain_cli.files import append_lines, open_regular
from brain_cli.history.log import BROUGHT_UP, CONTRADICTED, SHOWN, Event, Mention
from brain_cli.index import BODY
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.agent_table import EDITING
from brain_cli.plugins.agents.note_store import relative
from brain_cli.plugins.agents.observation import Observation
from brain_cli.plugins.agents.transcript import AGENT, USER, Transcript
from brain_cli.vault.analyzer import terms

if TYPE_CHECKING:
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.plugins.agents.surfacing import ShownNote

# What is known of older sessions is forgotten; their notes stay.
MAX_SESSIONS = 50
# A word is distinctive if few sections of the vault have it.
DISTINCTIVE_SHARE, DISTINCTIVE_SECTIONS = 0.05, 3
LEAST_WORDS, LEAST_SHARE, ENOUGH_WORDS = 3, 0.25, 6
# What a sentence of the user must share with a note that it contradicts: distinctive words, or a share of its title.
LEAST_CONTRADICTED_WORDS, CONTRADICTED_SHARE = 2, 2 / 3
_CONTRADICTS = re.compile(
    r"\b(?:no longer|not (?:\w+ ){0,4}any ?more|outdated|out of date|obsolete|deprecated"
    r"|(?:is|are|was|were)(?:n'?t| not) (?:true|right|correct)|(?:is|are|was|were) wrong"
    r"|we(?:'ve| have)? (?:stopped|dropped|abandoned|replaced|moved away)|no,? wait|make it .{1,60}\bnot)\b",
    re.IGNORECASE,
)
_JUDGED = ("used", "contradicted")
_SENTENCES = re.compile(r"[^.!?\n]+[.!?]?")


class BroughtUp(NamedTuple):
    """A note that was brought up at a time (seconds), and why; `used` and `contradicted` say by what, if it was.

    `words` are its distinctive terms in its `language`, and `asked` those of them that the prompt had.
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

    note, metadata = shown.note, shown.note.metadata
    language = snapshot.language(note.note_id)
    text = plain_text(shown.passage.parts) if shown.passage else ""
    most = max(DISTINCTIVE_SECTIONS, DISTINCTIVE_SHARE * snapshot.note_table.fragments)
    found = dict.fromkeys(terms(f"{metadata.title} {text}", language))
    # A prompt waits for this, so only the text of sections is looked up.
    long = [word for word in found if len(word) > 1 and not word.isdecimal()]
    words = [word for word in long if sum(len(each) for each, _ in snapshot.index.postings(BODY, word)) <= most]
    asked = set(terms(prompt, language)).intersection(words)
    reason = "prompt" if prompt else "handoff, pinned or project note" if shown.standing else "folder"
    return BroughtUp(
        metadata.path,
        now,
        f"{reason}, score {note.score.share:.2f}",
        note.content_hash,
        metadata.timestamp,
        metadata.title,
        metadata.files,
        words,
        sorted(asked),
        language,
    )


class SessionMemory:
    """The notes that were brought up in one session of an agent: JSON lines in a file of the state folder."""

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
                found[path] = found[path]._replace(**{key: line[key] for key in _JUDGED if line.get(key)})
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
    """Yield the notes that the session has used or contradicted, as far as that was not known before."""
    last = next((turn.text for turn in reversed(said.turns) if turn.speaker == AGENT), "")
    told = "\n".join(turn.text for turn in said.turns if turn.speaker == USER)
    sentences = [each.strip() for each in _SENTENCES.findall(told) if _CONTRADICTS.search(each) and each[-1] != "?"]
    opened = [f"{use.tool} {use.input} {' '.join(use.files)}" for use in said.uses]
    for note in notes:
        changes = [use for use in work if use.tool.casefold() in EDITING and use.at >= note.at]
        changed = [file for use in changes for file in (*use.files, *relative(use.files, use.folder))]
        against = (each for each in sentences if _is_about(each, note))
        used = note.used or _use(note, changed, [*changed, *opened], last, vault)
        found = note._replace(used=used, contradicted=note.contradicted or next(against, "")[:200])
        if found != note:
            yield found


def _is_about(sentence: str, note: BroughtUp) -> bool:
    words, title = {*terms(sentence, note.language)}, {*terms(note.title, note.language)}
    least = max(LEAST_CONTRADICTED_WORDS, CONTRADICTED_SHARE * len(title))
    return len(words.intersection(note.words)) >= LEAST_CONTRADICTED_WORDS or len(words & title) >= least


def _use(note: BroughtUp, changed: Sequence[str], opened: Sequence[str], last: str, vault: str) -> str:
    """Return how a note was used, in words; empty if it was not."""
    if file := next((file for file in changed if names_one_of(note.files, [file])), ""):
        return f"changed {file}"
    # By its whole path, or by a command or a tool of brain.
    if any(f"{vault}/{note.path}" in text or ("brain" in text and f" {note.path}" in text) for text in opened):
        return "opened"
    own = {*note.words}.difference(note.asked)
    repeated = own.intersection(terms(last, note.language))
    enough = len(repeated) >= min(ENOUGH_WORDS, max(LEAST_WORDS, LEAST_SHARE * len(own)))
    said = [word for word in re.findall(r"[\w-]+", last) if repeated.intersection(terms(word, note.language))]
    return f"said {', '.join([*dict.fromkeys(said)][:5])}" if enough else ""


def events(known: Iterable[BroughtUp], found: Iterable[BroughtUp], at: float, session: str) -> Iterator[Event]:
    """Yield the events of what became known of notes: a use is a recall."""
    before = {each.path: each for each in known}
    for kind, field, value in ((SHOWN, "used", ""), (BROUGHT_UP, "contradicted", CONTRADICTED)):
        new = [each.mention for each in found if getattr(each, field) != getattr(before[each.path], field)]
        if new:
            yield Event(at, kind, new, value, session=session)
