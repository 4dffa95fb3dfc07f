"""What a note points at: wikilinks, markdown links to notes, and the names by which a target is found."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from brain_cli.types import Link, NoteMetadata
from brain_cli.vault.folding import same_name

# No part of a pattern may match what the next one also could: a hostile line must not be tried in every way.
_WIKILINK = re.compile(r"\[\[([^\[\]\n|#]*)(?:#([^\[\]\n|]*))?(?:\|[^\[\]\n]*)?\]\]")
# The words of a markdown link may hold pictures and go over lines; its address is what counts.
_MARKDOWN_LINK = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|((?:[^()<>\s]|\([^()<>\s]*\))+))(?:\s[^()\n]*)?\)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
NOTE_SUFFIXES = (".md", ".markdown")


def links_in(text: str) -> Iterator[Link]:
    """Yield the links of a text that may lead to a note; addresses and other files are left out."""
    for match in _WIKILINK.finditer(text):
        # In a table the bar before an alias is written `\|`.
        target, heading = match[1].rstrip("\\").strip(), (match[2] or "").rstrip("\\").strip()
        if target:
            yield Link(target, heading)
    for match in _MARKDOWN_LINK.finditer(text):
        yield from _markdown_link(match[1] or match[2] or "")


def _markdown_link(address: str) -> Iterator[Link]:
    target, _, heading = address.partition("#")
    if not target or _SCHEME.match(target):
        return
    if "%" in target:
        from urllib.parse import unquote

        target = unquote(target)
    suffix = posixpath.splitext(target)[1].lower()
    if suffix in ("", *NOTE_SUFFIXES):
        yield Link(target, heading)


def related_links(value: str) -> list[Link]:
    """Return the links in a frontmatter value: wikilinks, markdown links, or a bare `name`, `path` or `name|alias`."""
    return list(links_in(value)) or list(links_in(f"[[{value.strip().strip('[]')}]]"))


def related_link(value: str) -> Link:
    """Return the first link a frontmatter value names, else the value as it stands."""
    return next(iter(related_links(value)), Link(value.strip()))


def stem(path: str) -> str:
    """Return a note's file name without its folder and suffix."""
    return posixpath.splitext(posixpath.basename(path))[0]


class NameTable:
    """Names → paths of a vault: paths with and without suffix, file stems, titles and aliases, no case or accents.

    Where one name leads to several notes, the path wins over the stem, the stem over title and alias;
    among equals the note nearest to the one that links, then the shortest path.
    """

    def __init__(self, metadata: Iterable[NoteMetadata]) -> None:
        self._by_path: dict[str, str] = {}
        self._by_name: dict[str, dict[str, int]] = {}
        for each in metadata:
            for form in (each.path, posixpath.splitext(each.path)[0]):
                self._by_path.setdefault(same_name(form), each.path)
                # Twins that differ in case or accents only: who is named exactly is meant.
                self._by_path[form] = each.path
            for rank, names in enumerate(((stem(each.path),), (each.title, *each.aliases))):
                for name in names:
                    self._by_name.setdefault(same_name(name), {}).setdefault(each.path, rank)

    def find(self, target: str, source: str = "") -> list[str]:
        """Return the paths a name may mean, best first; [] for a broken link. `source` is the linking note."""
        folder = posixpath.dirname(source)
        for form in (posixpath.normpath(posixpath.join(folder, target)), posixpath.normpath(target.lstrip("/"))):
            path = self._by_path.get(form) or self._by_path.get(same_name(form))
            if path is not None:
                return [path]
        named = self._by_name.get(same_name(target)) or self._by_name.get(same_name(stem(target))) or {}
        return sorted(named, key=lambda path: (named[path], posixpath.dirname(path) != folder, len(path), path))

    def resolve(self, links: Iterable[Link], source: str) -> list[str]:
        """Return the distinct notes that links lead to, in order; self links and broken ones count for nothing."""
        found = (self.find(link.target, source) for link in links)
        return list(dict.fromkeys(paths[0] for paths in found if paths and paths[0] != source))


def neighbours(links: Mapping[int, Iterable[int]]) -> dict[int, list[int]]:
    """Turn directed links into undirected neighbours, each once, in ascending order."""
    both: dict[int, set[int]] = {}
    for source, targets in links.items():
        for target in targets:
            both.setdefault(source, set()).add(target)
            both.setdefault(target, set()).add(source)
    return {node: sorted(others - {node}) for node, others in both.items()}
