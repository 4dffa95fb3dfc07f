"""`brain config set KEY VALUE` and `unset KEY`: change the user's file, and name what overrides it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from brain_cli.cli._output import say, write_json, write_lines
from brain_cli.cli._process import command_context
from brain_cli.config import DEFAULT, merged, read_layers
from brain_cli.config.edit import set_key, unset_key
from brain_cli.config.files import config_files, read_table
from brain_cli.config.schema import Key, Source, checked_value, names_below, setting_of
from brain_cli.errors import OK, BrainError, UsageError, did_you_mean
from brain_cli.printable import one_line
from brain_cli.ranking.scorers import load_scorer


def set_setting(words: Sequence[str], vault: str | None, *, as_json: bool) -> int:
    """Write one setting; `words` are the key and the value as typed."""
    if len(words) != 2:
        raise UsageError("A setting has one key and one value.", "Type `brain config set limit 5`.")
    environ = command_context().environ
    file = config_files(None, environ)[0]
    key = _key(words[0])
    value = _value(key, words[1])
    _check_name(key, value, vault)
    read_table(file)  # reports a file that is not valid TOML, instead of editing it
    with _explained(file):
        set_key(file, key, value)
    if as_json:
        write_json({"key": words[0], "value": value, "file": str(file)})
    else:
        write_lines([one_line(f"{words[0]} = {words[1]} ({file})")])
    _report_override(key, str(file), vault)
    return OK


def unset_setting(words: Sequence[str], vault: str | None, *, as_json: bool) -> int:
    """Take one setting out of the user's file, so that the default applies again."""
    if len(words) != 1:
        raise UsageError("One setting is unset at a time.", "Type `brain config unset limit`.")
    file = config_files(None, command_context().environ)[0]
    key = _key(words[0])
    if not setting_of(key):
        raise UsageError(f"There is no setting “{words[0]}”.", did_you_mean(words[0], names_below(key[:-1])))
    read_table(file)
    with _explained(file):
        was_set = unset_key(file, key)
    if as_json:
        write_json({"key": words[0], "unset": was_set, "file": str(file)})
    else:
        write_lines([one_line(f"{words[0]} {'is no longer' if was_set else 'was not'} set ({file})")])
    _report_override(key, str(file), vault)
    return OK


@contextlib.contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BrainError(f"{file}: {error.strerror or error}.", "Nothing was changed.") from None


def _check_name(key: Key, value: object, vault: str | None) -> None:
    """Raise UsageError if no formula or profile has that name."""
    if key == ("scorer",):
        load_scorer(str(value))
    if key == ("profile",):
        read_layers(vault, {"profile": value}, command_context().environ)


def _key(name: str) -> Key:
    """Split the name of a setting; the pattern of a weight may itself have dots."""
    first = name.partition(".")[0]
    key = tuple(name.split(".", 2 if first == "scorers" else 1))
    if not setting_of(key) and names_below(key):
        raise UsageError(f"“{name}” is a table of settings.", f"Name one: brain config set {name}.NAME VALUE.")
    return key


def _value(key: Key, text: str) -> object:
    """Return the value as TOML holds it; raise UsageError if the setting does not take it."""
    typed = _number(text) if len(key) > 1 else text
    if key == ("vault",):
        typed = os.path.abspath(os.path.join(command_context().folder, os.path.expanduser(text)))
    value = checked_value(key, typed, Source("", "on the command line"))
    if key[0] == "scorers":
        load_scorer(key[1], {key[2]: value})
    return list(value) if isinstance(value, tuple) else value


def _number(text: str) -> object:
    """Read a number or a truth value, else keep the text: constants of formulas have no type in the table."""
    words: dict[str, Any] = {"true": True, "false": False}
    for read in (words.__getitem__, int, float):
        try:
            return read(text)
        except (KeyError, ValueError):
            continue
    return text


def _report_override(key: Key, file: str, vault: str | None) -> None:
    layers = read_layers(vault, {}, command_context().environ)
    merged(layers)
    setting = [layer.origin for layer in layers if layer.values.get(key) is not None]
    if setting and setting[-1] not in (file, DEFAULT):
        say(f"{'.'.join(key)} is also set by {setting[-1]}, which overrides this.")
