"""Download a file over HTTPS, resuming an interrupted download."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

CHUNK_BYTES = 1 << 20
# Requests to this machine, such as to a mirror, need no encryption.
_SAFE = ("https://", "http://127.0.0.1:")


def download(url: str, path: Path, timeout_seconds: float, progress: Callable[[int, int], None]) -> None:
    """Download a URL to a file, which appears once it is complete; OSError or ValueError if that fails."""
    partial = path.with_name(f"{path.name}.part")
    with open(partial, "ab") as file:
        offset = file.tell()
        with opened(url, timeout_seconds, {"Range": f"bytes={offset}-"} if offset else {}) as response:
            if offset and response.status != 206:
                file.truncate(0)
            _read(response, file, progress)
    os.replace(partial, path)


def _read(response: Any, file: IO[bytes], progress: Callable[[int, int], None]) -> None:
    from http.client import HTTPException

    size = file.tell() + int(response.headers.get("Content-Length") or 0)
    try:
        while chunk := response.read(CHUNK_BYTES):
            file.write(chunk)
            progress(file.tell(), size)
    except HTTPException as error:
        raise OSError(f"the download broke off: {error}") from error
    if file.tell() < size:
        raise OSError("the download broke off")


def opened(url: str, timeout_seconds: float, headers: Mapping[str, str]) -> Any:
    """Return the open response of a URL; OSError if the server does not answer in time."""
    from urllib.request import Request, urlopen

    if not url.startswith(_SAFE):
        raise ValueError(f"{url} is not an https address")
    response: IO[bytes] = urlopen(Request(url, headers=dict(headers)), timeout=timeout_seconds)
    return response
