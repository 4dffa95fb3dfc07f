"""The options that every command on a vault takes, and answering as they ask for."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import NamedTuple

from brain_cli.cli._output import say, without_controls, write_json, write_lines
from brain_cli.cli._workspace import Workspace, open_workspace


class CommonOptions(NamedTuple):
    """--vault, --now and --json as typed, before or after the command."""

    vault: str | None
    now: str | None
    json: bool

    def open_workspace(self, flags: Mapping[str, object] | None = None) -> Workspace:
        """Return where the command runs; `flags` override the configuration."""
        return open_workspace(self.vault, self.now, flags)

    def again(self, *words: str) -> str:
        """Return a command line for the same vault, to be typed as it is."""
        vault = ["--vault", self.vault] if self.vault else []
        return shlex.join(["brain", *words, *vault])

    def report(self, did: str, document: Mapping[str, object], undo: str = "") -> None:
        """Say on stdout what was done, in one line or as JSON, and on stderr how to undo it."""
        if self.json:
            write_json(document)
        else:
            write_lines([without_controls(did)])
        if undo:
            say(f"To undo: {undo}")
