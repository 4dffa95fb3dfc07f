"""`brain` alone on a terminal: the vault at a glance, and how to go on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from brain_cli.answer.health import WEAK, NoteHealth, notes_health
from brain_cli.cli._output import write_lines
from brain_cli.cli._workspace import CommonOptions, Workspace, events_until, index_session, note_history_of
from brain_cli.errors import NoVaultHereError
from brain_cli.history.log import SHOWN
from brain_cli.index.snapshot import Snapshot
from brain_cli.render.phrases import counted, days_ago, one_line

LISTED = 3
NEXT_STEPS = (
    "brain WORDS… recalls what your notes know; brain -i asks on the full screen.",
    "brain add writes a note; brain --help lists the commands.",
)


def glance(vault: str | None, now: str | None) -> bool:
    """Print the vault's size and freshness, its newest notes and what was recalled lately; False without a vault."""
    try:
        workspace = CommonOptions(vault, now, json=False, reads=True).open_workspace()
    except NoVaultHereError:
        return False
    write_lines(index_session(workspace).ask(lambda snapshot: list(_lines(workspace, snapshot))))
    return True


def _lines(workspace: Workspace, snapshot: Snapshot) -> Iterator[str]:
    health = notes_health(snapshot.note_table, note_history_of(workspace, snapshot), workspace.now)
    by_id = {each.note_id: each for each in health}
    table = snapshot.note_table
    newest = sorted(by_id, key=lambda each: (-(table.stated_date(each) or 0.0), table.rows[each].path))[:LISTED]
    youngest = f"; the newest is from {days_ago(by_id[newest[0]].age_days)}" if newest else ""
    yield f"{one_line(workspace.vault)}: {counted(len(table.rows), 'note')}{youngest}."
    yield from _listed("Newest", (by_id[note_id] for note_id in newest))
    by_path = {each.metadata.path: each for each in health}
    shown = (
        note[0]  # its path
        for event in events_until(workspace, workspace.now, newest_first=True)
        if event.event == SHOWN
        for note in event.notes
    )
    lately = list(dict.fromkeys(islice(shown, 10 * LISTED)))[:LISTED]
    yield from _listed("Recalled lately", (by_path[path] for path in lately if path in by_path))
    yield from _listed("Look at again", islice((each for each in health if each.tier == WEAK), 1))
    yield ""
    yield from NEXT_STEPS


def _listed(heading: str, notes: Iterator[NoteHealth]) -> Iterator[str]:
    lines = [f"  {one_line(each.metadata.title)}  ({one_line(each.metadata.path)})" for each in notes]
    if lines:
        yield from ("", heading, *lines)
