"""Remove what agents have left of a note: waiting observations, sessions, notes that came up."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from brain_cli.library.vault import Vault
from brain_cli.plugins.agents.hook_log import forget
from brain_cli.plugins.agents.intake import PENDING, spool_of
from brain_cli.plugins.agents.note_store import NoteStore
from brain_cli.process import command_context
from brain_cli.vault.frontmatter import split_head

# A line of a note that is shorter says little about where it is from.
MIN_CHARS = 20


def purge(vault: Vault, paths: Collection[str], texts: Collection[bytes]) -> None:
    """Remove observations of the note's session and those with a line of it, and what is known of
    its session; no session that goes on mentions it as brought up.
    """
    marks = {json.dumps(path) for path in paths}
    for text in (text.decode("utf-8", "replace") for text in texts):
        head = split_head(text)
        if session := head.properties.get("session"):
            marks.add(f'"session": {json.dumps(session)}')
        lines = {line.strip("#> \t\r") for line in text[head.body_start :].split("\n")}
        lines = {line for line in lines if len(line) >= MIN_CHARS}
        marks |= {*lines, *(json.dumps(line)[1:-1] for line in lines)}
    spool = spool_of(command_context().environ)
    folders = (Path(spool.folder, PENDING), Path(NoteStore(vault).sessions))
    kept = (file for folder in folders for file in folder.glob("*"))
    for file in (*kept, *map(Path, spool.aside())):
        text = file.read_text("utf-8", "replace")
        if any(mark in text for mark in marks):
            file.unlink()
    forget(spool.folder, paths)
    # Version 0.2 kept what sessions were shown in files of their own.
    shutil.rmtree(os.path.join(spool.folder, "brought-up"), ignore_errors=True)
