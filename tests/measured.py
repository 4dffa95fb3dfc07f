"""Keep a measurement in docs/measured/NAME.json: the figures, with their date, commit, machine and
command.

    python tests/measured.py NAME brain bench --json

The command prints the figures as JSON. The pages print them from the file
(tests/docs/measured_tables.py).
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "docs" / "measured"
# What a figure depends on; a command's own words for the same are left out.
CIRCUMSTANCES = ("date", "commit", "machine", "load", "command")


def keep(name: str, command: str, figures: Any, load: float | None = None) -> None:
    """Write the figures that a command measured just now; `load` is that of the machine, where it
    matters.
    """
    git = ["git", "log", "-1", "--format=%h", "--", "brain_cli", "sample_vault"]
    commit = subprocess.run(
        git, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    values = (time.strftime("%Y-%m-%d"), commit, machine, load, command)
    document = {**dict(zip(CIRCUMSTANCES, values, strict=True)), "figures": figures}
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (MEASURED / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def kept(name: str) -> dict[str, Any]:
    """Return a measurement with its circumstances."""
    document: dict[str, Any] = json.loads(
        (MEASURED / f"{name}.json").read_text(encoding="utf-8")
    )
    return document


def main(name: str, *command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures = json.loads(done.stdout)
    load = figures.get("load")
    keep(
        name,
        " ".join(command),
        {key: figures[key] for key in figures if key not in CIRCUMSTANCES},
        load,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
