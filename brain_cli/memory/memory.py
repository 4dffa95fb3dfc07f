"""The history as a recall uses it: usage by path, and which notes were shown together."""

from __future__ import annotations

import contextlib
import gc
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from brain_cli.memory.events import MOVED, SHOWN, Event, from_lines
from brain_cli.memory.fold import Entry, Fold, from_json, to_json
from brain_cli.memory.history import History
from brain_cli.types import Usage

# A recall enters ranking an hour after it happened, so that a question asked twice gets the same answer.
SETTLING_SECONDS = 3_600.0
# Fewer events are folded anew in less time than writing the fold down takes.
WORTH_KEEPING = 100
NO_ENTRY = Entry()


class Memory:
    """What the events up to a moment come to: those that are settled rank, the recent ones are only shown."""

    def __init__(self, settled: Fold, recent: Iterable[Event] = ()) -> None:
        self._settled = settled
        self._latest: dict[str, tuple[int, float]] = {}
        for event in recent:
            for path, *_ in event.notes:
                count, last = self._latest.get(path, (0, 0.0))
                self._latest[path] = (count + 1, max(last, event.at))

    def paths(self) -> dict[str, str]:
        """Return every path the history knows, with the content hash it last had there (empty where none)."""
        return dict.fromkeys(self._latest, "") | {
            path: entry.content_hash for path, entry in self._settled.entries.items()
        }

    def usage(self, path: str) -> Usage:
        """Return what the history says of the note it knows by this path."""
        entry = self._settled.entries.get(path, NO_ENTRY)
        count, last = self._latest.get(path, (0, 0.0))
        return Usage(
            accesses=entry.accesses,
            last_access=entry.last_recall or None,
            boost=entry.boost,
            useful=entry.useful,
            wrong=entry.wrong,
            revisions=entry.revisions,
            recalled=entry.accesses + count,
            last_recalled=max(entry.last_recall, last) or None,
        )

    def joint_recalls(self, path: str) -> list[int]:
        """Return the numbers of a note's last recalls that showed other notes too."""
        return self._settled.entries.get(path, NO_ENTRY).joint

    def shown_in(self, number: int) -> list[str]:
        """Return the notes that one joint recall showed, those that still remember it."""
        return self._settled.joint[number]

    def shown_together(self, path: str) -> set[str]:
        """Return the notes that were shown together with one."""
        joint = map(self.shown_in, self.joint_recalls(path))
        return {other for paths in joint for other in paths if other != path}


class Kept(NamedTuple):
    """What was folded before: the fold, and up to which byte of each file it goes."""

    fold: Fold
    offsets: dict[str, int]


class Tail(NamedTuple):
    """What has come in one file: events to fold for good, those after the first unsettled one, and their border."""

    settled: list[Event]
    later: list[Event]
    settled_bytes: int
    spoilt: int


def remembered(history: History, cache: Path, now: float, warn: Callable[[str], None]) -> Memory:
    """Read the history up to `now`, from where the cache ends; the cache may be lost at any time."""
    with _uncollected():
        return Reading(history, cache).at(now, warn)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing here makes cycles, and looking for them in a long history takes longer than reading it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Reading:
    """A history that was read once and is read on from there; not for two threads at a time."""

    def __init__(self, history: History, cache: Path) -> None:
        self._history = history
        self._cache = cache
        self._stamp: object = None
        self._unread = Unread(Kept(Fold(), {}))

    def at(self, now: float, warn: Callable[[str], None]) -> Memory:
        """Return what the history says at a moment."""
        if self._stamp is None or self._stamp != _stamp(self._cache):
            self._stamp = _stamp(self._cache)
            self._unread = Unread(_kept(self._cache))
        found = self._continued(self._unread, now, warn)
        if found is None:
            self._unread = Unread(Kept(Fold(), {}))
            found = self._continued(self._unread, now, warn)
        return found or Memory(Fold())

    def _continued(self, unread: Unread, now: float, warn: Callable[[str], None]) -> Memory | None:
        """Fold on from what was kept; None when that would not be the fold of the whole, in time order."""
        kept = unread.kept
        if kept.fold.last_at > now or kept.fold.last_shown_at > now - SETTLING_SECONDS:
            return None
        if not unread.read_on(self._history):
            return None
        seen: set[bytes] = set()
        files = unread.files
        tails = {name: _tail(file, now, seen if len(files) > 1 else None) for name, file in files.items()}
        settled = [event for tail in tails.values() for event in tail.settled]
        later = [event for tail in tails.values() for event in tail.later if event.at <= now]
        if any(event.at < kept.fold.last_at for event in (*settled, *later)):
            return None
        if spoilt := sum(tail.spoilt for tail in tails.values()):
            lines = "line" if spoilt == 1 else "lines"
            warn(f"{spoilt} torn {lines} of the history in {self._history.folder} are left out.")
        fold = kept.fold.after(settled)
        if len(settled) >= WORTH_KEEPING:
            ends = {name: kept.offsets.get(name, 0) + tail.settled_bytes for name, tail in tails.items()}
            _keep(self._cache, Kept(fold, ends))
        recent = [event for event in later if not _settled(event, now)]
        return Memory(fold.after(event for event in later if _settled(event, now)), recent)


class Lines(NamedTuple):
    """Lines of one file, and their events."""

    lines: list[bytes]
    events: list[Event | None]


class Unread:
    """The lines of each file that a kept fold has not seen, parsed once."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.files: dict[str, Lines] = {}
        self._ends = dict(kept.offsets)
        self._identities: dict[str, int] = {}

    def read_on(self, history: History) -> bool:
        """Read what has come; False when that is not all that has happened to the files."""
        identities = history.identities()
        replaced = any(identities.get(name) != known for name, known in self._identities.items())
        found = None if replaced else history.unread(self._ends)
        if found is None:
            return False
        self._identities = identities
        for name, lines in found.items():
            known = self.files.setdefault(name, Lines([], []))
            known.lines.extend(lines)
            known.events.extend(from_lines(lines))
            self._ends[name] = self._ends.get(name, 0) + sum(map(len, lines))
        return True


def _stamp(cache: Path) -> object:
    try:
        status = cache.stat()
    except OSError:
        return "absent"
    return status.st_ino, status.st_mtime_ns, status.st_size


def _settled(event: Event, now: float) -> bool:
    return event.at <= (now - SETTLING_SECONDS if event.event == SHOWN else now)


def _tail(file: Lines, now: float, seen: set[bytes] | None) -> Tail:
    lines, events = file
    spoilt = sum(event is None and bool(line.strip()) for event, line in zip(events, lines, strict=True))
    if seen is not None:
        # A sync tool's copy of a file repeats its lines; an event happened once.
        events = [None if line in seen else event for event, line in zip(events, lines, strict=True)]
        seen.update(lines)
    border = next((n for n, event in enumerate(events) if event and not _settled(event, now)), len(events))
    return Tail(
        settled=[event for event in events[:border] if event],
        later=[event for event in events[border:] if event],
        settled_bytes=sum(map(len, lines[:border])),
        spoilt=spoilt,
    )


def _kept(cache: Path) -> Kept:
    try:
        document = json.loads(cache.read_text(encoding="utf-8"))
        return Kept(from_json(document["fold"]), document["offsets"])
    except (OSError, ValueError, KeyError, TypeError):
        return Kept(Fold(), {})


def _keep(cache: Path, kept: Kept) -> None:
    """Write the fold down for the next time; where that cannot be, the next time takes longer."""
    temporary = cache.with_name(f"{cache.name}.tmp")
    try:
        temporary.write_text(json.dumps({"fold": to_json(kept.fold), "offsets": kept.offsets}), encoding="utf-8")
        temporary.replace(cache)
    except OSError:
        return


def recalls_of(history: History, path: str, now: float) -> list[float]:
    """Return when a note was recalled up to `now` (seconds), also under the paths it had before."""
    lines = [line for part in (history.unread({}) or {}).values() for line in part]
    events = [event for event in from_lines(list(dict.fromkeys(lines))) if event and event.at <= now]
    known, times = {path}, []
    for event in sorted(events, key=lambda each: -each.at):
        mentioned = {note[0] for note in event.notes}
        if event.event == MOVED and mentioned & known:
            known.add(event.value)
        elif event.event == SHOWN and mentioned & known:
            times.append(event.at)
    return times[::-1]
