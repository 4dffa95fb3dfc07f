"""Recognize notes that lead to others or wait to be filled in, by kind, path or form. Context never shows them.

The form is what a note consists of (vault/form.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection

from brain_cli.types import NoteMetadata

KINDS = ("template", "index", "moc", "map", "toc")
_TEMPLATE_PATH = re.compile(r"(^|/)[._]?templates?/|(^|/)templates?([ ._-][^/]*)?\.\w+$|[ ._-]template\.\w+$", re.I)
_INDEX_PATH = re.compile(r"(^|/)(_?index|home|moc|toc|contents|table of contents|[^/]*[ _-]moc)\.\w+$", re.I)


def is_navigation(metadata: NoteMetadata, links: Collection[object]) -> bool:
    """Return whether a note is an index or a template. A file named `index` is one only if it links to others."""
    if metadata.form or metadata.kind in KINDS or _TEMPLATE_PATH.search(metadata.path):
        return True
    return bool(links) and bool(_INDEX_PATH.search(metadata.path))
