"""Plan the moves of notes within a vault so that every link still leads to the same note. Nothing
is written here.

A link by name (`[[Green tea]]`) is kept while the name still leads to the note, else it gets the
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
from typing import NamedTuple
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

LinkedNote = tuple[NoteMetadata, list[Link]]
# An edit of a note's bytes that is made together with its move.
ByteEdit = Callable[[bytes], bytes]
NO_EDITS: Mapping[str, ByteEdit] = MappingProxyType({})
# The start of a key's line, in YAML or TOML.
_KEY = re.compile(r"""[ ]*(?P<quote>["']?)(?P<key>[\w.-]+)(?P=quote)[ \t]*(?::(?=\s|$)|=)""")
# What is between two separators. A value has none of them, for `_bare_values` splits at them.
_VALUE = re.compile(r"[^\s,\[|#][^,\[|#\r\n]*")
# The marks of a list, in a list perhaps.
_DASHES = re.compile(r"\A(?:-\s+)+")


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
    rewriter = LinkRewriter(
        moves,
        {after: before for before, after in moves.items()},
        NameTable(metadata for metadata, _ in known),
        NameTable(
            _moved(vault, metadata, moves.get(metadata.path, metadata.path))
            for metadata, _ in known
        ),
        lambda path: not path.startswith("..") and os.path.exists(os.path.join(vault, path)),
    )
    taken = set[str]()
    for new in moves.values():
        if new in taken:
            raise BrainError(f"Two of the notes would both be at {new}.", "Rename one of the two.")
        taken.add(new)
        if os.path.lexists(os.path.join(vault, new)):
            raise BrainError(f"There is another note at {new} already.", "Rename one of the two.")
    changes = [*_linking_notes(vault, known, rewriter)]
    for old, new in moves.items():
        change = _relinked(vault, Move(old, new), rewriter, edits.get(old))
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
            title = parse_note(
                path, decode(read_note(vault, metadata.path)).text, metadata.timestamp
            ).metadata.title
    return metadata._replace(path=path, title=title)


def _linking_notes(vault: str, known: list[LinkedNote], rewriter: LinkRewriter) -> Iterator[Change]:
    for metadata, links in known:
        source = Move(metadata.path, metadata.path)
        if metadata.path in rewriter.moves or not _needs_rewriting(links, source, rewriter):
            continue
        try:
            read_note(vault, metadata.path)
        except (OSError, BrainError):
            continue  # it was deleted or became unreadable since it was listed
        change = _relinked(vault, source, rewriter)
        if change.before != change.after:
            yield change


def _needs_rewriting(links: list[Link], source: Move, rewriter: LinkRewriter) -> bool:
    """Return whether any link of a note has to be rewritten."""
    for link in links:
        destination = rewriter.destination(link.target, source)
        if destination and not rewriter.is_still_valid(
            link.target, source, destination, as_path=True, as_address=True
        ):
            return True
    return False


def _relinked(
    vault: str, source: Move, rewriter: LinkRewriter, edit: ByteEdit | None = None
) -> Change:
    """Return a note with its links as they are after the moves."""
    change = unchanged(vault, source.before)
    after = change.before or b""
    if edit:
        after = edit(after)
    # A note whose bytes cannot be written back unchanged keeps its links.
    with contextlib.suppress(ValueError):
        file = round_trip_text(after)
        text = relinked(file.text, source, rewriter)
        if text != file.text:
            _check_links(file.text, text, source, rewriter)
        after = file.write(text)
    return change._replace(after=after)


def _check_links(before: str, after: str, source: Move, rewriter: LinkRewriter) -> None:
    """Raise BrainError if a rewritten link is no longer read as a link to the file of its note, as
    `[[a|b]]` is not to `a|b.md`.
    """
    old, new = (sorted(set(file_links(text))) for text in (before, after))
    for was, now in itertools.zip_longest(old, new):
        destination = rewriter.destination(was.target, source) if was and was.target else None
        is_kept = now and (now.written, now.heading) == (was.written, was.heading)
        if destination is None or is_kept:
            continue
        is_read = now and _same(posixpath.basename(now.target), posixpath.basename(destination))
        if not is_read or rewriter.after.best(now.target, source.after) != destination:
            forbidden = "[]#|," if was and was.form == NAME else "[]#|"
            name = posixpath.basename(destination)
            marks = set(forbidden).intersection(name) or set(forbidden).intersection(destination)
            listed = " ".join(sorted(marks, key=forbidden.index))
            why = f"because of {listed} in its name" if marks else "under its new name"
            raise BrainError(
                f"A link in {source.before} cannot lead to {destination}, {why}.",
                "In [[links]] a name has no [ ] # or |, in the frontmatter no comma either: "
                "choose another name.",
            )


class Move(NamedTuple):
    """A note's path before and after; both are the same for a note that stays."""

    before: str
    after: str


class LinkRewriter(NamedTuple):
    """Resolves names before and after some notes move. `moves` maps old paths to new ones,
    `origins` the reverse.

    `exists` returns whether the vault has a file other than a note.
    """

    moves: Mapping[str, str]
    origins: Mapping[str, str]
    before: NameTable
    after: NameTable
    exists: Callable[[str], bool]

    def destination(self, target: str, source: Move) -> str | None:
        """Return the path to which a link of a note must lead after the move; None for a broken
        link.
        """
        found = self.before.best(target, source.before)
        return None if found is None else self.moves.get(found, found)

    def origin(self, path: str) -> str:
        """Return the path before the move of the note that is at this path after it."""
        return self.origins.get(path, path)

    def is_still_valid(
        self,
        target: str,
        source: Move,
        destination: str,
        *,
        as_path: bool,
        as_address: bool = False,
    ) -> bool:
        """Return whether a link can be kept: it still leads to the note, and does so in the same
        way.

        A path must not become a mere name, a file name a mere title, nor a relative address one
        from the vault's root. Programs that tell capitals from small letters must still find it.
        """
        was = self.origin(destination)
        if self.after.best(target, source.after) != destination:
            return False
        if _is_file_name(target, was, destination) or (
            _is_exact(target, source.before, was)
            and not _is_exact(target, source.after, destination)
        ):
            return False
        if as_address and _is_relative(target, source.before, was):
            return _is_relative(target, source.after, destination)
        return not (
            as_path
            and _names(target, source.before, was)
            and not _names(target, source.after, destination)
        )


def relinked(text: str, source: Move, rewriter: LinkRewriter) -> str:
    """Return a note's text with its links rewritten for the move."""
    pieces = []
    end = 0
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
    if span.form in (WIKI, NAME):
        return _name(span, source, rewriter)
    return _address(span.written, source, rewriter, enclosed=span.form == ENCLOSED)


def _name(span: LinkSpan, source: Move, rewriter: LinkRewriter) -> str | None:
    target = span.written
    destination = rewriter.destination(target, source)
    if destination is None or rewriter.is_still_valid(
        target, source, destination, as_path="/" in target
    ):
        return None
    from_root = f"/{destination}" if target.startswith("/") else destination
    # A frontmatter has no relative paths.
    other = f"/{destination}" if span.form == NAME else _relative(destination, source)
    forms = [other, from_root] if target.startswith(".") else [from_root, other]
    named = [] if "/" in target else [posixpath.basename(destination)]
    return _best(target, named + forms, source, rewriter, destination)


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


def _file(
    written: str, target: str, source: Move, rewriter: LinkRewriter, *, enclosed: bool
) -> str | None:
    """Return the address of an image or another file from the note's new place; None if it can be
    kept.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.before), target))
    if source.before == source.after or target.startswith("/") or not rewriter.exists(path):
        return None
    return _encoded(_relative(path, source), written, enclosed=enclosed)


def _best(
    target: str, forms: list[str], source: Move, rewriter: LinkRewriter, destination: str
) -> str:
    """Return the first form of a path that leads to the note, with a suffix if the link had one."""
    if not target.lower().endswith(NOTE_SUFFIXES):
        forms = [posixpath.splitext(form)[0] for form in forms] + forms
    leading = (form for form in forms if rewriter.after.best(form, source.after) == destination)
    return next(leading, forms[0])


def _relative(path: str, source: Move) -> str:
    return posixpath.relpath(path, posixpath.dirname(source.after) or ".")


def _encoded(address: str, written: str, *, enclosed: bool) -> str:
    if is_url(address):
        address = f"./{address}"  # as in `Re: tea.md`
    if "%" in written:
        return quote(address, errors="surrogateescape")
    return re.sub(
        r"[<>\"'%#]" if enclosed else r"[\s()<>%#]", lambda match: quote(match[0]), address
    )


def _names(target: str, source: str, path: str) -> bool:
    """Return whether a target is the path of a note, from the linking note's folder or from the
    vault's root.
    """
    return _is_relative(target, source, path) or _same(target.lstrip("/"), path)


def _is_relative(target: str, source: str, path: str) -> bool:
    return _same(posixpath.join(posixpath.dirname(source), target), path)


def _is_file_name(target: str, before: str, after: str) -> bool:
    """Return whether a target is the file name of a note before its move, and no longer
    after it.
    """
    return _same(target, posixpath.basename(before)) and not _same(
        target, posixpath.basename(after)
    )


def _is_exact(target: str, source: str, path: str) -> bool:
    """Return whether a target is the path or the file name of a note, letter by letter."""
    relative = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    names = [path, posixpath.splitext(path)[0]]
    names += map(posixpath.basename, names.copy())
    return relative in names[:2] or target.lstrip("/") in names


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
    values = set(_bare_values(split_head(_unix(lines)).properties))
    for start, written in _written_values(lines[: _head_lines(lines)]):
        item = _DASHES.sub("", written)
        plain = item.rstrip("] \t")
        opened = item.lstrip("\"' \t")
        whole = plain[1:-1] if plain.startswith(("'", '"')) else ""
        # A quoted text may be one name, or several with commas between them.
        for value in (item, plain, whole, opened, opened.rstrip("]\"' \t")):
            if value in values:
                start += written.index(value)
                yield LinkSpan(start, start + len(value), value, NAME)
                break


def _written_values(head: list[str]) -> Iterator[tuple[int, str]]:
    """Yield what may be a name under the keys that name notes, each with its offset in the text."""
    start = 0
    is_naming = False
    for line in head:
        if key := _KEY.match(line):
            is_naming = key["key"].lower() in LINK_KEYS
        for match in _VALUE.finditer(line, key.end() if key else 0) if is_naming else ():
            yield start + match.start(), match[0].rstrip()
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
