"""The traits in which formats differ: what they quote, and what they say themselves instead of the command."""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.answer.results import Quotes
from brain_cli.render import load_format


class Traits(NamedTuple):
    """The traits of a format; those of a new one are the defaults. A module states others as `TRAITS`.

    A format for people shows as much of the one strong match as the window or the budget has room for, and contains the
    hints that other formats leave to stderr. One that `keeps_budget` is not cut to --budget from outside. `tells_stale`
    and `shows_synthesis` say that the answer contains the warning that it may be stale, and the synthesis of the
    user's own program. One that `shows_note` needs the whole text of the one strong match.
    """

    quotes: Quotes = Quotes.EVERY
    for_people: bool = False
    keeps_budget: bool = False
    tells_stale: bool = False
    shows_synthesis: bool = False
    shows_note: bool = False


def traits_of(format_name: str) -> Traits:
    """Return the traits of a format; UsageError for one that does not exist."""
    found: Traits = getattr(load_format(format_name), "TRAITS", Traits())
    return found
