"""`brain review`: report how memories fade, and decide with one key about each that is about to; or
archive them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from brain_cli.answer.health import TIER_RULE, WEAK, NoteHealth, notes_by_tier, notes_health
from brain_cli.answer.passages import first_words
from brain_cli.answer.proposals import Pair, Proposals, most_at_once, proposals
from brain_cli.cli._editor import edit
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.mark import Verdict, rate
from brain_cli.cli.move import archive_or_restore, path_in_archive
from brain_cli.cli.options import YesOption, flag
from brain_cli.cli.output import followed, view
from brain_cli.cli.status import strength_row
from brain_cli.errors import FAILED, OK
from brain_cli.history.log import SHOWN, Event, Mention
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.edit import change_notes, editing
from brain_cli.library.workspace import Workspace, index_session, note_history_of
from brain_cli.render import View
from brain_cli.render.formats import AUTO
from brain_cli.render.phrases import counted, days_ago, one_line, shortened
from brain_cli.render.rows import Row
from brain_cli.streams import confirmed, say, write_json, write_lines

NOTHING_DUE = "Nothing is about to fade."
# Each list of the report except that of the notes to archive is cut after this many lines.
MAX_LISTED = 20
KEYS = "[k]eep  [s]trengthen  [a]rchive  [o]pen  [n]ext  [q]uit  [?]"
KEYS_EXPLAINED = """\
   k  it is still right: count it as recalled now, so that it fades later
   s  it is useful: the same, and rate it useful
   a  move it to the archive, from which brain undo brings it back
   o  open it in your editor, then decide
   n  leave it as it is, and go to the next (also Enter and space)
   q  stop here"""


def command(
    options: CommonOptions,
    report: Annotated[
        bool, flag("--report", "Report how memories fade; propose what to archive, merge and link.")
    ] = False,
    apply: Annotated[
        bool, flag("--apply", "Report, and archive the faded notes, after asking.")
    ] = False,
    every: Annotated[
        bool, flag("--all", "With --apply: more than 5 % of the notes, or 25, at once.")
    ] = False,
    yes: YesOption = False,
) -> int:
    """Go through memories about to fade: keep, strengthen or archive each. Off a terminal it lists
    them.

    Examples:
      brain review
      brain review --report
      brain review --apply
    """
    workspace = options.open_workspace()
    if report or apply:
        return _report(options, workspace, applies=apply, every=every, yes=yes)
    limit = options.limit or workspace.config.limit
    due = index_session(workspace).ask(lambda snapshot: _due(workspace, snapshot)[:limit])
    if not options.json and options.format == AUTO and sys.stdin.isatty() and sys.stdout.isatty():
        _review_each(options, workspace, due)
    else:
        screen = view(workspace)
        options.list_rows("results", [_row(each, screen) for each, _ in due], notes_of=workspace)
        if not due and options.list_format != "json":
            say(NOTHING_DUE)
    return OK


def _due(workspace: Workspace, snapshot: Snapshot) -> list[tuple[NoteHealth, str]]:
    """Return the notes about to fade, weakest first, each with its first sentence."""
    found = notes_health(snapshot.note_table, note_history_of(workspace, snapshot), workspace.now)
    fading = [each for each in found if each.tier == WEAK]
    return [(each, _beginning(snapshot, each.note_id)) for each in fading]


def _beginning(snapshot: Snapshot, note_id: int) -> str:
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(note_id))
    return next(filter(None, map(first_words, fragments)), "")


def _row(each: NoteHealth, screen: View) -> Row:
    row = strength_row(each, screen)
    return row._replace(document={**row.document, "idle_days": each.idle_days})


def _review_each(
    options: CommonOptions, workspace: Workspace, due: list[tuple[NoteHealth, str]]
) -> None:
    import typer

    for number, (each, beginning) in enumerate(due, start=1):
        write_lines(_note_lines(each, beginning, f"{number} of {len(due)}"))
        key = ""
        while key not in ("k", "s", "a", "n", "q", " ", "\r", "\n"):
            key = typer.getchar().lower()
            if key == "o":
                edit(os.path.join(workspace.vault, each.metadata.path), 1, os.environ)
            if key == "?":
                write_lines([KEYS_EXPLAINED])
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
    """Act on a key: keeping a memory counts as a recall; strengthening or confirming it also as
    useful feedback.
    """
    if key in ("k", "s"):
        note = Mention(each.metadata.path, each.content_hash, each.metadata.timestamp)
        workspace.record([Event(workspace.now, SHOWN, [note])])
    if key == "s":
        with editing(workspace):
            rate(workspace, [each.metadata.path], Verdict.USEFUL)
    if key == "a":
        archive_or_restore(options, [each.metadata.path])


def _report(
    options: CommonOptions, workspace: Workspace, *, applies: bool, every: bool, yes: bool
) -> int:
    """Print how memories fade and what to do; archive the faded notes if that is wanted and
    confirmed.
    """
    health, proposed = index_session(workspace).ask(
        lambda snapshot: _proposals_of(workspace, snapshot)
    )
    to_archive = proposed.faded if every else proposed.faded[: most_at_once(len(health))]
    if not options.json:
        write_lines(_report_lines(health, proposed, to_archive))
    if not health:
        say("There are no active notes that could fade.")
    asks = applies and bool(to_archive)
    question = f"Archive {counted(len(to_archive), 'note')}?"
    archives = asks and (
        yes
        or confirmed(question, "Archiving needs a confirmation, and there is no terminal to ask.")
    )
    document = {
        **_report_document(health, proposed),
        "to_archive": _paths(to_archive),
        "applied": archives,
        "archived": [],
    }
    if archives:
        document["archived"] = _archive_faded(options, workspace, to_archive)
    elif proposed.faded:
        more = len(proposed.faded) - len(to_archive)
        rest = f" {counted(more, 'more note')} would follow with --all." if more else ""
        how = f"Nothing was changed; `brain review --apply` archives the faded notes.{rest}"
        say("Nothing was changed." if applies else how)
    if options.json:
        write_json(document)
    return FAILED if asks and not archives else OK


def _proposals_of(workspace: Workspace, snapshot: Snapshot) -> tuple[list[NoteHealth], Proposals]:
    health = notes_health(snapshot.note_table, note_history_of(workspace, snapshot), workspace.now)
    return health, proposals(snapshot, health)


def _report_lines(
    health: list[NoteHealth], proposed: Proposals, to_archive: Sequence[NoteHealth]
) -> Iterator[str]:
    for tier, count in notes_by_tier(health).items():
        yield f"{tier:<9} {count:>6}"
    yield from ("", *TIER_RULE)
    faded = [
        f"{each.strength:.3f}  {_path(each)}  (last {days_ago(each.idle_days)})"
        for each in to_archive
    ]
    yield from _section("Faded, to be archived", faded, most=len(to_archive))
    yield from _section("Nearly the same text", map(_pair, proposed.repeated))
    yield from _section("Replaced, but still active", map(_pair, proposed.superseded))
    yield from _section(
        "Old observations that could become one learning", map(_group, proposed.mergeable)
    )
    yield from _section("Without links", map(_path, proposed.unlinked))


def _section(heading: str, lines: Iterable[str], most: int = MAX_LISTED) -> Iterator[str]:
    if listed := list(lines):
        yield from ("", f"{heading} ({len(listed)}):", *(f"  {line}" for line in listed[:most]))
        if len(listed) > most:
            yield f"  and {len(listed) - most} more; --json lists all"


def _path(each: NoteHealth) -> str:
    return one_line(each.metadata.path)


def _pair(pair: Pair) -> str:
    return f"{_path(pair.one)}  →  {_path(pair.other)}"


def _group(group: Sequence[NoteHealth]) -> str:
    project = group[0].metadata.project or "no project"
    return f"{len(group)} notes of {project}, from {_path(group[0])} to {_path(group[-1])}"


def _report_document(health: list[NoteHealth], proposed: Proposals) -> dict[str, Any]:
    def pairs(found: Sequence[Pair]) -> list[list[str]]:
        return [_paths((pair.one, pair.other)) for pair in found]

    return {
        "tiers": notes_by_tier(health),
        "faded": [
            {"path": each.metadata.path, "strength": each.strength} for each in proposed.faded
        ],
        "repeated": pairs(proposed.repeated),
        "superseded": pairs(proposed.superseded),
        "unlinked": _paths(proposed.unlinked),
        "mergeable": [_paths(group) for group in proposed.mergeable],
    }


def _paths(health: Sequence[NoteHealth]) -> list[str]:
    return [each.metadata.path for each in health]


def _archive_faded(
    options: CommonOptions, workspace: Workspace, to_archive: Sequence[NoteHealth]
) -> list[dict[str, str]]:
    moves = {path: path_in_archive(workspace, path) for path in _paths(to_archive)}
    with editing(workspace) as completed:
        # An interrupted earlier run has just been completed.
        left = {path: new_path for path, new_path in moves.items() if path not in completed.moves}
        moved = change_notes(workspace, "review", moves=left)
    lines = [one_line(f"archived {each.before} as {each.after}") for each in moved]
    if moved:
        lines[-1] += followed(moved[0].relinked)
    if not options.json:
        write_lines(lines)
    say(f"To undo: {options.again('undo')}")
    return [{"from": each.before, "path": each.after} for each in moved]
