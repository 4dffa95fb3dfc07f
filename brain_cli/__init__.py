"""A memory over a folder of markdown notes, as a library: what `brain remember` does, without its
output.

    >>> import brain_cli
    >>> vault = brain_cli.open_vault("notes")
    >>> vault.recall("why did we leave REST").results[0].metadata.path
    'decisions/switch-to-grpc.md'

They are imported on first use, so that a command imports only what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain_cli.library.api import *  # noqa: F403 - they are all names of the library


def __getattr__(name: str) -> object:
    if name.startswith("__") and name != "__version__":
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module("brain_cli.library.api"), name)
