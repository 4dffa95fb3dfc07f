"""`brain open`, and the user's editor: run without a shell, at a line or for a new note."""

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
# These editors draw in the terminal from which they are started.
_VI = "vi vim nvim view vis ex"
_NANO = "nano pico micro ne joe jed mg kak sensible-editor"
TERMINAL_EDITORS = frozenset(f"{_VI} {_NANO} hx helix".split())
# The arguments that open a file at a line, and the editors that take them; others get only the
# file.
FORMS: Mapping[tuple[str, ...], str] = {
    ("+{line}", "{path}"): f"{_VI} {_NANO} gvim mvim gedit emacs emacsclient xemacs",
    ("--goto", "{path}:{line}"): "code code-insiders codium vscodium cursor windsurf",
    ("{path}:{line}",): "hx helix subl sublime_text zed zeditor",
    ("--line", "{line}", "{path}"): "kate kwrite idea pycharm webstorm mate",
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
    name = _name(editor[0])
    known = (form for form, names in FORMS.items() if line and name in names.split())
    form = next(known, ("{path}",))
    return [
        *editor,
        *(part.replace("{line}", str(line)).replace("{path}", path) for part in form),
    ]


def _name(program: str) -> str:
    return os.path.basename(program).removesuffix(".exe").lower()


def _editor(environ: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        if command := environ.get(variable, "").strip():
            try:
                return shlex.split(command)
            except ValueError as error:
                raise UsageError(
                    f"{variable} cannot be read: {error}.", f"It is: {command}"
                ) from None
    for name in FALLBACKS:
        if shutil.which(name):
            return [name]
    raise BrainError(
        "No editor was found.", "Set VISUAL or EDITOR to the command of your editor."
    )
