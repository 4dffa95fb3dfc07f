"""Rewrite links when notes move, so that each still leads to the same note.

A link by name (`[[Green tea]]`) is kept while the name still leads to the note. A link by path is rewritten in its
present form: relative or from the vault's root, with or without suffix, percent-encoded or not.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

from brain_cli.vault.file_links import file_links
from brain_cli.vault.folding import same_name
from brain_cli.vault.links import ENCLOSED, NAME, NOTE_SUFFIXES, WIKI, LinkSpan, is_url
from brain_cli.vault.resolve import NameTable


class Move(NamedTuple):
    """A note's path before and after; both are the same for a note that stays."""

    before: str
    after: str


class LinkRewriter(NamedTuple):
    """Resolves names before and after some notes move. `moves` maps old paths to new ones, `origins` the reverse.

    `exists` returns whether the vault has a file other than a note.
    """

    moves: Mapping[str, str]
    origins: Mapping[str, str]
    before: NameTable
    after: NameTable
    exists: Callable[[str], bool]

    def destination(self, target: str, source: Move) -> str | None:
        """Return the path to which a link of a note must lead after the move; None for a broken link."""
        found = self.before.best(target, source.before)
        return None if found is None else self.moves.get(found, found)

    def origin(self, path: str) -> str:
        """Return the path before the move of the note that is at this path after it."""
        return self.origins.get(path, path)

    def is_still_valid(
        self, target: str, source: Move, destination: str, *, as_path: bool, as_address: bool = False
    ) -> bool:
        """Return whether a link can be kept: it still leads to the note, and does so in the same way.

        A path must not become a mere name, nor a relative address one from the vault's root.
        """
        if self.after.best(target, source.after) != destination:
            return False
        was = self.origin(destination)
        if as_address and _is_relative(target, source.before, was):
            return _is_relative(target, source.after, destination)
        return not (as_path and _names(target, source.before, was) and not _names(target, source.after, destination))


def relinked(text: str, source: Move, rewriter: LinkRewriter) -> str:
    """Return a note's text with its links rewritten for the move."""
    pieces, end = [], 0
    for span in sorted(set(file_links(text))):
        new = _rewritten(span, source, rewriter)
        if new is not None and span.start >= end:
            pieces += [text[end : span.start], new]
            end = span.end
    return "".join([*pieces, text[end:]])


def _rewritten(span: LinkSpan, source: Move, rewriter: LinkRewriter) -> str | None:
    """Return a link's target after the move; None if it can be kept."""
    if not span.written:
        return None
    if span.form == WIKI:
        return _wiki(span.written, source, rewriter)
    if span.form == NAME:
        return _name(span.written, source, rewriter)
    return _address(span.written, source, rewriter, enclosed=span.form == ENCLOSED)


def _wiki(target: str, source: Move, rewriter: LinkRewriter) -> str | None:
    destination = rewriter.destination(target, source)
    if destination is None or rewriter.is_still_valid(target, source, destination, as_path="/" in target):
        return None
    from_root = f"/{destination}" if target.startswith("/") else destination
    relative = _relative(destination, source)
    forms = [relative, from_root] if target.startswith(".") else [from_root, relative]
    return _best(target, forms, source, rewriter, destination)


def _name(target: str, source: Move, rewriter: LinkRewriter) -> str | None:
    destination = rewriter.destination(target, source)
    if destination is None or rewriter.is_still_valid(target, source, destination, as_path="/" in target):
        return None
    return _best(target, [destination], source, rewriter, destination)


def _address(written: str, source: Move, rewriter: LinkRewriter, *, enclosed: bool) -> str | None:
    """Return a new address for a markdown link; None if it can be kept."""
    target = unquote(written) if "%" in written else written
    if not target or is_url(target):
        return None
    if posixpath.splitext(target)[1].lower() not in ("", *NOTE_SUFFIXES):
        return _file(written, target, source, rewriter, enclosed=enclosed)
    destination = rewriter.destination(target, source)
    if destination is None:
        return _file(written, target, source, rewriter, enclosed=enclosed)
    if rewriter.is_still_valid(target, source, destination, as_path=True, as_address=True):
        return None
    relative = _relative(destination, source)
    if written.startswith("./") and not relative.startswith("."):
        relative = f"./{relative}"
    from_root = f"/{destination}" if target.startswith("/") else destination
    was = rewriter.origin(destination)
    is_from_root = _same(target.lstrip("/"), was) and not _is_relative(target, source.before, was)
    forms = [from_root, relative] if is_from_root else [relative]
    return _encoded(_best(target, forms, source, rewriter, destination), written, enclosed=enclosed)


def _file(written: str, target: str, source: Move, rewriter: LinkRewriter, *, enclosed: bool) -> str | None:
    """Return the address of an image or another file from the note's new place; None if it can be kept."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.before), target))
    if source.before == source.after or target.startswith("/") or not rewriter.exists(path):
        return None
    return _encoded(_relative(path, source), written, enclosed=enclosed)


def _best(target: str, forms: list[str], source: Move, rewriter: LinkRewriter, destination: str) -> str:
    """Return the first form of a path that leads to the note, with a suffix if the link had one."""
    if not target.lower().endswith(NOTE_SUFFIXES):
        forms = [posixpath.splitext(form)[0] for form in forms] + forms
    leading = (form for form in forms if rewriter.after.best(form, source.after) == destination)
    return next(leading, forms[0])


def _relative(path: str, source: Move) -> str:
    return posixpath.relpath(path, posixpath.dirname(source.after) or ".")


def _encoded(address: str, written: str, *, enclosed: bool) -> str:
    if "%" in written:
        return quote(address, errors="surrogateescape")
    return re.sub(r"[<>\"'%#]" if enclosed else r"[\s()<>%#]", lambda match: quote(match[0]), address)


def _names(target: str, source: str, path: str) -> bool:
    """Return whether a target is the path of a note, from the linking note's folder or from the vault's root."""
    return _is_relative(target, source, path) or _same(target.lstrip("/"), path)


def _is_relative(target: str, source: str, path: str) -> bool:
    return _same(posixpath.join(posixpath.dirname(source), target), path)


def _same(target: str, path: str) -> bool:
    form = same_name(posixpath.normpath(target))
    return form in (same_name(path), same_name(posixpath.splitext(path)[0]))
