"""Find the command that adds an extra to this installation. brain is on no package index, so its name is not enough.

Installers record in the package's metadata the source (`direct_url.json`) and their own name.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from urllib.parse import unquote, urlsplit

NAME = "brain-cli"


def install_hint(extra: str) -> str:
    """Return how to install an extra here: by the installer that was used, from the same source."""
    try:
        package = distribution(NAME)
        return f"Install it: {shlex.join([*_installer(package), *_requirement(package, extra)])}"
    except (PackageNotFoundError, FileNotFoundError):
        return f"Install it in a copy of the repository: pip install '.[{extra}]'"


def _installer(package: Distribution) -> list[str]:
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        return ["pipx", "install", "--force"]
    if os.path.exists(os.path.join(sys.prefix, "uv-receipt.toml")):
        return ["uv", "tool", "install"]
    if (package.read_text("INSTALLER") or "").strip() == "uv":
        return ["uv", "pip", "install", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "install"]


def _requirement(package: Distribution, extra: str) -> list[str]:
    """Return the source of the package with the extra; FileNotFoundError if its folder is gone."""
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    url = urlsplit(origin.get("url", ""))
    if url.scheme == "file":
        path = unquote(url.path)
        os.stat(path)
        return [*(["-e"] if origin.get("dir_info", {}).get("editable") else []), f"{path}[{extra}]"]
    repository = origin.get("vcs_info", {})
    revision = f"@{named}" if (named := repository.get("requested_revision")) else ""
    source = f"{repository['vcs']}+{url.geturl()}{revision}" if repository else url.geturl()
    return [f"{NAME}[{extra}] @ {source}" if source else f"{NAME}[{extra}]"]
