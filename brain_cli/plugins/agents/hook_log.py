"""Log what the hooks of agents did: which notes a session was shown, and counts of the last week.

Each line of the file has a time and one of: a note that a `session` was shown, with its `path` and
`why`; that the session's context was `compacted`; a prompt, with the number of `notes` that it
brought up and the milliseconds that it took; the path of a note that was `kept`.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from brain_cli.files import open_regular
from brain_cli.paths import make_private_folder
from brain_cli.vault.atomic_write import replace_file

FILE = "week.jsonl"
WEEK_SECONDS = 7 * 86_400.0
# A longer file is cut to its last week.
MAX_BYTES = 500_000
Line = dict[str, Any]


def log_use(folder: str, at: float, *uses: Mapping[str, object]) -> None:
    """Add lines to the log; ignore a disk that cannot take them."""
    path = os.path.join(folder, FILE)
    with contextlib.suppress(OSError):
        make_private_folder(folder)
        handle = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with open(handle, "a", encoding="utf-8") as file:
            file.write(_text({"at": round(at, 1), **each} for each in uses))
            is_long = file.tell() > MAX_BYTES
        if is_long:
            _write(folder, logged(folder, since=at - WEEK_SECONDS))


def _write(folder: str, lines: Iterable[Line]) -> None:
    path = os.path.join(folder, FILE)
    replace_file(path, _text(lines).encode(), mode=0o600, durable=False)


def _text(lines: Iterable[Line]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in lines)


def forget(folder: str, paths: Collection[str]) -> None:
    """Remove the lines that name a note."""
    lines = [*logged(folder)]
    kept = [each for each in lines if each.get("path", each.get("kept")) not in paths]
    if kept != lines:
        _write(folder, kept)


def logged(folder: str, *, since: float = 0.0, session: str | None = None) -> Iterator[Line]:
    """Yield the lines of the log from a time on, or those of a session."""
    mark = "" if session is None else f'"session": {json.dumps(session)}'
    with (
        contextlib.suppress(OSError, ValueError),
        open(os.path.join(folder, FILE), encoding="utf-8") as file,
    ):
        for line in file:
            if mark in line:
                with contextlib.suppress(ValueError):
                    found = json.loads(line)
                    if found["at"] >= since:
                        yield found


def week(folder: str, now: float) -> dict[str, int]:
    """Return the work of the hooks in the week until now; `milliseconds` is the average time of a
    prompt.
    """
    lines = [*logged(folder, since=now - WEEK_SECONDS)]
    prompts = [each for each in lines if "notes" in each]
    return {
        "prompts": len(prompts),
        "silent": sum(not each["notes"] for each in prompts),
        "brought_up": sum(each["notes"] for each in prompts),
        "kept": len({each["kept"] for each in lines if "kept" in each}),
        "milliseconds": sum(each.get("ms", 0) for each in prompts) // max(1, len(prompts)),
    }


def since_compacted(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of a session since its agent has lost the beginning of it."""
    last = max((n for n, line in enumerate(lines, 1) if "compacted" in line), default=0)
    return lines[last:]
