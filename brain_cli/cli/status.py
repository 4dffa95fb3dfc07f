"""`brain status`: print statistics of the vault; `brain tags`: its tags; `brain` alone on a
terminal: the vault at a glance.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated

from brain_cli.answer.health import TIER_RULE, WEAK, NoteHealth, VaultStats
from brain_cli.cli.common import CommonOptions, view
from brain_cli.cli.options import flag
from brain_cli.cli.recall import say_undated
from brain_cli.errors import NOTHING_FOUND, OK, NoVaultHereError
from brain_cli.history.log import SHOWN
from brain_cli.history.log_reader import events_until
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.status import health_of
from brain_cli.library.vault import Vault
from brain_cli.printable import counted, one_line
from brain_cli.process import command_context
from brain_cli.render import View
from brain_cli.render.formats import AUTO, Row
from brain_cli.render.phrases import days_ago
from brain_cli.streams import say, write_lines
from brain_cli.vault.inline_text import columns

BAR_COLUMNS = 30
NAME_COLUMNS = 14
MAX_TAGS = 10
AT_A_GLANCE = 3
NEXT_STEPS = (
    "brain WORDS… recalls what your notes know; brain -i asks on the full screen.",
    "brain add writes a note; brain --help lists the commands.",
)
# The columns before a bar: two spaces, the name, a space, the count, two spaces.
BAR_START = 2 + NAME_COLUMNS + 1 + 6 + 2


def command(
    options: CommonOptions,
    notes: Annotated[bool, flag("--notes", "List every note with its strength.")] = False,
) -> int:
    """Show how many memories there are, how old and how strong they are, and how they were used.

    Examples:
      brain status
      brain status --notes
    """
    vault = options.open_vault()
    found, numbers, states = vault.status()
    if notes or options.format not in (AUTO, "json"):
        screen = view(vault)
        options.list_rows(
            "results", [strength_row(each, screen) for each in found], notes_of=vault
        )
    else:
        used = {
            name: state if isinstance(state, str) else state._asdict()
            for name, state in states.items()
        }
        lines = [
            *_lines(vault.folder, numbers),
            *(f"{name}: {state}" for name, state in states.items()),
        ]
        options.answer({"vault": vault.folder, **numbers._asdict(), **used}, lines)
        say_undated(numbers.undated, numbers.notes)
    return OK


def strength_row(each: NoteHealth, screen: View) -> Row:
    """Return a note of a list by strength."""
    path = each.path
    title = each.title
    strength = each.strength
    line = "\t".join(map(one_line, (f"{strength:.3f}", screen.path_from_here(path), title)))
    return Row(
        line,
        {"path": path, "title": title, "strength": strength},
        path,
        title,
        f"{strength:.2f}",
    )


def _lines(vault: str, numbers: VaultStats) -> Iterator[str]:
    width = command_context().width
    bars = max(0, min(BAR_COLUMNS, width - BAR_START))
    notes = counted(numbers.notes, "note")
    sizes = f"{notes}, {numbers.archived} archived, {numbers.pinned} pinned"
    fits = len(f"{vault}: {sizes}") <= width or not command_context().is_terminal
    yield from (f"{vault}: {sizes}",) if fits else (vault, sizes)
    tables: dict[str, Mapping[str, int]] = {
        "kind": numbers.kinds,
        "tag": dict(islice(numbers.tags.items(), MAX_TAGS)),
        "written": numbers.ages,
        "dated by": numbers.dated_by,
        "fading, counted from the first index": numbers.strengths,
    }
    for heading, counts in tables.items():
        if not counts:
            continue
        yield ""
        yield heading
        most = max(counts.values()) or 1
        for name, count in counts.items():
            share = "█" * round(count / most * bars) or ("▏" if count and bars else "")
            name = one_line(name)[:NAME_COLUMNS]
            yield f"  {name:<{NAME_COLUMNS}} {count:>6}  {share}".rstrip()
        if heading == "tag" and len(numbers.tags) > MAX_TAGS:
            yield f"  and {len(numbers.tags) - MAX_TAGS} more; --json lists all"
    yield from (f"  {line}" for line in TIER_RULE if numbers.notes)
    yield ""
    yield f"{counted(numbers.recalls, 'recall')} of {counted(numbers.recalled_notes, 'note')}"
    if numbers.useful_share is not None:
        useful = round(numbers.useful_share * numbers.feedback)
        yield f"{counted(numbers.feedback, 'rating')}, {useful} positive"


def glance(vaults: Sequence[str], now: str | None) -> bool:
    """Print the vault's size and freshness, its newest notes and what was recalled lately; False
    without a vault.
    """
    try:
        vault = CommonOptions(tuple(vaults), now, json=False, reads=True).open_vault()
    except NoVaultHereError:
        return False
    write_lines(vault.ask(lambda snapshot: list(_glance_lines(vault, snapshot))))
    return True


def _glance_lines(vault: Vault, snapshot: Snapshot) -> Iterator[str]:
    health = health_of(vault, snapshot)
    table = snapshot.note_table
    dated = [each for each in health if each.is_dated]
    newest = sorted(dated, key=lambda each: (-each.metadata.timestamp, each.path))[:AT_A_GLANCE]
    youngest = f"; the newest is from {days_ago(newest[0].age_days)}" if newest else ""
    yield f"{one_line(vault.folder)}: {counted(len(table.rows), 'note')}{youngest}."
    yield from _listed("Newest", iter(newest))
    by_path = {each.path: each for each in health}
    shown = (
        note[0]  # its path
        for event in events_until(vault.history, vault.now, newest_first=True)
        if event.event == SHOWN
        for note in event.notes
    )
    lately = list(dict.fromkeys(islice(shown, 10 * AT_A_GLANCE)))[:AT_A_GLANCE]
    yield from _listed("Recalled lately", (by_path[path] for path in lately if path in by_path))
    yield from _listed(
        "Look at again", islice((each for each in health if each.tier == WEAK), 1)
    )
    yield ""
    yield from NEXT_STEPS


def _listed(heading: str, notes: Iterator[NoteHealth]) -> Iterator[str]:
    lines = list(notes)
    if lines:
        yield from ("", heading)
    for each in lines:
        row = f"  {one_line(each.title)}"
        place = f"  ({one_line(each.path)})"
        # A path is never broken; one that does not fit has a row of its own.
        fits = columns(row + place) <= command_context().width
        yield row + place if fits else f"{row}\n  {place}"


def tags(options: CommonOptions) -> int:
    """List all tags, most frequent first, each with the number of its active notes.

    Examples:
      brain tags
      brain tags -n 10 --json
    """
    vault = options.open_vault()
    counts = vault.ask(lambda snapshot: snapshot.note_table.tags)
    found = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [
        Row(f"{notes}\t{one_line(tag)}", {"tag": tag, "notes": notes}, title=tag)
        for tag, notes in found
    ]
    options.list_rows("tags", rows)
    if not found:
        say("No note has a tag.", "Write one into a note: #recipes, or `tags: [recipes]`.")
    return OK if found else NOTHING_FOUND
