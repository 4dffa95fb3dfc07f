"""The table of settings (name, values, meaning, whether a vault may set it), and the check of a
file against it.

To add a setting of the core, add a line to SETTINGS, and a field with its default to
`config.Config`. A plugin declares its own.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from brain_cli.errors import UsageError, did_you_mean
from brain_cli.extension import added_setting, added_settings
from brain_cli.record import Record
from brain_cli.types import DATE_SOURCES

# The parts of a setting's name: `strength = 0.5` below [kinds.meeting] is ("kinds", "meeting",
# "strength").
Key = tuple[str, ...]

MAX_LIMIT = 1_000_000
# The words of a truth value.
YES = ("true", "1", "yes", "on")
NO = ("false", "0", "no", "off")
# `meaning = "off"` is the same as `use = "off"` below [meaning].
USE = "use"
# Error messages quote at most this many characters of a value.
QUOTED_CHARS = 60
# A link with {path} that runs nothing.
EDITOR_LINK = r"(?i)(?!(?:javascript|data):)[^\W_]+:\S*\{path\}\S*"


class ValueType(Record):
    """A type of value: `read` parses TOML values and the text of variables and options, or raises
    ValueError.
    """

    takes: str
    read: Callable[[object], object]


class Setting(Record):
    """One setting. The configuration file inside a vault must not change a `user_only` one: others
    may write there.

    `default` is that of a plugin's setting, as a literal; those of the core are in `config.Config`.
    """

    value: ValueType
    help: str
    user_only: bool = False
    default: object = None


def _number(
    kind: type[int | float], least: float, most: float, *, above: bool = False
) -> Callable[[object], float]:
    """Return a reader of numbers of a kind from `least` to `most`; with `above`, `least` itself is
    not allowed.
    """

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, kind | int | str):
            raise ValueError
        number = kind(value)
        if not least <= number <= most or (above and number == least):
            raise ValueError
        return number

    return read


def _flag(value: object) -> bool:
    word = str(value).lower()
    if word not in (*YES, *NO):
        raise ValueError
    return word in YES


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def _names(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError
    return tuple(item.strip() for item in items)


def _folder(value: object) -> str:
    """Read a folder of the vault. No setting may name another folder, nor a hidden one such
    as `.git`.
    """
    folder = posixpath.normpath(_text(value))
    is_hidden = any(part.startswith(".") for part in folder.split("/"))
    if (
        folder.startswith("/")
        or is_hidden
        or any(letter < " " or letter == "\x7f" for letter in folder)
    ):
        raise ValueError
    return folder


def _editor_uri(value: object) -> str:
    text = _text(value)
    if not text.isprintable() or not re.fullmatch(EDITOR_LINK, text):
        raise ValueError
    return text


def _date_sources(value: object) -> tuple[str, ...]:
    names = _names(value)
    if not set(names) <= set(DATE_SOURCES) or len(set(names)) < len(names):
        raise ValueError
    return names


def choice(*names: str) -> ValueType:
    """Return the type of a setting that takes one of several names."""

    def read(value: object) -> object:
        if value not in names:
            raise ValueError
        return value

    return ValueType(" or ".join(f"“{name}”" for name in names), read)


TEXT = ValueType("text", _text)
LIMIT = ValueType(f"a whole number from 1 to {MAX_LIMIT:,}", _number(int, 1, MAX_LIMIT))
SHARE = ValueType("a number from 0 to 1", _number(float, 0, 1))
EDITOR_URI = ValueType(
    "a link with {path} in it, such as vscode://file{path}:{line}", _editor_uri
)
FLAG = ValueType("true or false", _flag)
FOLDERS = ValueType(
    "a list of folders of the vault, such as archive",
    lambda value: tuple(map(_folder, filter(None, _names(value)))),
)
FOLDER = ValueType("a folder of the vault, such as inbox", _folder)
NAMES = ValueType("a list of names", _names)
DAYS = ValueType("a number of days above 0", _number(float, 0, 1_000_000, above=True))
SECONDS = ValueType(
    "a number of seconds above 0, at most 600", _number(float, 0, 600, above=True)
)
MILLISECONDS = ValueType("a number of milliseconds from 0 to 60,000", _number(int, 0, 60_000))
DATES = ValueType(f"a list of {', '.join(DATE_SOURCES)}", _date_sources)
# The scorer itself checks its constants: it knows their names and ranges.
CONSTANT = ValueType("a value that the scorer accepts", lambda value: value)

# A part in capitals stands for any name. Settings of one part are also read from BRAIN_… variables.
SETTINGS: Mapping[str, Setting] = {
    "vault": Setting(TEXT, "The vault to use if no other is found.", user_only=True),
    "vaults": Setting(NAMES, "The vaults that `brain -a` asks as one.", user_only=True),
    "scorer": Setting(TEXT, "The formula that ranks."),
    "limit": Setting(LIMIT, "How many notes an answer shows at most."),
    "minimum_relevance": Setting(SHARE, "Leave out notes that are less relevant than this."),
    "min_score": Setting(SHARE, "Leave out notes that score less than this."),
    "mmr": Setting(FLAG, "Show near-duplicates behind the other notes."),
    "archive_folders": Setting(FOLDERS, "Folders whose notes count as archived."),
    "dates": Setting(DATES, "Where dates come from, in order of preference."),
    "record_queries": Setting(
        FLAG, "Keep the words of queries in the history.", user_only=True
    ),
    "daemon": Setting(
        choice("off", "auto"),
        "Whether the first recall starts a daemon for the next ones.",
        user_only=True,
    ),
    "profile": Setting(TEXT, "The default profile."),
    "recency_halflife_days": Setting(
        DAYS, "The half-life of recency in the formula `claude-mem`."
    ),
    "editor_uri": Setting(
        EDITOR_URI,
        "The link that opens a note when clicked: {path} and {line} are filled in.",
        user_only=True,
    ),
    "synthesize.command": Setting(
        TEXT,
        "A program that reads the passages of a synthesis and prints an answer, shown above them.",
        user_only=True,
    ),
    "synthesize.seconds": Setting(SECONDS, "How long that program may take.", user_only=True),
    "weights.PATTERN": Setting(
        SHARE, "How much of its relevance a note keeps, by folder (“old/**”) or “type:KIND”."
    ),
    "synonyms.WORD": Setting(
        NAMES, "Other words for a word, such as what an abbreviation means."
    ),
    "kinds.KIND.strength": Setting(
        SHARE, "The strength that a new note of a kind (its `type`) starts with."
    ),
    "kinds.KIND.decay_rate": Setting(
        SHARE, "The share of its strength that a note of a kind keeps from day to day."
    ),
    "scorers.NAME.CONSTANT": Setting(CONSTANT, "A constant of a formula."),
    "certainty.CONSTANT": Setting(
        CONSTANT, "A constant of the certainty, as `brain tune` fits it."
    ),
}


def setting_of(key: Key) -> Setting | None:
    """Return the setting with a name; None if there is none."""
    matching = (each for name, each in all_settings().items() if _matches(key, name.split(".")))
    found = next(matching, None)
    if found is None and len(key) == 1 and not names_below(key):
        return added_setting(key[0])
    return found


def all_settings() -> dict[str, Setting]:
    """Return the settings of the core and of the plugins, by name."""
    found = {**SETTINGS, **added_settings()}
    return dict(sorted(found.items(), key=lambda item: "." in item[0] and item[0] in SETTINGS))


def names_below(table: Key) -> list[str]:
    """Return the names allowed in a table; none if it is not a table. The empty key is the whole
    file.
    """
    depth = len(table)
    below = [
        pattern[depth]
        for pattern in (name.split(".") for name in all_settings())
        if len(pattern) > depth and _matches(table, pattern[:depth])
    ]
    own = [USE] if below and ".".join(table) in added_settings() else []
    return list(dict.fromkeys([*below, *own]))


def _matches(key: Key, pattern: Sequence[str]) -> bool:
    return len(key) == len(pattern) and all(
        part.isupper() or name == part for name, part in zip(key, pattern, strict=True)
    )


class IgnorableError(UsageError):
    """A setting is unknown or names a folder that is not of the vault: wrong, but a vault with it
    remains usable.
    """


class SettingSource(Record):
    """A place with settings: `origin` for `brain config`, `where` for error messages."""

    origin: str
    where: str
    is_vault: bool = False


def values_of(
    table_key: Key,
    table: Mapping[str, Any],
    source: SettingSource,
    ignored: list[IgnorableError],
) -> Iterator[tuple[Key, Any]]:
    """Yield every setting in a table and the tables in it.

    An unknown setting of a vault may be one of a newer brain, so it is added to `ignored`; so is a
    folder outside the vault. Raise UsageError for any other mistake, and for a setting that a vault
    must not change.
    """
    for name, value in table.items():
        # A setting that is a table of others as well has its own value below `use`.
        key = table_key if name == USE and setting_of(table_key) else (*table_key, name)
        try:
            if setting_of(key) and not (isinstance(value, dict) and names_below(key)):
                yield key, checked_value(key, value, source)
            elif not names_below(key):
                hint = did_you_mean(name, names_below(table_key))
                raise IgnorableError(
                    f"There is no setting “{_quoted('.'.join(key))}” ({source.where}).", hint
                )
            elif isinstance(value, dict):
                yield from values_of(key, value, source, ignored)
            else:
                raise not_a_table(key, source.where)
        except IgnorableError as error:
            if not source.is_vault:
                raise
            ignored.append(error)


def not_a_table(key: Key, where: str) -> UsageError:
    name = ".".join(key)
    below = "" if len(key) > 1 else ".NAME"
    return UsageError(
        f"The setting “{name}” holds tables only ({where}).",
        f"Write [{name}{below}] and settings below.",
    )


def checked_value(key: Key, value: object, source: SettingSource) -> object:
    """Return the value of a setting, in the type that Config has; raise UsageError like
    `load_config`.
    """
    setting = setting_of(key)
    name = ".".join(key)
    assert setting
    if setting.user_only and source.is_vault:
        raise UsageError(
            f"A vault cannot set “{name}” ({source.where}).",
            "Set it in your own configuration: see `brain config`.",
        )
    try:
        return setting.value.read(value)
    except (ValueError, OverflowError):
        wrong = IgnorableError if setting.value in (FOLDER, FOLDERS) else UsageError
        raise wrong(
            f"The setting “{name}” cannot be “{_quoted(value)}” ({source.where}).",
            f"It takes {setting.value.takes}.",
        ) from None


def _quoted(value: object) -> str:
    try:
        return f"{value!s:.{QUOTED_CHARS}}"
    except ValueError:  # Python refuses to write an integer of thousands of digits.
        return "a huge number"
