"""`brain review`: go through the memories that are about to fade, deciding each with one key."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from brain_cli.answer.health import NoteHealth, notes_health
from brain_cli.answer.passages import first_words
from brain_cli.answer.proposals import may_fade
from brain_cli.cli._history import note_history_of
from brain_cli.cli._output import say, write_json, write_lines
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.cli.feedback import Verdict, give_feedback
from brain_cli.errors import OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.events import SHOWN, Event, Mention
from brain_cli.render.phrases import days_ago, one_line, shortened

ABOUT_TO_FADE = "weak"
NOTHING_DUE = "Nothing is about to fade."
KEYS = "[k]eep  [s]trengthen  [a]rchive  [n]ext  [q]uit"


def command(
    options: CommonOptions,
    limit: Annotated[int, typer.Option("-n", "--limit", metavar="N", min=1, help="Show at most this many.")] = 10,
) -> int:
    """Go through memories about to fade: keep, strengthen or archive each. Off a terminal it lists them."""
    workspace = options.open_workspace()
    due = index_session(workspace).ask(lambda snapshot: _due(workspace, snapshot)[:limit])
    if options.json:
        write_json({"results": [_result(each) for each, _ in due]})
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _review_each(options, workspace, due)
    else:
        write_lines(f"{each.strength:.3f}\t{each.metadata.path}\t{one_line(each.metadata.title)}" for each, _ in due)
        if not due:
            say(NOTHING_DUE)
    return OK


def _due(workspace: Workspace, snapshot: Snapshot) -> list[tuple[NoteHealth, str]]:
    """Return the notes about to fade, weakest first, each with its first sentence."""
    found = notes_health(snapshot.note_table, note_history_of(workspace, snapshot), workspace.now)
    due = [each for each in found if each.tier == ABOUT_TO_FADE and may_fade(each)]
    return [(each, _beginning(snapshot, each.note_id)) for each in due]


def _beginning(snapshot: Snapshot, note_id: int) -> str:
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(note_id))
    return next(filter(None, map(first_words, fragments)), "")


def _result(each: NoteHealth) -> dict[str, Any]:
    return {
        "path": each.metadata.path,
        "title": each.metadata.title,
        "strength": each.strength,
        "idle_days": each.idle_days,
    }


def _review_each(options: CommonOptions, workspace: Workspace, due: list[tuple[NoteHealth, str]]) -> None:
    import typer

    for number, (each, beginning) in enumerate(due, start=1):
        write_lines(_note_lines(each, beginning, f"{number} of {len(due)}"))
        key = ""
        while key not in ("k", "s", "a", "n", "q", " ", "\r", "\n"):
            key = typer.getchar().lower()
        if key == "q":
            return
        _act(options, workspace, each, key)
    write_lines(["Nothing else is about to fade." if due else NOTHING_DUE])


def _note_lines(each: NoteHealth, beginning: str, counter: str) -> Iterator[str]:
    yield ""
    yield f"{counter}  {one_line(each.metadata.title)}  (strength {each.strength:.2f}, last {days_ago(each.idle_days)})"
    yield f"   {one_line(each.metadata.path)}"
    if beginning:
        yield f"   {shortened(one_line(beginning), 200)}"
    yield f"   {KEYS}"


def _act(options: CommonOptions, workspace: Workspace, each: NoteHealth, key: str) -> None:
    """Act on a key: keeping a memory counts as a recall, and strengthening it also as useful feedback."""
    if key in ("k", "s"):
        note = Mention(each.metadata.path, each.content_hash, each.metadata.timestamp)
        workspace.record([Event(workspace.now, SHOWN, [note])])
    if key == "s":
        give_feedback(workspace, [each.metadata.path], Verdict.USEFUL)
    if key == "a":
        from brain_cli.cli.archive import run

        run(options, [each.metadata.path])
