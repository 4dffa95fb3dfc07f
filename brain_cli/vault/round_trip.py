"""Bytes ↔ text without loss, for what is edited: every byte that is not changed comes back as it was."""

from __future__ import annotations

import re
from typing import NamedTuple

from brain_cli.vault.decode import decode

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-8"))
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class RoundTripText(NamedTuple):
    """A file's text, with what it takes to write it back: its byte-order mark and its encoding."""

    text: str
    mark: bytes
    encoding: str

    def write(self, text: str) -> bytes:
        """Return another text as bytes, written like this one."""
        return self.mark + text.encode(self.encoding, "surrogateescape")


def round_trip_text(raw: bytes) -> RoundTripText:
    """Read bytes so that writing the text gives them again; ValueError where that cannot be.

    Bytes that are no UTF-8 pass through as what they are: only ASCII is ever looked for or put in.
    """
    mark, encoding = next(pair for pair in _MARKS if raw.startswith(pair[0]))
    read = RoundTripText(raw[len(mark) :].decode(encoding, "surrogateescape"), mark, encoding)
    if read.write(read.text) != raw:
        raise ValueError("its bytes cannot be kept")
    return read


def lines_of(text: str) -> list[str]:
    """Cut a text into its lines, each with the line ending it has."""
    return _LINE.findall(text)


def ending_of(line: str) -> str:
    """Return the line ending of a line; that of Unix where it has none."""
    return line[len(line.rstrip("\r\n")) :] or "\n"


def as_read(raw: bytes) -> str:
    """Return the text as the index reads it."""
    return decode(raw).text.replace("\r\n", "\n").replace("\r", "\n")
