"""Find the user's editor and run it without a shell, at a line of a file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping

from brain_cli.errors import BrainError, UsageError

FALLBACKS = ("sensible-editor", "vi", "nano")
_PLUS_LINE = ("+{line}", "{path}")
_COLON = ("{path}:{line}",)
_GOTO = ("--goto", "{path}:{line}")
# The arguments by which each editor opens a file at a line; other editors get the file alone.
FORMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("vi", "vim", "nvim", "gvim", "mvim", "view", "vis", "ex"), _PLUS_LINE),
    **dict.fromkeys(("nano", "pico", "micro", "ne", "joe", "jed", "mg", "kak", "gedit", "sensible-editor"), _PLUS_LINE),
    **dict.fromkeys(("emacs", "emacsclient", "xemacs"), _PLUS_LINE),
    **dict.fromkeys(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"), _GOTO),
    **dict.fromkeys(("hx", "helix", "subl", "sublime_text", "zed", "zeditor"), _COLON),
    **dict.fromkeys(("kate", "kwrite"), ("--line", "{line}", "{path}")),
    **dict.fromkeys(("idea", "pycharm", "webstorm"), ("--line", "{line}", "{path}")),
    "mate": ("--line", "{line}", "{path}"),
}


def edit(path: str, line: int | None, environ: Mapping[str, str]) -> list[str]:
    """Open a file in the user's editor and wait until it is closed; return the command that was run."""
    arguments = editor_arguments(path, line, environ)
    try:
        code = subprocess.call(arguments)
    except OSError as error:
        raise BrainError(
            f"The editor {arguments[0]} cannot be started: {error.strerror}.", "Set VISUAL or EDITOR to another."
        ) from None
    if code:
        raise BrainError(f"The editor {arguments[0]} ended with {code}.")
    return arguments


def editor_arguments(path: str, line: int | None, environ: Mapping[str, str]) -> list[str]:
    """Return the editor's program and arguments for a file, at a line counted from 1."""
    editor = _editor(environ)
    name = os.path.basename(editor[0]).removesuffix(".exe").lower()
    form = FORMS.get(name)
    if form is None or line is None:
        return [*editor, path]
    arguments = [part.replace("{line}", str(line)).replace("{path}", path) for part in form]
    return [*editor, *arguments]


def _editor(environ: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        command = environ.get(variable, "").strip()
        if not command:
            continue
        try:
            return shlex.split(command)
        except ValueError as error:
            raise UsageError(f"{variable} cannot be read: {error}.", f"It is: {command}") from None
    found = next((name for name in FALLBACKS if shutil.which(name)), None)
    if found is None:
        raise BrainError("No editor was found.", "Set VISUAL or EDITOR to the command of your editor.")
    return [found]
