"""The folder of the user's models, and whether a recall can use one: read before anything else of
this plugin is imported.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from brain_cli.paths import data_home
from brain_cli.process import command_context

if TYPE_CHECKING:
    from brain_cli.config import Config

AUTO = "auto"


def models_folder() -> str:
    """Return the folder of the user's models."""
    return os.path.join(data_home(command_context().environ), "brain", "models")


def is_possible(config: Config) -> bool:
    """Return whether a model may be there; false in a plain installation."""
    return bool(config.of_plugins["meaning.endpoint"]) or os.path.isdir(models_folder())


def manifest_times() -> dict[str, int]:
    """Return when each installed model was installed, in nanoseconds."""
    from brain_cli.plugins.meaning.models import MANIFEST
    from brain_cli.plugins.meaning.settings import EMBEDDERS

    found = {}
    for name in EMBEDDERS:
        with contextlib.suppress(OSError):
            found[name] = os.stat(os.path.join(models_folder(), name, MANIFEST)).st_mtime_ns
    return found
