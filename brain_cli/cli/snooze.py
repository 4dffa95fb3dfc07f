"""`brain snooze`: leave a note out of recall for a while; it comes back by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from brain_cli.cli._edit import Outcome, change_notes, editing, notes_named, report
from brain_cli.cli._options import NotesArgument
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
    notes: NotesArgument,
    until: Annotated[
        str, typer.Argument(metavar="UNTIL", help="A date, tomorrow, or a time from now such as 2w; off ends it.")
    ],
) -> int:
    """Leave notes out of recall until a date: `snoozed: DATE` in their frontmatter.

    Examples:
      brain snooze grpc 2w
      brain snooze grpc 2027-01-01
      brain snooze grpc off
    """
    workspace = options.open_workspace()
    wakes = None if until == OFF else iso(_end_of_snooze(until, workspace.now))

    def edit(raw: bytes) -> bytes:
        return with_property(raw, KEY, wakes) if wakes else without_property(raw, KEY)

    with editing(workspace) as completed:
        paths = notes_named(workspace, notes, completed)
        change_notes(workspace, "snooze", dict.fromkeys(paths, edit))
    outcomes = []
    for path in paths:
        did = f"snoozed {path} until {wakes[:10]}" if wakes else f"{path} is awake"
        outcomes.append(Outcome(did, {"path": path, "until": wakes}, options.again("undo")))
    report(options, outcomes)
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
