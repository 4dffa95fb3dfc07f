"""An editor talks to `brain lsp` over stdio: it completes, shows, follows, checks and renames links
in real files.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from conftest import Brain
from growth import assert_linear
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.workspace import PositionCodec

from brain_cli.plugins.lsp.notes import Buffer

Result = TypeVar("Result")
SECONDS = 60
ASKED: list[dict[str, Any]] = [
    {
        "method": "initialize",
        "id": 1,
        "params": {"capabilities": {}, "rootUri": None, "processId": None},
    },
    {"method": "shutdown", "id": 2},
    {"method": "exit"},
]
NOTES = {
    "decisions/grpc.md": """\
---
title: Switch to gRPC
aliases: [remote calls]
---
# Switch to gRPC

Services call each other with gRPC, because contracts are checked.

## Deadlines

Every call has a deadline of two seconds.
""",
    "decisions/rest.md": "# REST for internal services\n\nServices call each other over REST.\n",
    "decisions/grpc-2.md": "---\nsupersedes: decisions/rest.md\n---\n# Contracts first\n\nWe replaced REST.\n",
    "kitchen/bread.md": "# Sourdough bread\n\nFlour, water, salt and a starter; the dough rests overnight.\n",
    "kitchen/plan.md": "# Plan\n\nWhat we bake.\n",
    "work/plan.md": "# Plan of the year\n\nHire two people. See [[grpc#Deadlines]] and [[bread|the loaf]].\n",
    "links.md": """\
# Links

See [[grpc]], [the loaf](kitchen/bread.md), [[nowhere]], [[rest]] and [[plan]].

```
[[in code]]
```
""",
}


# What a user of Neovim has in his settings, and then the requests that his keys send.
NEOVIM = """
local client = vim.lsp.start_client({
  name = "brain", cmd = {os.getenv("PYTHON"), "-m", "brain_cli", "lsp"}, cmd_env = {BRAIN_VAULT = vim.fn.getcwd()},
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, client)
vim.wait(60000, function() return #vim.diagnostic.get(0) == 3 end, 50)
local function ask(method, line, column)
  local where = {textDocument = vim.lsp.util.make_text_document_params(), position = {line = line, character = column}}
  return vim.lsp.buf_request_sync(0, method, where, 60000)[client].result
end
local found = {problems = vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(0))}
found.definition = ask("textDocument/definition", 2, 7).uri
vim.api.nvim_buf_set_lines(0, 0, -1, false, {"The dough of flour and water rests overnight: [["})
found.first = ask("textDocument/completion", 0, 48).items[1].label
vim.fn.writefile({vim.fn.json_encode(found)}, os.getenv("FOUND"))
"""
ROOT = Path(__file__).parents[3]


def write_notes(vault: Path) -> None:
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, "utf-8")


class Editor:
    """A client of one server, run from tests that are not asynchronous."""

    def __init__(self, brain: Brain, vault: Path) -> None:
        self.vault, self.brain = vault, brain
        self._loop = asyncio.new_event_loop()
        self.client = LanguageClient("editor", "1")
        self.problems: dict[str, list[lsp.Diagnostic]] = {}
        self.messages: list[str] = []

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            self.problems[params.uri] = list(params.diagnostics)

        @self.client.feature(lsp.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def show(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

    def start(self) -> None:
        self.wait(self._start)

    async def _start(self) -> None:
        command = [sys.executable, "-m", "brain_cli", "lsp", "--vault", str(self.vault)]
        await self.client.start_io(*command, env=self.brain.environ())
        capabilities = lsp.ClientCapabilities(general=lsp.GeneralClientCapabilities())
        await self.client.initialize_async(
            lsp.InitializeParams(capabilities, root_uri=self.vault.as_uri())
        )
        self.client.initialized(lsp.InitializedParams())

    def stop(self) -> None:
        self.wait(self._stop)
        self._loop.close()

    async def _stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]

    def wait(self, request: Callable[[], Awaitable[Result]]) -> Result:
        async def bounded() -> Result:
            return await asyncio.wait_for(request(), SECONDS)

        return self._loop.run_until_complete(bounded())

    def uri(self, path: str) -> str:
        return (self.vault / path).as_uri()

    def open(self, path: str, text: str | None = None) -> None:
        """Open a note, with another text than its file has if one is given."""
        text = (self.vault / path).read_text("utf-8") if text is None else text
        self.problems.pop(self.uri(path), None)
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(
                lsp.TextDocumentItem(self.uri(path), "markdown", 1, text)
            )
        )

    def close(self, path: str) -> None:
        self.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(self.uri(path)))
        )

    def at(self, path: str, line: int, column: int) -> dict[str, Any]:
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri(path)),
            "position": lsp.Position(line, column),
        }

    def completions(self, path: str, text: str) -> list[lsp.CompletionItem]:
        """Type a text, with `|` where the cursor is, and complete there."""
        before, after = text.split("|")
        self.open(path, before + after)
        position = lsp.Position(before.count("\n"), len(before.rpartition("\n")[2]))
        params = lsp.CompletionParams(lsp.TextDocumentIdentifier(self.uri(path)), position)
        found = self.wait(lambda: self.client.text_document_completion_async(params))
        self.close(path)
        return list(found.items) if isinstance(found, lsp.CompletionList) else []

    def checked(self, path: str) -> list[lsp.Diagnostic]:
        """Return what is wrong with an open note, when the server has said so."""

        async def published() -> None:
            while self.uri(path) not in self.problems:
                await asyncio.sleep(0.01)

        self.wait(published)
        return self.problems[self.uri(path)]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Return the client of one server for all tests of this file; a test that changes notes undoes
    it.
    """
    folder = tmp_path_factory.mktemp("editor")
    vault = folder / "vault"
    write_notes(vault)
    editor = Editor(Brain(folder / "home", folder / "cache"), vault)
    editor.start()
    yield editor
    editor.stop()


def labels(items: list[lsp.CompletionItem]) -> list[str]:
    return [item.label for item in sorted(items, key=lambda item: item.sort_text or "")]


def test_what_the_paragraph_is_about_is_completed_first(editor: Editor) -> None:
    about_bread = editor.completions(
        "new.md", "# New\n\nThe dough of flour and water rests overnight, as in [[|\n"
    )
    about_calls = editor.completions(
        "new.md", "# New\n\nThe services call each other with checked contracts: [[|\n"
    )
    assert labels(about_bread)[0] == "Sourdough bread"
    assert labels(about_calls)[0] == "Switch to gRPC"


def test_typed_letters_are_found_in_titles_and_aliases(editor: Editor) -> None:
    assert labels(editor.completions("new.md", "See [[remote|")) == ["Switch to gRPC"]
    [bread] = editor.completions("new.md", "See [[sourd|")
    assert bread.text_edit == lsp.TextEdit(
        lsp.Range(lsp.Position(0, 6), lsp.Position(0, 11)), "bread]]"
    )


def test_brackets_that_are_there_are_not_added_again(editor: Editor) -> None:
    [bread] = editor.completions("new.md", "See [[sourd|]]")
    assert bread.text_edit
    assert bread.text_edit.new_text == "bread"


def test_a_name_of_two_notes_is_completed_with_its_path(editor: Editor) -> None:
    found = editor.completions("new.md", "[[plan|")
    assert {item.text_edit.new_text for item in found if item.text_edit} >= {
        "kitchen/plan]]",
        "work/plan]]",
    }


def test_columns_are_counted_as_the_editor_counts_them(editor: Editor) -> None:
    text = "😋😋 [[sourd"
    editor.open("new.md", text)
    params = lsp.CompletionParams(**editor.at("new.md", 0, len(text) + 2))
    found = editor.wait(lambda: editor.client.text_document_completion_async(params))
    editor.close("new.md")
    assert isinstance(found, lsp.CompletionList)
    assert found.items[0].text_edit
    assert found.items[0].text_edit.range.start.character == 7  # type: ignore[union-attr]


def test_nothing_is_completed_outside_a_link(editor: Editor) -> None:
    assert editor.completions("new.md", "No link [here|") == []
    assert editor.completions("new.md", "Done: [[bread]] and|") == []


def test_a_hover_shows_the_passage_of_the_linked_note(editor: Editor) -> None:
    editor.open("work/plan.md")
    column = NOTES["work/plan.md"].split("\n")[2].index("Deadlines")
    shown = editor.wait(
        lambda: editor.client.text_document_hover_async(
            lsp.HoverParams(**editor.at("work/plan.md", 2, column))
        )
    )
    editor.close("work/plan.md")
    assert shown
    assert isinstance(shown.contents, lsp.MarkupContent)
    assert "**Switch to gRPC** · `decisions/grpc.md`" in shown.contents.value
    assert "deadline of two seconds" in shown.contents.value
    assert "Services call" not in shown.contents.value


def test_a_definition_is_the_heading_that_the_link_names(editor: Editor) -> None:
    column = NOTES["work/plan.md"].split("\n")[2].index("grpc")
    params = lsp.DefinitionParams(**editor.at("work/plan.md", 2, column))
    found = editor.wait(lambda: editor.client.text_document_definition_async(params))
    assert isinstance(found, lsp.Location)
    assert (found.uri, found.range.start.line) == (editor.uri("decisions/grpc.md"), 8)


def test_references_are_the_links_to_the_note(editor: Editor) -> None:
    params = lsp.ReferenceParams(
        lsp.ReferenceContext(True), **editor.at("kitchen/bread.md", 0, 0)
    )
    found = editor.wait(lambda: editor.client.text_document_references_async(params))
    assert [(each.uri, each.range.start.line) for each in found or []] == [
        (editor.uri("links.md"), 2),
        (editor.uri("work/plan.md"), 2),
    ]


def test_links_that_are_broken_superseded_or_ambiguous_are_marked(editor: Editor) -> None:
    editor.open("links.md")
    found = editor.checked("links.md")
    editor.close("links.md")
    line = NOTES["links.md"].split("\n")[2]
    assert [
        (each.code, line[each.range.start.character : each.range.end.character])
        for each in found
    ] == [
        ("broken", "nowhere"),
        ("superseded", "rest"),
        ("ambiguous", "plan"),
    ]
    assert found[1].message == "decisions/rest.md is superseded by decisions/grpc-2.md."


def actions(editor: Editor, path: str, text: str, word: str) -> dict[str, lsp.CodeAction]:
    editor.open(path, text)
    start = lsp.Position(0, text.index(word))
    params = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier(editor.uri(path)),
        lsp.Range(start, start),
        lsp.CodeActionContext([]),
    )
    found = editor.wait(lambda: editor.client.text_document_code_action_async(params))
    editor.close(path)
    return {each.title: each for each in found or [] if isinstance(each, lsp.CodeAction)}


def test_a_superseded_link_can_be_led_to_the_successor(editor: Editor) -> None:
    [(title, action)] = actions(editor, "new.md", "See [[rest]].", "rest").items()
    assert title == "Link to decisions/grpc-2.md"
    assert action.edit
    assert action.edit.changes
    assert action.edit.changes[editor.uri("new.md")][0].new_text == "grpc-2"


def test_a_broken_link_can_be_led_elsewhere_or_its_note_be_made(editor: Editor) -> None:
    found = actions(editor, "work/new.md", "See [[sourdough-loaf]].", "loaf")
    assert next(iter(found)) == "Link to kitchen/bread.md"
    assert "Create work/sourdough-loaf.md" in found
    assert not any(
        title.startswith("Create")
        for title in actions(editor, "new.md", "See [[../secret]].", "secret")
    )


def test_workspace_symbols_are_recalled(editor: Editor) -> None:
    params = lsp.WorkspaceSymbolParams("what deadline has a call")
    [first, *_] = editor.wait(lambda: editor.client.workspace_symbol_async(params)) or []
    assert (first.name, first.container_name) == (
        "Switch to gRPC",
        "decisions/grpc.md › Switch to gRPC › Deadlines",
    )
    assert first.location == lsp.Location(
        editor.uri("decisions/grpc.md"), lsp.Range(lsp.Position(8, 0), lsp.Position(8, 0))
    )


def test_a_file_outside_the_vault_gets_no_answer(editor: Editor) -> None:
    outside = editor.vault.parent / "outside.md"
    outside.write_text("[[grpc", "utf-8")
    assert editor.completions("../outside.md", "[[grpc|") == []


def test_a_text_without_a_file_gets_no_answer(editor: Editor) -> None:
    where = lsp.TextDocumentIdentifier("untitled:Untitled-1")
    editor.client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(where.uri, "markdown", 1, "[[grpc"))
    )
    params = lsp.CompletionParams(where, lsp.Position(0, 6))
    found = editor.wait(lambda: editor.client.text_document_completion_async(params))
    editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(where))
    assert isinstance(found, lsp.CompletionList)
    assert not found.items


def rename(editor: Editor, path: str, line: int, column: int, name: str) -> object:
    params = lsp.RenameParams(new_name=name, **editor.at(path, line, column))
    return editor.wait(lambda: editor.client.text_document_rename_async(params))


def test_a_rename_repairs_the_links_and_can_be_undone(editor: Editor) -> None:
    before = {path: (editor.vault / path).read_bytes() for path in NOTES}
    rename(editor, "kitchen/bread.md", 0, 0, "sourdough")
    assert not (editor.vault / "kitchen/bread.md").exists()
    assert "[[sourdough|the loaf]]" in (editor.vault / "work/plan.md").read_text()
    assert "(kitchen/sourdough.md)" in (editor.vault / "links.md").read_text()
    done = "Moved kitchen/bread.md to kitchen/sourdough.md (its links in 2 notes follow). To undo: brain undo"
    assert editor.messages == [done]
    undone = editor.brain("undo", "--vault", editor.vault)
    assert undone.code == 0, undone.err
    assert {path: (editor.vault / path).read_bytes() for path in NOTES} == before


def test_a_rename_refuses_while_notes_are_unsaved(editor: Editor) -> None:
    editor.open("links.md", "# Links\n\nUnsaved [[bread]].\n")
    with pytest.raises(JsonRpcException, match=r"Save links\.md first"):
        rename(editor, "kitchen/bread.md", 0, 0, "sourdough")
    editor.close("links.md")
    with pytest.raises(JsonRpcException, match="outside the vault"):
        rename(editor, "kitchen/bread.md", 0, 0, "../../bread")
    with pytest.raises(JsonRpcException, match="already"):
        rename(editor, "kitchen/bread.md", 0, 0, "plan")
    assert (editor.vault / "kitchen/bread.md").exists()


@pytest.mark.exhaustive
def test_without_pygls_the_command_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "pygls").mkdir()
    (tmp_path / "pygls/__init__.py").write_text("raise ModuleNotFoundError(name='pygls')")
    done = subprocess.run(
        [sys.executable, "-m", "brain_cli", "lsp", "--vault", tmp_path / "vault"],
        env=Brain(tmp_path / "home", tmp_path / "cache").environ(
            PYTHONPATH=f"{tmp_path}:{ROOT}"
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "brain: The package pygls is not installed." in done.stderr
    assert "lsp" in done.stderr


@pytest.mark.exhaustive
def test_neovim_completes_checks_and_follows_links(tmp_path: Path) -> None:
    if not shutil.which("nvim"):
        pytest.skip("Neovim is not installed")
    write_notes(tmp_path / "vault")
    script, found = tmp_path / "try.lua", tmp_path / "found.json"
    script.write_text(NEOVIM, "utf-8")
    environ = Brain(tmp_path / "home", tmp_path / "cache").environ(
        PYTHON=sys.executable, FOUND=str(found)
    )
    command = [
        "nvim",
        "--headless",
        "--clean",
        "-c",
        f"luafile {script}",
        "-c",
        "qa!",
        "links.md",
    ]
    subprocess.run(
        command,
        cwd=tmp_path / "vault",
        env=environ,
        check=True,
        timeout=120,
        capture_output=True,
    )
    answers = json.loads(found.read_text("utf-8"))
    assert answers["problems"] == ["broken", "superseded", "ambiguous"]
    assert answers["first"] == "Sourdough bread"
    assert answers["definition"].endswith("/vault/decisions/grpc.md")


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb", "é\u2028😋x\n\ny", "\n\n"])
def test_every_offset_has_one_position(text: str) -> None:
    buffer = Buffer("a.md", text, PositionCodec())
    offsets = [
        offset for offset in range(len(text) + 1) if text[offset - 1 : offset + 1] != "\r\n"
    ]
    assert [buffer.offset(buffer.position(offset)) for offset in offsets] == offsets


def test_a_message_that_is_too_long_is_skipped_and_the_next_one_answered(
    brain: Brain, tmp_path: Path
) -> None:
    write_notes(tmp_path)
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in ASKED]
    messages = [b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies]
    done = subprocess.run(
        [sys.executable, "-m", "brain_cli", "lsp", "--vault", str(tmp_path)],
        input=b"Content-Length: 99999999999\r\n\r\n{}".join([b"", *messages]),
        capture_output=True,
        env=brain.environ(),
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, b'"id": 2' in done.stdout.replace(b'"id":2', b'"id": 2')) == (
        0,
        True,
    )
    skipped = "A message was skipped, because its Content-Length “99999999999” is not usable."
    assert done.stderr.decode().count(skipped) == 3


@pytest.mark.parametrize("length", ["-5", "abc", "", "1e3", "12 34"])
def test_a_message_with_a_wrong_length_gets_an_error_and_the_next_one_an_answer(
    brain: Brain, tmp_path: Path, length: str
) -> None:
    wrong = f"Content-Length: {length}\r\n\r\n{{}}".encode()
    out = answered_to(brain, tmp_path, [wrong, b"", b""], b"Content-Length: ")
    assert out.count(b'"id": null, "error"') == 1
    assert b'"id":2' in out.replace(b" ", b"")


@pytest.mark.parametrize(
    "header", [b"content-length: ", b"Content-Length:", b"CONTENT-LENGTH:  "]
)
def test_a_header_may_be_written_in_any_way(
    brain: Brain, tmp_path: Path, header: bytes
) -> None:
    assert b'"id":2' in answered_to(brain, tmp_path, [b"", b"", b""], header).replace(b" ", b"")


def answered_to(brain: Brain, vault: Path, before: list[bytes], header: bytes) -> bytes:
    """Return what the server writes for three requests, each with some bytes before it."""
    write_notes(vault)
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in ASKED]
    messages = [header + b"%d\r\n\r\n%s" % (len(body), body) for body in bodies]
    done = subprocess.run(
        [sys.executable, "-m", "brain_cli", "lsp", "--vault", str(vault)],
        input=b"".join(some + message for some, message in zip(before, messages, strict=True)),
        capture_output=True,
        env=brain.environ(),
        timeout=SECONDS,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("link", ["[[no such {}]]", "[x](no-such-{}.md)", "![[no {}#h]]"])
def test_a_line_of_broken_links_takes_linear_time(link: str) -> None:
    def buffer(count: int) -> Buffer:
        text = " ".join(link.format(number) for number in range(count))
        return Buffer("x.md", text, PositionCodec())

    def ranges(buffer: Buffer) -> list[lsp.Range]:
        return [buffer.range(span) for span in buffer.links]

    assert_linear(ranges, buffer, 500)
