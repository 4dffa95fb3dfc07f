"""Every file has some reading: its bytes become text in which its words can be found."""

from __future__ import annotations

import codecs

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.vault.decode import decode

GERMAN = "Die Übertragung läuft über das alte Gerät, größer als nötig."
JAPANESE = "これは日本語のメモです。設計について書きました。①から始めます。"


def test_utf8_is_read_without_a_warning() -> None:
    assert decode(GERMAN.encode()) == (GERMAN, None)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_the_encoding_and_is_not_text(encoding: str) -> None:
    assert decode(GERMAN.encode(encoding)) == (GERMAN, None)


def test_big_endian_utf16_has_a_mark_too() -> None:
    assert decode(codecs.BOM_UTF16_BE + JAPANESE.encode("utf-16-be")) == (JAPANESE, None)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_western_utf16_without_a_mark_is_recognized_by_its_nul_bytes(encoding: str) -> None:
    assert decode(GERMAN.encode(encoding)) == (GERMAN, "it is UTF-16 without a byte-order mark")


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        (GERMAN, "latin-1", "Windows-1252"),
        ("“curly” – café", "cp1252", "Windows-1252"),
        (JAPANESE, "cp932", "Shift-JIS"),
    ],
)
def test_old_encodings_are_distinguished(text: str, encoding: str, named: str) -> None:
    assert decode(text.encode(encoding)) == (text, f"it is not UTF-8; read as {named}")


def test_bytes_that_windows_does_not_know_are_latin_1() -> None:
    assert decode(b"caf\xe9 \x81").warning == "it is not UTF-8; read as Latin-1"


def test_one_bad_byte_does_not_spoil_the_accents_of_a_utf8_note() -> None:
    text, warning = decode(GERMAN.encode() + b" \xff\xfe end")
    assert GERMAN in text
    assert text.endswith(" end")
    assert warning == "it has 2 bytes that are not UTF-8"


def test_a_nul_byte_is_a_space_so_that_it_parts_words() -> None:
    assert decode(b"before\x00after").text == "before after"


@examples(400)
@given(
    raw=st.one_of(
        st.binary(max_size=300), st.binary(max_size=50).map(lambda raw: b"plain words " + raw)
    )
)
def test_any_bytes_can_be_decoded_and_ascii_words_survive(raw: bytes) -> None:
    text = decode(raw).text
    text.encode("utf-8")
    assert "\x00" not in text
    if raw.startswith(b"plain words ") and b"\x00" not in raw:
        assert text.startswith("plain words ")
