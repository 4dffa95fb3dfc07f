"""The plugins of brain: what is optional, each in a folder here that can be deleted with its line
in `BUNDLED`.

A plugin's `__init__` states one `PLUGIN`. The core reads that and imports no other module of a
plugin by name; a plugin imports the core, and never another plugin.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.option_table import HOOKS

if TYPE_CHECKING:
    from brain_cli.config import Config

BUNDLED = (
    "agents",
    "exchange",
    "meaning",
    "team",
    "report",
    "evaluation",
    "lsp",
)


# A source of `brain import` from another package → its function (path) → memories.
IMPORTERS: dict[str, str] = {}
OFF = "off"
# The formats of a list of notes, and of any other list.
OF_NOTES = ("rich", "plain", "json", "jsonl", "paths")
OF_ROWS = ("plain", "json", "jsonl")
# The panels of the help.
ASK = "Ask"
WRITE = "Write"
CARE = "Look after your notes"
STATE = "See how they are"
SET_UP = "Set up"
JUDGE = "Judge the ranking"


class Verb(NamedTuple):
    """A command in the help: what it does, and the panel that lists it.

    `module` has its function `command`, unless it names another (`module:function`); by default it
    is the module of `brain_cli.cli` with its name. One that only `reads` answers in any folder of
    notes; a `warm` one may be answered by a daemon. One that `lists` something has -n, and --format
    with these names. The `first` ones are in the first help. `former` are the names of version 0.1
    that still work, each with the options that it stands for.
    """

    about: str
    panel: str = "Commands"
    module: str = ""
    reads: bool = False
    warm: bool = False
    lists: tuple[str, ...] = ()
    first: bool = False
    former: Mapping[str, tuple[str, ...]] = {}


class Plugin(NamedTuple):
    """The additions of one plugin. Functions are named as `module:function`, and imported on first
    use.

    `verbs` are commands by name; each names its module. `direct` are commands that, without
    arguments besides --vault, run a function before anything else is imported, because a program
    waits for them. `hooks` are functions by name:

    elsewhere    (workspace) → a workspace of notes that are not in the vault, which answers instead
                 of it, or None
    note         (workspace, argument) → the note in that workspace (cli/note.py)
    retriever    (workspace) → what finds more notes for a query (answer/retriever.py), or None
    vectors      (workspace, note_table) → its VectorsToKeep with the notes elsewhere
                 (answer/retriever.py), or None
    asked        (workspace, text, words, languages, doubtful) → the AskedVector of a question to
                 those notes, or None
    found_little (workspace, recall) → whether the question should be asked again, after an answer
                 on a terminal
    near         (workspace, snapshot, note_id) → the ids of the notes that are nearest to a note,
                 the nearest one first
    after_index  (workspace, session, added): work that takes longer than making new notes
                 searchable by words
    refreshed    (workspace, added) → a key, a sentence and a document for the answer of `brain
                 index`, or None
    background   (workspace, say, added) → work that a daemon continues whenever it is idle
    stamp        (workspace) → a value that changes when `after_index` has new work though the index
                 has none; or None
    status       (workspace, note_table) → a key and a State or text for `brain status`, or None
    checks       (workspace, note_table or None) → the findings for `brain doctor`

    `switch` is the setting that turns the hooks off, by the value `off`. `settings` is the table of
    its settings, as `module:NAME`: their names with a `Setting` each (config/schema.py), which has
    the default. `options` are options for commands of others: a function whose parameters they are
    → the commands, which find their values in `CommonOptions.added`; one that has the name of a
    setting sets that for this call.

    The others add names to the tables of the core: `scorers` (`module:Class`), `formats` and
    `engines` (modules), `filters` of the query language and `importers` (functions).
    """

    verbs: Mapping[str, Verb] = {}
    direct: Mapping[str, str] = {}
    hooks: Mapping[str, str] = {}
    switch: str = ""
    settings: str = ""
    options: Mapping[str, tuple[str, ...]] = {}
    scorers: Mapping[str, str] = {}
    formats: Mapping[str, str] = {}
    filters: Mapping[str, str] = {}
    importers: Mapping[str, str] = {}
    engines: Mapping[str, str] = {}


def plugins() -> Iterator[Plugin]:
    """Yield the plugins, in the order of the help."""
    return map(plugin_named, BUNDLED)


def importers() -> dict[str, str]:
    """Return the function of each source of `brain import` that a plugin adds."""
    return {
        name: place for plugin in plugins() for name, place in plugin.importers.items()
    } | IMPORTERS


def plugin_named(name: str) -> Plugin:
    """Return a bundled plugin."""
    plugin: Plugin = import_module(f"{__name__}.{name}").PLUGIN
    return plugin


def loaded(place: str) -> Any:
    """Import what is named as `module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def declared(plugin: Plugin) -> dict[str, tuple[str, object]]:
    """Return where the settings of a plugin are declared and their defaults, by name."""
    table = loaded(plugin.settings) if plugin.settings else {}
    return {name: (plugin.settings, setting.default) for name, setting in table.items()}


def hooks(name: str, config: "Config") -> Iterator[Callable[..., Any]]:
    """Yield the functions of the bundled plugins for a hook, importing only those that the settings
    do not turn off.
    """
    return (
        loaded(place)
        for place, switch in HOOKS.get(name, ())
        if config.of_plugins.get(switch) != OFF
    )


def switched_off(*kept: str) -> dict[str, str]:
    """Return the variables that turn off all hooks, besides those of the hooks named here."""
    from brain_cli.config import variable_of

    switches = {name: {switch for _, switch in pairs} for name, pairs in HOOKS.items()}
    wanted = set().union(*(switches.get(name, ()) for name in kept))
    return {
        variable_of(switch): OFF
        for switch in sorted(set().union(*switches.values()) - wanted)
        if switch
    }
