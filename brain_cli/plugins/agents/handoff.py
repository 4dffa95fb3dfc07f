"""Draft a handoff note from a session's transcript: its requests, decisions, changes and open points.

Every line of the note is quoted from the transcript. A session without any work leaves no note.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brain_cli.plugins.agents.draft import Draft, relative
from brain_cli.plugins.agents.noise import EDITING_TOOLS
from brain_cli.vault.create import first_sentence
from brain_cli.vault.secrets import redacted

MAX_LINES = 6
MAX_LINE_CHARS = 240
MAX_FILES = 20
MAX_TRANSCRIPT_BYTES = 32_000_000
_DECIDED = re.compile(
    r"\b(decided|decision|chose|choosing|instead of|we(?:'ll| will) use|going with|agreed|trade-?off|because)\b", re.I
)
_OPEN = re.compile(
    r"\b(todo|next steps?|remaining|still (to|needs?|open|missing|fails?)|not yet|left (to do|open)|follow-?up"
    r"|blocked|later)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NOT_PROSE = re.compile(r"^[ \t]*(?:\|.*|#{1,6}[ \t].*|[-=*_]{3,}[ \t]*)$", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__)(.+?)\1")
# Flags of entries that are not part of this conversation: the agent's notes to itself, messages to a subagent, and the
# summary of an earlier conversation.
_HIDDEN_FLAGS = ("isMeta", "isSidechain", "isCompactSummary")
# Agents put a program's output between tags; it is not a person's request.
_NOT_A_REQUEST = re.compile(r"^\s*<|^\s*\[Request interrupted|^\s*Caveat:")


class Transcript(NamedTuple):
    """The parts of a transcript that a handoff is made of, each in order."""

    asked: tuple[str, ...]
    said: tuple[str, ...]
    files: tuple[str, ...]
    todos: tuple[str, ...]


def read_transcript(path: str) -> Transcript:
    """Read a transcript of JSON lines without its secrets. Skip unknown lines; OSError if it cannot be read.

    Secrets are removed before the text is split into sentences, because one line of a key is not recognized alone.
    """
    asked: list[str] = []
    said: list[str] = []
    files: list[str] = []
    todos: tuple[str, ...] = ()
    for entry in _entries(path):
        role, parts = _message(entry)
        for part in parts:
            text = _text(part)
            if role == "user" and text and not _NOT_A_REQUEST.match(text):
                asked.append(redacted(text))
            elif role == "assistant" and text:
                said.append(redacted(text))
            elif role == "assistant":
                files += _edited(part)
                todos = _open_todos(part) or todos
    return Transcript(tuple(asked), tuple(said), tuple(dict.fromkeys(files)), todos)


def handoff(transcript: Transcript, session: str, folder: str, at: float) -> Draft | None:
    """Return the draft of a handoff note; None if it would be empty."""
    if not transcript.asked or not (transcript.said or transcript.files):
        return None
    files = relative(transcript.files, folder)
    sentences = [sentence for text in transcript.said for sentence in _sentences(text)]
    decided = _lines(sentence for sentence in sentences if _DECIDED.search(sentence))
    left_open = [*transcript.todos, *_lines(sentence for sentence in sentences[-12:] if _OPEN.search(sentence))]
    last = _lines(_sentences(transcript.said[-1])[-3:]) if transcript.said else []
    parts = {
        "Asked": _lines(map(_shortened, transcript.asked)),
        "Decided": decided,
        "Changed": _listed([f"`{file}`" for file in files], MAX_FILES),
        "Left open": left_open[:MAX_LINES],
        "Last said": [line for line in last if line not in (*decided, *left_open)],
    }
    text = "\n\n".join(
        f"## {name}\n\n" + "\n".join(f"- {line}" for line in lines) for name, lines in parts.items() if lines
    )
    title = f"Handoff: {first_sentence(transcript.asked[0], 70)}"
    return Draft(f"handoff-{session}", title, "handoff", text, at, folder, session, files, ("captured", "handoff"))


def _entries(path: str) -> Iterator[dict[str, object]]:
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        for line in file.read(MAX_TRANSCRIPT_BYTES).splitlines():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict) and not any(map(entry.get, _HIDDEN_FLAGS)):
                yield entry


def _message(entry: dict[str, object]) -> tuple[str, list[object]]:
    """Return the speaker of an entry and the parts of the message."""
    message = entry.get("message", entry)
    if not isinstance(message, dict):
        return "", []
    content = message.get("content", [])
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return str(message.get("role", entry.get("type", ""))), parts


def _text(part: object) -> str:
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"]).strip()
    return ""


def _edited(part: object) -> list[str]:
    given = part.get("input") if isinstance(part, dict) and part.get("name") in EDITING_TOOLS else None
    path = given.get("file_path") or given.get("notebook_path") if isinstance(given, dict) else None
    return [path] if isinstance(path, str) else []


def _open_todos(part: object) -> tuple[str, ...]:
    given = part.get("input") if isinstance(part, dict) and part.get("name") == "TodoWrite" else None
    todos = given.get("todos") if isinstance(given, dict) else None
    if not isinstance(todos, list):
        return ()
    return tuple(
        redacted(str(todo["content"]))
        for todo in todos
        if isinstance(todo, dict) and todo.get("status") != "completed" and "content" in todo
    )


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text without code, tables and headings."""
    prose = _NOT_PROSE.sub("\n", re.sub(r"```.*?(```|\Z)", "\n", text, flags=re.DOTALL))
    plain = (_EMPHASIS.sub(r"\2", sentence).strip(" *->\t") for sentence in _SENTENCE.split(prose))
    return [sentence for sentence in plain if len(sentence) > 12]


def _shortened(text: str) -> str:
    """Return a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_LINE_CHARS else f"{line[: MAX_LINE_CHARS - 1].rsplit(' ', 1)[0]}…"


def _lines(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_shortened, texts))))[:MAX_LINES]


def _listed(lines: list[str], most: int) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], f"and {more} more"] if more > 0 else lines
