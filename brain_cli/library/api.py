"""The names of the library, which `brain_cli` imports on their first use."""

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
from brain_cli.version import VERSION

__version__ = VERSION
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
