"""Remove what agents have left of a note: waiting observations, sessions, notes that came up."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator

from brain_cli.library.vault import Vault
from brain_cli.plugins.agents.intake import spool_of
from brain_cli.plugins.agents.note_store import NoteStore
from brain_cli.process import command_context
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.frontmatter import split_head

# A line of a note that is shorter says little about where it is from.
MIN_CHARS = 20


def purge(vault: Vault, paths: Collection[str], texts: Collection[bytes]) -> None:
    """Remove observations of the note's session and those with a line of it, and what is known of
    its session; no session that goes on mentions it as brought up.
    """
    sessions: set[object] = set()
    lines: set[str] = set()
    for text in (text.decode("utf-8", "replace") for text in texts):
        head = split_head(text)
        sessions.add(head.properties.get("session"))
        lines |= {line.strip("#> \t\r") for line in text[head.body_start :].split("\n")}
    lines = {line for line in lines if len(line) >= MIN_CHARS}
    spool = spool_of(command_context().environ)
    for name, observation in spool.observations().items():
        if (observation.session and observation.session in sessions) or _has(
            json.dumps(observation._asdict()), lines
        ):
            spool.remove([name])
    for file in [*spool.aside(), *_files(NoteStore(vault).sessions)]:
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
        if _has(text, lines) or any(json.dumps(path) in text for path in paths):
            os.unlink(file)
    for file in (*_files(os.path.join(spool.folder, "brought-up")), *_files(spool.folder)):
        if file.endswith(".jsonl"):
            _forget_lines(file, paths)


def _has(text: str, lines: Collection[str]) -> bool:
    """Return whether a text, or the JSON of one, has a line of a note."""
    return any(line in text or json.dumps(line)[1:-1] in text for line in lines)


def _forget_lines(file: str, paths: Collection[str]) -> None:
    """Remove the lines that name a note."""
    names = [json.dumps(path).encode() for path in paths]
    with open(file, "rb") as opened:
        lines = opened.readlines()
    kept = [line for line in lines if not any(name in line for name in names)]
    if kept != lines:
        replace_file(file, b"".join(kept), mode=0o600)


def _files(folder: str) -> Iterator[str]:
    if os.path.isdir(folder):
        yield from (os.path.join(folder, name) for name in os.listdir(folder))
