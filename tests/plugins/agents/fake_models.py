"""A server on this machine that answers as the interfaces of four makers of models do, always with
one text; it keeps what clients send.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = dict[str, Any]


def anthropic(text: str) -> list[Event]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    start: Event = {**message, "content": [], "stop_reason": None, "usage": usage}
    return [
        {"type": "message_start", "message": start},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]


def responses(text: str) -> list[Event]:
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    item |= {"content": [part]}  # type: ignore[dict-item]
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}}  # type: ignore[dict-item]
    usage |= {"output_tokens_details": {"reasoning_tokens": 0}}  # type: ignore[dict-item]
    done = {"id": "r", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]


def chat(text: str) -> list[Event]:
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
    delta = {"role": "assistant", "content": text}
    return [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]


def gemini(text: str) -> list[Event]:
    content = {"role": "model", "parts": [{"text": text}]}
    return [{"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}]


# The end of an address, and how it is answered.
MODELS = {"/messages": anthropic, "/responses": responses, "/completions": chat}


@contextmanager
def fake_models(text: str) -> Iterator[tuple[str, list[str]]]:
    """Serve in this block; yield the address, and the bodies of the requests so far."""
    bodies: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._answer(
                json.dumps({"data": [{"id": "fake"}], "models": []}), "application/json"
            )

        do_HEAD = do_GET  # noqa: N815

        def do_POST(self) -> None:
            bodies.append(self._body())
            path = self.path.partition("?")[0]
            kind = next((MODELS[end] for end in MODELS if path.endswith(end)), None)
            if "enerateContent" in path:
                kind = gemini
            events = kind(text) if kind else []
            lines = (
                f"event: {each['type']}\ndata: {json.dumps(each)}\n\n"
                if "type" in each
                else f"data: {json.dumps(each)}\n\n"
                for each in events
            )
            end = "data: [DONE]\n\n" if kind is chat else ""
            self._answer("".join(lines) + end, "text/event-stream")

        def _body(self) -> str:
            if self.headers.get("transfer-encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0)).decode(
                    "utf-8", "replace"
                )
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts).decode("utf-8", "replace")

        def _answer(self, text: str, kind: str) -> None:
            raw = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        server.server_close()
