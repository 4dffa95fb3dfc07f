"""What client and server say to each other: byte strings, each after its length; nothing is ever unpickled.

A question is one frame, its fields joined by `pack`. The answer is a frame for each thing that happens:

    o, e     bytes for stdout, for stderr, in the order they are to appear
    .        still at work: sent so often that silence means that nobody is there
    x        the exit code; the last frame
    n        not answered here: the client does it itself
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable

QUESTION, OUT, ERR, WORKING, EXIT, DECLINED = b"q", b"o", b"e", b".", b"x", b"n"
SILENCE_SECONDS = 2.0
BEAT_SECONDS = 0.5
# A question with a whole batch in it is long; what says it is longer than this is no question.
LONGEST = 1 << 30


class Request:
    """A command line, and all that its answer may depend on; `stdin` is None where it was not read."""

    def __init__(
        self, argv: list[str], folder: str, environ: dict[str, str], screen: tuple[bool, bool, int], stdin: bytes | None
    ) -> None:
        self.argv = argv
        self.folder = folder
        self.environ = environ
        # Whether stdout and stderr are terminals, and how many columns there are (0: unknown).
        self.screen = screen
        self.stdin = stdin


def pack(texts: Iterable[bytes]) -> bytes:
    return b"".join(len(text).to_bytes(4, "big") + text for text in texts)


def unpack(packed: bytes) -> list[bytes]:
    """Return what was packed; ValueError when it is something else."""
    found, place = [], 0
    while place < len(packed):
        end = place + 4 + int.from_bytes(packed[place : place + 4], "big")
        if end > len(packed):
            raise ValueError("cut short")
        found.append(packed[place + 4 : end])
        place = end
    return found


def frame(kind: bytes, content: bytes = b"") -> bytes:
    return kind + len(content).to_bytes(4, "big") + content


def receive(connection: socket) -> tuple[bytes, bytes]:
    """Return the next frame's kind and content; OSError when there is none in time."""
    head = _exactly(connection, 5)
    length = int.from_bytes(head[1:], "big")
    if length > LONGEST:
        raise OSError("no frame")
    return head[:1], _exactly(connection, length)


def _exactly(connection: socket, length: int) -> bytes:
    parts = []
    while length:
        part = connection.recv(min(length, 1 << 20))
        if not part:
            raise OSError("the other side has gone")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def encoded(question: Request, spoken: str) -> bytes:
    """Return a question as a frame; `spoken` is the version it is asked in."""
    texts = [spoken, question.folder, " ".join(str(int(fact)) for fact in question.screen), str(len(question.argv))]
    texts += [*question.argv, *(f"{name}={value}" for name, value in question.environ.items())]
    fields = [text.encode("utf-8", "surrogateescape") for text in texts]
    return frame(QUESTION, pack([b"" if question.stdin is None else b"+" + question.stdin, *fields]))


def decoded(content: bytes, spoken: str) -> Request:
    """Return the question in a frame; ValueError when it is none, or of another version."""
    stdin, *fields = unpack(content)
    version, folder, screen, count, *rest = (field.decode("utf-8", "surrogateescape") for field in fields)
    if version != spoken:
        raise ValueError("another version")
    argv, pairs = rest[: int(count)], rest[int(count) :]
    out, err, columns = map(int, screen.split())
    environ = dict(pair.split("=", 1) for pair in pairs)
    return Request(argv, folder, environ, (bool(out), bool(err), columns), stdin[1:] if stdin else None)
