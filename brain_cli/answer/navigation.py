"""Recognize indexes and templates by kind, path or form (vault/quality.py). `brain context` never shows them."""

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
