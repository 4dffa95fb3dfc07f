"""`brain open`, and the user's editor: run without a shell, at a line or for a new note."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import SectionArgument
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.library.note import section_of
from brain_cli.process import command_context
from brain_cli.streams import say
from brain_cli.vault.decode import as_read

FALLBACKS = ("sensible-editor", "vi", "nano")
_PLUS_LINE = ("+{line}", "{path}")
_COLON = ("{path}:{line}",)
_GOTO = ("--goto", "{path}:{line}")
# These editors draw in the terminal from which they are started.
_VI = ("vi", "vim", "nvim", "view", "vis", "ex")
_NANO = ("nano", "pico", "micro", "ne", "joe", "jed", "mg", "kak", "sensible-editor")
TERMINAL_EDITORS = frozenset((*_VI, *_NANO, "hx", "helix"))
# The arguments with which each editor opens a file at a line; other editors get only the file.
FORMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*_VI, "gvim", "mvim"), _PLUS_LINE),
    **dict.fromkeys((*_NANO, "gedit"), _PLUS_LINE),
    **dict.fromkeys(("emacs", "emacsclient", "xemacs"), _PLUS_LINE),
    **dict.fromkeys(
        ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"), _GOTO
    ),
    **dict.fromkeys(("hx", "helix", "subl", "sublime_text", "zed", "zeditor"), _COLON),
    **dict.fromkeys(("kate", "kwrite"), ("--line", "{line}", "{path}")),
    **dict.fromkeys(("idea", "pycharm", "webstorm"), ("--line", "{line}", "{path}")),
    "mate": ("--line", "{line}", "{path}"),
}


def open_in_editor(options: CommonOptions, note: SectionArgument = "1") -> int:
    """Open a note in $VISUAL or $EDITOR, at a heading or a line if one is named.

    On a terminal, `brain open` alone opens the first note of its last answer, and `brain open 2`
    the second.

    Examples:
      brain open grpc
      brain open 'grpc#Consequences'
    """
    named = options.open_any_vault().holding(note).find(note)
    path, heading, line = named.ref
    if heading:
        line = section_of(as_read(named.opened().raw), path, heading).line
    arguments = edit(named.file(), line, os.environ)
    if options.json:
        options.report("", {"path": path, "line": line or 1, "editor": arguments})
    return OK


class NothingWrittenError(BrainError):
    """The editor was closed without a text."""


def edit(path: str, line: int | None, environ: Mapping[str, str]) -> list[str]:
    """Open a file in the user's editor and wait until it is closed; return the command that was
    run.
    """
    arguments = editor_arguments(path, line, environ)
    if _name(arguments[0]) in TERMINAL_EDITORS and not (sys.stdin and sys.stdin.isatty()):
        raise BrainError(
            f"The editor {arguments[0]} needs a terminal.",
            "Set VISUAL to an editor with a window of its own.",
        )
    try:
        code = subprocess.call(arguments)
    except OSError as error:
        raise BrainError(
            f"The editor {arguments[0]} cannot be started: {error.strerror}.",
            "Set VISUAL or EDITOR to another.",
        ) from None
    if code:
        raise BrainError(
            f"The editor {arguments[0]} ended with {code}.", "What it has saved is kept."
        )
    return arguments


@contextlib.contextmanager
def new_text(title: str) -> Iterator[str]:
    """Yield the text of a new note: from stdin, else written in the editor, and kept there if it
    cannot be added.
    """
    if not command_context().types():
        yield command_context().text()
        return
    handle, path = tempfile.mkstemp(prefix="brain-", suffix=".md")
    start = f"# {title}\n\n" if title else ""
    with open(handle, "w", encoding="utf-8") as file:
        file.write(start)
    edit(path, 3, os.environ)
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    if text.strip() == start.strip():
        os.unlink(path)
        raise NothingWrittenError("Nothing was written, so nothing was added.")
    try:
        yield text
    except BaseException:
        say(f"Your text is kept in {path}.")
        raise
    os.unlink(path)


def editor_arguments(path: str, line: int | None, environ: Mapping[str, str]) -> list[str]:
    """Return the editor's program and arguments for a file, at a line counted from 1."""
    editor = _editor(environ)
    form = FORMS.get(_name(editor[0]))
    if form is None or line is None:
        return [*editor, path]
    arguments = [part.replace("{line}", str(line)).replace("{path}", path) for part in form]
    return [*editor, *arguments]


def _name(program: str) -> str:
    return os.path.basename(program).removesuffix(".exe").lower()


def _editor(environ: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        command = environ.get(variable, "").strip()
        if not command:
            continue
        try:
            return shlex.split(command)
        except ValueError as error:
            raise UsageError(
                f"{variable} cannot be read: {error}.", f"It is: {command}"
            ) from None
    found = next((name for name in FALLBACKS if shutil.which(name)), None)
    if found is None:
        raise BrainError(
            "No editor was found.", "Set VISUAL or EDITOR to the command of your editor."
        )
    return [found]
