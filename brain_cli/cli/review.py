"""`brain review`: decide with one key about each memory that is about to fade, or archive those
that have.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from brain_cli.answer.health import WEAK, NoteHealth
from brain_cli.answer.passages import first_words
from brain_cli.answer.proposals import most_at_once, proposals
from brain_cli.cli._editor import edit
from brain_cli.cli.common import CommonOptions, followed, view
from brain_cli.cli.notes import archive_or_restore
from brain_cli.cli.options import YesOption, flag
from brain_cli.cli.status import strength_row
from brain_cli.errors import FAILED, OK
from brain_cli.history.log import SHOWN, USEFUL, Event, Mention
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.status import health_of
from brain_cli.library.vault import Vault
from brain_cli.printable import counted, one_line
from brain_cli.process import command_context
from brain_cli.render import View
from brain_cli.render.formats import AUTO, Row
from brain_cli.render.phrases import days_ago, shortened
from brain_cli.streams import confirmed, say, write_json, write_lines

NOTHING_DUE = "Nothing is about to fade."
KEYS = "[k]eep  [s]trengthen  [a]rchive  [o]pen  [n]ext  [q]uit  [?]"
KEYS_EXPLAINED = """\
   k  it is still right: count it as recalled now, so that it fades later
   s  it is useful: the same, and rate it useful
   a  move it to the archive, from which brain undo brings it back
   o  open it in your editor, then decide
   n  leave it as it is, and go to the next (also Enter and space)
   q  stop here"""


class Due(NamedTuple):
    """A note to decide about, with its first sentence, and why if it does not just fade."""

    note: NoteHealth
    beginning: str
    why: str


def command(
    options: CommonOptions,
    apply: Annotated[
        bool, flag("--apply", "Archive the notes that have faded, after asking.")
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
      brain review --apply
    """
    vault = options.open_vault()
    if apply:
        return _apply(options, vault, every=every, yes=yes)
    limit = options.limit or vault.config.limit
    due = vault.ask(lambda snapshot: _due(vault, snapshot)[:limit])
    context = command_context()
    lists = options.json or options.format != AUTO
    if not lists and context.types() and context.screen().out:
        _review_each(options, vault, due)
        return OK
    screen = view(vault)
    options.list_rows("results", [_row(each, screen) for each in due], notes_of=vault)
    if not due and options.list_format != "json":
        say(NOTHING_DUE)
    return OK


def _due(vault: Vault, snapshot: Snapshot) -> list[Due]:
    """Return the notes that do not hold now, then those about to fade, weakest first."""
    table = snapshot.note_table
    found = health_of(vault, snapshot)
    invalid = table.invalid(vault.clock.local)
    ended = [each for each in found if each.note_id in invalid]
    fading = [each for each in found if each.tier == WEAK and each.note_id not in invalid]

    def due(each: NoteHealth) -> Due:
        fragments = map(snapshot.index.fragment, snapshot.numbers_of(each.note_id))
        beginning = next(filter(None, map(first_words, fragments)), "")
        return Due(each, beginning, invalid.get(each.note_id, ""))

    return [due(each) for each in [*ended, *fading]]


def _row(due: Due, screen: View) -> Row:
    row = strength_row(due.note, screen)
    document = {**row.document, "idle_days": due.note.idle_days, "ended": due.why or None}
    line = "\t".join(filter(None, (row.line, due.why)))
    return row._replace(line=line, document=document, remark=due.why)


def _review_each(options: CommonOptions, vault: Vault, due: list[Due]) -> None:
    import typer

    for number, (each, beginning, why) in enumerate(due, start=1):
        write_lines(_note_lines(each, beginning, why, f"{number} of {len(due)}"))
        key = ""
        while key not in ("k", "s", "a", "n", "q", " ", "\r", "\n"):
            key = typer.getchar().lower()
            if key == "o":
                edit(os.path.join(vault.folder, each.path), 1, os.environ)
            if key == "?":
                write_lines([KEYS_EXPLAINED])
        if key == "q":
            return
        _act(options, vault, each, key)
    write_lines(["Nothing else is about to fade." if due else NOTHING_DUE])


def _note_lines(each: NoteHealth, beginning: str, why: str, counter: str) -> Iterator[str]:
    strength = f"strength {each.strength:.2f}, last {days_ago(each.idle_days)}"
    yield from ("", f"{counter}  {one_line(each.title)}  ({strength})")
    yield f"   {one_line(each.path)}{f', {why}' if why else ''}"
    if beginning:
        yield f"   {shortened(one_line(beginning), 200)}"
    yield f"   {KEYS}"


def _act(options: CommonOptions, vault: Vault, each: NoteHealth, key: str) -> None:
    """Act on a key: keeping a memory counts as a recall; strengthening or confirming it also as
    useful feedback.
    """
    if key in ("k", "s"):
        note = Mention(each.path, each.content_hash, each.metadata.timestamp)
        vault.record([Event(vault.now, SHOWN, [note])])
    if key == "s":
        vault.rate([each.path], USEFUL)
    if key == "a":
        archive_or_restore(options, [each.path])


def _apply(options: CommonOptions, vault: Vault, *, every: bool, yes: bool) -> int:
    """Print the notes that have faded, and archive them if that is confirmed."""

    def look(snapshot: Snapshot) -> tuple[int, list[NoteHealth]]:
        health = health_of(vault, snapshot)
        return len(health), proposals(snapshot, health).faded

    active, faded = vault.ask(look)
    chosen = faded if every else faded[: most_at_once(active)]
    paths = [each.path for each in chosen]
    if not options.json:
        write_lines(
            f"{each.strength:.3f}  {one_line(each.path)}  (last {days_ago(each.idle_days)})"
            for each in chosen
        )
    if more := len(faded) - len(chosen):
        say(f"{counted(more, 'more note')} would follow with --all.")
    if not chosen:
        say("No note has faded.")
    question = f"Archive {counted(len(chosen), 'note')}?"
    why_yes = "Archiving needs a confirmation, and there is no terminal to ask."
    archives = bool(chosen) and (yes or confirmed(question, why_yes))
    archived = _archived(options, vault, paths) if archives else []
    if chosen and not archives:
        say("Nothing was changed.")
    if options.json:
        write_json({"to_archive": paths, "applied": archives, "archived": archived})
    return FAILED if chosen and not archives else OK


def _archived(
    options: CommonOptions, vault: Vault, paths: Sequence[str]
) -> list[dict[str, str]]:
    # An interrupted earlier run may have just been completed.
    moved = [each for each in vault.archive(paths) if each.changed]
    lines = [one_line(f"archived {each.before} as {each.path}") for each in moved]
    if moved:
        lines[-1] += followed(moved[0].relinked)
    write_lines([] if options.json else lines)
    say(f"To undo: {options.again('undo')}")
    return [{"from": each.before, "path": each.path} for each in moved]
