"""`brain review`: a short session over memories that are about to fade; one key each."""

from __future__ import annotations

import json as json_text
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from brain_cli.care.proposals import may_fade
from brain_cli.care.vitals import Vital, vitals
from brain_cli.commands.feedback import Verdict, say_of
from brain_cli.commands.one import Given
from brain_cli.commands.options import JsonOption, NowOption, VaultOption
from brain_cli.commands.setting import Setting, library, say, write
from brain_cli.commands.touch import past_of, record
from brain_cli.errors import OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.events import SHOWN, Event, Mention
from brain_cli.recall.keypoints import passages
from brain_cli.render.phrases import days_ago, one_line, shortened

ABOUT_TO_FADE = "weak"
KEYS = "[k]eep  [s]trengthen  [a]rchive  [n]ext  [q]uit"


def command(
    context: typer.Context,
    limit: Annotated[int, typer.Option("-n", "--limit", metavar="N", min=1, help="At most this many.")] = 10,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Go through memories about to fade: keep, strengthen or archive each. Off a terminal it lists them."""
    given = Given.of(context, vault, now, json)
    here = given.setting()
    due = library(here).ask(lambda snapshot: _due(here, snapshot)[:limit])
    if given.json:
        write(json_text.dumps({"version": 1, "results": [_plain(each) for each, _ in due]}, indent=2) + "\n")
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _session(given, here, due)
    else:
        write("".join(f"{each.strength:.3f}\t{each.facts.path}\t{one_line(each.facts.title)}\n" for each, _ in due))
        if not due:
            say("Nothing is about to fade.")
    return OK


def _due(here: Setting, snapshot: Snapshot) -> list[tuple[Vital, str]]:
    """Return the notes about to fade, weakest first, each with the sentence it begins with."""
    found = vitals(snapshot.catalogue, past_of(here, snapshot), here.now)
    due = [each for each in found if each.tier == ABOUT_TO_FADE and may_fade(each)]
    return [(each, _beginning(snapshot, each.note_id)) for each in due]


def _beginning(snapshot: Snapshot, note_id: int) -> str:
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(note_id))
    return next((passage.text for fragment in fragments for passage in passages(fragment)), "")


def _plain(each: Vital) -> dict[str, Any]:
    return {"path": each.facts.path, "title": each.facts.title, "strength": each.strength, "idle_days": each.idle_days}


def _session(given: Given, here: Setting, due: list[tuple[Vital, str]]) -> None:
    import click

    for number, (each, beginning) in enumerate(due, start=1):
        write("".join(f"{line}\n" for line in _card(each, beginning, f"{number} of {len(due)}")))
        key = ""
        while key not in ("k", "s", "a", "n", "q", " ", "\r", "\n"):
            key = click.getchar().lower()
        if key == "q":
            return
        _do(given, here, each, key)
    write("Nothing else is about to fade.\n" if due else "Nothing is about to fade.\n")


def _card(each: Vital, beginning: str, place: str) -> Iterator[str]:
    yield ""
    yield f"{place}  {one_line(each.facts.title)}  (strength {each.strength:.2f}, last {days_ago(each.idle_days)})"
    yield f"   {one_line(each.facts.path)}"
    if beginning:
        yield f"   {shortened(one_line(beginning), 200)}"
    yield f"   {KEYS}"


def _do(given: Given, here: Setting, each: Vital, key: str) -> None:
    """Keeping a memory is to have recalled it; strengthening it says besides that it was useful."""
    if key in ("k", "s"):
        record(here, [Event(here.now, SHOWN, [Mention(each.facts.path, each.content_hash, each.facts.timestamp)])])
    if key == "s":
        say_of(here, each.facts.path, Verdict.USEFUL)
    if key == "a":
        from brain_cli.commands.archive import run

        run(given, each.facts.path, by_status=False)
