"""The links of notes: which notes a note links to, which links are broken, which names in a text
could be links.
"""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from brain_cli.index.note_table import NoteTable
from brain_cli.ranking.signals import PER_HOP, spread
from brain_cli.types import MAX_LINKS, NOTE_SUFFIXES, is_index_page
from brain_cli.vault.analyzer import same_name, stop_words
from brain_cli.vault.decode import as_read
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.git import below_root, repository_root
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import link_keys

Links = Callable[[int], Iterable[int]]


class Route(NamedTuple):
    """A note that was reached: its activation (0..1), and the note ids on the path to it, both ends
    included.
    """

    activation: float
    trail: tuple[int, ...]

    @property
    def note_id(self) -> int:
        return self.trail[-1]


def related(note_id: int, links: Links) -> list[Route]:
    """Return the notes that a note activates, most activated first.

    A note with too many links activates nothing in a recall; here it activates its direct links.
    """
    near = frozenset(links(note_id)) - {note_id}
    if len(near) > MAX_LINKS:
        return [Route(PER_HOP, (note_id, each)) for each in sorted(near)]
    found = spread({note_id: 1.0}, links)
    routes = [
        Route(amount, _trail(note_id, each, near, links)) for each, amount in found.items()
    ]
    return sorted(routes, key=lambda route: (-route.activation, route.trail))


def _trail(source: int, target: int, near: frozenset[int], links: Links) -> tuple[int, ...]:
    """Return the shortest path; of several, the one over the note with the fewest links, which is
    most specific.
    """
    if target in near:
        return (source, target)
    relays = [(len(set(links(each))), each) for each in near & frozenset(links(target))]
    return (source, min(pair for pair in relays if pair[0] <= MAX_LINKS)[1], target)


# A link to a file of these media types leads to an attachment; “Node.js” may well be the name of a
# note.
ATTACHMENTS = ("image/", "audio/", "video/", "application/pdf", "application/zip")

# Obsidian's canvases and bases are JSON and YAML files, not notes.
OBSIDIAN_FILES = (".canvas", ".base")


class BrokenLink(NamedTuple):
    """A broken link: the note that contains it, and its target as written."""

    path: str
    target: str


def broken_links(note_table: NoteTable) -> Iterator[BrokenLink]:
    """Yield the broken links, by path; links to pictures and other attachments are
    omitted.
    """
    notes = note_table.with_unknown_names()
    names = note_table.names_for(notes)
    for note_id, path in notes.items():
        for link in note_table.parsed_record(note_id).links:
            if not (is_attachment(link.target) or names.best_link(link, path)):
                yield BrokenLink(path, link.target)


def is_attachment(target: str) -> bool:
    """Return whether a link's target is a picture or another file that is not a note."""
    media, _ = mimetypes.guess_type(target.replace(" ", "_"), strict=False)
    return target.lower().endswith(OBSIDIAN_FILES) or (media or "").startswith(ATTACHMENTS)


MAX_RELATED = 5
MAX_FILES = 10
MIN_WORD_CHARS = 4
_WIKILINK = re.compile(r"\[\[[^\]\n]*\]\]")
_QUOTED = re.compile(r"[`\"“„'‘]([^\s`\"“”„'‘’]+)[`\"”“'’]")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_WORD = re.compile(r"\w+")


class Mentions:
    """The names of a vault's active notes, by which a text may mention them."""

    def __init__(self, table: NoteTable) -> None:
        self._table = table
        self._ids: dict[str, list[int]] = {}
        # The names of several words, by their first word.
        self._names: dict[str, list[str]] = {}
        archived = table.column("archived")
        for note_id, keys in table.column("name_keys").items():
            for name in () if archived[note_id] else keys.split("\n"):
                self._ids.setdefault(name, []).append(note_id)
        for name in self._ids:
            if " " in name.strip() and (first := _WORD.match(name)):
                self._names.setdefault(first[0], []).append(name)

    def related(self, title: str, text: str, without: Collection[str] = ()) -> list[str]:
        """Return links to at most 5 notes that a new note names without a link; `without` are paths
        to omit.

        A name is a path, or a title or alias with two words that are not stop words. A title or
        alias of one word counts if it is in quotes or backticks and written alike.
        """
        plain = as_read(text.encode("utf-8", "surrogateescape"))
        linked = link_keys(parse_note("", plain, 0.0).links, "")
        body = _WIKILINK.sub(" ", plain[split_head(plain).body_start :])
        named = map(
            self._table.rows.__getitem__, dict.fromkeys(self._named(title, f"{title}\n{body}"))
        )
        paths = [
            row.path
            for row in named
            if linked.isdisjoint(row.name_keys.split("\n")) and not row.archived
        ]
        # A wikilink cannot have these characters.
        kept = [path for path in paths if path not in without and not {*"[]|#^"} & {*path}]
        return [f"[[{path.removesuffix(NOTE_SUFFIXES[0])}]]" for path in kept[:MAX_RELATED]]

    def _named(self, title: str, text: str) -> Iterator[int]:
        """Yield the ids of the notes that are named, except by the title of the new note."""
        own = same_name(title)
        suffix = NOTE_SUFFIXES[0]
        ids = self._table.ids
        for path in _paths(text):
            # A `README.md` may be one of any folder.
            if "/" in path or not is_index_page(path):
                yield from (
                    ids[each]
                    for each in (path, f"{path}{suffix}")[: 1 + ("/" in path)]
                    if each in ids
                )
        for word in _QUOTED.findall(text):
            if len(word) >= MIN_WORD_CHARS and own != same_name(word):
                yield from self._only(same_name(word), word)
        folded = same_name(text)
        end = 0
        for word in _WORD.finditer(folded):
            start = word.start()
            names = self._names.get(word[0], ()) if start >= end else ()
            fits = [name for name in names if name != own and folded.startswith(name, start)]
            fits = [name for name in fits if not _WORD.match(folded, start + len(name))]
            if longest := max(fits, key=len, default=""):
                end = start + len(longest)
                yield from self._only(longest)

    def _only(self, name: str, written: str = "") -> Iterator[int]:
        """Yield the note with this title or alias (`written` so, if given), unless there are
        several.
        """
        ids = self._ids.get(name, [])
        if len(ids) == 1:
            note = self._table.metadata(ids[0])
            names = (note.title, *note.aliases)
            words = set(_WORD.findall(name)) - stop_words(self._table.rows[ids[0]].language)
            if (
                written in names
                if written
                else len(words) > 1 and name in map(same_name, names)
            ):
                yield ids[0]


def named_files(text: str, folder: str, vault: str) -> list[str]:
    """Return at most 10 files of a folder's repository that a text names, from its root; none in
    the vault.
    """
    root = repository_root(folder) if folder else None
    if root is None:
        return []
    named = _paths(_WIKILINK.sub(" ", text))
    # A name is relative to the folder or to the root.
    below = (
        path for name in named for path in (below_root(name, folder), os.path.normpath(name))
    )
    files = (
        path
        for path in below
        if not path.startswith(("/", "..")) and os.path.isfile(os.path.join(root, path))
    )
    notes = os.path.join(vault, "")
    return [
        path for path in dict.fromkeys(files) if not os.path.join(root, path).startswith(notes)
    ][:MAX_FILES]


def _paths(text: str) -> list[str]:
    """Return what may be a path: words with a dot or slash within."""
    return [
        path for each in _PATH.findall(text) if re.search(r"[./]", path := each.rstrip("./"))
    ]
