"""Explain why one file is not a note of a vault: apply the rules of `walk` to a single path, with reasons."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.rule_chain import OBSIDIAN_SETTINGS, RuleChain
from brain_cli.vault.walk import IGNORE_FILES, SKIPPED_FOLDERS

NOT_THERE, HIDDEN, SKIPPED, IGNORED, SYMLINK, FOLDER, NOT_MARKDOWN, NOT_REGULAR, UNREADABLE = (
    "not there",
    "hidden",
    "skipped folder",
    "ignored",
    "symbolic link",
    "folder",
    "not markdown",
    "not a regular file",
    "unreadable",
)


class Exclusion(NamedTuple):
    """The rule that excludes a file, a sentence that explains it, and the line of an ignore file if one decides."""

    rule: str
    text: str
    file: str = ""
    line: int = 0


def exclusion_of(vault: str, path: str) -> Exclusion | None:
    """Return the first rule that excludes a file, from the vault's folder down; None if the file is a note."""
    try:
        return next(_exclusions(vault, path), None)
    except FileNotFoundError:
        return Exclusion(NOT_THERE, "there is no such file")
    except OSError as error:
        return Exclusion(UNREADABLE, f"it cannot be read: {(error.strerror or str(error)).lower()}")


def _exclusions(vault: str, path: str) -> Iterator[Exclusion]:
    """Yield the rules that exclude a path, those of the outer folders first."""
    chain = _rules(vault, "", None)
    names = path.split("/")
    for depth in range(1, len(names)):
        folder = "/".join(names[:depth])
        yield from _folder_exclusions(vault, folder, chain, f"its folder {folder}")
        chain = _rules(vault, folder, chain)
    yield from _file_exclusions(vault, path, chain)


def _folder_exclusions(vault: str, folder: str, chain: RuleChain | None, what: str) -> Iterator[Exclusion]:
    name = os.path.basename(folder)
    if os.path.islink(os.path.join(vault, folder)):
        yield Exclusion(SYMLINK, f"{what} is a symbolic link, and links are not followed")
    if name.startswith("."):
        yield Exclusion(HIDDEN, f"{what} is hidden: the name begins with a dot")
    if name in SKIPPED_FOLDERS:
        yield Exclusion(SKIPPED, f"folders named {name} are never read")
    yield from _ignored(vault, folder, chain, what, is_folder=True)


def _file_exclusions(vault: str, path: str, chain: RuleChain | None) -> Iterator[Exclusion]:
    name = os.path.basename(path)
    mode = os.lstat(os.path.join(vault, path)).st_mode
    if name.startswith("."):
        yield Exclusion(HIDDEN, "it is hidden: its name begins with a dot")
    if stat.S_ISDIR(mode):
        yield from _folder_exclusions(vault, path, chain, "it")
        yield Exclusion(FOLDER, "it is a folder")
    if not name.lower().endswith(NOTE_SUFFIXES):
        yield Exclusion(NOT_MARKDOWN, f"it is not Markdown: notes end in {' or '.join(NOTE_SUFFIXES)}")
    yield from _ignored(vault, path, chain, "it", is_folder=False)
    if stat.S_ISLNK(mode):
        yield Exclusion(SYMLINK, "it is a symbolic link, and links are not followed")
    if not stat.S_ISREG(mode):
        yield Exclusion(NOT_REGULAR, "it is not a regular file")
    with open(os.path.join(vault, path), "rb"):
        pass


def _ignored(vault: str, path: str, chain: RuleChain | None, what: str, *, is_folder: bool) -> Iterator[Exclusion]:
    decided = chain.deciding_pattern(path, is_folder) if chain else None
    if decided and not decided[1].negated:
        file, pattern = os.path.relpath(decided[0], vault), decided[1]
        yield Exclusion(
            IGNORED, f"{what} is ignored by {file}, line {pattern.line}: {pattern.written}", file, pattern.line
        )


def _rules(vault: str, folder: str, above: RuleChain | None) -> RuleChain | None:
    """Return the ignore files of a folder, followed by those above it."""
    names = IGNORE_FILES if folder else (*IGNORE_FILES, OBSIDIAN_SETTINGS)
    paths = [os.path.join(vault, folder, name) for name in names]
    paths = [path for path in paths if os.path.isfile(path) and not os.path.islink(path)]
    return RuleChain(folder, paths, above) if paths else above
