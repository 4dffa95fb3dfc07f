"""Resolve a name in a link or on the command line to the notes it may mean; headings in them:
sections.py.

A command line names a note by its path, in the vault or from the working folder, else by its name.
"""

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from brain_cli.errors import UsageError, is_guessable, near_names
from brain_cli.printable import some_of
from brain_cli.types import Link, NoteMetadata, is_index_page, stem
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.atomic_write import folders_above
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.logseq import journal_names

# The number at the beginning of a file name, such as `202411201530 Bees.md`, by which Zettlr and
# others link to the note.
_NUMBER = re.compile(r"^\d{12}(?:\d\d)?(?=[ _-])")


class NameTable:
    """Maps names to notes: paths with and without suffix, file stems, titles and aliases, without
    case and accents.

    If a name fits several notes, a path wins over a stem, and a stem over a title or an alias.
    Among equals the note nearest to the linking one wins, then the one with the shortest path.
    """

    def __init__(self, notes: Iterable[NoteMetadata]) -> None:
        self._by_path: dict[str, str] = {}
        self._by_stem: defaultdict[str, list[str]] = defaultdict(list)
        self._by_title: defaultdict[str, list[str]] = defaultdict(list)
        # Name → the best match in each folder, and in the whole vault under "": thousands of notes
        # may share a name.
        self._nearest: dict[str, Mapping[str, str]] = {}
        # By folder, the page that stands for it, as Hugo's `_index.md`.
        self._index_pages: dict[str, str] = {}
        for note in notes:
            for form in _forms(note.path):
                self._by_path.setdefault(same_name(form), note.path)
                # If two notes differ only in case or accents, the one spelled exactly like the link
                # is meant.
                self._by_path[form] = note.path
            if is_index_page(note.path):
                self._index_pages.setdefault(same_name(posixpath.dirname(note.path)), note.path)
            file_name, *titles = map(same_name, _names(note))
            self._by_stem[file_name].append(note.path)
            for title in titles:
                self._by_title[title].append(note.path)

    def find(self, target: str, source: str = "") -> list[str]:
        """Return the paths that a link's target may mean, best first; `source` is the
        linking note.
        """
        folder = posixpath.dirname(source)
        if path := self._at(target, folder):
            return [path]
        ranks = self.named(target) or self.named(stem(target))
        return sorted(
            ranks,
            key=lambda path: (ranks[path], posixpath.dirname(path) != folder, len(path), path),
        )

    def best(self, target: str, source: str = "") -> str | None:
        """Return the first note that `find` would return, in constant time."""
        folder = posixpath.dirname(source)
        if path := self._at(target, folder):
            return path
        for name in (target, stem(target)):
            if nearest := self._nearest_by_folder(same_name(name)):
                return nearest.get(f"{folder}/") or nearest[""]
        return None

    def best_link(self, link: Link, source: str = "") -> str | None:
        """Return the note that a link means in the note `source`, or in its folder, which ends with
        a slash.

        Dendron writes `[[words|target]]`.

        If the target names no note and the words are a dotted name, they are the target.
        """
        return self.best(link.target, source) or (
            self.best(link.text, source) if "." in link.text else None
        )

    def by_path(self, path: str) -> str | None:
        """Return the note at a path of the vault, written with or without its suffix."""
        return self._by_path.get(path) or self._by_path.get(same_name(path))

    def named(self, name: str) -> Mapping[str, int]:
        """Return the notes with this name as file stem, title or alias, each with the
        name's rank.
        """
        key = same_name(name)
        # A file name comes before a title or an alias.
        return {
            **dict.fromkeys(self._by_title.get(key, ()), 1),
            **dict.fromkeys(self._by_stem.get(key, ()), 0),
        }

    def _at(self, target: str, folder: str) -> str | None:
        """Return the note at a path relative to the linking note's folder, else to the vault's
        root.
        """
        forms = _paths(target, folder)
        found = next(filter(None, map(self.by_path, forms)), None)
        # `functions/cast/` names a folder: it leads to the page that stands for it.
        index_pages = map(self._index_pages.get, map(same_name, forms)) if "/" in target else ()
        return found or next(filter(None, index_pages), None)

    def _nearest_by_folder(self, name: str) -> Mapping[str, str]:
        equals = self._by_stem.get(name) or self._by_title.get(name) or []
        if len(equals) < 2:
            return dict(zip(("",), equals, strict=False))
        if name not in self._nearest:
            nearest: dict[str, str] = {}
            for path in sorted(equals, key=lambda path: (len(path), path)):
                nearest.setdefault("", path)
                nearest.setdefault(f"{posixpath.dirname(path)}/", path)
            self._nearest[name] = nearest
        return self._nearest[name]


def _paths(target: str, folder: str) -> list[str]:
    """Return the paths that a target may mean, best first."""
    paths = [
        posixpath.normpath(posixpath.join(folder, target)),
        posixpath.normpath(target.lstrip("/")),
    ]
    if target.startswith("/"):
        # One of the folders above is the root of a site's `/addresses`.
        paths += (posixpath.normpath(above + target) for above in folders_above(f"{folder}/"))
    return paths


def _forms(path: str) -> tuple[str, str]:
    """Return a note's path with and without its suffix."""
    return path, posixpath.splitext(path)[0]


def _names(note: NoteMetadata) -> tuple[str, ...]:
    """Return the names of a note, beginning with its file name."""
    number = _NUMBER.findall(stem(note.path))
    return (stem(note.path), note.title, *note.aliases, *journal_names(note.path), *number)


def name_keys(note: NoteMetadata) -> set[str]:
    """Return the keys under which the names of a note are looked up; see `link_keys`."""
    folder = [posixpath.dirname(note.path)] * (is_index_page(note.path))
    return {*map(same_name, _names(note)), *map(_path_key, (*_forms(note.path), *folder))}


def link_keys(links: Iterable[Link], source: str) -> set[str]:
    """Return the names under which these links would find a note.

    A link means the same notes as before unless a note with one of these names was added, removed
    or changed.
    """
    targets = {link.target for link in links} | {
        link.text for link in links if "." in link.text
    }
    folder = posixpath.dirname(source)
    keys = set[str]()
    for target in targets:
        # Most targets are a plain name, whose paths all end with it.
        plain = "/" not in target and target not in ("", ".", "..")
        keys.update(map(_path_key, (target,) if plain else _paths(target, folder)))
        keys.update(map(same_name, {target, stem(target)}))
    return keys


def _path_key(path: str) -> str:
    """Return the last part of a path, with a space before it, which no name has."""
    return f" {same_name(path).rpartition('/')[2].strip()}"


MAX_CHOICES = 10
MAX_GUESSES = 3
LINE = r":([1-9][0-9]{0,8})\Z"
Splits = Sequence[tuple[str, str]]


class NoteRef(NamedTuple):
    """A note named on a command line: its path in the vault, and the heading after `#` or the line
    after `:`.
    """

    path: str
    heading: str = ""
    line: int | None = None


def names_and_headings(argument: str) -> Splits:
    """Return the ways to read `NOTE#heading`: a `#` may also be part of a title or file name."""
    parts = argument.split("#")
    return [("#".join(parts[:n]), "#".join(parts[n:])) for n in range(len(parts), 0, -1)]


class NameScope(NamedTuple):
    """The scope in which a name is looked up: the vault, the working folder, and a function that
    returns the notes.

    UsageError when a note is unknown, ambiguous or outside.
    """

    vault: str
    folder: str
    notes: Callable[[], Iterable[NoteMetadata]]

    def note(self, argument: str) -> str:
        """Return the path of a note, relative to the vault."""
        return self._found([(argument, "")], argument).path

    def section(self, argument: str) -> NoteRef:
        """Return the note and heading of `NOTE#heading`."""
        return self._found(names_and_headings(argument), argument)

    def _found(self, splits: Splits, argument: str) -> NoteRef:
        """Return the note of an argument. `NOTE:LINE` is read as a recall prints it, unless a note
        has that name.
        """
        if found := self._first_match(splits):
            return found
        line = re.search(LINE, argument)
        if line and (found := self._first_match([(argument[: line.start()], "")])):
            return found._replace(line=int(line[1]))
        name = _readable(re.sub(LINE, "", splits[-1][0]))
        if file := self._file_left_out(stem(name)):
            raise UsageError(
                f"There is no note “{name}” in this vault: {file} is left out.",
                f"See `brain doctor why {file}`.",
            )
        raise UsageError(f"There is no note “{name}” in this vault.", self._nearest(name))

    def _file_left_out(self, name: str) -> str:
        """Return the path of a file with this name that is ignored or cannot be read as a note."""
        notes = {note.path for note in self.notes()}
        for folder, folders, files in os.walk(self.vault):
            folders[:] = [each for each in folders if not each.startswith(".")]
            for file in files:
                path = os.path.relpath(os.path.join(folder, file), self.vault)
                has_name = file.endswith(NOTE_SUFFIXES) and same_name(stem(file)) == same_name(
                    name
                )
                if has_name and path not in notes:
                    return path
        return ""

    def _first_match(self, splits: Splits) -> NoteRef | None:
        """Return the first of several readings (name and heading) that matches a note; a path comes
        before a name.
        """
        for name, heading in splits:
            if path := self._by_path(name):
                return NoteRef(path, heading)
        for name, heading in splits:
            found = self._by_name(name)
            if len(found) > 1:
                raise UsageError(
                    f"“{_readable(name)}” may be any of {len(found)} notes.",
                    f"Name one by its path: {some_of(found, MAX_CHOICES)}.",
                )
            if found:
                return NoteRef(found[0], heading)
        return None

    def _by_path(self, argument: str) -> str:
        outside = ""
        for base in (self.vault, self.folder):
            for suffix in ("", *NOTE_SUFFIXES):
                path = os.path.join(base, argument) + suffix
                if os.path.isfile(path):
                    real = os.path.realpath(path)
                    below = os.path.relpath(real, os.path.realpath(self.vault))
                    if not below.startswith("../"):
                        return _checked(below)
                    outside = real
        if outside:
            raise UsageError(
                f"{outside} is outside the vault {self.vault}.",
                "Name its vault with --vault DIR.",
            )
        return ""

    def _by_name(self, argument: str) -> list[str]:
        """Return the paths of the notes with this name, which may end in a note's suffix."""
        # Titles are UTF-8 in any locale.
        wanted = _readable(argument)
        if not wanted.strip():
            return []
        names = NameTable(self.notes())
        has_suffix = wanted.lower().endswith(NOTE_SUFFIXES) and "/" not in wanted
        return sorted(
            {*names.named(stem(wanted) if has_suffix else wanted), *names.named(wanted)}
        )

    def _nearest(self, name: str) -> str:
        titles = {
            same_name(name): metadata.path
            for metadata in self.notes()
            for name in (metadata.title, stem(metadata.path))
        }
        wanted = same_name(stem(name))
        near = near_names(wanted, titles, MAX_GUESSES)
        if is_guessable(wanted):
            near += sorted((title for title in titles if wanted in title), key=len)
        paths = list(dict.fromkeys(titles[title] for title in near))[:MAX_GUESSES]
        if paths:
            return f"Did you mean {' or '.join(paths)}?"
        return "Name it by path, title, alias or file name."


def _checked(path: str) -> str:
    if not path.lower().endswith(NOTE_SUFFIXES):
        raise UsageError(
            f"{path} is not a note.", "Notes are markdown files: .md or .markdown."
        )
    if any(part.startswith(".") for part in path.split("/")):
        raise UsageError(f"{path} is hidden, so it is not a note of this vault.")
    return path


def _readable(argument: str) -> str:
    return os.fsencode(argument).decode("utf-8", "replace")
