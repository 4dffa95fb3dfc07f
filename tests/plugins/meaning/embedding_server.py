"""A small server that speaks the protocol of embeddings with an installed model, and misbehaves on
demand.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from brain_cli.plugins.meaning.embedder import Embedder


class Served:
    """What the server does, and what it was asked."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.fault = ""
        self.faults_left = 10**9
        self.requests: list[tuple[str, dict[str, Any], str]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def texts(self) -> list[str]:
        """All texts that were to be embedded."""
        return [text for _, asked, _ in self.requests for text in asked.get("input", ())]

    def fail(self, fault: str, times: int = 10**9) -> None:
        self.fault, self.faults_left = fault, times

    def answer(self, path: str, asked: dict[str, Any]) -> object:
        if path.endswith("rerank"):
            scores = [float("collaborative" in each.lower()) for each in asked["documents"]]
            rows = [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]
            return {"results": rows[::-1]}
        vectors: list[list[Any]] = [
            [*self.embedder.passage([text]).vector] for text in asked["input"]
        ]
        if self.is_faulty("nan"):
            vectors = [[float("nan")] * len(each) for each in vectors]
        if self.is_faulty("text"):
            vectors = [["x"] * len(each) for each in vectors]
        if self.is_faulty("short"):
            vectors = vectors[:-1]
        if self.is_faulty("wide"):
            vectors = [[*each, *[0.5] * 8] for each in vectors]
        if self.is_faulty("ragged"):
            vectors = [each[: len(each) - 4 * (n % 2)] for n, each in enumerate(vectors)]
        data = [{"index": number, "embedding": each} for number, each in enumerate(vectors)]
        return {"object": "list", "data": data[::-1], "model": asked["model"]}

    def is_faulty(self, fault: str) -> bool:
        if self.fault != fault or self.faults_left <= 0:
            return False
        self.faults_left -= 1
        return True


@contextlib.contextmanager
def serving(embedder: Embedder) -> Iterator[Served]:
    """Run the server for the length of a test."""
    served = Served(embedder)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            asked = json.loads(content)
            served.requests.append((self.path, asked, self.headers.get("Authorization", "")))
            if served.is_faulty("close"):
                self.close_connection = True
                return None
            if served.is_faulty("slow"):
                time.sleep(3)
            if served.is_faulty("busy"):
                return self.send(503, b"{}")
            if (
                any(len(each) > 120 for each in asked.get("input", ()))
                and served.fault == "long"
            ):
                return self.send(400, b"{}")
            if served.is_faulty("html"):
                return self.send(200, b"<html>")
            return self.send(200, json.dumps(served.answer(self.path, asked)).encode())

        def send(self, status: int, content: bytes) -> None:
            with contextlib.suppress(OSError):
                self.send_response(status)
                if served.fault != "dribble":
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                while served.is_faulty("dribble"):
                    self.wfile.write(b" ")
                    time.sleep(0.2)
                self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
