"""Describe the program and the machine for `brain --version`, as a bug report needs it."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from brain_cli.version import INDEX_VERSION, VERSION

# The packages whose versions affect answers; the last ones are extras.
PACKAGES = ("whoosh-reloaded", "markdown-it-py", "PyYAML", "PyStemmer", "typer", "rich", "onnxruntime", "mcp")


def environment() -> str:
    """Return the lines of `brain --version`; the first has only `brain` and its version."""
    machine = f"{platform.system()} {platform.release()} {platform.machine()}"
    lines = [
        f"brain {VERSION}",
        f"Python {platform.python_version()}, {machine}, index version {INDEX_VERSION}",
        ", ".join(f"{name} {_version_of(name)}" for name in PACKAGES),
        str(Path(__file__).parents[1]),
    ]
    return "\n".join(lines)


def _version_of(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "is not installed"
