"""Decode and encode edited files without loss: every byte that is not edited is written back unchanged."""

from __future__ import annotations

import re
from typing import NamedTuple

from brain_cli.vault.decode import decode

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-8"))
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class RoundTripText(NamedTuple):
    """A file's text, with the byte-order mark and the encoding for writing it back."""

    text: str
    mark: bytes
    encoding: str

    def write(self, text: str) -> bytes:
        """Return another text as bytes, in the encoding of this one."""
        return self.mark + text.encode(self.encoding, "surrogateescape")


def round_trip_text(raw: bytes) -> RoundTripText:
    """Decode bytes so that writing the text returns the same bytes; ValueError if that is impossible.

    Bytes that are not UTF-8 pass through unchanged; edits search and insert ASCII only.
    """
    mark, encoding = next(pair for pair in _MARKS if raw.startswith(pair[0]))
    read = RoundTripText(raw[len(mark) :].decode(encoding, "surrogateescape"), mark, encoding)
    if read.write(read.text) != raw:
        raise ValueError("its bytes cannot be kept")
    return read


def lines_of(text: str) -> list[str]:
    """Split a text into lines, each with its own line ending."""
    return _LINE.findall(text)


def ending_of(line: str) -> str:
    """Return the line ending of a line; Unix's if it has none."""
    return line[len(line.rstrip("\r\n")) :] or "\n"


def as_read(raw: bytes) -> str:
    """Return the text as the index reads it."""
    return decode(raw).text.replace("\r\n", "\n").replace("\r", "\n")
