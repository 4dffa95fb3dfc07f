"""Sessions of the past as memories for `brain import transcripts`: transcripts of agents, and exports of chats.

A transcript is a `.jsonl` file of Claude Code, Codex, Cursor or OpenClaw, an export a `conversations.json` of ChatGPT
or Claude. A session becomes a handoff, as if it had just ended; one without decisions and open points becomes none.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from brain_cli.errors import BrainError
from brain_cli.plugins.agents.handoff import handoff
from brain_cli.plugins.agents.transcript import Entry, entries_of, transcript_of
from brain_cli.types import Memory
from brain_cli.vault.dates import timestamp_of
from brain_cli.vault.git import project_of

# The files in a folder that are read: others of these programs have the same endings.
_NAMED = re.compile(r"\.jsonl$|(?:^|/)conversations[^/]*\.json$")
_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


def memories(path: str) -> Iterator[Memory]:
    """Yield a memory for each session in a file or below a folder, and the problem of each that cannot be read."""
    if not os.path.exists(path):
        raise BrainError(f"{path} does not exist.", "Name a transcript, a conversations.json or a folder of them.")
    for file in _files(path):
        try:
            yield from _exported(file) if file.endswith(".json") else _recorded(file)
        except OSError as error:
            yield Memory(file, "", "", problem=f"cannot be read: {error.strerror or error}")
        except (ValueError, RecursionError):
            yield Memory(file, "", "", problem="is not valid JSON")


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    below = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return sorted(file for file in below if _NAMED.search(file))


def _recorded(file: str) -> Iterator[Memory]:
    """Yield the session of a transcript; it has an id, a folder and times in some of its lines."""
    entries = list(entries_of(file))
    if not entries:
        yield Memory(file, "", "", problem="has no line of a transcript")
        return
    heads = [{**entry, **each} for entry in entries if isinstance(each := entry.get("payload") or {}, dict)]
    named = next((head for head in heads if head.get("sessionId") or (head.get("id") and head.get("cwd"))), {})
    session = named.get("sessionId") or named.get("id") or os.path.splitext(os.path.basename(file))[0]
    times = [at for head in heads if (at := _moment(head.get("timestamp")))]
    folder = next((str(head["cwd"]) for head in heads if head.get("cwd")), "")
    yield from _memory(entries, str(session), max(times, default=None), folder)


def _exported(file: str) -> Iterator[Memory]:
    """Yield the conversations of an export; ValueError if it is not JSON."""
    with open(file, encoding="utf-8") as opened:
        found = json.load(opened)
    for number, each in enumerate(found if isinstance(found, list) else [found], 1):
        try:
            entries = list(_messages(each))
            session = str(each.get("uuid") or each.get("conversation_id") or each["id"])
            at = _moment(each.get("updated_at") or each.get("update_time") or each.get("create_time"))
            yield from _memory(entries, session, at, title=str(each.get("name") or each.get("title") or ""))
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            yield Memory(f"{file}:{number}", "", "", problem="is not a conversation of ChatGPT or Claude")


def _messages(conversation: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the messages of a conversation, oldest first: Claude has a list of them, ChatGPT a tree."""
    if "chat_messages" in conversation:
        for message in conversation["chat_messages"]:
            parts = [part for part in message.get("content") or () if part.get("type") == "text"]
            text = "\n".join(part["text"] for part in parts) or message.get("text") or ""
            yield {"role": _SPEAKERS.get(message["sender"], ""), "content": text}
        return
    branch, name = [], conversation["current_node"]
    while name:
        branch.append(conversation["mapping"][name])
        name = branch[-1].get("parent") if len(branch) <= len(conversation["mapping"]) else None
    for message in filter(None, (node.get("message") for node in reversed(branch))):
        text = "\n".join(part for part in (message["content"].get("parts") or ()) if isinstance(part, str))
        is_hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        yield {"role": "" if is_hidden else _SPEAKERS.get(message["author"]["role"], ""), "content": text}


def _memory(
    entries: list[Entry], session: str, at: float | None, folder: str = "", title: str = ""
) -> Iterator[Memory]:
    draft = handoff(transcript_of(entries), session, folder, at or 0.0)
    if draft:
        project = (project_of(folder) or os.path.basename(folder)) if folder else ""
        yield Memory(
            *(f"transcript:{session}", title or draft.title, draft.text, draft.kind, at, project, session),
            files=draft.files,
            tags=("imported", "handoff"),
            is_unique=True,
        )


def _moment(value: object) -> float | None:
    """Return a time in seconds since the epoch."""
    if isinstance(value, int | float):
        return value / 1_000 if value > 1e11 else float(value)
    return timestamp_of(value) if isinstance(value, str) else None
