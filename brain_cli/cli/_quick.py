"""Read the command lines of recalls and refreshes without click, whose import takes longer than a short recall.

Anything unusual (help, an abbreviated option, a mistake) is left to click; tests compare the two readings.
To read another option here, add a line to the table of its command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def _positive(value: str) -> int:
    if int(value) < 1:
        raise ValueError
    return int(value)


# An option → its parameter, and how to read its value; a bool is the value of an option without argument.
Options = Mapping[str, tuple[str, Any]]
COMMON: Options = {"--vault": ("vault", str), "--now": ("now", str), "--json": ("json", True)}
REMEMBER: Options = {
    **COMMON,
    "-n": ("limit", int),
    "--limit": ("limit", int),
    "--scorer": ("scorer", str),
    "--profile": ("profile", str),
    "--project": ("project", str),
    "--topics": ("topics", str),
    "--task": ("task", str),
    "--type": ("kinds", list),
    "--tag": ("tags", list),
    "--path": ("paths", list),
    "--where": ("where", list),
    "--since": ("since", str),
    "--before": ("before", str),
    "--archived": ("archived", True),
    "--words": ("words", True),
    "--recent": ("recent", True),
    "--no-recent": ("recent", False),
    "--min-score": ("min_score", float),
    "--mmr": ("mmr", True),
    "--no-mmr": ("mmr", False),
    "--explain": ("explain", True),
    "--no-touch": ("no_touch", True),
    "--sort": ("sort", str),
    "--batch": ("batch", str),
    "--memory": ("memory", str),
    "--format": ("format", str),
    "--budget": ("budget", _positive),
    "--fields": ("fields", str),
    "--no-synthesis": ("no_synthesis", True),
    "-0": ("nul", True),
}
INDEX: Options = {**COMMON, "--full": ("full", True)}
# A command → its options, and the parameter for its words, if any.
COMMANDS: Mapping[str, tuple[Options, str | None]] = {"remember": (REMEMBER, "query"), "index": (INDEX, None)}


class UnusualError(Exception):
    """A command line that click has to read."""


def quick_arguments(arguments: list[str]) -> tuple[str, dict[str, Any]] | None:
    """Return the command and the parameters that a command line sets; None if click has to read it."""
    if "_BRAIN_COMPLETE" in os.environ:
        return None
    try:
        typed: dict[str, Any] = {}
        rest = _options_before(arguments, typed)
        if not rest or rest[0] not in COMMANDS:
            return None
        return rest[0], {**typed, **_parameters(rest[1:], *COMMANDS[rest[0]])}
    except (UnusualError, ValueError):
        return None


def _options_before(arguments: list[str], typed: dict[str, Any]) -> list[str]:
    """Read the options before the command into `typed`; return the rest."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        _read_option(rest, COMMON, typed)
    for name in [name for name, value in typed.items() if not value]:
        del typed[name]
    return rest


def _parameters(arguments: list[str], options: Options, words_parameter: str | None) -> dict[str, Any]:
    rest, found, words = list(arguments), dict[str, Any](), list[str]()
    while rest:
        if rest[0].startswith("-") and rest[0] != "-":
            _read_option(rest, options, found)
        else:
            words.append(rest.pop(0))
    if words and words_parameter is None:
        raise UnusualError
    return {**found, words_parameter: words} if words and words_parameter else found


def _read_option(rest: list[str], options: Options, found: dict[str, Any]) -> None:
    """Take an option and its value from the front of the arguments."""
    name, equals, value = rest.pop(0).partition("=")
    parameter, kind = options.get(name, ("", None))
    if kind is None or (equals and (isinstance(kind, bool) or not name.startswith("--"))):
        raise UnusualError
    if isinstance(kind, bool):
        found[parameter] = kind
        return
    if not equals:
        if not rest:
            raise UnusualError
        value = rest.pop(0)
    if kind is list:
        found.setdefault(parameter, []).append(value)
    else:
        found[parameter] = kind(value)
