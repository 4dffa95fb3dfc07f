"""`brain history NOTE|QUERY`: the timeline of a subject, by day, with the line that changed."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from brain_cli.answer.screen_rows import plain_text
from brain_cli.answer.timeline import DATED, Moment, moments_of
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import argument
from brain_cli.errors import NOTHING_FOUND, OK, UsageError
from brain_cli.history.log_reader import events_until, recalls_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.names import note_named
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line
from brain_cli.render.formats import Row
from brain_cli.streams import say
from brain_cli.types import QuotedPart, Quotes
from brain_cli.vault.clock import day_of, on_calendar
from brain_cli.vault.past import changed_lines

# A query is about so many notes at most.
MAX_NOTES = 3


def command(
    options: CommonOptions,
    words: Annotated[list[str], argument("NOTE|QUERY...", "A note, or a question.")],
) -> int:
    """Show when a subject was written, changed, recalled, corrected and ended, by day.

    Examples:
      brain history grpc
      brain history which message broker
    """
    vault = options.open_vault()
    text = " ".join(words)
    paths = _paths(vault, text)

    def told(snapshot: Snapshot) -> dict[str, list[Moment]]:
        found = filter(None, map(snapshot.note_table.row_at, paths))
        return {
            each.path: list(moments_of(snapshot, each.note_id, vault.zone)) for each in found
        }

    found = vault.ask(told)
    moments = (each for path, own in found.items() for each in _moments(vault, path, own))
    rows = sorted(moments, key=lambda each: each.place)
    options.list_rows(
        "moments",
        [_row(each) for each in rows[-(options.limit or len(rows)) :]],
        notes_of=vault,
    )
    if not rows:
        say(f"No note is about “{one_line(text)}”.")
    return OK if rows else NOTHING_FOUND


def _paths(vault: Vault, text: str) -> list[str]:
    """Return the note that a text names, else the best ones for a question."""
    try:
        return [note_named(vault, text)]
    except UsageError:
        pass
    recall = vault.answer(text, quotes=Quotes.NOTHING, touch=True).about_question()
    return [each.metadata.path for each in (recall.sources or recall.listed())[:MAX_NOTES]]


def _moments(vault: Vault, path: str, told: list[Moment]) -> Iterator[Moment]:
    """Yield the moments in the text of a note and its successors, its recalls and its commits."""

    def day_at(at: float) -> str:
        return day_of(on_calendar(at, vault.zone)).isoformat()

    dated, *others = told
    commits = list(changed_lines(vault.folder, path))
    is_stated = dated.what not in DATED.values()
    if is_stated or not commits:
        yield dated
    yield from others
    for at, text in commits:
        day = day_at(at)
        if text:
            yield Moment(day, "changed", path, 0, text)
        elif day != dated.day or not is_stated:
            yield Moment(day, "committed", path, 0, dated.text)
    events = events_until(vault.history, vault.now, newest_first=True)
    recalled = Counter(map(day_at, recalls_of(events, path)))
    for day, count in recalled.items():
        yield Moment(day, "recalled", path, 0, f"{count} times" if count > 1 else "")


def _row(each: Moment) -> Row:
    place = f"{each.path}:{each.line}" if each.line else each.path
    line = "\t".join(map(one_line, filter(None, (each.day, each.what, place, each.text))))
    return Row(
        line,
        each._asdict(),
        each.path,
        title=f"{each.what}  {'' if each.line else each.text}".rstrip(),
        mark=each.day,
        passage=plain_text([QuotedPart("", each.text)]) if each.line else "",
        number=each.line,
    )
