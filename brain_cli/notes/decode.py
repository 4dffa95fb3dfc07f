"""Bytes → text: every file has some reading, and its ASCII words survive in all of them."""

from __future__ import annotations

from typing import NamedTuple

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Decoded(NamedTuple):
    """A file's text, and a warning when it is not what a note should be written in."""

    text: str
    warning: str | None = None


def decode(raw: bytes) -> Decoded:
    """Read bytes as UTF-8, or what their byte-order mark says, or the likeliest of the old encodings."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _plain(raw.decode(encoding, "replace").lstrip("\ufeff"))
    try:
        return _plain(raw.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    if guessed := _unmarked_utf16(raw):
        return Decoded(guessed.replace("\x00", " "), "it is UTF-16 without a byte-order mark")
    encoding = next(name for name in ("shift_jis", "cp1252", "latin-1") if _reads_well(raw, name))
    return Decoded(raw.decode(encoding).replace("\x00", " "), f"it is not UTF-8; read as {encoding}")


def _plain(text: str) -> Decoded:
    # NUL would end words in no visible place; a space keeps lines and columns.
    return Decoded(text.replace("\x00", " "))


def _unmarked_utf16(raw: bytes) -> str | None:
    """Western UTF-16 without a mark has a NUL in nearly every other byte, all on one side."""
    even, odd = raw[::2].count(0), raw[1::2].count(0)
    if max(even, odd) < len(raw) * 0.3 or min(even, odd) > len(raw) * 0.05:
        return None
    return raw.decode("utf-16-be" if even > odd else "utf-16-le", "replace")


def _reads_well(raw: bytes, encoding: str) -> bool:
    """Latin text is rarely valid Shift-JIS by chance; Japanese text is full of kana when read as such."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    if encoding != "shift_jis":
        return True
    foreign = [c for c in text if ord(c) > 127]
    kana = sum("\u3040" <= c <= "\u30ff" for c in foreign)
    return kana >= 0.2 * len(foreign)
