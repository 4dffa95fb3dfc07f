"""Read files into rows of the note table and weighted terms: all data of a note that depend on no
other note.

Many notes are read on all cores, in their order.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from math import isfinite
from pickle import HIGHEST_PROTOCOL, dumps, loads
from typing import Any, NamedTuple, TypeVar

from brain_cli.index import PreparedNote, Preparer
from brain_cli.index.note_names import name_terms
from brain_cli.index.note_rows import NoteRecord, NoteRow, record_line
from brain_cli.index.sync_plan import IndexedVault, Source, read_source
from brain_cli.types import FRONTMATTER, NAME, Link, Note
from brain_cli.vault.dates import section_dates
from brain_cli.vault.decode import decode
from brain_cli.vault.inline_text import plain_title
from brain_cli.vault.logseq import journal_names, title_format
from brain_cli.vault.note import parse_note, snoozed_until, unparsed_note
from brain_cli.vault.repetition import line_hashes, sketch
from brain_cli.vault.resolve import link_keys, name_keys
from brain_cli.vault.validity import has_changes, period_of
from brain_cli.vault.walk import FRESH_NS, File


class Undetermined(NamedTuple):
    """A note whose language is unknown, so that its words cannot be stemmed yet."""

    source: Source
    note: Note
    warnings: list[str]


class ReadNote(NamedTuple):
    """A note in the forms for the note table and for the index."""

    row: NoteRow
    prepared: PreparedNote
    warnings: list[str]


class NoteReader:
    """Reads the notes of one vault for one engine. It keeps no state, because each worker has a
    copy.
    """

    def __init__(self, vault: IndexedVault, engine: Preparer) -> None:
        self._vault = vault
        self._engine = engine
        self._started_ns = time.time_ns()
        self._title_format = title_format(vault.folder)

    def read(self, entry: tuple[int, Source]) -> ReadNote | Undetermined | list[str]:
        """Read a note, which gets this id; return the warnings of a file that cannot be read, or
        has stopped being a note.
        """
        note_id, source = entry
        warnings: list[str] = []
        if source.raw is None:
            found = read_source(
                self._vault.folder, source.file, lambda _, why: warnings.append(why)
            )
            if found is None:
                return warnings
            source = found
        note = self._note(source)
        known = Undetermined(source._replace(raw=None), note, warnings)
        return self.in_language(note_id, known, note.language) if note.language else known

    def in_language(self, note_id: int, known: Undetermined, language: str) -> ReadNote:
        """Prepare a note for the index. If the analyzer fails, the note gets a row
        without words.
        """
        source, note, warnings = known
        try:
            prepared = self._engine.prepare(note, language)
        except Exception as error:  # A note that fails must not affect the others.
            modified = source.file.mtime_ns / 1e9
            note = unparsed_note(source.file.path, "", modified, type(error).__name__)
            prepared = self._engine.prepare(note, language)
        row = self._row(note_id, source, note, language, sum(prepared.lengths))
        if note.warning:
            warnings = [*warnings, note.warning]
        return ReadNote(row._replace(warnings="\n".join(warnings)), prepared, warnings)

    def settled(self, file: File) -> int:
        """Return a file's time for its row; -1 if the file is so fresh that a change might not show
        in its time.
        """
        # A time in the future is safe: only a change at the present time could get the same time.
        fresh = self._started_ns - FRESH_NS <= file.mtime_ns <= time.time_ns() + FRESH_NS
        return -1 if fresh else file.mtime_ns

    def _row(
        self, note_id: int, source: Source, note: Note, language: str, length: int
    ) -> NoteRow:
        metadata = note.metadata
        texts = [fragment.text for fragment in note.fragments]
        body = "\n".join(texts)
        dates = section_dates(_headings(note))
        period = period_of(metadata.properties, metadata.timestamp + (metadata.offset or 0.0))
        record = NoteRecord(metadata, list(note.links), sketch(body), line_hashes(body))
        links = (*note.links, *map(Link, metadata.supersedes))
        return NoteRow(
            note_id=note_id,
            path=source.file.path,
            size=source.file.size,
            mtime_ns=self.settled(source.file),
            content_hash=source.content_hash,
            timestamp=metadata.timestamp,
            dated_by=metadata.dated_by,
            offset=metadata.offset,
            begins=period.since if isfinite(period.since) else 0.0,
            ends=period.before if isfinite(period.before) else 0.0,
            changes=has_changes(texts, has_dates=bool(dates)),
            kind=metadata.kind,
            section_dates=[list(each) for each in dates],
            language=language,
            fragments=len(texts),
            length=length,
            archived=metadata.archived,
            pinned=metadata.pinned,
            snoozed_until=snoozed_until(metadata.properties),
            project=(metadata.project or "").casefold(),
            tags=[tag.casefold() for tag in metadata.tags],
            successors=[],
            neighbours=[],
            line=record_line(record),
            name_keys="\n".join(sorted(name_keys(metadata))),
            link_keys="\n".join(sorted(link_keys(links, source.file.path))),
            name_terms=(*name_terms(metadata, language),),
        )

    def _note(self, source: Source) -> Note:
        decoded = decode(source.raw or b"")
        modified = source.file.mtime_ns / 1e9
        try:
            note = parse_note(
                source.file.path,
                decoded.text,
                modified,
                self._vault.archive_folders,
                self._vault.date_sources,
            )
        except (
            Exception
        ) as error:  # A note that makes a parser fail must not affect the others.
            why = type(error).__name__
            note = unparsed_note(source.file.path, decoded.text, modified, why)
        if self._title_format and (
            names := journal_names(source.file.path, self._title_format)
        ):
            metadata = note.metadata._replace(aliases=(*note.metadata.aliases, *names))
            note = note._replace(metadata=metadata)
        return note if note.warning else note._replace(warning=decoded.warning)


def _headings(note: Note) -> Iterator[Sequence[str]]:
    """Yield the headings of each section; without the title if the note says its date itself, and
    more exactly.
    """
    is_dated = note.metadata.dated_by in (FRONTMATTER, NAME)
    for trail in (fragment.trail for fragment in note.fragments):
        is_below_title = is_dated and trail and plain_title(trail[0]) == note.metadata.title
        yield trail[1:] if is_below_title else trail


Value = TypeVar("Value")
Result = TypeVar("Result")

# For fewer values, starting the workers takes longer than the work.
MIN_VALUES = 200
CHUNK_VALUES = 32
# More workers would read faster than one process can write.
MAX_WORKERS = 8
# The chunks for each worker that are in work, or whose results wait for the reader.
CHUNKS_AHEAD = 4


def in_order(
    function: Callable[[Value], Result], values: Sequence[Value]
) -> Generator[Result, None, None]:
    """Yield the function's results; close the generator to stop the workers early.

    This process does the work itself for few values, on a single core, or if it has other threads,
    which a fork loses.
    """
    workers = _worker_count(len(values))
    done = 0
    if workers > 1:
        for results in _by_workers(function, values, workers):
            yield from results
            done += len(results)
    yield from map(function, values[done:])


def _worker_count(values: int) -> int:
    import threading

    if values < MIN_VALUES or threading.active_count() > 1:
        return 1
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )
    return min(cores, MAX_WORKERS)


def _by_workers(
    function: Callable[[Value], Result], values: Sequence[Value], count: int
) -> Generator[list[Result], None, None]:
    """Yield the results chunk by chunk; end early if a worker is killed, for example for lack of
    memory.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    chunks = (
        values[start : start + CHUNK_VALUES] for start in range(0, len(values), CHUNK_VALUES)
    )
    # A forked worker has the function without pickling it.
    pool = ProcessPoolExecutor(count, get_context("fork"), _begin, (function,))
    try:
        futures = deque(
            pool.submit(_results, chunk) for chunk in islice(chunks, CHUNKS_AHEAD * count)
        )
        while futures:
            yield loads(futures.popleft().result())
            futures.extend(pool.submit(_results, chunk) for chunk in islice(chunks, 1))
    except BrokenProcessPool:
        return
    except BaseException:
        # Interrupted while the workers are started, the pool forgets them, and Python would wait
        # for them at its end.
        for worker in active_children():
            worker.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_function: Callable[[Any], Any]


def _begin(function: Callable[[Any], Any]) -> None:
    """Begin the work of a worker, which ends with the process that forked it."""
    global _function
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    # Ctrl-C reaches every process of the terminal; the parent reports it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _function = function

    def end_with_parent() -> None:
        if parent := parent_process():
            parent.join()
        os._exit(0)

    Thread(target=end_with_parent, daemon=True).start()


def _results(chunk: Sequence[Any]) -> bytes:
    """Return the results as one text: the pool's own pickling of values is much slower."""
    return dumps(list(map(_function, chunk)), HIGHEST_PROTOCOL)
