"""Ask the watcher of a vault, if one is there, before anything is imported: a recall must feel like `ls`.

Whatever is not plain is left to the command line itself: it has the last word on every option.
"""

from __future__ import annotations

import os
import sys

from brain_cli.paths import config_home, marked_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping

    from brain_cli.daemon.protocol import Request

SERVED = ("remember", "context")
TAKES_VALUE = ("--vault", "--now")
PASSED_ON = ("BRAIN_", "LC_", "XDG_")
PASSED_ON_TOO = ("HOME", "LANG", "NO_COLOR", "TERM", "COLUMNS")


class Served:
    """What came of asking: the exit code, None when nobody answered, and what was read from stdin meanwhile."""

    def __init__(self, code: int | None, stdin: bytes | None = None) -> None:
        self.code = code
        self.stdin = stdin


def ask(argv: list[str]) -> Served:
    """Let the watcher answer a command line, on this process's stdout and stderr."""
    if not _is_served(argv) or not _is_plain_process():
        return Served(None)
    vault = _vault(argv, os.environ)
    connection = _connected(vault) if vault else None
    if connection is None:
        return Served(None)
    question = _question(argv)
    shown: list[tuple[int, bytes]] = []
    try:
        code = _answer(connection, question, shown)
    finally:
        connection.close()
    if code is None:
        return Served(None, question.stdin)
    for handle, content in shown:
        _write(handle, content)
    return Served(code)


def _is_served(argv: list[str]) -> bool:
    """Whether this may be a command that a watcher answers; help is not."""
    words = iter(argv)
    for word in words:
        if word in TAKES_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word in SERVED and "--help" not in argv and "-h" not in argv
    return False


def _is_plain_process() -> bool:
    """Whether this process's streams are what the watcher takes them for."""
    if sys.getfilesystemencoding() != "utf-8" or "_BRAIN_COMPLETE" in os.environ or "PYTHONIOENCODING" in os.environ:
        return False
    # The one setting of the environment that rich asks for itself.
    return None not in (sys.stdin, sys.stdout, sys.stderr) and os.environ.get("TERM") != "unknown"


def _vault(argv: list[str], environ: Mapping[str, str]) -> str | None:
    """Return what is most likely the vault: the watcher reads the command line anew, and declines another."""
    named = _flag(argv) or environ.get("BRAIN_VAULT")
    found = os.path.expanduser(named) if named else marked_parent(_folder()) or _configured(environ)
    return os.path.normpath(os.path.join(_folder(), found)) if found else None


def _flag(argv: list[str]) -> str | None:
    found = None
    for place, word in enumerate(argv):
        if word == "--":
            break
        if word == "--vault":
            found = argv[place + 1] if place + 1 < len(argv) else None
        elif word.startswith("--vault="):
            found = word[8:]
    return found


def _configured(environ: Mapping[str, str]) -> str | None:
    """Return the vault of the user's settings, where it is one plain line before any table."""
    try:
        with open(os.path.join(config_home(environ), "brain", "config.toml"), encoding="utf-8") as file:
            for line in file:
                key, _, value = line.partition("=")
                if line.startswith("["):
                    break
                if key.strip() == "vault":
                    return value.strip().strip("\"'")
    except (OSError, ValueError):
        pass
    return None


def _connected(vault: str) -> socket | None:
    import _socket

    from brain_cli.daemon.address import address, at, is_own
    from brain_cli.daemon.protocol import SILENCE_SECONDS

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(SILENCE_SECONDS)
        at(address(vault, os.environ), "connect", connection)
        if is_own(connection):
            return connection
    except OSError:
        pass
    connection.close()
    return None


def _question(argv: list[str]) -> Request:
    from brain_cli.daemon.protocol import Request

    environ = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON) or name in PASSED_ON_TOO}
    screen = (os.isatty(1), os.isatty(2), _columns())
    return Request(argv, _folder(), environ, screen, sys.stdin.buffer.read() if _reads_stdin(argv) else None)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


def _columns() -> int:
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 0


def _reads_stdin(argv: list[str]) -> bool:
    """Whether `-` stands as the query or the batch, and not as the value of another option."""
    before = ["", *argv]
    dashes = (previous for previous, word in zip(before, argv, strict=False) if word == "-")
    return "--batch=-" in argv or any(each == "--batch" or not each.startswith("-") for each in dashes)


def _answer(connection: socket, question: Request, shown: list[tuple[int, bytes]]) -> int | None:
    """Collect what is to be written where; return the exit code, None when there is no whole answer to be had."""
    from brain_cli.daemon import protocol as protocol
    from brain_cli.version import PROTOCOL_VERSION

    handles = {protocol.OUT: 1, protocol.ERR: 2}
    try:
        connection.sendall(protocol.encoded(question, PROTOCOL_VERSION))
        while True:
            kind, content = protocol.receive(connection)
            if kind == protocol.EXIT:
                return content[0]
            if kind in handles:
                shown.append((handles[kind], content))
            elif kind != protocol.WORKING:
                return None
    except OSError:
        return None


def _write(handle: int, content: bytes) -> None:
    """Write all of it; nobody listening on stderr is no error."""
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[os.write(handle, rest) :]
        except OSError:
            if handle == 1:
                raise
            return
