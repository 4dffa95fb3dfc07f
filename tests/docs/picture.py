"""Draw the moving picture of a terminal in the README: `python tests/docs/picture.py`."""

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
PICTURE = Path(__file__).parents[2] / "docs" / "answer.svg"
COMMANDS = ('brain "event-driven design"', 'brain "duplicate payments"', "brain zeppelin")
SECONDS = 6  # for each command
COLUMNS, ROWS = 84, 28
_VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_LINK = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\\\")


def drawn() -> str:
    """Run recalls on a pseudo-terminal and return their screens as one SVG that shows them in turn."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "sample_vault", Path(folder) / "sample_vault")
        on_a_terminal("brain index", folder)  # its progress does not belong into the picture
        screens = [_screen(number, command, folder) for number, command in enumerate(COMMANDS)]
    sizes = [_VIEW_BOX.search(screen) for screen in screens]
    width, height = (max(float(size[side]) for size in sizes if size) for side in (1, 2))
    seconds = SECONDS * len(screens)
    turns = "".join(
        f".screen-{n}{{animation-delay:{SECONDS * n - seconds}s}}" for n in range(len(screens))
    )
    # The first screen stays where nothing may move, or where CSS is not animated.
    style = (
        f".screen{{opacity:0;animation:turn {seconds}s step-end infinite}}.screen-0{{opacity:1}}{turns}"
        f"@keyframes turn{{0%{{opacity:1}}{100 / len(screens):.3f}%{{opacity:0}}}}"
        "@media(prefers-reduced-motion){.screen{animation:none}}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"><style>{style}</style>'
    return "\n".join([head, *screens, "</svg>\n"])


def _screen(number: int, command: str, folder: str) -> str:
    """Run a command and return its screen as a part of an SVG."""
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
    shown = on_a_terminal(command, folder)
    console.print(Text.assemble(("$ ", "bold green"), command))
    console.print(Text.from_ansi(_LINK.sub("", shown).replace("\r\n", "\n")))
    drawing = console.export_svg(title="brain", unique_id=f"brain{number}")
    placed = _VIEW_BOX.sub(r'viewBox="0 0 \1 \2" width="\1" height="\2"', drawing, count=1)
    return f'<g class="screen screen-{number}">\n{placed}\n</g>'


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
    with subprocess.Popen(
        program, cwd=folder, env=environment, stdout=theirs, stderr=subprocess.DEVNULL
    ):
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
