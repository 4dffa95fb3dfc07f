"""`brain sleep`: what a night does to memories; it proposes, and only `--apply` archives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from brain_cli.answer.health import FADING, TIERS, NoteHealth, notes_health
from brain_cli.answer.proposals import Pair, Proposals, proposals
from brain_cli.cli._history import note_history_of
from brain_cli.cli._options import JsonOption, NowOption, VaultOption
from brain_cli.cli._output import say, without_controls, write_json, write_lines
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.errors import OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.render.phrases import days_ago, one_line


def command(
    apply: Annotated[bool, typer.Option("--apply", help="Archive the faded notes.")] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Report how memories fade, and propose what to archive, merge and link."""
    options = CommonOptions(vault, now, json)
    workspace = options.open_workspace()
    found, proposed = index_session(workspace).ask(lambda snapshot: _night(workspace, snapshot))
    if options.json:
        write_json(_document(found, proposed, applied=apply))
    else:
        write_lines(_lines(found, proposed))
    if not found:
        say("There are no active notes that could fade.")
    if apply:
        _apply(options, workspace, proposed)
    elif proposed.faded:
        say("Nothing was changed; `brain sleep --apply` archives the faded notes.")
    return OK


def _night(workspace: Workspace, snapshot: Snapshot) -> tuple[list[NoteHealth], Proposals]:
    found = notes_health(snapshot.note_table, note_history_of(workspace, snapshot), workspace.now)
    return found, proposals(snapshot, found)


def _tiers(found: list[NoteHealth]) -> dict[str, int]:
    """Count the notes of each tier, strongest first."""
    return {tier: sum(each.tier == tier for each in found) for tier in (*(name for name, _ in TIERS), FADING)}


def _lines(found: list[NoteHealth], proposed: Proposals) -> Iterator[str]:
    for tier, count in _tiers(found).items():
        yield f"{tier:<9} {count:>6}"
    yield from _section("Faded, to be archived", map(_told, proposed.faded))
    yield from _section("Say much the same", map(_pair, proposed.repeated))
    yield from _section("Replaced, but still active", map(_pair, proposed.superseded))
    yield from _section("Linked with nothing", (one_line(each.metadata.path) for each in proposed.unlinked))


def _section(heading: str, lines: Iterator[str]) -> Iterator[str]:
    told = list(lines)
    if told:
        yield ""
        yield f"{heading} ({len(told)}):"
        yield from (f"  {line}" for line in told)


def _told(each: NoteHealth) -> str:
    return f"{each.strength:.3f}  {one_line(each.metadata.path)}  (last {days_ago(each.idle_days)})"


def _pair(pair: Pair) -> str:
    return f"{one_line(pair.one.metadata.path)}  →  {one_line(pair.other.metadata.path)}"


def _document(found: list[NoteHealth], proposed: Proposals, *, applied: bool) -> dict[str, Any]:
    return {
        "applied": applied,
        "tiers": _tiers(found),
        "faded": [{"path": each.metadata.path, "strength": each.strength} for each in proposed.faded],
        "repeated": [[pair.one.metadata.path, pair.other.metadata.path] for pair in proposed.repeated],
        "superseded": [[pair.one.metadata.path, pair.other.metadata.path] for pair in proposed.superseded],
        "unlinked": [each.metadata.path for each in proposed.unlinked],
    }


def _apply(options: CommonOptions, workspace: Workspace, proposed: Proposals) -> None:
    """Archive the faded notes; each says how to undo it."""
    from brain_cli.cli.archive import move_to_archive, told
    from brain_cli.vault.atomic_write import editing

    for each in proposed.faded:
        with editing(workspace.vault):
            moved = move_to_archive(workspace, each.metadata.path)
        # With --json, stdout is one document, which has been written.
        say(told(moved)) if options.json else write_lines([without_controls(told(moved))])
        say(f"To undo: {options.again('restore', moved.after)}")
