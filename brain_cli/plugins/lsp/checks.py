"""Find the links of a text that are broken, superseded or ambiguous, and the changes that mend each."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from lsprotocol import types as lsp

from brain_cli.plugins.lsp.buffer import Buffer
from brain_cli.plugins.lsp.notes import Notes
from brain_cli.types import NOTE_SUFFIXES
from brain_cli.vault.links import LinkSpan

MAX_FIXES = 5
BROKEN, SUPERSEDED, AMBIGUOUS = "broken", "superseded", "ambiguous"


def problems(notes: Notes, buffer: Buffer) -> Iterator[tuple[LinkSpan, lsp.Diagnostic]]:
    """Yield what is wrong with the links of a text."""
    for span in buffer.links:
        path = notes.target(span, buffer.path)
        newer = notes.successors(path) if path else []
        meanings = notes.meanings(span.target, buffer.path) if path else []
        if notes.is_broken(span, buffer.path):
            yield span, _diagnostic(buffer, span, BROKEN, f"There is no note “{span.target}”.")
        # The note that replaces another may name it.
        if newer and buffer.path not in newer:
            yield span, _diagnostic(buffer, span, SUPERSEDED, f"{path} is superseded by {', '.join(newer)}.")
        if len(meanings) > 1:
            message = f"“{span.target}” may be any of {len(meanings)} notes; it leads to {path}."
            yield span, _diagnostic(buffer, span, AMBIGUOUS, message)


def _diagnostic(buffer: Buffer, span: LinkSpan, code: str, message: str) -> lsp.Diagnostic:
    severity = lsp.DiagnosticSeverity.Warning if code == BROKEN else lsp.DiagnosticSeverity.Information
    return lsp.Diagnostic(buffer.range(span), message, severity, code, source="brain")


def fixes(notes: Notes, buffer: Buffer, where: lsp.Range, uri: Callable[[str], str]) -> Iterator[lsp.CodeAction]:
    """Yield the changes that mend the links in a range; `uri` returns the address of a note."""
    first, last = buffer.offset(where.start), buffer.offset(where.end)
    for span, found in problems(notes, buffer):
        if span.start <= last and first <= span.end:
            for path in _others(notes, buffer, span, str(found.code)):
                edit = lsp.TextEdit(buffer.range(span), notes.written(path, buffer.path, span.form))
                yield _action(f"Link to {path}", found, lsp.WorkspaceEdit(changes={uri(buffer.path): [edit]}))
            if found.code == BROKEN and (new_path := _new_note(buffer, span)):
                new = lsp.CreateFile(uri=uri(new_path), options=lsp.CreateFileOptions(ignore_if_exists=True))
                yield _action(f"Create {new_path}", found, lsp.WorkspaceEdit(document_changes=[new]))


def _action(title: str, found: lsp.Diagnostic, edit: lsp.WorkspaceEdit) -> lsp.CodeAction:
    return lsp.CodeAction(title, lsp.CodeActionKind.QuickFix, [found], edit=edit)


def _others(notes: Notes, buffer: Buffer, span: LinkSpan, code: str) -> list[str]:
    """Return the notes that a link may lead to instead, the likeliest first."""
    if code == SUPERSEDED:
        return notes.successors(notes.target(span, buffer.path) or "")
    if code == AMBIGUOUS:
        return notes.meanings(span.target, buffer.path)[:MAX_FIXES]
    recalled = notes.recalled(re.sub(r"[-_/.]", " ", f"{span.target} {span.text}").strip())
    return [each.metadata.path for each in recalled if each.metadata.path != buffer.path][:MAX_FIXES]


def _new_note(buffer: Buffer, span: LinkSpan) -> str | None:
    """Return the path of the note that a broken link asks for; None outside the vault and for a hidden file."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(buffer.path), span.target))
    if any(part.startswith(".") for part in path.split("/")) or path.startswith("/"):
        return None
    return path if path.lower().endswith(NOTE_SUFFIXES) else f"{path}.md"
