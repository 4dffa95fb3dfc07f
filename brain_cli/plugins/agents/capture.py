"""`brain capture`: make notes of observations from hooks, from a pipe or from git."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from brain_cli.cli._edit import can_be_undone, editing, recording
from brain_cli.cli._output import say, write_json
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session, open_workspace, refreshed
from brain_cli.cli.doctor import LOOK, Finding
from brain_cli.config import find_vault, load_config
from brain_cli.errors import FAILED, OK, UsageError
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.agents.flush import flush_until_empty
from brain_cli.plugins.agents.intake import aside, capture, spool_of
from brain_cli.plugins.agents.note_store import NoteStore
from brain_cli.plugins.agents.observation import NOTE_SECONDS, Observation, wants_note
from brain_cli.render.phrases import counted, one_line
from brain_cli.vault.atomic_write import Written, recorded
from brain_cli.vault.change_journal import change_set_of
from brain_cli.vault.git import outdated


def command(
    options: CommonOptions,
    source: Annotated[
        str | None,
        typer.Argument(metavar="[git]", help="git: make notes of commits. Default: read a payload from stdin."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="With git: commits since then: 1y, 2w.")
    ] = None,
    commit: Annotated[
        str | None, typer.Option("--commit", metavar="REV", help="With git: this commit, or a range such as A..B.")
    ] = None,
    known: Annotated[bool, typer.Option("--known", help="With git: only update notes that exist.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 when a payload cannot be read.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Retry the payloads that could not be read.")] = False,
    flush_now: Annotated[
        bool, typer.Option("--flush", help="Make notes of all that waits, also of sessions that go on.")
    ] = False,
    background: Annotated[bool, typer.Option("--background", hidden=True)] = False,
) -> int:
    """Keep an observation: a hook's JSON payload or plain text on stdin; or make notes of git commits.

    Examples:
      echo 'We keep carts in Redis because polling was too slow.' | brain capture
      brain capture git --since 1y
    """
    if source not in (None, "git"):
        raise UsageError(f"“{source}” is not a source of observations.", "Pipe a payload, or name git.")
    if source == "git":
        return _capture_commits(options, since, commit, known=known)
    if since or commit or known:
        raise UsageError("--since, --commit and --known go with git.", "brain capture git --since 1y")
    if flush_now:
        return _flush(options, background=background)
    if retry:
        return _retry(options)
    return _keep(options, strict=strict)


class StoreFinder:
    """Finds the vault of an observation from its folder, and opens the note store there once."""

    def __init__(self, options: CommonOptions) -> None:
        self._options = options
        self._stores: dict[tuple[str, str], NoteStore] = {}

    def __call__(self, observation: Observation) -> NoteStore:
        key = (observation.vault, observation.folder)
        if key not in self._stores:
            environ, vault = command_context().environ, observation.vault or self._options.vault
            folder = find_vault(vault, observation.folder, environ, observation.folder)
            self._stores[key] = NoteStore(open_workspace(folder, self._options.now))
        return self._stores[key]

    def keep_for_undo(self, written: Sequence[Written]) -> None:
        """Record the notes that were written as one change of each vault."""
        for vault, workspace in {each.vault: each.workspace for each in self._stores.values()}.items():
            here = [each for each in written if each.vault == vault]
            if here:
                can_be_undone(workspace, change_set_of("capture", here, workspace.now, by_hook=True))


def _keep(options: CommonOptions, *, strict: bool) -> int:
    context = command_context()
    captured = capture(context.stdin(), context.environ, context.folder, options.vault or "")
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
        # A payload that still cannot be read was set aside again. If there was no space for that, keep the old file.
        if captured.is_read or len(aside(context.environ)) > before:
            os.unlink(path)
        if captured.message:
            say(captured.message)
    left = len(aside(context.environ))
    read = len(paths) - left
    options.answer({"read": read, "left": left}, [f"Read {counted(read, 'payload')} again; {left} left."])
    return OK if not left else FAILED


def _flush(options: CommonOptions, *, background: bool) -> int:
    environ = command_context().environ
    window = load_config(None, {}, environ).of_plugins["batch_window_ms"] / 1000
    spool = spool_of(environ)
    stores = StoreFinder(options)
    with recorded() as written:
        flushed = flush_until_empty(spool, stores, window if background else None)
    stores.keep_for_undo(written)
    for why, count in flushed.reasons.items():
        say(f"{counted(count, 'observation')} cannot become notes yet: {why}")
    if options.json:
        write_json({"waiting": spool.waiting()})
    return OK


def _capture_commits(options: CommonOptions, since: str | None, commit: str | None, *, known: bool) -> int:
    from brain_cli.plugins.agents.commit_notes import CommitNotes

    workspace = options.open_workspace()
    arguments, inbox = _log_arguments(since, commit), workspace.config.of_plugins["inbox"]

    with editing(workspace), recording(workspace, "capture git", by_hook=True):
        index = index_session(workspace)
        # Another hook may have made a note of the same commit a moment ago.
        refreshed(index)
        counts = index.ask(
            lambda found: CommitNotes(
                workspace.vault, inbox, workspace.folder, found.note_table, only_known=known
            ).capture(arguments)
        )
    sentence = f"Made {counted(counts.stored, 'note')} from {counted(counts.seen, 'commit')}, updated {counts.updated}."
    options.answer(counts._asdict(), [sentence])
    return OK


def _log_arguments(since: str | None, commit: str | None) -> list[str]:
    """Return the arguments of `git log` for the requested commits, oldest first."""
    if commit and commit.startswith("-"):
        raise UsageError(f"“{commit}” is not a commit.", "Name a hash, a branch, or a range such as main..HEAD.")
    one = [commit] if commit and ".." in commit else ["-1", commit] if commit else []
    return ["--reverse", *([f"--since={_git_time(since)}"] if since else []), *one]


def _git_time(text: str) -> str:
    """Return a span such as `1y` or `2w` in git's notation; dates are not changed."""
    units = {"d": "days", "w": "weeks", "m": "months", "y": "years"}
    return f"{text[:-1]} {units[text[-1]]} ago" if text[:-1].isdecimal() and text[-1] in units else text


def checks(workspace: Workspace, note_table: NoteTable | None) -> Iterator[Finding]:
    """Report observations that wait for a vault, unreadable payloads, and notes whose files are gone or rewritten."""
    environ = command_context().environ
    waits = spool_of(environ).observations().values()
    unread = len(aside(environ))
    # Uses of tools wait for the end of their session.
    waiting = sum(wants_note(each) or each.at < time.time() - 2 * NOTE_SECONDS for each in waits)
    if waiting:
        text = f"{counted(waiting, 'observation')} could not become notes; brain capture --flush says why"
        yield Finding("capture", LOOK, text, waiting)
    if unread:
        text = f"{counted(unread, 'payload')} could not be read; brain capture --retry reads them again"
        yield Finding("capture", LOOK, text, unread)
    rows = note_table.rows.items() if note_table else ()
    found = (note_table.metadata(each) for each, row in rows if note_table and not row.archived)
    if check := [one_line(path) for path in outdated(found, workspace.folder)]:
        text = f"{counted(len(check), 'note')} to check: the files that they name are gone or rewritten"
        yield Finding("files", LOOK, text, len(check), tuple(check))
