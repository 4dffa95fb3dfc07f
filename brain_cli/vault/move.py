"""Plan the moves of notes within a vault so that every link still leads to the same note. Nothing is written here."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from brain_cli.errors import BrainError
from brain_cli.types import Link, NoteMetadata
from brain_cli.vault.atomic_write import read_note
from brain_cli.vault.change_journal import FileChange
from brain_cli.vault.relink import LinkRewriter, Move, relinked
from brain_cli.vault.resolve import NameTable
from brain_cli.vault.round_trip import round_trip_text

LinkedNote = tuple[NoteMetadata, list[Link]]
# An edit of a note's bytes that is made together with its move.
ByteEdit = Callable[[bytes], bytes]
NO_EDITS: Mapping[str, ByteEdit] = MappingProxyType({})


def plan_moves(
    vault: str, moves: Mapping[str, str], notes: Iterable[LinkedNote], edits: Mapping[str, ByteEdit] = NO_EDITS
) -> tuple[FileChange, ...]:
    """Return the changes that move notes (path → new path), given all notes of the vault and their links.

    The changes of linking notes come first, those of moved notes last. BrainError if a new path is taken.
    """
    known = list(notes)
    rewriter = LinkRewriter(
        moves,
        {after: before for before, after in moves.items()},
        NameTable(metadata for metadata, _ in known),
        NameTable(metadata._replace(path=moves.get(metadata.path, metadata.path)) for metadata, _ in known),
        lambda path: not path.startswith("..") and os.path.exists(os.path.join(vault, path)),
    )
    for new in moves.values():
        if os.path.lexists(os.path.join(vault, new)):
            raise BrainError(f"There is another note at {new} already.", "Rename one of the two.")
    moved = [_change(vault, Move(*move), rewriter, edits.get(move[0])) for move in moves.items()]
    return (*_linking_notes(vault, known, rewriter), *moved)


def _linking_notes(vault: str, known: list[LinkedNote], rewriter: LinkRewriter) -> Iterator[FileChange]:
    for metadata, links in known:
        source = Move(metadata.path, metadata.path)
        if metadata.path in rewriter.moves or not _needs_rewriting(links, source, rewriter):
            continue
        # A note that was deleted or became unreadable since it was listed is not changed.
        with contextlib.suppress(OSError, BrainError):
            change = _change(vault, source, rewriter)
            if change.before != change.after:
                yield change


def _needs_rewriting(links: list[Link], source: Move, rewriter: LinkRewriter) -> bool:
    """Return whether any link of a note has to be rewritten."""
    for link in links:
        destination = rewriter.destination(link.target, source)
        if destination and not rewriter.is_still_valid(link.target, source, destination, as_path=True, as_address=True):
            return True
    return False


def _change(vault: str, source: Move, rewriter: LinkRewriter, edit: ByteEdit | None = None) -> FileChange:
    raw = read_note(vault, source.before)
    mtime_ns = os.stat(os.path.join(vault, source.before)).st_mtime_ns
    after = edit(raw) if edit else raw
    # A note whose bytes cannot be written back unchanged keeps its links.
    with contextlib.suppress(ValueError):
        file = round_trip_text(after)
        after = file.write(relinked(file.text, source, rewriter))
    return FileChange(source.before, source.after, raw, after, mtime_ns)
