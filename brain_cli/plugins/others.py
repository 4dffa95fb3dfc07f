"""Plugins of other packages: entry points of the group `brain.plugins`, each a `Plugin`, read
through a cache.

Reading entry points takes longer than a recall. So the names that they add are kept in one small
file, which is made anew when a folder of `sys.path` has changed. A plugin that cannot be imported
adds nothing.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from brain_cli.option_table import VERBS
from brain_cli.paths import cache_home, make_private_folder, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain_cli.plugins import Plugin

GROUP = "brain.plugins"
# The tables that a plugin of another package can add to, by the field of `Plugin`; verbs and options
# need none.
TABLES = {
    "settings": "brain_cli.option_table:SETTINGS",
    "scorers": "brain_cli.ranking.scorers:SCORERS",
    "formats": "brain_cli.render:FORMATS",
    "filters": "brain_cli.search.filters:FIELDS",
    "importers": "brain_cli.plugins:IMPORTERS",
    "engines": "brain_cli.index:ENGINES",
}


def has_verb(name: str) -> bool:
    """Return whether the plugin of another package adds a verb."""
    return name in _cached()[0].split()


@cache
def others() -> Plugin:
    """Return all that other packages add, as one plugin; what brain has itself stays as it is."""
    import json

    from brain_cli.plugins import Plugin, Verb

    found = json.loads(_cached()[1])
    verbs = {
        name: Verb(*fields) for name, fields in found.pop("verbs").items() if name not in VERBS
    }
    return Plugin(verbs=verbs, **found)


def learn() -> bool:
    """Add the names of other packages to the tables of brain; return whether there are any."""
    from brain_cli.plugins import loaded

    added = False
    for field, place in TABLES.items():
        if names := getattr(others(), field):
            table: dict[str, object] = loaded(place)
            table.update(
                {name: _entry(field, found) for name, found in names.items() if name not in table}
            )
            added = True
    return added


def _entry(field: str, place: str) -> object:
    """Return what stands in a table: a filter is a function, everything else is named."""
    from brain_cli.plugins import loaded

    return (lambda value: loaded(place)(value)) if field == "filters" else place


@cache
def _cached() -> tuple[str, str]:
    """Return the names of the verbs, and everything as JSON, from the cache if it is up to date."""
    key = repr(_state())
    path = os.path.join(cache_home(os.environ), "brain", "plugins")
    try:
        with open(path, encoding="utf-8") as file:
            known, names, document = file.read().split("\n", 2)
        if known == key:
            return names, document
    except (OSError, ValueError):
        pass
    names, document = _read()
    # Python may have written a folder of compiled files beside a plugin that was just imported.
    key = repr(_state())
    try:
        make_private_folder(os.path.dirname(path))
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(f"{key}\n{names}\n{document}")
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError:
        pass  # It is read again next time.
    return names, document


def _folders() -> list[str]:
    """Return where packages are installed: not the working folder, which may be a stranger's
    repository.
    """
    here = working_folder()
    return [path for path in sys.path if path and os.path.abspath(path) != here]


def _state() -> list[tuple[str, int]]:
    """Return the folders of `sys.path`, and when packages were last installed there."""
    found = []
    for path in _folders():
        try:
            found.append((path, os.stat(path).st_mtime_ns))
        except OSError:
            continue
    return found


def _read() -> tuple[str, str]:
    """Read the entry points themselves."""
    import json
    from importlib.metadata import distributions

    from brain_cli.plugins import declared

    merged: dict[str, dict[str, object]] = {
        "verbs": {},
        "options": {},
        **{field: {} for field in TABLES},
    }
    for distribution in distributions(path=_folders()):
        for point in distribution.entry_points.select(group=GROUP):
            try:
                plugin = point.load()
                for field, names in merged.items():
                    names.update(
                        declared(plugin) if field == "settings" else getattr(plugin, field)
                    )
            except Exception as error:
                sys.stderr.write(
                    f"brain: The plugin {point.name} cannot be loaded: {type(error).__name__}.\n"
                )
    return " ".join(merged["verbs"]), json.dumps(merged)
