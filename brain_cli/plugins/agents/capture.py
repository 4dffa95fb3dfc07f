"""`brain capture`: keep observations from hooks and from pipes, and make notes of those that wait,
or of git's commits.

Uses of tools wait until their session's note is due: when the agent stops or compacts its context,
after ten minutes, and on `brain capture --flush`. Then they are folded into what is known of the
session, a file in the state folder, from which its one note is written. One process at a time does
this, in the background. A text from a pipe, an answer that took time, and what the user orders to
remember become notes of their own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import argument, flag
from brain_cli.config import find_vault, load_config
from brain_cli.errors import FAILED, OK, BrainError, UsageError
from brain_cli.extension import LOOK, Finding
from brain_cli.index.note_table import NoteTable
from brain_cli.library.vault import (
    Vault,
    open_vault,
)
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.commit_notes import CommitNotes
from brain_cli.plugins.agents.handoff import handoff, session_text
from brain_cli.plugins.agents.intake import Spool, capture, keep, spool_of
from brain_cli.plugins.agents.note_store import NoteStore, keeping, own_draft
from brain_cli.plugins.agents.observation import (
    NOTE_SECONDS,
    Observation,
    PayloadError,
    read_payload,
)
from brain_cli.plugins.agents.outdated import outdated
from brain_cli.plugins.agents.session import AGENT, USER, Transcript, Turn
from brain_cli.plugins.agents.transcript import read_transcript
from brain_cli.printable import counted, one_line
from brain_cli.process import command_context
from brain_cli.search.dates import local_time
from brain_cli.streams import say, write_json
from brain_cli.vault.atomic_write import replace_file

MAX_TURNS = 60
# What is known of older sessions is forgotten; their notes stay.
MAX_SESSIONS = 50
StoreOf = Callable[[Observation], NoteStore]


def command(
    options: CommonOptions,
    source: Annotated[
        str | None,
        argument("[git]", "git: make notes of commits. Default: read a payload from stdin."),
    ] = None,
    since: Annotated[
        str | None,
        flag("--since TIME", "With git: commits since then: 1y, 2w."),
    ] = None,
    commit: Annotated[
        str | None,
        flag("--commit REV", "With git: this commit, or a range such as A..B."),
    ] = None,
    known: Annotated[bool, flag("--known", "With git: only update notes that exist.")] = False,
    strict: Annotated[bool, flag("--strict", "Exit 3 when a payload cannot be read.")] = False,
    retry: Annotated[
        bool, flag("--retry", "Retry the payloads that could not be read.")
    ] = False,
    flush_now: Annotated[
        bool,
        flag("--flush", "Make notes of all that waits, also of sessions that go on."),
    ] = False,
    background: Annotated[bool, flag("--background", "", hidden=True)] = False,
) -> int:
    """Keep an observation: a hook's JSON payload or plain text on stdin; or make notes of git
    commits.

    Examples:
      echo 'We keep carts in Redis because polling was too slow.' | brain capture
      brain capture git --since 1y
    """
    if source not in (None, "git"):
        raise UsageError(
            f"“{source}” is not a source of observations.", "Pipe a payload, or name git."
        )
    if source == "git":
        return _capture_commits(options, since, commit, known=known)
    if since or commit or known:
        raise UsageError(
            "--since, --commit and --known go with git.", "brain capture git --since 1y"
        )
    if flush_now:
        return _flush(options, background=background)
    if retry:
        return _retry(options)
    return _keep(options, strict=strict)


def _keep(options: CommonOptions, *, strict: bool) -> int:
    context = command_context()
    is_read, message = capture(
        context.stdin(), context.environ, context.folder, options.vault or "", options.now
    )
    if message:
        say(message)
    if options.json:
        write_json({"kept": is_read})
    return FAILED if strict and not is_read else OK


def _retry(options: CommonOptions) -> int:
    """Capture every payload that was set aside; one that still cannot be read stays there."""
    context = command_context()
    vault = options.vault or context.environ.get("BRAIN_VAULT", "")
    paths = spool_of(context.environ).aside()
    left = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                raw = file.read()
            keep(
                read_payload(raw, at=time.time(), folder=context.folder, vault=vault),
                context.environ,
            )
            os.unlink(path)
        except PayloadError as error:
            left += 1
            say(f"{path}: {error}.")
    read = len(paths) - left
    options.answer(
        {"read": read, "left": left}, [f"Read {counted(read, 'payload')} again; {left} left."]
    )
    return OK if not left else FAILED


def _flush(options: CommonOptions, *, background: bool) -> int:
    environ = command_context().environ
    window = load_config(None, {}, environ).of_plugins["batch_window_ms"] / 1000
    spool = spool_of(environ)

    @cache
    def opened(vault: str) -> NoteStore:
        return NoteStore(open_vault(vault, options.now))

    def store_of(each: Observation) -> NoteStore:
        return opened(
            find_vault(each.vault or options.vault, each.folder, environ, each.folder)
        )

    left = flush_until_empty(spool, store_of, window if background else None)
    for why, count in Counter(filter(None, left.values())).items():
        say(f"{counted(count, 'observation')} cannot become notes yet: {why}")
    if options.json:
        write_json({"waiting": len(spool.observations())})
    return OK


def _capture_commits(
    options: CommonOptions, since: str | None, commit: str | None, *, known: bool
) -> int:
    vault = options.open_vault()
    if commit and commit.startswith("-"):
        raise UsageError(
            f"“{commit}” is not a commit.",
            "Name a hash, a branch, or a range such as main..HEAD.",
        )
    arguments = ["--reverse"]
    if since:
        clock = vault.clock
        arguments.append(f"--since=@{int(clock.moment(local_time(since, clock)))}")
    if commit:
        arguments += [commit] if ".." in commit else ["-1", commit]
    with keeping(vault, "capture git") as plan:
        # Another hook may have made a note of the same commit a moment ago.
        vault.index()
        counts = vault.ask(
            lambda found: CommitNotes(plan, vault, found.note_table, only_known=known).capture(
                arguments
            )
        )
    sentence = (
        f"Made {counted(counts.stored, 'note')} from {counted(counts.seen, 'commit')}, "
        f"updated {counts.updated}."
    )
    for skipped in counts.skipped:
        say(f"No note can be made of commit {skipped}.")
    options.report(
        sentence, counts._asdict(), options.again("undo", "1") if plan.changes else ""
    )
    return OK


def flush_until_empty(
    spool: Spool, store_of: StoreOf, window_seconds: float | None
) -> dict[str, str]:
    """Make notes of everything in the spool; return what is left, as `flush` does.

    In the background, what arrives within `window_seconds` is taken together, and another process
    that does this goes on alone. None: wait for that process, then write the notes of all sessions.
    """
    left: dict[str, str] = {}
    ended = time.monotonic() + 60
    while True:
        with spool.flushing() as free:
            if not free and (window_seconds is not None or time.monotonic() > ended):
                return left
            if free:
                time.sleep(window_seconds or 0)
                spool.tidy()
                failed = {name: why for name, why in left.items() if why}
                left = flush(
                    spool, store_of, time.time(), failed, write_all=window_seconds is None
                )
        # An observation may have arrived between the last look and the release of the lock.
        if free and not spool.observations(left):
            return left
        time.sleep(0 if free else 0.05)


def flush(
    spool: Spool,
    store_of: StoreOf,
    now: float,
    failed: Mapping[str, str] = MappingProxyType({}),
    *,
    write_all: bool = True,
) -> dict[str, str]:
    """Make notes of what waits, but for what `failed` before; the caller holds the flush lock.

    Return the files that are left in the spool, each with why it failed, or "" if it is not due.
    """
    left = {**failed}
    for batch in _sessions(spool.observations(failed)):
        each, *others = batch.values()
        is_due = write_all or each.is_due or any(other.is_due for other in others)
        if not (is_due or now - each.at >= NOTE_SECONDS):
            left.update(dict.fromkeys(batch, ""))
            continue
        try:
            _store([each, *others], store_of(each))
        except Exception as error:  # it must not hold up the other sessions
            why = f"{type(error).__name__}: {error}"
            if isinstance(error, BrainError):
                why = error.message
            left.update(dict.fromkeys(batch, why))
        else:
            spool.remove(batch)
    return left


def _sessions(observations: Mapping[str, Observation]) -> Iterable[dict[str, Observation]]:
    """Return observations by session; those without one by folder, and each text from a pipe
    alone.
    """
    found: defaultdict[tuple[str, ...], dict[str, Observation]] = defaultdict(dict)
    for name, each in observations.items():
        session = (each.session,) if each.session else ("", each.folder)
        found[(name,) if each.is_text else (each.vault, *session)][name] = each
    return found.values()


def _store(batch: Sequence[Observation], store: NoteStore) -> None:
    """Make the notes of observations of one session."""
    for each in batch:
        if draft := own_draft(each):
            store.store(draft, each.folder)
    if not all(each.is_text for each in batch):
        _write_session(batch, store)


def _write_session(batch: Sequence[Observation], store: NoteStore) -> None:
    """Fold observations into what is known of their session, and write its note."""
    first = batch[0]
    file = _session_file(store, first)
    kept, seen = _read(file)
    known = {"folder": first.folder, "hashes": {}, "done": [], "transcript": "", **kept}
    folder = known["folder"]
    for each in batch:
        # These were folded already if the process died before it removed them.
        if each.id not in known["done"]:
            if each.tool:
                seen.used(each)
            seen.said(USER, each.prompt)
            seen.said(AGENT, each.response if each.ends_session else "")
            known["transcript"] = each.transcript or known["transcript"]
    said = _with_transcript(seen, known["transcript"])
    ends = any(each.ends_session for each in batch)
    # A prompt alone makes no handoff: the agent has not answered yet.
    has_work = ends or any(each.tool for each in batch)
    at = max(each.at for each in batch)
    if has_work and (draft := handoff(said, first.session, folder, at)):
        if ends and (text := store.handoff_of(session_text(said, draft.text))):
            draft = draft._replace(text=text)
        store.store_handoff(draft, known["hashes"])
    known |= {
        "turns": seen.turns[-MAX_TURNS:],
        "files": [*seen.files],
        "failures": seen.failures,
        "done": [each.id for each in batch],
    }
    make_private_folder(os.path.dirname(file))
    replace_file(file, json.dumps(known).encode(), mode=0o600, durable=False)
    files = (entry.path for entry in os.scandir(os.path.dirname(file)))
    for old in sorted(files, key=os.path.getmtime)[:-MAX_SESSIONS]:
        os.unlink(old)


def _with_transcript(seen: Transcript, path: str) -> Transcript:
    """Return what the transcript of a session has, with the work that only hooks saw; what hooks
    saw if there is none.
    """
    with contextlib.suppress(OSError, ValueError):
        session = read_transcript(path) if path else seen
        if session.turns:
            session.files |= seen.files
            session.failures = session.failures or seen.failures
            return session
    return seen


def _session_file(store: NoteStore, each: Observation) -> str:
    """Return the file of a session: an observation without one belongs to the day and folder."""
    day = "" if each.session else f"{each.folder}\0{int(each.at // 86_400)}"
    name = f"{each.session}\0{day}".encode("utf-8", "surrogatepass")
    key = hashlib.sha256(name).hexdigest()[:24]
    return os.path.join(store.sessions, f"{key}.json")


def _read(file: str) -> tuple[dict[str, Any], Transcript]:
    """Return what is known of a session; nothing if it is new or the file is damaged."""
    try:
        with open(file, encoding="utf-8") as opened:
            known = json.load(opened)
        turns = map(Turn._make, known["turns"])
        return known, Transcript(turns, known["files"], known["failures"])
    except (OSError, ValueError, TypeError, KeyError):
        return {}, Transcript()


def checks(vault: Vault, note_table: NoteTable | None) -> Iterator[Finding]:
    """Report observations that wait for a vault, unreadable payloads, and notes whose files are
    gone or rewritten.
    """
    # Uses of tools wait for the end of their session.
    since = time.time() - 2 * NOTE_SECONDS
    spool = spool_of(command_context().environ)
    waiting = sum(each.is_due or each.at < since for each in spool.observations().values())
    for count, what, rest in (
        (waiting, "observation", "could not become notes; brain capture --flush says why"),
        (
            len(spool.aside()),
            "payload",
            "could not be read; brain capture --retry reads them again",
        ),
    ):
        if count:
            yield Finding("capture", LOOK, f"{counted(count, what)} {rest}", count)
    if note_table is None:
        return
    archived = note_table.archived
    found = (
        note_table.parsed_record(each).metadata
        for each in note_table.rows
        if each not in archived
    )
    if check := [one_line(path) for path in outdated(found, vault.working_folder)]:
        text = (
            f"{counted(len(check), 'note')} to check: the files that they name are gone or "
            "rewritten"
        )
        yield Finding("files", LOOK, text, len(check), tuple(check))
