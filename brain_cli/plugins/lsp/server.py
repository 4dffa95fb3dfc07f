"""The language server: each feature reads the editor's text, asks the notes, and answers in the
protocol's types.
"""

import asyncio
import contextlib
import io
import json
import logging
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from lsprotocol.types import (
    COMPLETION_ITEM_RESOLVE,
    INITIALIZED,
    TEXT_DOCUMENT_CODE_ACTION,
    TEXT_DOCUMENT_COMPLETION,
    TEXT_DOCUMENT_DEFINITION,
    TEXT_DOCUMENT_DID_CHANGE,
    TEXT_DOCUMENT_DID_OPEN,
    TEXT_DOCUMENT_DID_SAVE,
    TEXT_DOCUMENT_HOVER,
    TEXT_DOCUMENT_REFERENCES,
    TEXT_DOCUMENT_RENAME,
    WORKSPACE_SYMBOL,
    CodeAction,
    CodeActionKind,
    CodeActionOptions,
    CodeActionParams,
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    CompletionOptions,
    CompletionParams,
    CreateFile,
    CreateFileOptions,
    DefinitionParams,
    Diagnostic,
    DiagnosticSeverity,
    DidChangeTextDocumentParams,
    DidOpenTextDocumentParams,
    DidSaveTextDocumentParams,
    Hover,
    HoverParams,
    InitializedParams,
    Location,
    MarkupContent,
    MarkupKind,
    MessageType,
    Position,
    PublishDiagnosticsParams,
    Range,
    ReferenceParams,
    RenameParams,
    ShowDocumentParams,
    ShowMessageParams,
    SymbolKind,
    TextDocumentSyncKind,
    TextEdit,
    WorkspaceEdit,
    WorkspaceSymbol,
    WorkspaceSymbolParams,
)
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from brain_cli.answer.links import is_attachment
from brain_cli.answer.passages import beginning
from brain_cli.cli.common import followed
from brain_cli.daemon.processes import refresh_in_background
from brain_cli.daemon.warm_index import WarmIndex
from brain_cli.daemon.watcher import FileWatcher
from brain_cli.errors import BrainError
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault, index_session, now_of
from brain_cli.library.verbs import move
from brain_cli.plugins.lsp.notes import Buffer, Notes
from brain_cli.process import command_context, using_context
from brain_cli.streams import say
from brain_cli.types import NOTE_SUFFIXES
from brain_cli.vault.atomic_write import read_note
from brain_cli.vault.decode import decode
from brain_cli.vault.links import LinkSpan
from brain_cli.vault.note import parse_note
from brain_cli.vault.sections import section_named
from brain_cli.version import VERSION

Answer = TypeVar("Answer")
# The links of a text are checked after this pause in typing.
PAUSE_SECONDS = 0.3
MAX_FIXES = 5
# Each link that is mended takes a recall.
MAX_MENDED = 20
MAX_LINE_BYTES = 10_000
MAX_LENGTH_DIGITS = 8
# The error code of JSON-RPC for a message that is none.
INVALID_REQUEST = -32600
# A length at the end of a line; the text of a skipped message may stand before it.
_HEADER = re.compile(rb"Content-Length:[ \t]*([^\r\n]*?)[ \t]*\r?\n\Z", re.IGNORECASE)
BROKEN = "broken"
QUICK_FIX = CodeActionKind.QuickFix


def serve(vault: Vault, now: str | None) -> None:
    """Answer the editor on stdin until it ends; the index stays open, and changed files are
    noticed.
    """
    # A failure is in the reply to its request.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    watcher = FileWatcher(vault.folder, say)
    watcher.start()
    warm_index = WarmIndex(vault.indexed, vault.index_directory, watcher)
    with (
        contextlib.closing(watcher),
        using_context(command_context()._replace(warm_index=warm_index)),
    ):
        server = EditorServer(vault, now)
        for add_features in (_add_checks, _add_reading, _add_writing):
            add_features(server)
        command_context().out(b"")  # fails at once if stdout is closed
        server.start_io(_BoundedInput(io.FileIO(0, closefd=False)))


class _BoundedInput(io.BufferedReader):
    """The messages of the editor. One of 100 MB or more, or with an invalid length, is skipped up
    to the header of the next one.
    """

    def readline(self, size: int | None = MAX_LINE_BYTES) -> bytes:
        """Return the next line of a header; a length as pygls expects it."""
        line = super().readline(size)
        while header := _HEADER.search(line):
            length = header[1]
            if length.isdigit() and len(length) <= MAX_LENGTH_DIGITS:
                return b"Content-Length: %d\r\n" % int(length)
            _refuse(length.decode("ascii", "replace"))
            line = self._next_header()
        return line

    def _next_header(self) -> bytes:
        """Skip the message; its text may end in the middle of a line, where the next one begins."""
        tail = b""
        while piece := super().readline(MAX_LINE_BYTES):
            tail = (tail + piece)[-MAX_LINE_BYTES:]
            if header := _HEADER.search(tail):
                return header[0]
        return b""


def _refuse(length: str) -> None:
    """Report a skipped message, on stderr and as an error of the protocol."""
    message = f"A message was skipped, because its Content-Length “{length:.20}” is not usable."
    say(message)
    error = {"code": INVALID_REQUEST, "message": message}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    command_context().out(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


class EditorServer(LanguageServer):
    """The server of one vault. An editor sends whole texts, because our own reader decides what a
    line is.
    """

    def __init__(self, vault: Vault, now: str | None) -> None:
        super().__init__("brain", VERSION, text_document_sync_kind=TextDocumentSyncKind.Full)
        self._opened = vault
        self._now = now
        self._notes: Notes | None = None
        self._checks: dict[str, asyncio.TimerHandle] = {}

    @property
    def vault(self) -> Vault:
        """The vault at this time."""
        return self._opened.replaced(now=now_of(self._now))

    def ask(self, question: Callable[[Notes], Answer]) -> Answer:
        """Answer from an up-to-date index; JsonRpcException, which the editor shows, if
        that fails.
        """
        session = index_session(self.vault)
        with _failures_shown():
            answer = session.ask(lambda snapshot: question(self._current(snapshot)))
        if session.behind:
            refresh_in_background(self.vault.folder, self.vault.index_directory.folder)
        return answer

    def _current(self, snapshot: Snapshot) -> Notes:
        if not (self._notes and self._notes.snapshot is snapshot):
            self._notes = Notes(self.vault, snapshot)
        return self._notes

    def uri(self, path: str) -> str:
        """Return the address of a note in the vault."""
        return from_fs_path(os.path.join(self.vault.folder, path)) or ""

    def buffer(self, uri: str) -> Buffer | None:
        """Return the text of a note, as the editor has it if it is open; None for a file that is
        not a note.
        """
        file = os.path.realpath(to_fs_path(uri) or "/")
        path = os.path.relpath(file, os.path.realpath(self.vault.folder))
        if path.startswith("..") or not path.lower().endswith(NOTE_SUFFIXES):
            return None
        is_open = uri in self.workspace.text_documents
        text = self.workspace.get_text_document(uri).source if is_open else self._saved(path)
        return Buffer(path, text, self.workspace.position_codec)

    def _saved(self, path: str) -> str:
        try:
            return decode(read_note(self.vault.folder, path)).text
        except OSError:
            return ""

    def check(self, uri: str) -> None:
        """Send what is wrong with the links of an open note."""
        if uri in self.workspace.text_documents and (buffer := self.buffer(uri)):
            found = self.ask(lambda notes: [*problems(notes, buffer, buffer.links)])
            diagnostics = [each.diagnostic(buffer) for each in found]
            self.text_document_publish_diagnostics(PublishDiagnosticsParams(uri, diagnostics))

    def check_soon(self, uri: str) -> None:
        """Check an open note after a pause in typing."""
        if begun := self._checks.get(uri):
            begun.cancel()
        self._checks[uri] = asyncio.get_running_loop().call_later(
            PAUSE_SECONDS, self.check, uri
        )

    def linked(self, uri: str, position: Position) -> tuple[str, str]:
        """Return the note to which the link at a position leads, and the heading that it names;
        else the note here.
        """
        buffer = self.buffer(uri)
        if not buffer or not (span := buffer.link_at(position)):
            return (buffer.path if buffer else "", "")
        path = self.ask(lambda notes: notes.target(span, buffer.path))
        return (path, span.heading) if path else (buffer.path, "")

    def passage(self, path: str, heading: str) -> str:
        """Return a note's title, its path, and the named section or else its beginning, as
        Markdown.
        """
        buffer = self.buffer(self.uri(path))
        text = buffer.unix if buffer else ""
        note = parse_note(path, text, 0.0)
        section = section_named(text, heading)
        title = note.metadata.title
        lines = text.split("\n")
        first, end = (section.line, section.end) if section else (1, len(lines) + 1)
        named = [each for each in note.fragments if first <= each.line < end and each.text]
        # A block that a link names is less than a section.
        shown = beginning(title, named) if named else "\n".join(lines[first - 1 : end - 1])
        return f"**{title}** · `{path}`\n\n{shown.strip()}"

    def rename(self, path: str, name: str) -> str:
        """Move a note and repair its links, through the journal of `brain undo`; return its new
        path.
        """
        open_notes = filter(None, map(self.buffer, self.workspace.text_documents))
        if unsaved := [each.path for each in open_notes if each.text != self._saved(each.path)]:
            raise JsonRpcException(
                f"Save {', '.join(unsaved)} first: a rename changes the files with its links."
            )
        with _failures_shown():
            moved = move(self.vault, path, name)
        if moved.changed:
            done = (
                f"Moved {path} to {moved.path}{followed(moved.relinked)}. To undo: brain undo"
            )
            self.window_show_message(ShowMessageParams(MessageType.Info, done))
        return moved.path


@contextlib.contextmanager
def _failures_shown() -> Iterator[None]:
    """Turn an expected failure into the error of a request."""
    try:
        yield
    except BrainError as error:
        raise JsonRpcException(f"{error.message} {error.hint}".strip()) from None


def _add_checks(server: EditorServer) -> None:
    @server.feature(INITIALIZED)
    def open_index(_: InitializedParams) -> None:
        server.ask(lambda _: None)

    @server.feature(TEXT_DOCUMENT_DID_OPEN)
    def check(params: DidOpenTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(TEXT_DOCUMENT_DID_CHANGE)
    async def check_soon(params: DidChangeTextDocumentParams) -> None:
        server.check_soon(params.text_document.uri)

    @server.feature(TEXT_DOCUMENT_DID_SAVE)
    def check_all(_: DidSaveTextDocumentParams) -> None:
        for uri in [*server.workspace.text_documents]:
            server.check(uri)

    @server.feature(TEXT_DOCUMENT_CODE_ACTION, CodeActionOptions([QUICK_FIX]))
    def mend(params: CodeActionParams) -> list[CodeAction]:
        if not (buffer := server.buffer(params.text_document.uri)):
            return []
        return server.ask(lambda notes: [*fixes(notes, buffer, params.range, server.uri)])


class Problem(NamedTuple):
    """A link that is broken, or may point to the wrong note; `others` are the notes that it may
    mean instead.
    """

    span: LinkSpan
    code: str
    message: str
    others: Sequence[str] = ()

    def diagnostic(self, buffer: Buffer) -> Diagnostic:
        levels = DiagnosticSeverity
        severity = levels.Warning if self.code == BROKEN else levels.Information
        where = buffer.range(self.span)
        return Diagnostic(where, self.message, severity, self.code, source="brain")


def problems(notes: Notes, buffer: Buffer, links: Iterable[LinkSpan]) -> Iterator[Problem]:
    """Yield what is wrong with some links of a text."""
    for span in links:
        path = notes.target(span, buffer.path)
        if path is None:
            if span.target and not is_attachment(span.target):
                yield Problem(span, BROKEN, f"There is no note “{span.target}”.")
            continue
        newer = notes.successors(path)
        # The note that replaces another may name it.
        if newer and buffer.path not in newer:
            message = f"{path} is superseded by {', '.join(newer)}."
            yield Problem(span, "superseded", message, newer)
        meanings = notes.meanings(span.target, buffer.path)
        if len(meanings) > 1:
            message = (
                f"“{span.target}” may be any of {len(meanings)} notes; it leads to {path}."
            )
            yield Problem(span, "ambiguous", message, meanings[:MAX_FIXES])


def fixes(
    notes: Notes, buffer: Buffer, where: Range, uri: Callable[[str], str]
) -> Iterator[CodeAction]:
    """Yield the changes that mend the first links in a range; `uri` returns the address
    of a note.
    """
    first = buffer.offset(where.start)
    last = buffer.offset(where.end)
    links = [span for span in buffer.links if span.start <= last and first <= span.end]
    for each in islice(problems(notes, buffer, links), MAX_MENDED):
        span = each.span
        found = [each.diagnostic(buffer)]
        others = each.others
        if each.code == BROKEN:
            words = re.sub(r"[-_/.]", " ", f"{span.target} {span.text}").strip()
            recalled = (ranked.path for ranked in notes.recalled(words))
            others = [path for path in recalled if path != buffer.path][:MAX_FIXES]
        for path in others:
            edit = TextEdit(buffer.range(span), notes.written(path, buffer.path, span.form))
            change = WorkspaceEdit(changes={uri(buffer.path): [edit]})
            yield CodeAction(f"Link to {path}", QUICK_FIX, found, edit=change)
        if each.code == BROKEN and (new_path := _new_note(buffer, span)):
            options = CreateFileOptions(ignore_if_exists=True)
            change = WorkspaceEdit(
                document_changes=[CreateFile(uri(new_path), options=options)]
            )
            yield CodeAction(f"Create {new_path}", QUICK_FIX, found, edit=change)


def _new_note(buffer: Buffer, span: LinkSpan) -> str | None:
    """Return the path of the note that a broken link asks for; None outside the vault and for a
    hidden file.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(buffer.path), span.target))
    if re.search(r"(^|/)[./]", path):
        return None
    return path if path.lower().endswith(NOTE_SUFFIXES) else f"{path}.md"


def _add_reading(server: EditorServer) -> None:
    @server.feature(TEXT_DOCUMENT_HOVER)
    def hover(params: HoverParams) -> Hover | None:
        path, heading = server.linked(params.text_document.uri, params.position)
        is_here = not path or server.uri(path) == params.text_document.uri
        return None if is_here else Hover(_markdown(server.passage(path, heading)))

    @server.feature(TEXT_DOCUMENT_DEFINITION)
    def definition(params: DefinitionParams) -> Location | None:
        path, heading = server.linked(params.text_document.uri, params.position)
        if not (buffer := server.buffer(server.uri(path))):
            return None
        section = section_named(buffer.unix, heading)
        return Location(server.uri(path), _start(section.line if section else 1))

    @server.feature(TEXT_DOCUMENT_REFERENCES)
    def references(params: ReferenceParams) -> list[Location]:
        path, _ = server.linked(params.text_document.uri, params.position)
        return server.ask(lambda notes: _backlinks(server, notes, path))

    @server.feature(WORKSPACE_SYMBOL)
    def symbols(params: WorkspaceSymbolParams) -> list[WorkspaceSymbol]:
        if not params.query.strip():
            return []
        return [
            WorkspaceSymbol(
                Location(server.uri(each.path), _start(each.line)),
                each.title,
                SymbolKind.File,
                container_name=" › ".join((each.path, *each.heading)),
            )
            for each in server.ask(lambda notes: notes.recalled(params.query, whole=True))
        ]


def _add_writing(server: EditorServer) -> None:
    @server.feature(
        TEXT_DOCUMENT_COMPLETION,
        CompletionOptions(trigger_characters=["["], resolve_provider=True),
    )
    def complete(params: CompletionParams) -> CompletionList:
        buffer = server.buffer(params.text_document.uri)
        begun = buffer.open_link(params.position) if buffer else None
        items = (
            server.ask(lambda notes: _items(notes, buffer, *begun)) if buffer and begun else []
        )
        # The order depends on what is typed, so the editor asks again with each character.
        return CompletionList(is_incomplete=bool(begun), items=items)

    @server.feature(COMPLETION_ITEM_RESOLVE)
    def resolve(item: CompletionItem) -> CompletionItem:
        item.documentation = _markdown(server.passage(str(item.data), ""))
        return item

    @server.feature(TEXT_DOCUMENT_RENAME)
    def rename(params: RenameParams) -> WorkspaceEdit:
        path, _ = server.linked(params.text_document.uri, params.position)
        after = server.rename(path, params.new_name) if path else ""
        is_here = server.uri(path) == params.text_document.uri
        window = server.client_capabilities.window
        if after and is_here and window and window.show_document:
            server.window_show_document(ShowDocumentParams(server.uri(after), take_focus=True))
        # The files are changed already; the editor reads them again.
        return WorkspaceEdit(document_changes=[])


def _items(notes: Notes, buffer: Buffer, start: int, typed: str) -> list[CompletionItem]:
    end = start + len(typed)
    closing = "" if buffer.text.startswith("]]", end) else "]]"
    where = Range(buffer.position(start), buffer.position(end))
    context = buffer.around(start).replace(f"[[{typed}", " ")
    return [
        CompletionItem(
            label=notes.title(path),
            kind=CompletionItemKind.File,
            detail=path,
            sort_text=f"{rank:03}",
            # An editor that filters by itself keeps what was found by an alias or by the text of
            # the note.
            filter_text=f"{typed} {notes.title(path)}".strip(),
            text_edit=TextEdit(where, f"{notes.written(path, buffer.path)}{closing}"),
            data=path,
        )
        for rank, path in enumerate(notes.completions(typed, context, buffer.path))
    ]


def _backlinks(server: EditorServer, notes: Notes, path: str) -> list[Location]:
    sources = filter(None, (server.buffer(server.uri(source)) for source in notes.linked(path)))
    return [
        Location(server.uri(source.path), source.range(span))
        for source in sources
        for span in source.links
        if notes.target(span, source.path) == path
    ]


def _markdown(text: str) -> MarkupContent:
    return MarkupContent(MarkupKind.Markdown, text)


def _start(line: int) -> Range:
    """Return the start of a line, counted from 1."""
    return Range(Position(line - 1, 0), Position(line - 1, 0))
