"""Make notes of the spool. This runs in the background, one process at a time.

Uses of tools wait until their session's note is due: when the agent stops or compacts its context, after ten minutes,
and on `brain capture --flush`. Then they are folded into what is known of the session, a file in the state folder, from
which its one note is written.
A text from a pipe, an answer that took time, and what the user orders to remember become notes of their own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from brain_cli.cli._workspace import session_name
from brain_cli.errors import BrainError
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.agent_table import ANSWERING, ASKING
from brain_cli.plugins.agents.brought_up import MAX_SESSIONS, BroughtUp, SessionMemory, events, judged, keep_newest
from brain_cli.plugins.agents.handoff import handoff, session_text
from brain_cli.plugins.agents.intake import Spool
from brain_cli.plugins.agents.note_store import Draft, NoteStore, drafted_answer, drafted_directive, drafted_text
from brain_cli.plugins.agents.observation import NOTE_SECONDS, PROMPT, Observation, answers_of, wants_note
from brain_cli.plugins.agents.session_work import SessionWork
from brain_cli.plugins.agents.transcript import AGENT, USER, Transcript, Turn, read_transcript
from brain_cli.vault.atomic_write import replace_file

HANDOFF_FOLDER = "handoff"
MAX_TURNS = 60
Batch = dict[str, Observation]
StoreOf = Callable[[Observation], NoteStore]


class Flushed(NamedTuple):
    """The outcome of one flush: notes written, repetitions counted on notes, and the files that failed or are not due.

    `reasons` maps each reason (a sentence) to the number of observations that failed for it.
    """

    stored: int = 0
    counted: int = 0
    waiting: frozenset[str] = frozenset()
    not_due: frozenset[str] = frozenset()
    reasons: Mapping[str, int] = MappingProxyType({})

    def failing(self, batch: Batch, error: Exception) -> Flushed:
        why = error.message if isinstance(error, BrainError) else f"{type(error).__name__}: {error}"
        reasons = {**self.reasons, why: self.reasons.get(why, 0) + len(batch)}
        return self._replace(waiting=self.waiting | frozenset(batch), reasons=reasons)


def flush_until_empty(spool: Spool, store_of: StoreOf, window_seconds: float | None) -> Flushed:
    """Make notes of everything in the spool; return the outcome.

    In the background, what arrives within `window_seconds` is taken together, and another process that does this goes
    on alone. None: wait for that process, then write the notes of all sessions.
    """
    flushed, ended = Flushed(), time.monotonic() + 60
    while True:
        with spool.flushing() as free:
            if not free and (window_seconds is not None or time.monotonic() > ended):
                return flushed
            if free:
                time.sleep(window_seconds or 0)
                spool.tidy()
                flushed = flush(spool, store_of, time.time(), done=flushed, write_all=window_seconds is None)
        # An observation may have arrived between the last look and the release of the lock.
        if free and not spool.observations(flushed.waiting | flushed.not_due):
            return flushed
        time.sleep(0 if free else 0.05)


def flush(
    spool: Spool, store_of: StoreOf, now: float, *, done: Flushed | None = None, write_all: bool = True
) -> Flushed:
    """Make notes of what waits and was not tried before; the caller holds the flush lock."""
    total = (done or Flushed())._replace(not_due=frozenset())
    for batch in _by_session(spool.observations(total.waiting)).values():
        first = next(iter(batch.values()))
        if not (write_all or any(map(wants_note, batch.values())) or now - first.at >= NOTE_SECONDS):
            total = total._replace(not_due=total.not_due | frozenset(batch))
            continue
        try:
            stored, counted = _stored(batch, store_of(first), SessionMemory(spool.folder, first.session))
        except Exception as error:  # a session that cannot become a note must not hold up the others
            total = total.failing(batch, error)
            continue
        spool.remove(batch)
        total = total._replace(stored=total.stored + stored, counted=total.counted + counted)
    return total


def _by_session(observations: Mapping[str, Observation]) -> dict[tuple[str, ...], Batch]:
    """Group observations by session; those without one by folder, and each text from a pipe alone."""
    found: dict[tuple[str, ...], Batch] = {}
    for name, each in observations.items():
        is_piped = not each.tool and each.event == "PostToolUse"
        key = (name,) if is_piped else (each.vault, each.session) if each.session else (each.vault, "", each.folder)
        found.setdefault(key, {})[name] = each
    return found


def _stored(batch: Batch, store: NoteStore, memory: SessionMemory) -> tuple[int, int]:
    """Store a session's observations; return how many notes are new and how many repetitions were counted."""
    drafts = [(each.event, draft) for each in batch.values() if (draft := _own_note(each))]
    stored = [store.store(draft) for _, draft in drafts]
    # What the user ordered may be contradicted too, and need not be shown to the agent that heard it.
    orders = [(path, draft) for (event, draft), (path, _) in zip(drafts, stored, strict=True) if event == PROMPT]
    memory.add(BroughtUp(path, draft.at, "ordered", timestamp=draft.at, title=draft.title) for path, draft in orders)
    new = sum(is_new for _, is_new in stored)
    if any(each.tool or each.ends_session for each in batch.values()):
        new += _write_session(batch, store, memory)
    return new, sum(not is_new for _, is_new in stored)


def _own_note(each: Observation) -> Draft | None:
    """Return the draft of what deserves its own note."""
    tool = each.tool.casefold()
    if each.event == PROMPT:
        return drafted_directive(each)
    if tool in ANSWERING or tool == ASKING:
        return drafted_answer(each, answers_of(each.response))
    return drafted_text(each) if not (tool or each.ends_session) else None


def _write_session(batch: Batch, store: NoteStore, memory: SessionMemory) -> bool:
    """Fold observations into their session, and write its note; return whether there is a new one."""
    first = next(iter(batch.values()))
    file = _session_file(store, first)
    known = _read(file)
    if not (known.get("start") and known.get("folder")):
        known |= {"start": first.at, "folder": first.folder}
    work = SessionWork.from_json(known)
    # These were folded already if the process died before it removed them.
    folded = [name for name in known.get("done", []) if name in batch]
    for name, each in batch.items():
        if name not in folded:
            _add(known, work, each)
    known |= {**work.as_json(), "done": [*batch]}
    at, said = max(each.at for each in batch.values()), _said(known)
    draft = handoff(said, first.session, known["folder"], at, work if work.files or work.commands else None)
    is_new = bool(draft) and "path" not in known
    if draft and any(each.ends_session for each in batch.values()):
        draft = draft._replace(text=store.handoff_of(session_text(said, draft.text)) or draft.text)
    if draft:
        hashes = known.setdefault("hashes", {})
        known |= {"path": store.store_handoff(draft, HANDOFF_FOLDER, hashes)}
    make_private_folder(os.path.dirname(file))
    replace_file(file, json.dumps(known).encode(), mode=0o600, durable=False)
    keep_newest(os.path.dirname(file), MAX_SESSIONS)
    _learn_from_use(batch, said, at, store, memory)
    return is_new


def _add(known: dict[str, Any], work: SessionWork, each: Observation) -> None:
    if each.tool:
        work.fold(each)
    for speaker, text in ((USER, each.prompt), (AGENT, each.response if each.ends_session else "")):
        if text and [speaker, text] != (known.get("turns") or [None])[-1]:
            known["turns"] = [*known.get("turns", []), [speaker, text]][-MAX_TURNS:]
    if each.transcript:
        known["transcript"] = each.transcript


def _said(known: Mapping[str, Any]) -> Transcript:
    """Return the transcript of a session or, without one, what its events said."""
    with contextlib.suppress(OSError, ValueError):
        transcript = read_transcript(known["transcript"]) if known.get("transcript") else Transcript()
        if transcript.turns:
            return transcript
    return Transcript(tuple(Turn(*turn) for turn in known.get("turns", ())))


def _learn_from_use(batch: Batch, said: Transcript, at: float, store: NoteStore, memory: SessionMemory) -> None:
    """Record which of the notes that the session was shown it has used or contradicted."""
    known = [each for each in memory.notes() if os.path.exists(os.path.join(store.vault, each.path))]
    if found := [*judged(known, said, batch.values(), store.vault)]:
        session = next(iter(batch.values())).session
        store.record([*events(known, found, at, session_name(session))])
        memory.mark(found)


def _session_file(store: NoteStore, each: Observation) -> str:
    day = "" if each.session else f"{each.folder}\0{int(each.at // 86_400)}"
    key = hashlib.sha256(f"{each.session}\0{day}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return os.path.join(store.sessions, f"{key}.json")


def _read(file: str) -> dict[str, Any]:
    """Return what is known of a session; nothing if it is new or the file is damaged."""
    try:
        with open(file, encoding="utf-8") as opened:
            found = json.load(opened)
            SessionWork.from_json(found)
    except (OSError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        return {}
    return found if isinstance(found, dict) else {}
