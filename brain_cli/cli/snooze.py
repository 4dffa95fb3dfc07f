"""`brain snooze`: leave a note out of recall for a while; it comes back by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from brain_cli.cli._moving import editing
from brain_cli.cli._note import edit, note_named
from brain_cli.cli._options import NoteArgument
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import OK, UsageError
from brain_cli.search.filters import moment
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.dates import iso, timestamp_of
from brain_cli.vault.edit import with_property, without_property

KEY = "snoozed"
OFF = "off"
NAMED_SPANS = {"tomorrow": 1, "next week": 7, "next month": 30, "next year": 365}
HINT = "Write a date (2026-12-01), a time from now (3d, 2w, 3 months), tomorrow, or next week; off ends it."


def command(
    options: CommonOptions,
    note: NoteArgument,
    until: Annotated[
        str, typer.Argument(metavar="UNTIL", help="A date, tomorrow, or a time from now such as 2w; off ends it.")
    ],
) -> int:
    """Leave a note out of recall until a date: `snoozed: DATE` in its frontmatter.

    Examples:
      brain snooze grpc 2w
      brain snooze grpc 2027-01-01
      brain snooze grpc off
    """
    workspace = options.open_workspace()
    wakes = None if until == OFF else iso(_end_of_snooze(until, workspace.now))
    with editing(workspace) as completed:
        path = note_named(workspace, completed.get(note, note))
        edit(workspace, path, lambda raw: with_property(raw, KEY, wakes) if wakes else without_property(raw, KEY))
    did = f"snoozed {path} until {wakes[:10]}" if wakes else f"{path} is awake"
    options.report(did, {"path": path, "until": wakes}, options.again("snooze", path, OFF) if wakes else "")
    return OK


def _end_of_snooze(until: str, now: float) -> float:
    """Return the end of a snooze in seconds; UsageError if it is not in the future."""
    if days := NAMED_SPANS.get(until.strip().lower()):
        return now + days * SECONDS_PER_DAY
    date = timestamp_of(until)
    # In other options `2w` means two weeks ago; here it means two weeks ahead. “yesterday” is in the past in both.
    is_span = any(letter.isdecimal() for letter in until)
    try:
        wakes = date if date is not None else 2 * now - moment(until, now) if is_span else moment(until, now)
    except UsageError:
        raise UsageError(f"“{until}” is not a date.", HINT) from None
    if wakes <= now:
        raise UsageError(f"“{until}” is not in the future.", HINT)
    return wakes
