"""Plan the moves of notes within a vault so that every link still points to the same note. Nothing
is written here.

A link by name (`[[Green tea]]`) is kept while the name still means the note, else it gets the
new file name; so does one by the old file name, even if it is also the note's title, because other
programs know only file names. A link by path is rewritten in its present form: relative or from the
vault's root, with or without suffix, percent-encoded or not.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from urllib.parse import quote, unquote

from brain_cli.errors import BrainError
from brain_cli.types import Link, NoteMetadata
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.atomic_write import read_note
from brain_cli.vault.change_journal import Change, unchanged
from brain_cli.vault.decode import decode, lines_of, round_trip_text
from brain_cli.vault.frontmatter import Properties, split_head
from brain_cli.vault.links import (
    ENCLOSED,
    LINK_KEYS,
    NAME,
    NOTE_SUFFIXES,
    WIKI,
    LinkSpan,
    is_url,
    link_spans,
    title_of_path,
)
from brain_cli.vault.markdown import read_blocks
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import NameTable
from brain_cli.vault.sections import prose

# The ways in which a link names a note.
FILE_NAME = "file name"
EXACT = "exact"
RELATIVE = "relative"
ROOT = "root"
PATHS = {RELATIVE, ROOT}
LinkedNote = tuple[NoteMetadata, list[Link]]
# An edit of a note's bytes that is made together with its move.
ByteEdit = Callable[[bytes], bytes]
NO_EDITS: Mapping[str, ByteEdit] = MappingProxyType({})
# The start of a key's line, in YAML or TOML.
_KEY = re.compile(r"""[ ]*(?P<quote>["']?)(?P<key>[\w.-]+)(?P=quote)[ \t]*(?::(?=\s|$)|=)""")
# What stands before a name in a list, and behind it.
_BEFORE_NAME = r"""(?<![^\s,\["'])"""
_AFTER_NAME = r"""(?=[\s,\]"'|#]|\Z)"""


def plan_moves(
    vault: str,
    moves: Mapping[str, str],
    notes: Iterable[LinkedNote],
    edits: Mapping[str, ByteEdit] = NO_EDITS,
) -> list[Change]:
    """Return the changes that move notes (path → new path), given all notes of the vault and their
    links.

    The changes of linking notes come first, those of moved notes last. BrainError if a new path is
    taken.
    """
    known = list(notes)
    taken = set[str]()
    for new in moves.values():
        if new in taken:
            raise BrainError(
                f"Two of the notes would both be at {new}.", "Rename one of the two."
            )
        taken.add(new)
        if os.path.lexists(os.path.join(vault, new)):
            raise BrainError(
                f"There is another note at {new} already.", "Rename one of the two."
            )
    before = NameTable(metadata for metadata, _ in known)
    after = NameTable(
        _moved(vault, metadata, moves[metadata.path]) if metadata.path in moves else metadata
        for metadata, _ in known
    )
    changes: list[Change] = []
    for metadata, links in known:
        note = _LinkingNote(vault, metadata.path, moves, before, after)
        if metadata.path not in moves and note.may_change(links):
            try:
                read_note(vault, metadata.path)
            except (OSError, BrainError):
                continue  # it was deleted or became unreadable since it was listed
            change = note.relinked()
            changes += [change] if change.before != change.after else []
    for old, new in moves.items():
        change = _LinkingNote(vault, old, moves, before, after).relinked(edits.get(old))
        changes += [
            Change(new, None, change.after),
            Change(old, change.before, None, change.mtime_ns),
        ]
    return changes


def _moved(vault: str, metadata: NoteMetadata, path: str) -> NoteMetadata:
    """Return a note as it will be at a path; its title may be its file name."""
    title = metadata.title
    if title == title_of_path(metadata.path) != title_of_path(path):
        with contextlib.suppress(OSError, BrainError):
            text = decode(read_note(vault, metadata.path)).text
            title = parse_note(path, text, metadata.timestamp).metadata.title
    return metadata._replace(path=path, title=title)


class _LinkingNote:
    """A note whose links are rewritten: its path before and after the moves, and what names mean
    then.
    """

    def __init__(
        self,
        vault: str,
        path: str,
        moves: Mapping[str, str],
        names_before: NameTable,
        names_after: NameTable,
    ) -> None:
        self._vault = vault
        self._old = path
        self._new = moves.get(path, path)
        self._moves = moves
        self._names_before = names_before
        self._names_after = names_after

    def may_change(self, links: Iterable[Link]) -> bool:
        """Return whether any of the note's links may have to be rewritten."""
        return any(self._destination(link.target, is_address=True) for link in links)

    def relinked(self, edit: ByteEdit | None = None) -> Change:
        """Return the note with its links as they are after the moves."""
        change = unchanged(self._vault, self._old)
        after = change.before or b""
        if edit:
            after = edit(after)
        # A note whose bytes cannot be written back unchanged keeps its links.
        with contextlib.suppress(ValueError):
            file = round_trip_text(after)
            text = self._relinked_text(file.text)
            if text != file.text:
                self._check_links(file.text, text)
            after = file.write(text)
        return change._replace(after=after)

    def _relinked_text(self, text: str) -> str:
        pieces = []
        end = 0
        for span in sorted(set(file_links(text))):
            is_name = span.form in (WIKI, NAME)
            new = self._new_name(span) if is_name else self._new_address(span)
            if new is not None and span.start >= end:
                pieces += [text[end : span.start], new]
                end = span.end
        return "".join([*pieces, text[end:]])

    def _check_links(self, before: str, after: str) -> None:
        """Raise BrainError if a rewritten link is not read as a link to the file of its note any
        more, as `[[a|b]]` is not to `a|b.md`.
        """
        old, new = (sorted(set(file_links(text))) for text in (before, after))
        for was, now in itertools.zip_longest(old, new):
            found = (
                self._names_before.best(was.target, self._old) if was and was.target else None
            )
            is_kept = now and (now.written, now.heading) == (was.written, was.heading)
            if found is None or is_kept:
                continue
            destination = self._moves.get(found, found)
            name = posixpath.basename(destination)
            is_read = now and _same(posixpath.basename(now.target), name)
            if not is_read or self._names_after.best(now.target, self._new) != destination:
                forbidden = "[]#|," if was.form == NAME else "[]#|"
                marks = [mark for mark in forbidden if mark in destination]
                why = (
                    f"because of {' '.join(marks)} in its name"
                    if marks
                    else "under its new name"
                )
                raise BrainError(
                    f"A link in {self._old} cannot lead to {destination}, {why}.",
                    "In [[links]] a name has no [ ] # or |, in the frontmatter no comma either: "
                    "choose another name.",
                )

    def _destination(self, target: str, *, is_address: bool) -> str:
        """Return the path to which a link must point after the moves if it has to be rewritten;
        empty for one that can be kept, and for a broken one.

        It is kept if it still points to the note, and does so in the same way. A path must not
        become a mere name, a file name a mere title, nor a relative address one from the vault's
        root. Programs that tell capitals from small letters must still find it.
        """
        was_at = self._names_before.best(target, self._old)
        if was_at is None:
            return ""
        destination = self._moves.get(was_at, was_at)
        leads_there = self._names_after.best(target, self._new) == destination
        if leads_there and (self._old, was_at) == (self._new, destination):
            return ""
        before = _ways(target, self._old, was_at)
        after = _ways(target, self._new, destination)
        lost = before - after
        is_path = is_address or "/" in target
        is_kept = (
            leads_there
            and lost.isdisjoint((FILE_NAME, EXACT))
            and not (is_address and RELATIVE in lost)
            and not (is_path and before & PATHS and not after & PATHS)
        )
        return "" if is_kept else destination

    def _new_name(self, span: LinkSpan) -> str | None:
        """Return the new target of a link by name; None if it can be kept."""
        target = span.written
        destination = self._destination(target, is_address=False)
        if not destination:
            return None
        from_root = f"/{destination}" if target.startswith("/") else destination
        # A frontmatter has no relative paths.
        other = f"/{destination}" if span.form == NAME else self._relative(destination)
        forms = [other, from_root] if target.startswith(".") else [from_root, other]
        if "/" not in target:
            forms.insert(0, posixpath.basename(destination))
        return self._best(target, forms, destination)

    def _new_address(self, span: LinkSpan) -> str | None:
        """Return the new address of a markdown link; None if it can be kept."""
        target = unquote(span.written) if "%" in span.written else span.written
        if not target or is_url(target):
            return None
        is_note = posixpath.splitext(target)[1].lower() in ("", *NOTE_SUFFIXES)
        was_at = self._names_before.best(target, self._old) if is_note else None
        if was_at is None:
            return self._new_address_of_file(span, target)
        destination = self._destination(target, is_address=True)
        if not destination:
            return None
        relative = self._relative(destination)
        if span.written.startswith("./") and not relative.startswith("."):
            relative = f"./{relative}"
        from_root = f"/{destination}" if target.startswith("/") else destination
        is_from_root = (
            ROOT in (ways := _ways(target, self._old, was_at)) and RELATIVE not in ways
        )
        forms = [from_root, relative] if is_from_root else [relative]
        return _encoded(self._best(target, forms, destination), span)

    def _new_address_of_file(self, span: LinkSpan, target: str) -> str | None:
        """Return the address of an image or another file from the note's new place; None if it can
        be kept.
        """
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self._old), target))
        is_inside = not path.startswith("..") and not target.startswith("/")
        moves = self._old != self._new
        if moves and is_inside and os.path.exists(os.path.join(self._vault, path)):
            return _encoded(self._relative(path), span)
        return None

    def _best(self, target: str, forms: list[str], destination: str) -> str:
        """Return the first form of a path that means the note, with a suffix if the link had
        one.
        """
        if not target.lower().endswith(NOTE_SUFFIXES):
            forms = [posixpath.splitext(form)[0] for form in forms] + forms
        best = self._names_after.best
        return next((each for each in forms if best(each, self._new) == destination), forms[0])

    def _relative(self, path: str) -> str:
        return posixpath.relpath(path, posixpath.dirname(self._new) or ".")


def _ways(target: str, source: str, path: str) -> set[str]:
    """Return the ways in which a link's target in a note names the note at a path."""
    folder = posixpath.dirname(source)
    relative = posixpath.normpath(posixpath.join(folder, target))
    below_root = target.lstrip("/")
    paths = [path, posixpath.splitext(path)[0]]
    ways = {
        FILE_NAME: _same(target, posixpath.basename(path)),
        # Letter by letter.
        EXACT: relative in paths or below_root in (*paths, *map(posixpath.basename, paths)),
        RELATIVE: _same(relative, path),
        ROOT: _same(below_root, path),
    }
    return {way for way, applies in ways.items() if applies}


def _encoded(address: str, span: LinkSpan) -> str:
    if is_url(address):
        address = f"./{address}"  # as in `Re: tea.md`
    if "%" in span.written:
        return quote(address, errors="surrogateescape")
    special = r"[<>\"'%#]" if span.form == ENCLOSED else r"[\s()<>%#]"
    return re.sub(special, lambda match: quote(match[0]), address)


def _same(target: str, path: str) -> bool:
    form = same_name(posixpath.normpath(target))
    return form in (same_name(path), same_name(posixpath.splitext(path)[0]))


def file_links(text: str) -> Iterator[LinkSpan]:
    """Yield every link of a file's text outside code, including names in the frontmatter."""
    yield from link_spans(_without_code(text), text)
    yield from _frontmatter_names(text)


def _frontmatter_names(text: str) -> Iterator[LinkSpan]:
    """Yield the bare names in the frontmatter, as in `related: decisions/grpc.md`."""
    lines = lines_of(text)
    names = sorted(
        set(_bare_values(split_head(_unix(lines)).properties)), key=len, reverse=True
    )
    named = re.compile(rf"{_BEFORE_NAME}(?:{'|'.join(map(re.escape, names))}){_AFTER_NAME}")
    start = 0
    is_naming = False
    for line in lines[: _head_lines(lines)] if names else ():
        if key := _KEY.match(line):
            is_naming = key["key"].lower() in LINK_KEYS
        for match in named.finditer(line, key.end() if key else 0) if is_naming else ():
            yield LinkSpan(start + match.start(), start + match.end(), match[0], NAME)
        start += len(line)


def _bare_values(properties: Properties) -> Iterator[str]:
    for key in LINK_KEYS:
        found = properties.get(key, [])
        for value in [found] if isinstance(found, str) else found:
            for each in value.split(","):
                if "[" not in each and (bare := re.split(r"[|#]", each)[0].strip()):
                    yield bare


def _without_code(text: str) -> str:
    """Return the text with blanks where its body is code."""
    lines = lines_of(text)
    first = _head_lines(lines)
    body = lines[first:]
    return "".join(lines[:first]) + prose("".join(body), read_blocks(_unix(body)).code_lines)


def _head_lines(lines: list[str]) -> int:
    """Return the number of lines of the head."""
    plain = _unix(lines)
    return plain.count("\n", 0, split_head(plain).body_start)


def _unix(lines: list[str]) -> str:
    """Return lines as one text with Unix line ends, as the index reads it."""
    return "".join(line.rstrip("\r\n") + "\n" for line in lines)
