"""Ask the vault's daemon, if one runs, before anything else is imported: a recall must be as fast
as `ls`.

This module parses only the common forms of a command line. Anything unusual is left to the commands
themselves.
"""

from __future__ import annotations

import os
import sys

from brain_cli.daemon import protocol
from brain_cli.daemon.protocol import ERR, PAGED, Request
from brain_cli.files import read_beginning, read_stdin
from brain_cli.option_table import COMMON, VERBS, WARM
from brain_cli.paths import (
    config_home,
    marked_parent,
    socket_address,
    terminal_name,
    terminal_size,
    working_folder,
)
from brain_cli.version import PROTOCOL_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping
    from typing import TextIO

MAX_CONFIG_BYTES = 1 << 20
# The commands that no daemon answers, if a plugin's are not among them.
OTHERS = {*VERBS, "help", "--version"}
SENT_PREFIXES = ("BRAIN_", "LC_", "XDG_")
SENT_VARIABLES = (
    "HOME",
    "LANG",
    "NO_COLOR",
    "TERM",
    "COLUMNS",
    "LINES",
    "TZ",
)


def answer_of(
    argv: list[str], vault: str, environ: Mapping[str, str]
) -> tuple[int, bytes, str] | None:
    """Return the exit code, stdout and stderr of a command that the vault's daemon runs; None if it
    does not.
    """
    connection = _connect(vault) if is_daemon_command(argv) else None
    if connection is None:
        return None
    request = Request(argv, working_folder(), _sent(environ), (False, False, 0, 0), None)
    code, output = _exchange(connection, request)
    out, err = (
        b"".join(content for kind, content in output if (kind == ERR) == is_err)
        for is_err in (False, True)
    )
    return None if code is None else (code, out, err.decode("utf-8", "replace"))


def ask(argv: list[str]) -> tuple[int | None, bytes | None]:
    """Send a command line to the daemon, and print its answer to this process's stdout and stderr.

    Return the exit code, None if no daemon answered, and the content of stdin if it was read.
    """
    if not is_daemon_command(argv) or not _has_usual_streams():
        return None, None
    vault = _vault(argv, os.environ)
    connection = _connect(vault) if vault else None
    if connection is None:
        return None, None
    request = _request(argv)
    code, output = _exchange(connection, request)
    if code is None:
        return None, request.stdin
    for kind, content in output:
        if kind == PAGED and os.isatty(1):
            from brain_cli.pager import shown_by_pager

            if shown_by_pager(content, os.environ):
                continue
        _write(sys.stderr if kind == ERR else sys.stdout, content)
    return code, None


def is_daemon_command(argv: list[str]) -> bool:
    """Return whether a daemon may answer this command line."""
    words = iter(argv)
    for word in words:
        if word in COMMON:
            if not isinstance(COMMON[word][1], bool):
                next(words, None)
        else:
            # Words that begin with no command are recalled. Options before them may have values.
            # The daemon itself declines the commands of plugins that it cannot answer.
            named = argv if word.startswith("-") else [word]
            is_answered = word in WARM or OTHERS.isdisjoint(named)
            is_of_one_vault = sum(each.startswith("--vault") for each in argv) < 2
            return is_answered and is_of_one_vault and not any(map(_needs_this_process, argv))
    return False


def _needs_this_process(word: str) -> bool:
    """Return whether a word asks for help, to choose on this terminal (`-h`, `-i`), or for what
    takes long.
    """
    if word.startswith("--"):
        name = word.partition("=")[0]
        return name in ("--help", "--interactive", "--batch", "--synthesize", "--all-vaults")
    return word.startswith("-") and not {"i", "h", "a"}.isdisjoint(word)


def _has_usual_streams() -> bool:
    """Return whether this process's streams are as the daemon assumes."""
    return (
        sys.getfilesystemencoding() == "utf-8"
        and os.environ.keys().isdisjoint(("_BRAIN_COMPLETE", "PYTHONIOENCODING"))
        and None not in (sys.stdin, sys.stdout, sys.stderr)
        # TERM is the one variable that rich itself reads from the environment.
        and os.environ.get("TERM") != "unknown"
    )


def _vault(argv: list[str], environ: Mapping[str, str]) -> str | None:
    """Return the probable vault; the daemon parses the command line completely, and declines
    another vault.
    """
    name = _vault_option(argv) or environ.get("BRAIN_VAULT")
    found = (
        os.path.expanduser(name)
        if name
        else marked_parent(working_folder()) or _configured_vault(environ)
    )
    return os.path.normpath(os.path.join(working_folder(), found)) if found else None


def _vault_option(argv: list[str]) -> str | None:
    found = None
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":
            break
        if name == "--vault":
            found = value if equals else next(words, None)
    return found


def _configured_vault(environ: Mapping[str, str]) -> str | None:
    """Return the vault of the user's configuration, if it is set in one plain line before any
    table.
    """
    try:
        path = os.path.join(config_home(environ), "brain", "config.toml")
        for line in read_beginning(path, MAX_CONFIG_BYTES).decode().splitlines():
            key, _, value = line.partition("=")
            if line.startswith("["):
                break
            if key.strip() == "vault":
                return value.strip().strip("\"'")
    except (OSError, ValueError):
        pass
    return None


def _connect(vault: str) -> socket | None:
    path = socket_address(vault, os.environ)
    if not os.path.exists(path):
        return None
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(protocol.ACCEPT_SECONDS)
        protocol.apply_path(path, "connect", connection)
        if protocol.is_same_user(connection):
            return connection
    except OSError:
        pass
    connection.close()
    return None


def _request(argv: list[str]) -> Request:
    environ = _sent(os.environ)
    screen = (os.isatty(1), os.isatty(2), *terminal_size())
    return Request(
        argv, working_folder(), environ, screen, read_stdin() if _reads_stdin(argv) else None
    )


def _sent(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables on which an answer depends, and the name of the terminal
    that shows it.
    """
    sent = {
        name: value
        for name, value in environ.items()
        if name.startswith(SENT_PREFIXES) or name in SENT_VARIABLES
    }
    return {"BRAIN_TTY": terminal_name(), **sent}


def _reads_stdin(argv: list[str]) -> bool:
    """Return whether the command reads stdin: `-` as the query, the batch or the prompt, or a
    hook's payload.
    """
    pairs = zip(["", *argv], argv, strict=False)
    return not {"--batch=-", "--prompt=-", "--hook"}.isdisjoint(argv) or any(
        before in ("--batch", "--prompt") or not before.startswith("-")
        for before, word in pairs
        if word == "-"
    )


def _exchange(
    connection: socket, request: Request
) -> tuple[int | None, list[tuple[bytes, bytes]]]:
    """Return the exit code, None if the response is not complete, and the output with its kinds."""
    output: list[tuple[bytes, bytes]] = []
    kind = content = b""
    message = protocol.encode(request, PROTOCOL_VERSION)
    try:
        if len(message) <= protocol.MAX_REQUEST_BYTES:
            connection.sendall(message)
            kind, content = protocol.receive(connection)
        while kind in (protocol.ACCEPTED, protocol.OUT, protocol.PAGED, protocol.ERR):
            if kind == protocol.ACCEPTED:
                connection.settimeout(protocol.ANSWER_SECONDS)
            else:
                output.append((kind, content))
            kind, content = protocol.receive(connection)
    except OSError:
        kind = b""
    finally:
        connection.close()
    return content[0] if kind == protocol.EXIT else None, output


def _write(stream: TextIO, content: bytes) -> None:
    """Write all bytes; a closed stderr is not an error."""
    try:
        stream.buffer.write(content)
        stream.buffer.flush()
    except OSError:
        if stream is sys.stdout:
            raise
