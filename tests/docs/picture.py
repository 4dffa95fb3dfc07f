"""Draw the picture of a terminal in the README: `python tests/docs/picture.py`."""

from __future__ import annotations

import fcntl
import io
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).with_name("answer.svg")
COMMAND = 'brain remember "event-driven design"'
COLUMNS, ROWS = 84, 40
_LINK = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\\\")


def drawn() -> str:
    """Run a recall on a pseudo-terminal and return its screen as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "sample_vault", Path(folder) / "sample_vault")
        on_a_terminal("brain index", folder)  # its progress does not belong into the picture
        shown = on_a_terminal(COMMAND, folder)
    # Everything that rich would otherwise read from the environment is given here.
    console = Console(
        record=True,
        width=COLUMNS,
        height=ROWS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
    )
    console.print(Text.assemble(("$ ", "bold green"), COMMAND))
    console.print(Text.from_ansi(_LINK.sub("", shown).replace("\r\n", "\n")))
    return console.export_svg(title="brain", unique_id="brain")


def on_a_terminal(command: str, folder: str) -> str:
    """Return everything a command writes to a terminal of a fixed size, with its escape codes."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HOME": folder,
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "BRAIN_VAULT": f"{folder}/sample_vault",
        "BRAIN_NOW": "2026-11-21",
        "BRAIN_NO_TOUCH": "1",
    }
    program = [sys.executable, "-m", "brain_cli", *shlex.split(command)[1:]]
    with subprocess.Popen(program, cwd=folder, env=environment, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        found = b""
        while part := _read(ours):
            found += part
    os.close(ours)
    return found.decode()


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65_536)
    except OSError:  # Linux raises this when the other end is closed
        return b""


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
