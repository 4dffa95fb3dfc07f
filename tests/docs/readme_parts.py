"""What the README says that the program knows better: real commands with their output, and tables of constants.

Used by cog (see the comments in README.md): `python -m cogapp -r -I tests/docs README.md` brings it up to date.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import MISSING, fields
from pathlib import Path

from brain_cli.commands import COMMANDS
from brain_cli.scoring import SCORERS, scorer_class

ROOT = Path(__file__).parents[2]


def console(*commands: str) -> str:
    """Run commands as a reader would, in a folder that holds nothing but the sample vault; show what they print."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "sample_vault", Path(folder) / "sample_vault")
        shown = [f"$ {command}\n{_output(command, folder)}" for command in commands]
    return "```console\n" + "\n".join(shown) + "```"


def _output(command: str, folder: str) -> str:
    """Return what a command prints on stdout when it is asked for its terminal form, 80 columns wide."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": folder,
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
    }
    program, *arguments = shlex.split(command)
    assert program == "brain", command
    if "remember" in arguments and not {"--json", "--format", "--help"}.intersection(arguments):
        arguments += ["--format", "rich"]
    done = subprocess.run(
        [sys.executable, "-m", "brain_cli", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def commands() -> str:
    """The table of commands, as `brain --help` has it."""
    rows = (f"| `brain {name}` | {summary} |" for name, summary in COMMANDS.items())
    return "\n".join(("| command | what it does |", "|---|---|", *rows))


def options() -> str:
    """What `--help` says of every command."""
    with tempfile.TemporaryDirectory() as folder:
        helps = "\n".join(_output(f"brain {name} --help", folder) for name in COMMANDS)
    return f"```text\n{helps}```"


def scorers() -> str:
    """The reference of the formulas: each file's own docstring, and the constants as its fields have them."""
    return "\n\n".join(_scorer(name) for name in SCORERS)


def _scorer(name: str) -> str:
    formula = scorer_class(name)
    document = sys.modules[formula.__module__].__doc__ or ""
    summary = document.splitlines()[0]
    printed = textwrap.dedent("\n".join(line for line in document.splitlines() if line.startswith("    ")))
    publication = document.partition("Publication:")[2].strip().splitlines()
    constants = ", ".join(f"`{field.name}` {_default(field)}" for field in fields(formula))  # type: ignore[arg-type]
    return "\n".join(
        (
            f"**`{name}`**: {summary}",
            "",
            "```",
            printed.strip("\n"),
            "```",
            "",
            f"Constants: {constants}. Publication: {' '.join(line.strip() for line in publication)}",
        )
    )


def _default(field: object) -> str:
    value = field.default if field.default is not MISSING else field.default_factory()  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return "(" + ", ".join(f"{kind} {number:g}" for kind, number in value.items()) + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)
