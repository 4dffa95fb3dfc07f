"""Build hook: the README of a package, whose links lead to the repository at the version's tag.

A package index shows the README without the files beside it, so relative links and pictures would
be broken there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<picture>!?)(?P<text>\[[^]\n]*\])\((?!https?:|#)(?P<path>[^)]+)\)")
COG = re.compile(r"<!-- \[\[\[cog\s.*?\]\]\] -->\n|<!-- \[\[\[end\]\]\] -->\n", re.DOTALL)


def absolute(readme: str, repository: str, version: str) -> str:
    """Return the README with absolute links and without the comments that generate its examples."""
    raw = repository.replace("//github.com/", "//raw.githubusercontent.com/")
    bases = {"": f"{repository}/blob/v{version}/", "!": f"{raw}/v{version}/"}
    return LINK.sub(
        lambda link: f"{link['picture']}{link['text']}({bases[link['picture']]}{link['path']})",
        COG.sub("", readme),
    )


class AbsoluteLinks(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = absolute(readme, metadata["urls"]["Repository"], metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
