"""Open a vault as it was on a day, or at a commit: its notes of then, in the cache, with an index
of their own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.errors import UsageError
from brain_cli.index.directory import index_directory_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.dates import only_span, time_ago
from brain_cli.streams import say
from brain_cli.types import SECONDS_PER_DAY, stem
from brain_cli.vault.dates import written_time
from brain_cli.vault.decode import as_read
from brain_cli.vault.git import repository_root
from brain_cli.vault.past import FormerCommit, begins, commit_at, files_of, text_at
from brain_cli.vault.validity import written_day

if TYPE_CHECKING:
    from brain_cli.library.vault import Vault

# So many former states of a vault stay in the cache.
MAX_KEPT = 4


def vault_at(vault: Vault, as_of: str) -> Vault:
    """Return a vault as it was: at the end of a day, or at a commit or tag."""
    is_tracked = repository_root(vault.folder) is not None
    moment = _moment(vault, as_of)
    commit = None
    if moment is None:
        commit = commit_at(vault.folder, as_of, "--") if is_tracked else None
        if commit is None:
            raise UsageError(
                f"“{as_of}” is neither a date nor a commit.",
                "Write 2026-06-01, or name a commit.",
            )
        moment = commit.at
    elif is_tracked and moment < vault.now:
        commit = commit_at(vault.folder, f"--before=@{int(moment)}", "--", ".")
    past = vault.replaced(now=moment, past=vault.folder)
    if moment >= vault.now:
        return past
    if commit:
        return past.replaced(past=_of_commit(past, commit))
    return past.replaced(past=_of_day(past, vault.clock.local))


def _moment(vault: Vault, as_of: str) -> float | None:
    """Return the moment that a text names, the last one of a day, week, month or year; None for
    other texts.
    """
    clock = vault.clock
    ago = time_ago(as_of, clock)
    if ago is not None:
        return clock.moment(ago)
    written = written_time(as_of)
    if written and written.offset is not None:
        return written.moment
    if written and len(as_of.strip()) > len("2026-06-01"):
        return clock.moment(written.local)
    span = only_span(as_of, clock)
    return clock.moment(span.before - 1) if span else None


def _of_commit(vault: Vault, commit: FormerCommit) -> str:
    """Return the folder with the notes of a commit."""
    folder = _folder(vault, commit.hash[:16])
    say(f"As of {written_day(commit.at)}: the notes of commit {commit.hash[:8]}.")
    if not folder.is_dir():
        _write(folder, files_of(vault.folder, commit))
    return str(folder)


def _of_day(vault: Vault, today: float) -> str:
    """Return the folder with today's notes, without what came after a day."""
    local = vault.clock.local
    say(f"As of {written_day(local)}: today's texts, without what is dated later.")

    def ask(snapshot: Snapshot) -> str:
        table = snapshot.note_table
        states = sorted(zip(table.values("path"), table.values("content_hash"), strict=True))
        read = repr((local, today // SECONDS_PER_DAY, states))
        key = blake2b(read.encode("utf-8", "surrogatepass"), digest_size=8)
        folder = _folder(vault, key.hexdigest())
        if folder.is_dir():
            return str(folder)
        kept = []
        later = []
        for note_id in table.rows:
            metadata = table.metadata(note_id)
            is_stated = table.stated_date(note_id) is not None
            sections = [date for _, date in table.section_dates(note_id)]
            since = begins(metadata, vault.zone, sections, is_stated=is_stated)
            if since is not None and since > local:
                later += [metadata.title, stem(metadata.path)]
            else:
                kept.append((metadata.path, metadata.timestamp))
        _write(
            folder,
            _texts(vault.folder, kept, partial(text_at, local=local, today=today, later=later)),
        )
        return str(folder)

    now = vault.replaced(past="")
    return now.ask(ask, touch=False)


def _texts(
    vault: str, notes: Iterable[tuple[str, float]], as_it_was: Callable[[str], str]
) -> Iterable[tuple[str, bytes, float]]:
    for path, modified in notes:
        try:
            raw = Path(vault, path).read_bytes()
        except OSError:
            continue
        yield path, as_it_was(as_read(raw)).encode("utf-8", "surrogateescape"), modified


def _folder(vault: Vault, key: str) -> Path:
    """Return the folder of one former state; the oldest of too many are removed."""
    own = index_directory_of(vault.folder, vault.cache_home).folder
    states = own.parent / "past" / own.name
    found = states / key / "notes"
    if not found.is_dir():
        by_age = sorted(states.glob("*"), key=lambda each: -each.stat().st_mtime)
        for each in by_age[MAX_KEPT - 1 :]:
            index = index_directory_of(str(each / "notes"), vault.cache_home).folder
            shutil.rmtree(index, ignore_errors=True)
            shutil.rmtree(each, ignore_errors=True)
    return found


def _write(folder: Path, files: Iterable[tuple[str, bytes, float]]) -> None:
    """Write notes into a new folder, which appears complete."""
    building = folder.with_name(f"building-{os.getpid()}")
    for path, raw, modified in files:
        file = building / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        os.utime(file, (modified, modified))
    building.mkdir(parents=True, exist_ok=True)
    try:
        building.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(building, ignore_errors=True)
