"""Check the settings of one origin: their names, their types, and which of them a vault may set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from brain_cli.config_schema import FOLDER, FOLDERS, Key, names_below, setting_of
from brain_cli.errors import UsageError, did_you_mean

# Error messages quote at most this many characters of a value.
QUOTED_CHARS = 60


class IgnorableError(UsageError):
    """A setting is unknown or names a folder that is not of the vault: wrong, but a vault with it remains usable."""


class Source(NamedTuple):
    """A place with settings: `origin` for `brain config`, `where` for error messages."""

    origin: str
    where: str
    is_vault: bool = False


def values_of(
    table_key: Key, table: Mapping[str, Any], source: Source, ignored: list[IgnorableError]
) -> Iterator[tuple[Key, Any]]:
    """Yield every setting in a table and the tables in it.

    An unknown setting of a vault may be one of a newer brain, so it is added to `ignored`; so is a folder outside
    the vault. Raise UsageError for any other mistake, and for a setting that a vault must not change.
    """
    for name, value in table.items():
        key = (*table_key, name)
        try:
            if setting_of(key):
                yield key, _value(key, value, source)
            elif not names_below(key):
                hint = did_you_mean(name, names_below(table_key))
                raise IgnorableError(f"There is no setting “{_quoted('.'.join(key))}” ({source.where}).", hint)
            elif isinstance(value, dict):
                yield from values_of(key, value, source, ignored)
            else:
                raise not_a_table(key, source.where)
        except IgnorableError as error:
            if not source.is_vault:
                raise
            ignored.append(error)


def checked_value(key: Key, value: object, source: Source) -> object:
    """Return the value of one setting, in the type that Config has; raise UsageError like `load_config`."""
    if not setting_of(key):
        name = ".".join(key)
        raise UsageError(f"There is no setting “{name}”.", did_you_mean(name, names_below(key[:-1]) or names_below(())))
    return _value(key, value, source)


def not_a_table(key: Key, where: str) -> UsageError:
    name = ".".join(key)
    below = "" if len(key) > 1 else ".NAME"
    return UsageError(
        f"The setting “{name}” holds tables only ({where}).", f"Write [{name}{below}] and settings below."
    )


def _value(key: Key, value: object, source: Source) -> object:
    setting, name = setting_of(key), ".".join(key)
    assert setting
    if setting.user_only and source.is_vault:
        raise UsageError(
            f"A vault cannot set “{name}” ({source.where}).", "Set it in your own configuration: see `brain config`."
        )
    try:
        return setting.value.read(value)
    except (ValueError, OverflowError):
        wrong = IgnorableError if setting.value in (FOLDER, FOLDERS) else UsageError
        raise wrong(
            f"The setting “{name}” cannot be “{_quoted(value)}” ({source.where}).", f"It takes {setting.value.takes}."
        ) from None


def _quoted(value: object) -> str:
    try:
        return f"{value!s:.{QUOTED_CHARS}}"
    except ValueError:  # Python refuses to write an integer of thousands of digits.
        return "a huge number"
