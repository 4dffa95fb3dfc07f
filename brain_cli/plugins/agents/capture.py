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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import typer

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.doctor import LOOK, Finding
from brain_cli.config import find_vault, load_config
from brain_cli.errors import FAILED, OK, BrainError, UsageError
from brain_cli.index.note_table import NoteTable
from brain_cli.library.edit import editing, make_change
from brain_cli.library.vault import Vault, index_session, open_vault, refreshed
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.handoff import handoff, session_text
from brain_cli.plugins.agents.intake import Spool, aside, capture, spool_of
from brain_cli.plugins.agents.note_store import NoteStore, own_draft
from brain_cli.plugins.agents.observation import NOTE_SECONDS, Observation, wants_note
from brain_cli.plugins.agents.session import (
    AGENT,
    MAX_SESSIONS,
    USER,
    SessionWork,
    Transcript,
    Turn,
    keep_newest,
)
from brain_cli.plugins.agents.transcript import read_transcript
from brain_cli.process import command_context
from brain_cli.render.phrases import counted, one_line
from brain_cli.streams import say, write_json
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.change_journal import HOOK, ChangeSet, PlannedChanges
from brain_cli.vault.git import outdated

MAX_TURNS = 60
StoreOf = Callable[[Observation], NoteStore]


def command(
    options: CommonOptions,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[git]", help="git: make notes of commits. Default: read a payload from stdin."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="With git: commits since then: 1y, 2w."),
    ] = None,
    commit: Annotated[
        str | None,
        typer.Option(
            "--commit", metavar="REV", help="With git: this commit, or a range such as A..B."
        ),
    ] = None,
    known: Annotated[
        bool, typer.Option("--known", help="With git: only update notes that exist.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 3 when a payload cannot be read.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry the payloads that could not be read.")
    ] = False,
    flush_now: Annotated[
        bool,
        typer.Option("--flush", help="Make notes of all that waits, also of sessions that go on."),
    ] = False,
    background: Annotated[bool, typer.Option("--background", hidden=True)] = False,
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
    captured = capture(
        context.stdin(), context.environ, context.folder, options.vault or "", options.now
    )
    if message := captured.told(options.vault or "", context.folder):
        say(message)
    if options.json:
        write_json({"kept": captured.is_read})
    return FAILED if strict and not captured.is_read else OK


def _retry(options: CommonOptions) -> int:
    """Capture every payload that was set aside; one that still cannot be read stays there."""
    context = command_context()
    paths = aside(context.environ)
    for path in paths:
        before = len(aside(context.environ))
        with open(path, "rb") as file:
            captured = capture(file.read(), context.environ, context.folder, options.vault or "")
        # A payload that still cannot be read was set aside again. If there was no space for that,
        # keep the old file.
        if captured.is_read or len(aside(context.environ)) > before:
            os.unlink(path)
        if captured.message:
            say(captured.message)
    left = len(aside(context.environ))
    read = len(paths) - left
    options.answer(
        {"read": read, "left": left}, [f"Read {counted(read, 'payload')} again; {left} left."]
    )
    return OK if not left else FAILED


def _flush(options: CommonOptions, *, background: bool) -> int:
    environ = command_context().environ
    window = load_config(None, {}, environ).of_plugins["batch_window_ms"] / 1000
    spool = spool_of(environ)

    stores: dict[str, NoteStore] = {}

    def store_of(each: Observation) -> NoteStore:
        vault = find_vault(each.vault or options.vault, each.folder, environ, each.folder)
        if vault not in stores:
            stores[vault] = NoteStore(open_vault(vault, options.now))
        return stores[vault]

    flushed = flush_until_empty(spool, store_of, window if background else None)
    for why, count in flushed.reasons.items():
        say(f"{counted(count, 'observation')} cannot become notes yet: {why}")
    if options.json:
        write_json({"waiting": len(spool.observations())})
    return OK


def _capture_commits(
    options: CommonOptions, since: str | None, commit: str | None, *, known: bool
) -> int:
    from brain_cli.plugins.agents.commit_notes import CommitNotes

    vault = options.open_vault()
    arguments = _log_arguments(since, commit)
    inbox = vault.config.of_plugins["inbox"]

    with editing(vault):
        plan = PlannedChanges(vault.folder)
        index = index_session(vault)
        # Another hook may have made a note of the same commit a moment ago.
        refreshed(index)
        counts = index.ask(
            lambda found: CommitNotes(
                plan,
                inbox,
                vault.working_folder,
                found.note_table,
                zone=vault.zone,
                only_known=known,
            ).capture(arguments)
        )
        if plan.changes:
            change_set = ChangeSet("capture git", plan.changes, vault.now, author=HOOK)
            make_change(vault, change_set)
    sentence = (
        f"Made {counted(counts.stored, 'note')} from {counted(counts.seen, 'commit')}, "
        f"updated {counts.updated}."
    )
    for commit in counts.skipped:
        say(f"No note can be made of commit {commit}.")
    options.report(sentence, counts._asdict(), options.again("undo", "1") if plan.changes else "")
    return OK


def _log_arguments(since: str | None, commit: str | None) -> list[str]:
    """Return the arguments of `git log` for the requested commits, oldest first."""
    if commit and commit.startswith("-"):
        raise UsageError(
            f"“{commit}” is not a commit.", "Name a hash, a branch, or a range such as main..HEAD."
        )
    one = [commit] if commit and ".." in commit else ["-1", commit] if commit else []
    return ["--reverse", *([f"--since={_git_time(since)}"] if since else []), *one]


def _git_time(text: str) -> str:
    """Return a span such as `1y` or `2w` in git's notation; dates are not changed."""
    units = {"d": "days", "w": "weeks", "m": "months", "y": "years"}
    return (
        f"{text[:-1]} {units[text[-1]]} ago"
        if text[:-1].isdecimal() and text[-1] in units
        else text
    )


class Flushed(NamedTuple):
    """The files that a flush left in the spool: those that `failed`, each with a sentence, and
    those `not_due`.
    """

    failed: Mapping[str, str] = MappingProxyType({})
    not_due: frozenset[str] = frozenset()

    @property
    def reasons(self) -> Counter[str]:
        """Return the number of observations that failed for each reason."""
        return Counter(self.failed.values())


def flush_until_empty(spool: Spool, store_of: StoreOf, window_seconds: float | None) -> Flushed:
    """Make notes of everything in the spool; return what is left.

    In the background, what arrives within `window_seconds` is taken together, and another process
    that does this goes on alone. None: wait for that process, then write the notes of all sessions.
    """
    flushed = Flushed()
    ended = time.monotonic() + 60
    while True:
        with spool.flushing() as free:
            if not free and (window_seconds is not None or time.monotonic() > ended):
                return flushed
            if free:
                time.sleep(window_seconds or 0)
                spool.tidy()
                flushed = flush(
                    spool, store_of, time.time(), flushed.failed, write_all=window_seconds is None
                )
        # An observation may have arrived between the last look and the release of the lock.
        if free and not spool.observations({*flushed.failed, *flushed.not_due}):
            return flushed
        time.sleep(0 if free else 0.05)


def flush(
    spool: Spool,
    store_of: StoreOf,
    now: float,
    failed: Mapping[str, str] = MappingProxyType({}),
    *,
    write_all: bool = True,
) -> Flushed:
    """Make notes of what waits, but for what `failed` before; the caller holds the flush lock."""
    failed = {**failed}
    not_due = set()
    for names, batch in _by_session(spool.observations(failed)):
        if not (write_all or any(map(wants_note, batch)) or now - batch[0].at >= NOTE_SECONDS):
            not_due.update(names)
            continue
        try:
            _store(batch, store_of(batch[0]))
        except (
            Exception
        ) as error:  # a session that cannot become a note must not hold up the others
            why = (
                error.message
                if isinstance(error, BrainError)
                else f"{type(error).__name__}: {error}"
            )
            failed.update(dict.fromkeys(names, why))
        else:
            spool.remove(names)
    return Flushed(failed, frozenset(not_due))


def _by_session(
    observations: Mapping[str, Observation],
) -> Iterator[tuple[list[str], list[Observation]]]:
    """Yield files and observations by session; those without one by folder, and each text from a
    pipe alone.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for name, each in observations.items():
        is_piped = not each.tool and each.event == "PostToolUse"
        key = (
            (name,)
            if is_piped
            else (each.vault, each.session)
            if each.session
            else (each.vault, "", each.folder)
        )
        found.setdefault(key, []).append(name)
    for names in found.values():
        yield names, [observations[name] for name in names]


def _store(batch: Sequence[Observation], store: NoteStore) -> None:
    """Make the notes of observations of one session."""
    for each in batch:
        if draft := own_draft(each):
            store.store(draft)
    if any(each.tool or each.event != "PostToolUse" for each in batch):
        _write_session(batch, store)


def _write_session(batch: Sequence[Observation], store: NoteStore) -> None:
    """Fold observations into what is known of their session, and write its note."""
    file = _session_file(store, batch[0])
    session = batch[0].session
    at = max(each.at for each in batch)
    known = _read(file)
    folder = known.get("folder") or batch[0].folder
    work = SessionWork(known)
    for each in batch:
        # These were folded already if the process died before it removed them.
        if each.id not in known.get("done", ()):
            _add(known, work, each)
    said = _said(known)
    hashes = known.get("hashes", {})
    # A prompt alone makes no handoff: the agent has not answered yet.
    has_work = any(each.tool or each.ends_session for each in batch)
    if has_work and (draft := handoff(said, session, folder, at, _merged(work, said))):
        if any(each.ends_session for each in batch):
            draft = draft._replace(
                text=store.handoff_of(session_text(said, draft.text)) or draft.text
            )
        store.store_handoff(draft, hashes)
    known |= {
        "files": [*work.files],
        "failures": work.failures,
        "folder": folder,
        "hashes": hashes,
    }
    known["done"] = [each.id for each in batch]
    make_private_folder(os.path.dirname(file))
    replace_file(file, json.dumps(known).encode(), mode=0o600, durable=False)
    keep_newest(os.path.dirname(file), MAX_SESSIONS)


def _merged(work: SessionWork, said: Transcript) -> SessionWork:
    """Return the work that hooks saw, and the changes that only the transcript tells of: Codex
    edits through a shell.
    """
    merged = SessionWork.of(said.uses)
    merged.files |= work.files
    if not said.uses:
        merged.failures = work.failures
    return merged


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
        transcript = (
            read_transcript(known["transcript"]) if known.get("transcript") else Transcript()
        )
        if transcript.turns:
            return transcript
    return Transcript(tuple(Turn(*turn) for turn in known.get("turns", ())))


def _session_file(store: NoteStore, each: Observation) -> str:
    day = "" if each.session else f"{each.folder}\0{int(each.at // 86_400)}"
    key = hashlib.sha256(f"{each.session}\0{day}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return os.path.join(store.sessions, f"{key}.json")


def _read(file: str) -> dict[str, Any]:
    """Return what is known of a session; nothing if it is new or the file is damaged."""
    try:
        with open(file, encoding="utf-8") as opened:
            found: dict[str, Any] = json.load(opened)
            SessionWork(found)
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    return found


def checks(vault: Vault, note_table: NoteTable | None) -> Iterator[Finding]:
    """Report observations that wait for a vault, unreadable payloads, and notes whose files are
    gone or rewritten.
    """
    environ = command_context().environ
    waits = spool_of(environ).observations().values()
    unread = len(aside(environ))
    # Uses of tools wait for the end of their session.
    waiting = sum(wants_note(each) or each.at < time.time() - 2 * NOTE_SECONDS for each in waits)
    if waiting:
        text = (
            f"{counted(waiting, 'observation')} could not become notes; brain capture --flush "
            "says why"
        )
        yield Finding("capture", LOOK, text, waiting)
    if unread:
        text = (
            f"{counted(unread, 'payload')} could not be read; brain capture --retry reads "
            "them again"
        )
        yield Finding("capture", LOOK, text, unread)
    rows = note_table.rows.items() if note_table else ()
    found = (note_table.metadata(each) for each, row in rows if note_table and not row.archived)
    if check := [one_line(path) for path in outdated(found, vault.working_folder)]:
        text = (
            f"{counted(len(check), 'note')} to check: the files that they name are gone or "
            "rewritten"
        )
        yield Finding("files", LOOK, text, len(check), tuple(check))
