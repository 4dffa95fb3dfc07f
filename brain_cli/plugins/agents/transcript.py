"""Read sessions: the transcripts of agents, and for `brain import transcripts` also the exports of
chats.

Claude Code, Cursor and OpenClaw write one message a line; Codex wraps each in a `response_item`,
and VS Code in an event such as `user.message`. Unknown lines are skipped. An export is a
`conversations.json` of ChatGPT or Claude. An imported session becomes a handoff, as if it had just
ended; one without decisions and open points becomes none.
"""

from __future__ import annotations

import json
import ntpath
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

from brain_cli.errors import BrainError
from brain_cli.files import read_beginning
from brain_cli.plugins.agents.agent_table import ASKING, PLANNING, parsed
from brain_cli.plugins.agents.handoff import handoff
from brain_cli.plugins.agents.intake import without_secrets
from brain_cli.plugins.agents.observation import answers_of, observed_use
from brain_cli.plugins.agents.session import AGENT, PLAN, REPLY, USER, Transcript
from brain_cli.plugins.agents.typed import typed
from brain_cli.types import Memory
from brain_cli.vault.dates import moment_of
from brain_cli.vault.git import project_of
from brain_cli.vault.secrets import redacted, secrets_in

MAX_TRANSCRIPT_BYTES = 32_000_000
# Flags of entries that are not part of this conversation: the agent's notes to itself, messages to
# a subagent, and the summary of an earlier conversation.
_HIDDEN_FLAGS = ("isMeta", "isSidechain", "isCompactSummary")
_TEXT_TYPES = ("text", "input_text", "output_text")
_APPROVED = re.compile(r"approved", re.IGNORECASE)
_TASK_NUMBER = re.compile(r"#(\w+)")
# The files in a folder that are read: others of these programs have the same endings.
_NAMED = re.compile(r"\.jsonl$|(?:^|/)conversations[^/]*\.json$")
_UNFINISHED = ("pending", "in_progress")
_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}
Entry = Mapping[str, Any]


def read_transcript(path: str) -> Transcript:
    """Read a transcript without its secrets; OSError if it cannot be read."""
    return transcript_of(entries_of(path))


def transcript_of(entries: Iterable[Entry]) -> Transcript:
    """Return what was said and done in the entries of a transcript, without its secrets."""
    reader = _Reader()
    for entry in entries:
        reader.read(entry)
    reader.end()
    return reader.session


class _Reader:
    """Collects the parts of a transcript. A tool's result names its use by an id."""

    def __init__(self) -> None:
        self.session = Transcript()
        self._tasks: dict[str, dict[str, Any]] = {}
        self._called: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def read(self, entry: Entry) -> None:
        message = entry.get("message", entry.get("data", entry))
        if entry.get("type") == "response_item":
            message = entry.get("payload")
        if not isinstance(message, dict):
            return
        kind = str(message.get("role") or entry.get("role") or entry.get("type", ""))
        role = kind.partition(".")[0]
        content = message.get("content", [message])
        if role == "toolResult":
            content = [{**message, "type": role}]
        elif not isinstance(content, list):
            content = [{"type": "text", "text": content}]
        for part in content:
            if isinstance(part, dict):
                self._part(role, part)

    def end(self) -> None:
        """Count the uses of tools whose results are missing, and the tasks that are open."""
        for called in self._called.values():
            self._used(*called, "", failed=False)
        self.session.unfinished = [
            redacted(str(task.get("subject", "")))
            for task in self._tasks.values()
            if task.get("status") in _UNFINISHED
        ]

    def _part(self, role: str, part: Mapping[str, Any]) -> None:
        match part.get("type"):
            case kind if kind in _TEXT_TYPES and isinstance(part.get("text"), str):
                self._text(role, part["text"].strip())
            case "tool_use" | "function_call" | "custom_tool_call" | "toolCall":
                given = _table(part.get("input", part.get("arguments")))
                name = str(part.get("name", ""))
                number = str(
                    part.get("id") or part.get("call_id") or f"use {len(self._called)}"
                )
                self._called[number] = name, given
            case (
                "tool_result"
                | "function_call_output"
                | "custom_tool_call_output"
                | "toolResult"
            ):
                number = str(
                    part.get("tool_use_id") or part.get("call_id") or part.get("toolCallId")
                )
                if called := self._called.pop(number, None):
                    failed = bool(part.get("is_error") or part.get("isError"))
                    self._used(*called, part.get("content", part.get("output")), failed=failed)

    def _text(self, role: str, text: str) -> None:
        self.session.secrets |= secrets_in(text)
        # Secrets are removed before the text is split into sentences: one line of a key is not
        # recognized alone.
        if role == "assistant":
            self.session.said(AGENT, redacted(text))
        elif role == "user":
            self.session.said(USER, typed(redacted(text)))

    def _used(
        self, name: str, given: Mapping[str, Any], result: object, *, failed: bool
    ) -> None:
        use = observed_use(name, given, result)._replace(failed=failed)
        self.session.used(without_secrets(use))
        self.session.secrets |= secrets_in(use.input)
        match name.casefold():
            case tool if tool == ASKING:
                for answer in answers_of(use.response):
                    self.session.said(REPLY, redacted(answer))
            case tool if tool == PLANNING and _APPROVED.search(use.response):
                self.session.said(PLAN, redacted(str(given.get("plan", ""))))
            case "taskcreate":
                said = _TASK_NUMBER.search(use.response)
                number = said[1] if said else str(len(self._tasks) + 1)
                self._tasks[number] = {**given, "status": "pending"}
            case "taskupdate":
                self._tasks.get(str(given.get("taskId")), {}).update(given)
            case "todowrite" if isinstance(todos := given.get("todos"), list):
                listed = (each for each in todos if isinstance(each, dict))
                self._tasks = {
                    str(n): {**each, "subject": each.get("content", "")}
                    for n, each in enumerate(listed)
                }


def _table(given: object) -> Mapping[str, Any]:
    if isinstance(given, str):
        found = parsed(given)
        given = {"input": given} if found is None else found
    return given if isinstance(given, dict) else {}


def entries_of(path: str) -> Iterator[Entry]:
    """Yield the entries of a transcript that are part of its conversation; OSError if it cannot be
    read.
    """
    for line in read_beginning(path, MAX_TRANSCRIPT_BYTES).splitlines():
        entry = parsed(line)
        if isinstance(entry, dict) and not any(map(entry.get, _HIDDEN_FLAGS)):
            yield entry


def memories(path: str) -> Iterator[Memory]:
    """Yield a memory for each session in a file or below a folder, and the problem of each that
    cannot be read.
    """
    if not os.path.exists(path):
        raise BrainError(
            f"{path} does not exist.",
            "Name a transcript, a conversations.json or a folder of them.",
        )
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
    return sorted(filter(_NAMED.search, map(str, Path(path).rglob("*"))))


def _recorded(file: str) -> Iterator[Memory]:
    """Yield the session of a transcript; it has an id, a folder and times in some of its lines."""
    entries = list(entries_of(file))
    if not entries:
        yield Memory(file, "", "", problem="has no line of a transcript")
        return
    heads = [
        {**entry, **each}
        for entry in entries
        if isinstance(each := entry.get("payload") or {}, dict)
    ]
    ids = (head.get("sessionId") or (head.get("cwd") and head.get("id")) for head in heads)
    session = next(filter(None, ids), Path(file).stem)
    times = (moment_of(head.get("timestamp")) for head in heads)
    folder = next(filter(None, (head.get("cwd") for head in heads)), "")
    at = max(filter(None, times), default=None)
    yield from _memory(entries, str(session), at, str(folder))


def _exported(file: str) -> Iterator[Memory]:
    """Yield the conversations of an export; ValueError if it is not JSON."""
    with open(file, encoding="utf-8") as opened:
        found = json.load(opened)
    for number, each in enumerate(found if isinstance(found, list) else [found], 1):
        try:
            entries = list(_messages(each))
            session = str(each.get("uuid") or each.get("conversation_id") or each["id"])
            at = moment_of(
                each.get("updated_at") or each.get("update_time") or each.get("create_time")
            )
            yield from _memory(
                entries, session, at, title=str(each.get("name") or each.get("title") or "")
            )
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            yield Memory(
                f"{file}:{number}", "", "", problem="is not a conversation of ChatGPT or Claude"
            )


def _messages(conversation: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the messages of a conversation, oldest first: Claude has a list of them, ChatGPT a
    tree.
    """
    if "chat_messages" in conversation:
        for message in conversation["chat_messages"]:
            parts = [
                part for part in message.get("content") or () if part.get("type") == "text"
            ]
            text = "\n".join(part["text"] for part in parts) or message.get("text") or ""
            yield {"role": _SPEAKERS.get(message["sender"], ""), "content": text}
        return
    branch = []
    name = conversation["current_node"]
    while name:
        branch.append(conversation["mapping"][name])
        name = branch[-1].get("parent") if len(branch) <= len(conversation["mapping"]) else None
    for message in filter(None, (node.get("message") for node in reversed(branch))):
        text = "\n".join(
            part for part in (message["content"].get("parts") or ()) if isinstance(part, str)
        )
        is_hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        yield {
            "role": "" if is_hidden else _SPEAKERS.get(message["author"]["role"], ""),
            "content": text,
        }


def _memory(
    entries: list[Entry], session: str, at: float | None, folder: str = "", title: str = ""
) -> Iterator[Memory]:
    if draft := handoff(transcript_of(entries), session, folder, at or 0.0):
        yield draft._replace(
            title=title or draft.title,
            at=at,
            project=_project(folder),
            tags=("imported", "handoff"),
            more={},
        )


def _project(folder: str) -> str:
    """Return the project of a session's folder, also of one on Windows or that is gone."""
    if ntpath.splitdrive(folder)[0]:
        return PureWindowsPath(folder).name
    known = project_of(folder) if os.path.isabs(folder) else None
    return known or os.path.basename(folder.rstrip("/"))
