"""Set or remove one key of a settings file, without changing any other line or comment."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brain_cli.config.schema import Key
from brain_cli.errors import UsageError
from brain_cli.vault.atomic_write import replace_file

# The value of a key that is to be removed; TOML has no such value.
UNSET = None


def set_key(path: Path, key: Key, value: object) -> None:
    """Write a settings file with another value for one key; raise UsageError if it cannot be edited safely."""
    text = with_key(path.read_text(encoding="utf-8") if path.exists() else "", key, value)
    if text is None:
        raise UsageError(f"{path} sets “{'.'.join(key)}” in a way that cannot be edited.", "Change the file by hand.")
    # Write to the target of a link: settings often live in a repository of dotfiles.
    file = Path(os.path.realpath(path))
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o666
    replace_file(file, text.encode("utf-8"), mode=mode)


def unset_key(path: Path, key: Key) -> bool:
    """Remove one key from a settings file; return whether it was set. Raise UsageError like `set_key`."""
    table: Any = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name in key[:-1]:
        table = table.get(name, {})
    if key[-1] in table:
        set_key(path, key, UNSET)
    return key[-1] in table


def with_key(text: str, key: Key, value: object) -> str | None:
    """Return a settings text with one key set, or removed if it is UNSET; None if no edit has exactly that effect."""
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document
    for depth, name in enumerate(key[:-1], start=1):
        if name not in table:
            table[name] = tomlkit.table(is_super_table=depth < len(key) - 1)
        table = table[name]
    if value is UNSET:
        del table[key[-1]]
    elif key[-1] in table or not _insert(table, key[-1], value):
        table[key[-1]] = value
    edited = tomlkit.dumps(document)
    try:
        return edited if tomllib.loads(edited) == _with(tomllib.loads(text), key, value) else None
    except tomllib.TOMLDecodeError:
        return None


def _insert(table: Any, name: str, value: object) -> bool:
    """Add a key below the last one of a table; return whether it has one.

    tomlkit would add it at the end of the table, below a comment that belongs to the next table.
    """
    import tomlkit
    from tomlkit.items import AbstractTable, AoT, Table

    body = table.value.body if isinstance(table, Table) else getattr(table, "body", [])
    keys = [index for index, (key, item) in enumerate(body) if key and not isinstance(item, AbstractTable | AoT)]
    last = max(keys, default=-1)
    if last < 0 or "\n" not in body[last][1].trivia.trail:
        return False
    body.insert(last + 1, (tomlkit.key(name), tomlkit.item(value)))
    return True


def _with(table: Mapping[str, Any], key: Key, value: object) -> dict[str, Any]:
    first, *rest = key
    child = table.get(first)
    after = _with(child if isinstance(child, dict) else {}, tuple(rest), value) if rest else value
    return {name: each for name, each in {**table, first: after}.items() if each is not UNSET}
