"""The Model Context Protocol over stdin and stdout: one JSON-RPC message a line, answered in turn.

Its SDK takes a second to import, because it brings a web server and a client; of all that, a server
of local tools needs this file. Every call is checked against the schema of its tool.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple

from brain_cli.process import command_context

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NO_METHOD = -32601
WRONG_PARAMETERS = -32602
INTERNAL_ERROR = -32603
NO_VERSION = -32022
# With a handshake; since `STATELESS`, each request names the version.
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
# A longer message is refused.
MAX_MESSAGE_BYTES = 1 << 20
# The types of a schema, each with how a message names it.
_TYPES: dict[str, tuple[Any, str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "number": (float, "a number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
}

Table = dict[str, Any]
Method = Callable[[Table], Table]


class ProtocolError(Exception):
    """A request cannot be answered; it gets an error of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


class ToolError(Exception):
    """A tool failed; the agent reads the message and may try again."""


class Tool(NamedTuple):
    """A tool: the function that runs it with checked arguments, and what `tools.json` states of
    it.
    """

    function: Callable[[Any, Table], Table]
    stated: Table

    def document(self) -> Table:
        """Return the tool as a list of tools has it."""
        title = self.stated["title"]
        return {
            "name": self.function.__name__,
            "title": title,
            "description": self.stated["description"],
            "inputSchema": {
                "type": "object",
                "properties": self.stated["properties"],
                "required": self.stated["required"],
            },
            "outputSchema": self.stated["outputSchema"],
            "annotations": {"title": title, **self.stated["annotations"]},
        }

    def call(self, first: object, arguments: object) -> Table:
        """Return the result of a call, or what is wrong with it."""
        given = arguments if isinstance(arguments, dict) else {}
        try:
            document = self.function(first, checked(given, self.stated))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
        found: Table = shaped(self.stated["outputSchema"], document)
        if unknown := [name for name in given if name not in self.stated["properties"]]:
            found["ignored_parameters"] = unknown
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        return {
            "content": [{"type": "text", "text": text}],
            "structuredContent": found,
            "isError": False,
        }


def shaped(schema: Table, value: Any) -> Any:
    """Return the part of a value that a schema describes."""
    if schema["type"] == "object":
        return {name: shaped(each, value[name]) for name, each in schema["properties"].items()}
    if schema["type"] == "array":
        return [shaped(schema["items"], each) for each in value]
    return value


def checked(given: Table, schema: Table) -> Table:
    """Return the arguments of a call, also those that are left out; ToolError for one that is
    missing or out of bounds.
    """
    known = schema["properties"]
    # null stands for an argument that is left out. Clients add parameters of their own.
    values = {
        name: _meant(given[name], each)
        for name, each in known.items()
        if given.get(name) is not None
    }
    others = f"; the parameters are {', '.join(known)}" if given.keys() - known.keys() else ""
    wrong = {name: f"is missing{others}" for name in schema["required"] if name not in values}
    wrong |= {name: _problem(value, known[name]) for name, value in values.items()}
    if problems := [f"`{name}` {problem}" for name, problem in wrong.items() if problem]:
        raise ToolError("; ".join(problems))
    usual = {
        name: each.get("default", _TYPES[each["type"]][0]()) for name, each in known.items()
    }
    return {**usual, **values}


def _meant(value: Any, schema: Table) -> Any:
    """Return a value that an agent wrote in another form, such as "5", "true" or 2.0, as what it
    means.
    """
    kind = schema["type"]
    if isinstance(value, str) and kind != "string":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    is_number = kind == "number" and isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_number else value


def _problem(value: Any, schema: Table) -> str:
    """Return what is wrong with a value; empty if it fits."""
    kind, called = _TYPES[schema["type"]]
    if type(value) is not kind:
        return f"must be {called}"
    if value not in schema.get("enum", [value]):
        return f"must be one of {', '.join(schema['enum'])}"
    problems = [_problem(each, schema["items"]) for each in value] if kind is list else []
    size: Any = value
    unit = ""
    if kind in (str, list):
        size = len(value)
        unit = " long"
    if size < (least := schema.get("minimum", schema.get("minLength", size))):
        problems.append(f"must be at least {least}{unit}")
    if size > (most := schema.get("maximum", schema.get("maxItems", size))):
        problems.append(f"must be at most {most}{unit}")
    return next(filter(None, problems), "")


class Server:
    """A server with some methods; `info` has its name and version."""

    def __init__(
        self, info: Mapping[str, str], instructions: str, methods: Mapping[str, Method]
    ) -> None:
        self._about = {
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "instructions": instructions,
        }
        self._info = {**info}
        self._methods = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda _: {},
            **methods,
        }

    def reply(self, line: bytes) -> Table | None:
        """Return the reply to a line; None for one that wants none."""
        number = None
        try:
            message = _parsed(line)
            number = message.get("id")
            if len(line) > MAX_MESSAGE_BYTES:
                limit = f"The message is longer than {MAX_MESSAGE_BYTES:,} bytes."
                raise ProtocolError(INVALID_REQUEST, limit)
            if message.get("jsonrpc") != "2.0":
                raise ProtocolError(INVALID_REQUEST, "The message is not one of JSON-RPC 2.0.")
            if "method" not in message or "id" not in message:
                return None  # a notification, or the response to a request that we never make
            return {"jsonrpc": "2.0", "id": number, "result": self._result(message)}
        except ProtocolError as error:
            found = error.error
        except Exception as error:
            found = {
                "code": INTERNAL_ERROR,
                "message": f"The request failed: {type(error).__name__}.",
            }
        return {"jsonrpc": "2.0", "id": number, "error": found}

    def _result(self, message: Table) -> Table:
        method = self._methods.get(str(message["method"]))
        if method is None:
            raise ProtocolError(NO_METHOD, f"There is no method {message['method']}.")
        parameters = message.get("params") or {}
        if not isinstance(parameters, dict):
            raise ProtocolError(INVALID_REQUEST, "The parameters of a request are an object.")
        about = parameters.get("_meta")
        named = about.get(_VERSION_KEY) if isinstance(about, dict) else None
        if named not in (None, STATELESS, *VERSIONS):
            versions = {"supported": [STATELESS], "requested": named}
            raise ProtocolError(NO_VERSION, f"{named} is not supported.", versions)
        found = method(parameters)
        if named != STATELESS:
            return found
        return {
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {_SERVER_KEY: self._info},
            **found,
        }

    def _initialize(self, parameters: Table) -> Table:
        asked = parameters.get("protocolVersion")
        version = asked if asked in VERSIONS else VERSIONS[-1]
        return {"protocolVersion": version, "serverInfo": self._info, **self._about}

    def _discover(self, _: Table) -> Table:
        return {"supportedVersions": [STATELESS], **self._about}


def _parsed(line: bytes) -> Table:
    """Return a message; raise ProtocolError for anything else."""
    try:
        # JSON may hold halves of characters, which UTF-8 has not.
        found = json.dumps(
            json.loads(line.decode("utf-8", "replace")), ensure_ascii=False, allow_nan=False
        )
        message = json.loads(without_surrogates(found))
    except (ValueError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "The message is not valid JSON.") from None
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "The message is not a JSON object.")
    return message


def without_surrogates(text: str) -> str:
    """Replace halves of characters by “?”: neither JSON nor UTF-8 has them."""
    return text.encode("utf-8", "replace").decode()


def serve(server: Server) -> None:
    """Answer the messages on stdin until it ends."""
    for line in _only_reader_of_stdin():
        reply = server.reply(line) if line.strip() else None
        if reply is not None:
            command_context().out(json.dumps(reply, ensure_ascii=False).encode() + b"\n")


def _only_reader_of_stdin() -> BinaryIO:
    """Return stdin, and let every other reader in this process and its children find it empty."""
    wire = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return wire
