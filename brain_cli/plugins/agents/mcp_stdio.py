"""Read the messages of `brain mcp` from stdin: bounded, and a line that is no message is answered with an error."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_MESSAGE_BYTES = 16 << 20
# Where the id of a message that is too long is looked for: in its first and in its last bytes.
ID_BYTES = 1_000
_TEXTS = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID = rb'"id"\s*:\s*(\d{1,18}|"[^"\\]*")'
_ID_FIRST = re.compile(rb"\s*\{\s*(?:%s\s*,\s*)*%s" % (_TEXTS, _ID))
_ID_LAST = re.compile(rb"%s\s*(?:,\s*%s\s*)*\}\s*\Z" % (_ID, _TEXTS))


async def serve(mcp: MCPServer[Any]) -> None:
    """Answer the messages on stdin until it ends."""
    lines = _Lines(_only_reader_of_stdin())
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (read, write):
        lines.reply = write.send
        lines.can_reply.set()
        server = mcp._lowlevel_server
        await server.run(read, write, server.create_initialization_options())


class _Lines:
    """The lines of a file that are messages; each other line is answered with an error."""

    reply: Callable[[SessionMessage], Any]

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.can_reply = anyio.Event()

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        while line := await anyio.to_thread.run_sync(self._next, abandon_on_cancel=True):
            if isinstance(line, str):
                return line
            await self.can_reply.wait()
            await self.reply(SessionMessage(line))
        raise StopAsyncIteration

    def _next(self) -> str | JSONRPCError | None:
        """Return the next message, or an error for a line that is none; None at the end."""
        while line := self._file.readline(MAX_MESSAGE_BYTES):
            if len(line) == MAX_MESSAGE_BYTES and not line.endswith(b"\n"):
                return self._too_long(line)
            if line.strip():
                return _message(line)
        return None

    def _too_long(self, line: bytes) -> JSONRPCError:
        rest = end = line
        while rest and not rest.endswith(b"\n"):
            rest = self._file.readline(1 << 20)
            end = (end + rest)[-ID_BYTES:]
        found = _ID_FIRST.match(line, 0, ID_BYTES) or _ID_LAST.search(end)
        number = json.loads(found[1]) if found else None
        return _error(number, INVALID_REQUEST, f"The message is longer than {MAX_MESSAGE_BYTES:,} bytes.")


def _message(line: bytes) -> str | JSONRPCError:
    """Return a message as the SDK accepts it: lone surrogates, which it would drop with their message, are replaced."""
    try:
        document = json.loads(line.decode("utf-8", "replace"))
        text = without_surrogates(json.dumps(document, ensure_ascii=False))
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "The message is not valid JSON.")
    try:
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        number = document.get("id") if isinstance(document, dict) else None
        is_id = isinstance(number, int | str) and not isinstance(number, bool)
        return _error(number if is_id else None, INVALID_REQUEST, "The message is not a request of JSON-RPC 2.0.")
    return text


def without_surrogates(text: str) -> str:
    """Replace halves of characters by “?”: neither JSON nor UTF-8 has them."""
    return text.encode("utf-8", "replace").decode()


def _error(number: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))


def _only_reader_of_stdin() -> BinaryIO:
    """Return stdin, and let every other reader in this process and its children find it empty."""
    wire = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return wire
