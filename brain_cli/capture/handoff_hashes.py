"""Store the content hashes of handoff notes by path, to tell which notes the user has changed since."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from brain_cli.paths import make_private_folder
from brain_cli.vault.atomic_write import replace_file

# A session with this many newer ones is not resumed.
MAX_KEPT = 50


def read_hashes(path: str) -> dict[str, str]:
    """Return the hashes in a file; none if it is lost or damaged."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return {str(name): str(content_hash) for name, content_hash in found.items()} if isinstance(found, dict) else {}


def write_hashes(path: str, hashes: Mapping[str, str]) -> None:
    """Write the last of these hashes."""
    make_private_folder(os.path.dirname(path))
    replace_file(path, json.dumps(dict([*hashes.items()][-MAX_KEPT:])).encode(), durable=False)
