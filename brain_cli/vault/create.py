"""Compose a new note from a title and a text: its frontmatter, its file name, and the folder for its kind."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping

from brain_cli.vault.analyzer import fold
from brain_cli.vault.decode import as_read
from brain_cli.vault.edit import Value, with_property
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.note import KIND_BY_FOLDER, parse_note

MAX_NAME_CHARS = 80
MAX_TITLE_CHARS = 100
MAX_SENTENCE_CHARS = 90
# How much a new note matters by its kind; else .5. From .7 on, which is for the user to say, a note does not fade.
SALIENCE_BY_KIND = {"decision": "0.65", "preference": "0.65", "handoff": "0.6", "refactor": "0.4", "change": "0.4"}
# Names that Windows reserves; a synchronised vault may be read there too.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_MARKUP = re.compile(r"^[#>\s]*(?:[-+*]\s+(?:\[.\]\s+)?)?|[*_`]")


def title_of(text: str) -> str:
    """Return the title in a text: that of its frontmatter, else its first heading, else its first line."""
    plain = as_read(text.encode("utf-8", "surrogateescape"))
    if named := parse_note("", plain, 0.0).metadata.title:
        return named
    body = plain[split_head(plain).body_start :]
    first = next((line for line in body.split("\n") if line.strip()), "")
    return " ".join(_MARKUP.sub("", first).split())[:MAX_TITLE_CHARS]


def first_sentence(text: str, limit: int = MAX_SENTENCE_CHARS) -> str:
    """Return the first sentence or line of a text, cut at a word to at most `limit` characters."""
    line = next((line.strip(" #*->\t") for line in text.splitlines() if line.strip(" #*->\t")), "")
    sentence = re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0]
    return sentence if len(sentence) <= limit else f"{sentence[: limit - 1].rsplit(' ', 1)[0]}…"


def composed(title: str, text: str, properties: Mapping[str, Value], *, heading: bool) -> bytes:
    """Return the bytes of a new note. A frontmatter in the text is kept.

    With `heading`, the title becomes a heading above a text that does not begin with one.
    """
    raw = text.encode("utf-8", "surrogateescape")
    known = split_head(as_read(raw))
    if not known.body_start:
        text = text.strip("\r\n")
        if heading and not text.startswith("# "):
            text = f"# {title}\n\n{text}".rstrip("\n")
        raw = f"\n{text}\n".encode("utf-8", "surrogateescape")
    named = parse_note("", as_read(raw), 0.0).metadata.title
    for key, value in {**({} if named == title else {"title": title}), **properties}.items():
        if key not in known.properties:
            raw = with_property(raw, key, value)
    return raw


def file_names(title: str) -> Iterator[str]:
    """Yield safe file names for a title, without a suffix: `switch-to-grpc`, then `switch-to-grpc-2`, and so on."""
    letters = (c if _is_word_character(c) else " " for c in re.sub(r"['’]", "", fold(title)).lower())
    name = "-".join("".join(letters).split())[:MAX_NAME_CHARS].strip("-_") or "note"
    # A file name may have 255 bytes, and a letter may take several.
    name = name.encode()[:200].decode("utf-8", "ignore")
    if _RESERVED.fullmatch(name):
        name += "-note"
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def _is_word_character(letter: str) -> bool:
    return letter.isalnum() or letter in "-_" or unicodedata.category(letter).startswith("M")


def folder_for(kind: str | None, folders: Collection[str]) -> str:
    """Return the folder for a kind of note: one of the existing `folders`, else the usual one; "" is the vault."""
    if not kind:
        return ""
    usual = [folder for folder, named in KIND_BY_FOLDER.items() if named == kind]
    names = [*sorted(usual, key=lambda name: not name.startswith(kind)), kind, f"{kind}s"]
    existing = {folder.lower(): folder for folder in sorted(folders)}
    plural = f"{kind}s"
    return next(
        (existing[name] for name in names if name in existing), plural if plural in usual else "".join(usual[:1])
    )
