"""Recognize notes that lead to others or wait to be filled in: indexes and templates. Context never shows them."""

from __future__ import annotations

import re
from collections.abc import Collection

from brain_cli.types import NoteMetadata

KINDS = ("template", "index", "moc", "map", "toc")
# An index says little beside its links: fewer characters for each than this, brackets and addresses included.
LEAST_LINKS = 5
CHARS_PER_LINK = 60
_TEMPLATE_PATH = re.compile(r"(^|/)[._]?templates?/|(^|/)templates?([ ._-][^/]*)?\.\w+$|[ ._-]template\.\w+$", re.I)
_PLACEHOLDER = re.compile(r"\{\{.*\}\}|<%.*%>")
_INDEX_PATH = re.compile(r"(^|/)(_?index|home|moc|toc|contents|table of contents|[^/]*[ _-]moc)\.\w+$", re.I)


def is_navigation(metadata: NoteMetadata, links: Collection[object]) -> bool:
    """Return whether a note is an index or a template, by its kind, its path or what it consists of."""
    return metadata.kind in KINDS or _is_template(metadata) or _is_index(metadata, len(links))


def _is_template(metadata: NoteMetadata) -> bool:
    return bool(_TEMPLATE_PATH.search(metadata.path) or _PLACEHOLDER.search(metadata.title))


def _is_index(metadata: NoteMetadata, links: int) -> bool:
    is_dense = links >= LEAST_LINKS and metadata.body_chars < CHARS_PER_LINK * links
    return is_dense or (links > 0 and bool(_INDEX_PATH.search(metadata.path)))
