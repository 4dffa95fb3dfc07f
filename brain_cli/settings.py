"""What can be set, and how each setting is read: from TOML as from the text of a variable or an option."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Setting(NamedTuple):
    """How a setting is read: `read` raises ValueError for a value that is none of what it `takes`."""

    takes: str
    read: Callable[[object], object]


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str) or not 0 <= float(value) <= 1:
        raise ValueError
    return float(value)


def _limit(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or int(value) < 1:
        raise ValueError
    return int(value)


def _flag(value: object) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if str(value).lower() not in words:
        raise ValueError
    return words[str(value).lower()]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def _folders(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError
    return tuple(item.strip() for item in items)


TEXT = Setting("a text", _text)
LIMIT = Setting("a whole number from 1", _limit)
SHARE = Setting("a number from 0 to 1", _share)
FLAG = Setting("true or false", _flag)
FOLDERS = Setting("a list of folder names", _folders)

SETTINGS: Mapping[str, Setting] = {
    "vault": TEXT,
    "scorer": TEXT,
    "limit": LIMIT,
    "minimum_relevance": SHARE,
    "min_score": SHARE,
    "mmr": FLAG,
    "archive_folders": FOLDERS,
    "record_queries": FLAG,
    "profile": TEXT,
}
