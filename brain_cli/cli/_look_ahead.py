"""Begin to look for changes before the modules of a recall are imported, which takes as long as the look."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from brain_cli.cli._context import command_context, using_context
from brain_cli.cli._workspace import open_workspace
from brain_cli.errors import BrainError
from brain_cli.index.look_ahead import LookAhead, can_look_ahead


@contextlib.contextmanager
def looking_ahead(parameters: Mapping[str, object]) -> Iterator[None]:
    """Let the command inside the block, which was given these parameters, find a look for changes under way."""
    look_ahead = _begun(parameters)
    if look_ahead is None:
        yield
        return
    try:
        with using_context(command_context()._replace(look_ahead=look_ahead)):
            yield
    finally:
        look_ahead.close()


def _begun(parameters: Mapping[str, object]) -> LookAhead | None:
    if command_context().warm_index or not can_look_ahead():
        return None
    vault, now = parameters.get("vault"), parameters.get("now")
    try:
        workspace = open_workspace(
            vault if isinstance(vault, str) else None,
            now if isinstance(now, str) else None,
            {"profile": parameters.get("profile")},
        )
    except BrainError:
        # The command finds the same, and says it.
        return None
    return LookAhead(workspace.notes, workspace.index_directory)
