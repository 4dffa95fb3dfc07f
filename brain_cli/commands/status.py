"""`brain status`: the vault in numbers."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from brain_cli.care.census import Census, census
from brain_cli.care.vitals import vitals
from brain_cli.commands.options import JsonOption, NowOption, VaultOption
from brain_cli.commands.streams import write
from brain_cli.commands.touch import past_of
from brain_cli.commands.workspace import Workspace, library, workspace
from brain_cli.errors import OK
from brain_cli.index.snapshot import Snapshot

BAR_COLUMNS = 30
NAME_COLUMNS = 14


def command(
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
    strengths: Annotated[bool, typer.Option("--notes", help="List every note with its strength.")] = False,
) -> int:
    """Show how many memories there are, how old and how strong they are, and how they were used."""
    here = workspace(vault, now)
    as_json = json
    write(library(here).ask(lambda snapshot: _text(here, snapshot, as_json=as_json, notes=strengths)))
    return OK


def _text(here: Workspace, snapshot: Snapshot, *, as_json: bool, notes: bool) -> str:
    found = vitals(snapshot.catalogue, past_of(here, snapshot), here.now)
    if notes:
        lines = (f"{each.strength:.3f}\t{each.facts.path}\t{each.facts.title}" for each in found)
        return "".join(f"{line}\n" for line in lines)
    counted = census(found, archived=len(snapshot.catalogue.rows) - len(found))
    if as_json:
        return json_text.dumps({"vault": here.vault, **counted._asdict()}, indent=2) + "\n"
    return "\n".join(_lines(here.vault, counted)) + "\n"


def _lines(vault: str, counted: Census) -> Iterator[str]:
    yield f"{vault}: {counted.notes} notes, {counted.archived} archived, {counted.pinned} pinned"
    for heading, counts in (("kind", counted.kinds), ("written", counted.ages), ("strength", counted.strengths)):
        yield ""
        yield heading
        yield from _bars(counts)
    yield ""
    yield f"{counted.recalls} recalls of {counted.recalled_notes} notes"
    if counted.useful_share is not None:
        yield f"{counted.useful_share:.0%} of {counted.feedback} feedbacks say useful"


def _bars(counts: Mapping[str, int]) -> Iterator[str]:
    most = max(counts.values(), default=0) or 1
    for name, count in counts.items():
        bar = "█" * round(count / most * BAR_COLUMNS) or ("▏" if count else "")
        yield f"  {name[:NAME_COLUMNS]:<{NAME_COLUMNS}} {count:>6}  {bar}".rstrip()
