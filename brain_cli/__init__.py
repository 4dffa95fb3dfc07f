"""A memory over a folder of markdown notes, as a library: what `brain remember` does, without its
output.

    >>> import brain_cli
    >>> vault = brain_cli.open_vault("notes")
    >>> vault.recall("why did we leave REST").results[0].metadata.path
    'decisions/switch-to-grpc.md'

Each name is imported on first use, so that a command imports only what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain_cli.answer.results import Ranked as Result
    from brain_cli.answer.results import Recall as Answer
    from brain_cli.errors import BrainError
    from brain_cli.extension import Plugin, Verb
    from brain_cli.library.recalling import SessionOptions as Work
    from brain_cli.library.vault import Vault, open_vault, recall
    from brain_cli.search.filters import Filters
    from brain_cli.search.query import Query
    from brain_cli.types import NoteMetadata as Note
    from brain_cli.types import Strategy

    __version__: str

__all__ = [
    "Answer",
    "BrainError",
    "Filters",
    "Note",
    "Plugin",
    "Query",
    "Result",
    "Strategy",
    "Vault",
    "Verb",
    "Work",
    "__version__",
    "open_vault",
    "recall",
]
_PLACES = {
    "Answer": "answer.results:Recall",
    "BrainError": "errors:BrainError",
    "Filters": "search.filters:Filters",
    "Note": "types:NoteMetadata",
    "Plugin": "extension:Plugin",
    "Query": "search.query:Query",
    "Result": "answer.results:Ranked",
    "Strategy": "types:Strategy",
    "Vault": "library.vault:Vault",
    "Verb": "extension:Verb",
    "Work": "library.recalling:SessionOptions",
    "__version__": "version:VERSION",
    "open_vault": "library.vault:open_vault",
    "recall": "library.vault:recall",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, _, found = _PLACES[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), found)
