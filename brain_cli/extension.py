"""The additions of plugins: what one can add, and the plugins that are there.

A bundled plugin is a folder of `brain_cli/plugins/`, whose `__init__` states a `PLUGIN`; deleting
the folder removes it. Other packages add theirs by entry points of the group `brain.plugins`, which
are read only for a name that is not known here, for the help and for completion. No plugin replaces
what brain has itself. This module names no plugin.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from brain_cli.paths import working_folder
from brain_cli.record import Record

if TYPE_CHECKING:
    from brain_cli.config import Config
    from brain_cli.config.schema import Setting
    from brain_cli.option_table import Options

Entry = TypeVar("Entry")
# The folder and the package of the bundled plugins.
FOLDER = os.path.join(os.path.dirname(__file__), "plugins")
PACKAGE = "brain_cli.plugins"
ENTRY_POINTS = "brain.plugins"
# The value of a setting that turns the hooks of a plugin off.
OFF = "off"
# The formats of brain itself, each with its module; to add one, see render/__init__.py.
OWN_FORMATS = {
    "rich": "brain_cli.render.rich_text",
    "plain": "brain_cli.render.plain",
    "json": "brain_cli.render.json_text",
    "jsonl": "brain_cli.render.jsonl",
    "paths": "brain_cli.render.paths",
    "markdown": "brain_cli.render.markdown",
}
# The formats of a list of notes, and of any other list.
OF_NOTES = tuple(OWN_FORMATS)
OF_ROWS = ("plain", "json", "jsonl")
# The panels of the help.
ASK = "Ask"
WRITE = "Write"
CARE = "Look after your notes"
STATE = "See how they are"
SET_UP = "Set up"
JUDGE = "Judge the ranking"


class Verb(Record):
    """A command in the help: what it does, and the panel that lists it.

    `module` has its function `command`, unless it names another (`module:function`); by default it
    is the module of `brain_cli.cli` with its name. One that only `reads` answers in any folder of
    notes; a `warm` one may be answered by a daemon. One that `lists` something has -n, and --format
    with these names. The `first` ones are in the first help. A command
    line with no other options than the `quick` ones is read without Typer.
    """

    about: str
    panel: str = "Commands"
    module: str = ""
    reads: bool = False
    warm: bool = False
    lists: tuple[str, ...] = ()
    first: bool = False
    quick: Options | None = None


FINE = "fine"
LOOK = "look"
WRONG = "wrong"


class Finding(Record):
    """The result of a check of `brain doctor`: `state` is fine, look (a warning) or wrong; `found`
    counts the problems.
    """

    name: str
    state: str
    text: str
    found: int = 0
    examples: tuple[str, ...] = ()


class AddedOption(Record):
    """An option that a plugin adds to `verbs`, which find its value by its `parameter`.

    `names` are as in the help: `--place DIR` takes a text, `-y --yes` is a flag. One whose
    parameter is the name of a setting sets that for this call.
    """

    parameter: str
    names: str
    about: str
    verbs: tuple[str, ...]

    @property
    def flags(self) -> list[str]:
        """The names of the option on a command line."""
        return [name for name in self.names.split() if name.startswith("-")]

    @property
    def takes_text(self) -> bool:
        """Return whether the option has a value."""
        return self.flags != self.names.split()


class Plugin(Record):
    """The additions of one plugin. Functions are named as `module:function`, and imported on first
    use.

    `verbs` are commands by name; each names its module. One that programs wait for has a module
    COMMAND_hook.py in the folder, whose `run` is called if the command stands alone (__main__.py).
    `hooks` are functions by name:

    vault        (vault, is_named) → a Vault of another class, such as one on a server, that answers
                 in place of this one, or None; `is_named` if the command line names it
    retriever    (vault) → what finds more notes for a query (answer/retriever.py), or None
    vectors      (vault, note_table) → its VectorsToKeep with the notes elsewhere
                 (answer/retriever.py), or None
    asked        (vault, text, words, languages, doubtful) → the AskedVector of a question to
                 those notes, or None
    found_little (vault, recall) → whether the question should be asked again, after an answer
                 on a terminal
    near         (vault, snapshot, note_id) → the ids of the notes that are nearest to a note,
                 the nearest one first
    after_index  (vault, added): work that takes longer than making new notes
                 searchable by words
    refreshed    (vault, added) → a key, a sentence and a document for the answer of `brain
                 index`, or None
    background   (vault, say, added) → work that a daemon continues whenever it is idle
    stamp        (vault) → a value that changes when `after_index` has new work though the index
                 has none; or None
    status       (vault, note_table) → a key and a State or text for `brain status`, or None
    checks       (vault, note_table or None) → each `Finding` for `brain doctor`
    purge        (vault, paths, texts): remove what is kept of a note with these paths and texts

    `switch` is the setting that turns the hooks off, by the value `off`. `settings` names the table
    of the plugin's own settings (`module:NAME`): a `Setting` each (config/schema.py).

    The others add names to the tables of the core: `scorers` (`module:Class`), `formats` and
    `engines` (modules), `filters` of the query language and `importers` (functions).
    """

    verbs: Mapping[str, Verb] = {}
    hooks: Mapping[str, str] = {}
    switch: str = ""
    settings: str = ""
    options: tuple[AddedOption, ...] = ()
    scorers: Mapping[str, str] = {}
    formats: Mapping[str, str] = {}
    filters: Mapping[str, str] = {}
    importers: Mapping[str, str] = {}
    engines: Mapping[str, str] = {}


# All tables, which `read_others` completes.
_tables: list[Table[Any]] = []


class Table(dict[str, Entry]):
    """A table of the core to which plugins add, by the field of `Plugin` that has their names.

    `entry` makes an entry from what a plugin states.
    """

    def __init__(
        self,
        field: str,
        own: Mapping[str, Entry],
        entry: Callable[[str], Entry] | None = None,
    ) -> None:
        super().__init__(own)
        self._field = field
        self._entry = entry
        _tables.append(self)
        for plugin in plugins():
            self.add(plugin)

    def add(self, plugin: Plugin) -> None:
        """Add the names of a plugin that the table does not have."""
        added: Mapping[str, Any] = getattr(plugin, self._field)
        for name, stated in added.items():
            self.setdefault(name, self._entry(stated) if self._entry else stated)

    def find(self, name: str) -> Entry | None:
        """Return an entry; None if neither brain nor an installed package has the name."""
        if name not in self:
            read_others()
        return self.get(name)


@cache
def bundled() -> tuple[Plugin, ...]:
    """Return the plugins whose folders are there, in the order of their names."""
    with os.scandir(FOLDER) as entries:
        names = sorted(each.name for each in entries if not each.name.startswith(("_", ".")))
    return tuple(
        import_module(f"{PACKAGE}.{name}").PLUGIN
        for name in names
        if os.path.isfile(os.path.join(FOLDER, name, "__init__.py"))
    )


_others: list[Plugin] = []


def plugins() -> Iterator[Plugin]:
    """Yield the bundled plugins, then those of other packages if these have been read."""
    yield from bundled()
    yield from _others


@cache
def read_others() -> tuple[Plugin, ...]:
    """Read the plugins of other packages; one that cannot be imported adds nothing, and
    is named.
    """
    for name, place in _entry_points():
        try:
            plugin: Plugin = loaded(place)
            # A plugin that is not one fails here, and not in the middle of a command.
            bool(
                plugin.verbs and plugin.options and plugin.settings and loaded(plugin.settings)
            )
        except Exception as error:
            sys.stderr.write(
                f"brain: The plugin {name} cannot be loaded: {type(error).__name__}.\n"
            )
            continue
        _others.append(plugin)
        added_settings.cache_clear()
        for table in _tables:
            table.add(plugin)
    return tuple(_others)


def _entry_points() -> Iterator[tuple[str, str]]:
    """Yield the name and the place of each entry point of installed packages.

    `importlib.metadata` takes longer than a recall, so it reads only the packages that name the
    group. The working folder is omitted: it may be a stranger's repository.
    """
    here = working_folder()
    for folder in dict.fromkeys(path for path in sys.path if path):
        if os.path.abspath(folder) == here:
            continue
        for file in _entry_point_files(folder):
            from importlib.metadata import PathDistribution
            from pathlib import Path

            points = PathDistribution(Path(file).parent).entry_points
            yield from ((each.name, each.value) for each in points.select(group=ENTRY_POINTS))


def _entry_point_files(folder: str) -> Iterator[str]:
    """Yield the files of entry points in a folder of packages that name our group."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".dist-info")]
    except OSError:
        return
    for name in sorted(names):
        path = os.path.join(folder, name, "entry_points.txt")
        try:
            with open(path, "rb") as file:
                if f"[{ENTRY_POINTS}]".encode() in file.read():
                    yield path
        except OSError:
            continue


def verb_named(name: str) -> Verb | None:
    """Return the verb that a plugin adds; None if none does."""
    if name not in added_verbs():
        read_others()
    return added_verbs().get(name)


def added_verbs() -> dict[str, Verb]:
    """Return the verbs of the plugins by name."""
    return {name: verb for plugin in plugins() for name, verb in plugin.verbs.items()}


def added_options(verb: str = "") -> list[AddedOption]:
    """Return the options that plugins add to a verb, or to any."""
    options = (option for plugin in plugins() for option in plugin.options)
    return [each for each in options if not verb or verb in each.verbs]


@cache
def added_settings() -> Mapping[str, Setting]:
    """Return the settings of the plugins by name."""
    tables = [loaded(plugin.settings) for plugin in plugins() if plugin.settings]
    return {name: setting for table in tables for name, setting in table.items()}


def added_setting(name: str) -> Setting | None:
    """Return a setting that a plugin adds; None if none does."""
    if name not in added_settings():
        read_others()
    return added_settings().get(name)


def loaded(place: str) -> Any:
    """Import what is named as `module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def loaded_when_called(place: str) -> Callable[..., Any]:
    """Return a function that imports the one named as `module:name` when it is called."""
    return lambda *values: loaded(place)(*values)


def hooks(name: str, config: Config) -> Iterator[Callable[..., Any]]:
    """Yield the functions of the bundled plugins for a hook, importing only those that the settings
    do not turn off.
    """
    for plugin in bundled():
        if name in plugin.hooks and config.of_plugins.get(plugin.switch) != OFF:
            yield loaded(plugin.hooks[name])


def switches_besides(*kept: str) -> set[str]:
    """Return the settings that turn off all hooks besides those named here."""
    return {
        plugin.switch
        for plugin in bundled()
        if plugin.switch and plugin.hooks.keys().isdisjoint(kept)
    }
