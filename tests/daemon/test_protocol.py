"""Frames and requests between a client and a daemon: what is not whole is refused."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.daemon.protocol import Request, decode, encode, frame, pack, receive, unpack

REQUEST = Request(
    ["remember", "tea"], "/notes", {"HOME": "/home"}, (True, False, 80, 24), b"in"
)


@given(st.lists(st.binary(max_size=40)))
def test_what_is_packed_is_unpacked(texts: list[bytes]) -> None:
    assert unpack(pack(texts)) == texts


def test_a_request_comes_back_as_it_was() -> None:
    content = encode(REQUEST, "1")[5:]
    assert vars(decode(content, "1")) == vars(REQUEST)


@pytest.mark.parametrize("cut", [1, 3, 10])
def test_a_request_that_is_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(ValueError, match="cut short"):
        unpack(pack([b"some text"])[:-cut])


def test_a_request_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="another protocol version"):
        decode(encode(REQUEST, "1")[5:], "2")


def test_a_frame_that_is_too_long_is_not_read() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(frame(b"O", b"x" * 100))
        with pytest.raises(OSError, match="too long"):
            receive(ours, max_bytes=99)


def test_a_closed_connection_is_told_from_a_frame() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        theirs.sendall(b"O\0\0")
        theirs.close()
        with pytest.raises(OSError, match="closed"):
            receive(ours)
