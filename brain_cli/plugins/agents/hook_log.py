"""Log what the hooks of agents did, and count the last week of it for `brain hooks status`.

Each line of the file has a time and either a prompt, with the notes that it brought up and the
milliseconds that it took, or the path of a note that was kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from brain_cli.files import append_lines, open_regular
from brain_cli.paths import make_private_folder
from brain_cli.vault.atomic_write import replace_file

FILE = "week.jsonl"
WEEK_SECONDS = 7 * 86_400.0
# A longer file is cut to its last week.
MAX_BYTES = 500_000


class HookWeek(NamedTuple):
    """What the hooks did in a week; `milliseconds` is what a prompt took on average."""

    prompts: int
    silent: int
    brought_up: int
    kept: int
    milliseconds: int

    def told(self) -> str:
        """Return it as a sentence."""
        return (
            f"last 7 days: {self.prompts} prompts, {self.silent} of them silent;"
            f" {self.brought_up} notes brought up, {self.kept} kept; {self.milliseconds} ms a "
            "prompt"
        )


def log_use(folder: str, at: float, **what: object) -> None:
    """Add a line to the log; a disk that cannot take it is no reason to fail."""
    path = os.path.join(folder, FILE)
    with contextlib.suppress(OSError):
        make_private_folder(folder)
        handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            append_lines(handle, f"{json.dumps({'at': round(at, 1), **what})}\n".encode())
            is_long = os.fstat(handle).st_size > MAX_BYTES
        finally:
            os.close(handle)
        if is_long:
            lines = (f"{json.dumps(each)}\n" for each in _since(folder, at - WEEK_SECONDS))
            replace_file(path, "".join(lines).encode(), mode=0o600, durable=False)


def week(folder: str, now: float) -> HookWeek:
    """Return what the hooks did in the week until now."""
    lines = [*_since(folder, now - WEEK_SECONDS)]
    prompts = [each for each in lines if "notes" in each]
    return HookWeek(
        prompts=len(prompts),
        silent=sum(not each["notes"] for each in prompts),
        brought_up=sum(each["notes"] for each in prompts),
        kept=len({each["kept"] for each in lines if "kept" in each}),
        milliseconds=sum(each.get("ms", 0) for each in prompts) // max(1, len(prompts)),
    )


def _since(folder: str, at: float) -> Iterator[dict[str, Any]]:
    with (
        contextlib.suppress(OSError, ValueError),
        open(os.path.join(folder, FILE), encoding="utf-8") as file,
    ):
        for line in file:
            found = json.loads(line)
            if found["at"] >= at:
                yield found
