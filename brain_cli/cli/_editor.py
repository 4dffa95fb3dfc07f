"""The user's editor: which one it is, how it is told a line, and running it without a shell."""

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
# How each is told where to open a file; the others are told the file alone.
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
    """Open a file in the user's editor and wait for it; return what was run."""
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
    told = [part.replace("{line}", str(line)).replace("{path}", path) for part in form]
    return [*editor, *told]


def _editor(environ: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        named = environ.get(variable, "").strip()
        if not named:
            continue
        try:
            return shlex.split(named)
        except ValueError as error:
            raise UsageError(f"{variable} cannot be read: {error}.", f"It is: {named}") from None
    found = next((name for name in FALLBACKS if shutil.which(name)), None)
    if found is None:
        raise BrainError("No editor is known.", "Set VISUAL or EDITOR to one.")
    return [found]
