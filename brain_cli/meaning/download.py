"""Download a file over HTTPS, resuming an interrupted attempt where it ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

CHUNK_BYTES = 1 << 20
# A server on this machine, such as a mirror, may be asked without encryption.
_SAFE = ("https://", "http://127.0.0.1:")


def download(url: str, path: Path, timeout_seconds: float, progress: Callable[[int, int], None]) -> None:
    """Download an address to a file, which appears once it is complete; OSError or ValueError if that fails."""
    partial = path.with_name(f"{path.name}.part")
    with open(partial, "ab") as file:
        begun = file.tell()
        with opened(url, timeout_seconds, {"Range": f"bytes={begun}-"} if begun else {}) as answer:
            if begun and answer.status != 206:
                file.truncate(0)
            _read(answer, file, progress)
    os.replace(partial, path)


def _read(answer: Any, file: IO[bytes], progress: Callable[[int, int], None]) -> None:
    from http.client import HTTPException

    size = file.tell() + int(answer.headers.get("Content-Length") or 0)
    try:
        while chunk := answer.read(CHUNK_BYTES):
            file.write(chunk)
            progress(file.tell(), size)
    except HTTPException as error:
        raise OSError(f"the download broke off: {error}") from error
    if file.tell() < size:
        raise OSError("the download broke off")


def opened(url: str, timeout_seconds: float, headers: Mapping[str, str]) -> Any:
    """Return the open response of an address; OSError if it does not answer in time."""
    from urllib.request import Request, urlopen

    if not url.startswith(_SAFE):
        raise ValueError(f"{url} is not an https address")
    answer: IO[bytes] = urlopen(Request(url, headers=dict(headers)), timeout=timeout_seconds)
    return answer
