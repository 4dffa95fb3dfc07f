"""Decode the bytes of a note, for reading or for a round trip.

For reading, any file can be decoded, and its ASCII words survive in any encoding. On a round trip,
every byte that is not edited is written back unchanged.
"""

import re
from typing import NamedTuple

_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# The usual name of Windows' superset of Shift-JIS.
_SHIFT_JIS = "cp932"
_ENCODING_NAMES = {_SHIFT_JIS: "Shift-JIS", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Decoded(NamedTuple):
    """A file's text, and a warning if it is not proper UTF-8."""

    text: str
    warning: str | None = None


def decode(raw: bytes) -> Decoded:
    """Decode bytes by their byte-order mark, else as UTF-8, else in the likeliest legacy
    encoding.
    """
    text, warning = _read(raw)
    # NUL would end words invisibly; a space in its place keeps lines and columns.
    return Decoded(text.replace("\x00", " "), warning)


def _read(raw: bytes) -> Decoded:
    mark, encoding = _marked(raw)
    if mark:
        return Decoded(raw.decode(encoding, "replace").lstrip("\ufeff"))
    if unmarked := _unmarked_utf16(raw):
        return Decoded(
            raw.decode(unmarked, "replace"), "it is UTF-16 without a byte-order mark"
        )
    try:
        return Decoded(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return _read_legacy(raw)


def _marked(raw: bytes) -> tuple[bytes, str]:
    """Return the byte-order mark and the encoding that it stands for; without one, UTF-8."""
    return next((pair for pair in _BYTE_ORDER_MARKS if raw.startswith(pair[0])), (b"", "utf-8"))


def _unmarked_utf16(raw: bytes) -> str | None:
    """Return the encoding of UTF-16 without a mark: Western text has a NUL in nearly every second
    byte.
    """
    if b"\x00" not in raw:
        return None
    even = raw[::2].count(0)
    odd = raw[1::2].count(0)
    if max(even, odd) < len(raw) * 0.3 or min(even, odd) > len(raw) * 0.05:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _read_legacy(raw: bytes) -> Decoded:
    text = raw.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    if foreign > 2 * broken:
        # UTF-8 damaged by a bad copy: valid multi-byte characters do not outnumber invalid bytes
        # two to one by chance.
        bytes_of_it = "a byte of it is" if broken == 1 else f"it has {broken} bytes that are"
        return Decoded(text, f"{bytes_of_it} not UTF-8")
    encoding = next(name for name in _ENCODING_NAMES if _is_plausible(raw, name))
    return Decoded(
        raw.decode(encoding), f"it is not UTF-8; read as {_ENCODING_NAMES[encoding]}"
    )


def _is_plausible(raw: bytes, encoding: str) -> bool:
    """Return whether text is plausible Japanese: Latin text is rarely valid Shift-JIS, and Japanese
    is full of kana.
    """
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    if encoding != _SHIFT_JIS:
        return True
    foreign = [c for c in text if ord(c) > 127]
    kana = sum("\u3040" <= c <= "\u30ff" for c in foreign)
    return kana >= 0.2 * len(foreign)


class RoundTripText(NamedTuple):
    """A file's text, with the byte-order mark and the encoding for writing it back."""

    text: str
    mark: bytes
    encoding: str

    def write(self, text: str) -> bytes:
        """Return another text as bytes, in the encoding of this one."""
        return self.mark + text.encode(self.encoding, "surrogateescape")


def round_trip_text(raw: bytes) -> RoundTripText:
    """Decode bytes so that writing the text returns the same bytes; ValueError if that is
    impossible.

    Bytes that are not UTF-8 pass through unchanged; edits search and insert ASCII only.
    """
    mark, encoding = _marked(raw)
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
