"""Which files of a folder are notes, and that none is waited for or followed out of it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brain_cli.index.sync_plan import MAX_BYTES, read_source
from brain_cli.vault.walk import FRESH_NS, File, Listing, walk, walk_from

if TYPE_CHECKING:
    from conftest import Vault

Warnings = list[tuple[str, str]]


def listed(vault: Path, warnings: Warnings | None = None) -> list[str]:
    """The paths of the notes of a folder."""
    told = warnings if warnings is not None else []
    return [file.path for file in walk(str(vault), lambda path, why: told.append((path, why)))]


def put(vault: Path, *paths: str, text: str = "text") -> None:
    for path in paths:
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text)


def test_notes_are_listed_in_order_with_size_and_time(tmp_path: Path) -> None:
    put(tmp_path, "b.md", "a/c.markdown", "a/B.MD", "a/d.txt", "md")
    os.utime(tmp_path / "b.md", ns=(0, -1))
    assert listed(tmp_path) == ["a/B.MD", "a/c.markdown", "b.md"]
    assert walk(str(tmp_path), lambda *_: None)[-1] == File("b.md", 4, -1)


def test_hidden_files_and_installed_packages_are_not_notes(tmp_path: Path) -> None:
    put(
        tmp_path,
        ".a.md",
        ".git/a.md",
        ".obsidian/b/a.md",
        "x/node_modules/a.md",
        "x/.md",
        "x/a.md",
    )
    assert listed(tmp_path) == ["x/a.md"]


@pytest.mark.parametrize("name", [".gitignore", ".brainignore"])
def test_ignore_files_work_as_in_git(tmp_path: Path, name: str) -> None:
    put(
        tmp_path,
        "a.md",
        "drafts/a.md",
        "x/drafts/a.md",
        "x/keep.md",
        "x/tmp-1.md",
        "x/tmp-2.md",
        "x/y/only.md",
    )
    put(tmp_path, name, text="# comment\n/drafts/\ntmp-*.md\n!tmp-2.md\nx/y/*\n")
    assert listed(tmp_path) == ["a.md", "x/drafts/a.md", "x/keep.md", "x/tmp-2.md"]


def test_the_nearest_ignore_file_has_the_last_word(tmp_path: Path) -> None:
    put(tmp_path, "x/a.md", "x/b.md", "y/a.md")
    put(tmp_path, ".gitignore", text="a.md\n")
    put(tmp_path, "x/.gitignore", text="!a.md\nb.md\n")
    assert listed(tmp_path) == ["x/a.md"]


def test_no_file_inside_an_ignored_folder_can_be_included_again(tmp_path: Path) -> None:
    put(tmp_path, "x/a.md", "b.md")
    put(tmp_path, ".gitignore", text="x/\n!x/a.md\n")
    put(tmp_path, "x/.gitignore", text="!a.md\n")
    assert listed(tmp_path) == ["b.md"]


def test_everything_but_some_can_be_ignored(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "notes/b.md", "other/c.md")
    put(tmp_path, ".brainignore", text="/*\n!/notes/\n")
    assert listed(tmp_path) == ["notes/b.md"]


@pytest.mark.parametrize(
    "junk", [b"!\n\\\n[z-a]\nfoo\\\na.md\n", b"\xff\xfe\na.md\n", b"\xef\xbb\xbfa.md\r\n"]
)
def test_a_line_that_is_not_a_pattern_does_not_affect_the_others(
    tmp_path: Path, junk: bytes
) -> None:
    put(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_bytes(junk)
    assert listed(tmp_path) == ["b.md"]


def test_an_ignore_file_that_is_a_folder_a_link_or_a_pipe_is_skipped(tmp_path: Path) -> None:
    put(tmp_path, "vault/a.md", "vault/x/a.md", "vault/y/a.md")
    put(tmp_path, "patterns", text="*.md\n")
    (tmp_path / "vault/.gitignore").mkdir()
    (tmp_path / "vault/x/.gitignore").symlink_to(tmp_path / "patterns")
    os.mkfifo(tmp_path / "vault/y/.gitignore")
    assert listed(tmp_path / "vault") == ["a.md", "x/a.md", "y/a.md"]


def test_folders_may_nest_deeper_than_calls_can(tmp_path: Path) -> None:
    put(tmp_path, "top.md")
    deep = "d/" * 1_500
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(1_500):
            os.mkdir("d")
            os.chdir("d")
        Path("deep.md").touch()
        assert listed(tmp_path) == [deep + "deep.md", "top.md"]
        os.unlink("deep.md")
    finally:
        os.chdir(before)
    # What cleans up after the tests goes down by calls.
    os.removedirs(tmp_path / deep)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_reported_once(tmp_path: Path) -> None:
    put(tmp_path, "closed/a.md", "b.md")
    (tmp_path / "closed").chmod(0)
    warnings: Warnings = []
    assert listed(tmp_path, warnings) == ["b.md"]
    (tmp_path / "closed").chmod(0o700)
    assert warnings == [("closed", "it cannot be read: permission denied")]


def test_a_missing_vault_is_reported(tmp_path: Path) -> None:
    warnings: Warnings = []
    assert listed(tmp_path / "nowhere", warnings) == []
    assert warnings == [(".", "it cannot be read: no such file or directory")]


def read_sources(vault: Path, paths: list[str]) -> tuple[dict[str, bytes], Warnings]:
    """Return the bytes that are read from some listed paths, and the warnings."""
    warnings: Warnings = []
    files = [File(path, 1, 1) for path in paths]
    read = (
        read_source(str(vault), file, lambda path, why: warnings.append((path, why)))
        for file in files
    )
    return {source.file.path: source.raw or b"" for source in read if source}, warnings


def test_a_file_that_turned_into_something_else_since_it_was_listed_is_not_read(
    tmp_path: Path,
) -> None:
    put(tmp_path, "outside.md", "vault/a.md")
    vault = tmp_path / "vault"
    (vault / "link.md").symlink_to(tmp_path / "outside.md")
    (vault / "folder.md").mkdir()
    os.mkfifo(vault / "pipe.md")
    writer = os.open(vault / "pipe.md", os.O_RDWR)
    try:
        read, warnings = read_sources(
            vault, ["a.md", "link.md", "folder.md", "pipe.md", "gone.md"]
        )
    finally:
        os.close(writer)
    assert read == {"a.md": b"text"}
    assert [path for path, _ in warnings] == ["link.md", "gone.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_note_is_reported_once(tmp_path: Path) -> None:
    put(tmp_path, "closed.md", "open.md")
    (tmp_path / "closed.md").chmod(0)
    read, warnings = read_sources(tmp_path, ["closed.md", "open.md"])
    assert list(read) == ["open.md"]
    assert warnings == [("closed.md", "it cannot be read: permission denied")]


def test_only_the_beginning_of_an_endless_file_is_read(tmp_path: Path) -> None:
    with open(tmp_path / "log.md", "wb") as log:
        log.write(b"first line\nsecond")
        log.truncate(10 * MAX_BYTES)
    read, warnings = read_sources(tmp_path, ["log.md"])
    assert len(read["log.md"]) <= MAX_BYTES
    assert warnings == [("log.md", "it is longer than 8 MB, so only its beginning is read")]


def relisted(vault: Path, before: Listing) -> Listing:
    """A second walk that starts from what the first one found."""
    states = {file.path: (file.size, file.mtime_ns) for file in before.files}
    again = walk_from(str(vault), lambda *_: None, before.verdicts, states)
    unchanged = [File(path, *states[path]) for path in again.unchanged]
    return Listing(sorted([*again.files, *unchanged]), [], again.verdicts)


def settle(vault: Path) -> None:
    """Let no ignore file be so fresh that its time says nothing."""
    time.sleep(2 * FRESH_NS / 1e9)


def test_an_unchanged_vault_is_listed_again_without_reading_its_ignore_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "a.md", "x/b.md", "x/tmp-1.md", "drafts/c.md", "images/d.png")
    put(tmp_path, ".gitignore", text="drafts/\ntmp-*\n")
    put(tmp_path, "x/.brainignore", text="*.txt\n")
    settle(tmp_path)
    first = walk_from(str(tmp_path), lambda *_: None, {}, {})
    monkeypatch.setattr(
        "brain_cli.vault.ignore.read_rules", lambda path: pytest.fail(f"{path} was read again")
    )
    assert relisted(tmp_path, first) == first
    assert [file.path for file in first.files] == ["a.md", "x/b.md"]


def test_new_names_and_changed_ignore_files_are_matched(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "x/b.md", "x/y/c.md")
    put(tmp_path, ".gitignore", text="tmp-*\n")
    settle(tmp_path)
    first = walk_from(str(tmp_path), lambda *_: None, {}, {})
    put(tmp_path, "tmp-1.md", "x/tmp-2.md", "x/new.md", "z/tmp-3.md", "z/d.md")
    second = relisted(tmp_path, first)
    assert [file.path for file in second.files] == [
        "a.md",
        "x/b.md",
        "x/new.md",
        "x/y/c.md",
        "z/d.md",
    ]
    put(tmp_path, ".gitignore", text="/x/y/\n")
    third = relisted(tmp_path, second)
    assert [file.path for file in third.files] == [
        "a.md", "tmp-1.md", "x/b.md", "x/new.md", "x/tmp-2.md", "z/d.md", "z/tmp-3.md"
    ]  # fmt: skip
    settle(tmp_path)
    fourth = relisted(tmp_path, third)
    put(tmp_path, "x/.gitignore", text="*\n")
    assert [file.path for file in relisted(tmp_path, fourth).files] == [
        "a.md",
        "tmp-1.md",
        "z/d.md",
        "z/tmp-3.md",
    ]
    (tmp_path / "x/.gitignore").unlink()
    (tmp_path / ".gitignore").unlink()
    assert len(relisted(tmp_path, fourth).files) == 8


def test_a_vault_of_another_ignore_file_forgets_the_notes_that_it_names(vault: Vault) -> None:
    vault.note("a.md", "Green tea.\n")
    vault.note("drafts/b.md", "Black tea.\n")
    (vault.folder / ".gitignore").write_text("nothing\n")
    assert vault.order("tea") == ["a", "drafts/b"]
    settle(vault.folder)
    assert vault.order("tea") == ["a", "drafts/b"]
    (vault.folder / ".gitignore").write_text("drafts\n")
    assert vault.order("tea") == ["a"]
    (vault.folder / ".gitignore").unlink()
    assert vault.order("tea") == ["a", "drafts/b"]
