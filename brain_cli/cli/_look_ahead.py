"""Start checking for changes before the modules of a recall are imported, which takes as long as the check."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

from brain_cli.cli._process import command_context, using_context
from brain_cli.config import load_config
from brain_cli.errors import BrainError
from brain_cli.find_vault import find_vault
from brain_cli.index.look_ahead import CheckedIndex, LookAhead, can_look_ahead
from brain_cli.paths import cache_home, vault_name


@contextlib.contextmanager
def looking_ahead(parameters: Mapping[str, object]) -> Iterator[None]:
    """Run the block, a command with these parameters, while a second process checks the vault for changes."""
    look_ahead = _start(parameters)
    if look_ahead is None:
        yield
        return
    try:
        with using_context(command_context()._replace(look_ahead=look_ahead)):
            yield
    finally:
        look_ahead.close()


def _start(parameters: Mapping[str, object]) -> LookAhead | None:
    context = command_context()
    if context.warm_index or not can_look_ahead():
        return None
    try:
        named = parameters.get("vault")
        vault = find_vault(str(named) if named else None, context.folder, context.environ, context.folder)
        config = load_config(vault, {"profile": parameters.get("profile")}, context.environ)
    except BrainError:
        # The command will meet the same error and report it.
        return None
    index_folder = os.path.join(cache_home(context.environ), "brain", vault_name(vault))
    return LookAhead(CheckedIndex(vault, config.archive_folders, config.dates, index_folder))
