"""The one scanner for links: wikilinks, markdown links, reference definitions, HTML anchors, and
frontmatter values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from brain_cli.types import NOTE_SUFFIXES as NOTE_SUFFIXES
from brain_cli.types import Link, is_index_page, stem

_JEKYLL_FOLDER = re.compile(r"(?:^|/)_(?:posts|drafts)/")
_JEKYLL_POST = re.compile(r"(?:\d{4}-\d\d?-\d\d?-)?(.+)")
# The frontmatter keys whose values name other notes.
LINK_KEYS = ("related", "supersedes", "superseded_by")
WIKI = "wiki"
BARE = "bare"
ENCLOSED = "enclosed"
NAME = "name"
# Longer link texts are cut; they are sentences, not names.
MAX_TEXT_CHARS = 300

# Adjacent parts of a pattern never match the same characters, so that a hostile line causes no
# backtracking.
_WIKILINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n\r|#]*)(?:#(?P<heading>[^\[\]\n\r|]*))?(?:\|(?P<text>[^\[\]\n\r]*))?\]\]"
)
_ENCLOSED = r"<(?P<enclosed>[^<>\n\r]*)>"
_TITLE = r"""(?:"[^"\n\r]*"|'[^'\n\r]*'|\([^()\n\r]*\))"""
_INLINE = re.compile(
    rf"\]\(\s*(?:{_ENCLOSED}|(?P<bare>(?:[^()<>\s]|\([^()<>\s]*\))+))(?:\s[^()\n\r]*|\s"
    rf"+{_TITLE}\s*)?\)"
)
# `[^1]: …` is a footnote.
DEFINITION = re.compile(
    rf"(?<![^\n\r]) {{0,3}}\[(?P<label>(?!\^)[^\[\]\n\r]+)\]:[ "
    rf"\t]*(?:{_ENCLOSED}|(?P<bare>[^<>\s]+))"
    rf"(?:[ \t]+{_TITLE})?[ \t]*(?![^\n\r])"
)
_REFERENCE = re.compile(r"\]\[(?P<label>[^\[\]\n\r]*)\]")
_QUOTED = r"""(?P<quote>["'])(?P<enclosed>(?:(?!(?P=quote))[^<>\n\r])*)(?P=quote)"""
_HTML = re.compile(
    rf"<(?P<tag>a|img)(?=\s)[^<>]*?\s(?:href|src)\s*=\s*(?:{_QUOTED}|(?P<bare>[^\s<>\"'=`]+))",
    re.IGNORECASE,
)
_HTML_TEXT = re.compile(r"[^<>]*>(?P<text>[^<]*)</a", re.IGNORECASE)
# Links of site generators: `{{< ref "a.md" >}}` of Hugo, `{% link a.md %}` and `{% post_url
# 2026-11-21-a %}` of Jekyll.
_TEMPLATE = re.compile(
    r"""\{(?:\{[<%]\s?(?:rel)?ref\s{1,9}"(?P<hugo>[^"\n\r#]{1,300})|%\s?(?:link|post_url)\s"""
    r"""{1,9}(?P<jekyll>[^\s%{}]{1,300}))"""
)
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"[*_`]+")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


# Returns where the link text before each closing bracket begins; few texts need it.
TextStarts = Callable[[], dict[int, int]]


class LinkSpan(NamedTuple):
    """One link in a text. Its target, without the heading, extends from `start` to `end`
    (characters), as `written`.

    The form is `wiki` for `[[target]]`; `bare` or `enclosed` for an address in markdown or HTML,
    without or within `<>` or quotes; `name` for a value in the frontmatter. `text` is the visible
    text: the words or the alias.
    """

    start: int
    end: int
    written: str
    form: str
    heading: str = ""
    text: str = ""
    is_image: bool = False

    @property
    def target(self) -> str:
        """The target as a path or a name; empty if it cannot be a note of the vault."""
        if self.form in (WIKI, NAME):
            return self.written
        target = note_address(self.written)
        return "" if self.is_image else target


def note_address(address: str) -> str:
    """Return the path in a markdown address, decoded; empty for URLs and for files that are not
    notes.
    """
    if _SCHEME.match(address) or address.startswith("{"):
        return ""
    if "%" in address:
        from urllib.parse import unquote

        address = unquote(address)
    return address if posixpath.splitext(address)[1].lower() in ("", *NOTE_SUFFIXES) else ""


def is_url(address: str) -> bool:
    """Return whether an address has a host or a scheme, and so is not a file of the vault."""
    return bool(_SCHEME.match(address))


def links_in(text: str) -> Iterator[Link]:
    """Yield the links of a text that may point to a note; URLs and other files are omitted."""
    return (link for _, link in placed_links(text))


def placed_links(text: str, original: str | None = None) -> Iterator[tuple[int, Link]]:
    """Yield the links of `links_in`, each with the character at which its target begins.

    `original` is the same text, character for character, before its code was blanked.
    """
    for span in link_spans(text, original, urls=False):
        if target := span.target:
            yield span.start, Link(target, span.heading, span.text)


def link_spans(
    text: str, original: str | None = None, *, urls: bool = True
) -> Iterator[LinkSpan]:
    """Yield every link of a text, form by form, most URLs only with `urls`; see `placed_links` for
    `original`.
    """
    original = text if original is None else original
    # Most texts have few of these forms, and a plain search for their first characters is faster
    # than a pattern.
    if "[[" in text:
        yield from _wikilinks(text)
    starts = cache(lambda: _link_text_starts(text))
    for match in _INLINE.finditer(text) if "](" in text else ():
        if urls or not is_url(match[BARE] or ""):
            yield _address_span(match, _text_before(match.start(), original, starts))
    yield from _definitions(text, original, starts)
    if "<" in text:
        yield from _html_links(text, original)
    for match in _TEMPLATE.finditer(text) if "{%" in text or "{{" in text else ():
        which = "hugo" if match["hugo"] else "jekyll"
        yield LinkSpan(match.start(which), match.end(which), match[which], BARE)


def _wikilinks(text: str) -> Iterator[LinkSpan]:
    for match in _WIKILINK.finditer(text):
        # In a table, the bar before an alias is written `\|`.
        target = match[WIKI].rstrip("\\").strip()
        if target:
            start = match.start(WIKI) + match[WIKI].index(target)
            heading = (match["heading"] or "").rstrip("\\").strip()
            yield LinkSpan(
                start, start + len(target), target, WIKI, heading, _plain(match["text"] or "")
            )


def _definitions(text: str, original: str, starts: TextStarts) -> Iterator[LinkSpan]:
    """Yield `[label]: address` once for each text that refers to it, or once with its label if
    there is none.
    """
    found = list(DEFINITION.finditer(text)) if "]:" in text else []
    if not found:
        return
    texts: dict[str, list[str]] = {}
    for use in _REFERENCE.finditer(text):
        shown = _text_before(use.start(), original, starts)
        texts.setdefault(_label(use["label"]) or _label(shown), []).append(shown)
    for match in found:
        for shown in dict.fromkeys(texts.get(_label(match["label"]), [_plain(match["label"])])):
            yield _address_span(match, shown)


def _html_links(text: str, original: str) -> Iterator[LinkSpan]:
    for match in _HTML.finditer(text):
        content = _HTML_TEXT.match(original, match.end())
        is_image = match["tag"].lower() == "img"
        yield _address_span(match, _plain(content["text"]) if content else "")._replace(
            is_image=is_image
        )


def _address_span(match: re.Match[str], text: str) -> LinkSpan:
    form = BARE if match[ENCLOSED] is None else ENCLOSED
    address, _, heading = match[form].partition("#")
    return LinkSpan(
        match.start(form), match.start(form) + len(address), address, form, heading, text
    )


def _link_text_starts(text: str) -> dict[int, int]:
    """Return where the link text before each closing bracket begins."""
    starts: dict[int, int] = {}
    open_brackets: list[int] = []
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            open_brackets.append(match.end())
        elif match[0] == "]" and open_brackets:
            starts[match.start()] = open_brackets.pop()
    return starts


def _text_before(closing: int, original: str, starts: TextStarts) -> str:
    start = starts().get(closing, closing)
    # A link text never spans a blank line.
    return (
        ""
        if closing - start > 4 * MAX_TEXT_CHARS
        else _plain(original[start:closing].rpartition("\n\n")[2])
    )


def _plain(text: str) -> str:
    """Return a link's text without markup, on one line."""
    text = text[: 4 * MAX_TEXT_CHARS]
    text = _MARKUP.sub("", _IMAGE.sub(r"\1", text) if "![" in text else text)
    return " ".join(text.split())[:MAX_TEXT_CHARS]


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def named_links(value: str) -> list[Link]:
    """Return the links in a frontmatter value: wikilinks, markdown links, or a bare `name`, `path`
    or `name|alias`.
    """
    return list(links_in(value)) or list(links_in(f"[[{value.strip().strip('[]')}]]"))


def named_link(value: str) -> Link:
    """Return the first link in a frontmatter value, else the value itself."""
    return next(iter(named_links(value)), Link(value.strip()))


def title_of_path(path: str) -> str:
    """Return the title derived from a file name, for a note without any other title.

    Logseq writes the page `a/b` to `a___b.md` or `a%2Fb.md`, Jekyll the post `Pour over` to
    `_posts/2026-09-02-pour-over.md`, and Hugo the section `coffee` to `coffee/_index.md`.
    """
    name = stem(path)
    if is_index_page(path):
        return posixpath.basename(posixpath.dirname(path)) or name
    if _JEKYLL_FOLDER.search(path) and (post := _JEKYLL_POST.fullmatch(name)):
        return post[1].replace("-", " ")
    return (
        name.removesuffix(".excalidraw")
        .replace("___", "/")
        .replace("%2F", "/")
        .replace("%2f", "/")
    )
