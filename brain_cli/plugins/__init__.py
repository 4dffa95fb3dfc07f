"""The plugins of brain: what is optional, each in a folder here that can be deleted with its line in `BUNDLED`.

A plugin's `__init__` states one `PLUGIN`. The core reads that and imports no other module of a plugin by name; a plugin
imports the core, and never another plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from brain_cli.cli._checks import Finding

BUNDLED = (
    "agents",
    "exchange",
    "report",
    "evaluation",
)


# The panels of the help.
ASK, WRITE, CARE = "Ask", "Write", "Look after your notes"
STATE, SET_UP, JUDGE = "See how they are", "Set up", "Judge the ranking"


class Verb(NamedTuple):
    """A command in the help: what it does, and the panel that lists it.

    `module` has its function `command`; by default it is the module of `brain_cli.cli` with its name. One that only
    `reads` answers in any folder of notes.
    """

    about: str
    panel: str = "Commands"
    module: str = ""
    reads: bool = False


class Plugin(NamedTuple):
    """What a plugin adds. Modules are named by strings, and imported on first use.

    `verbs` are commands by name; each names its module. `direct` are whole command lines that run a function
    (`module:function`) before anything else is imported, because a program waits for them. `checks` (`module:function`)
    yields what `brain doctor` should report.
    """

    verbs: Mapping[str, Verb]
    direct: Mapping[str, str] = {}
    checks: str = ""


def plugins() -> Iterator[Plugin]:
    """Yield the plugins, in the order of the help."""
    for name in BUNDLED:
        yield import_module(f"{__name__}.{name}").PLUGIN


def loaded(place: str) -> Callable[..., Any]:
    """Import a function that is named as `module:function`."""
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def checks() -> Iterator[Finding]:
    """Yield the findings of every plugin for `brain doctor`."""
    for plugin in plugins():
        if plugin.checks:
            yield from loaded(plugin.checks)()
