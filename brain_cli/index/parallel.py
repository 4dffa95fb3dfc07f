"""Apply a function to many values on all cores, and yield the results in the order of the values.

The workers are forked, so that they share this process's memory, and send their results through pipes. A worker ends
when its pipe is closed, so none outlives this process.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeVar

Value = TypeVar("Value")
Result = TypeVar("Result")

# For fewer values, starting the workers takes longer than the work.
MIN_VALUES = 200
CHUNK_VALUES = 16
# More workers would read faster than one process can write.
MAX_WORKERS = 8
# A worker may be this far ahead of the reader.
PIPE_BYTES = 1 << 20
HEAD_BYTES = 8


class Worker(NamedTuple):
    """A forked process, and the end of the pipe from which its results are read."""

    pid: int
    pipe: int


def in_order(function: Callable[[Value], Result], values: Sequence[Value]) -> Generator[Result, None, None]:
    """Yield the function's results; close the generator to stop the workers early.

    This process does the work itself for few values, on a single core, or if it has other threads, which a fork loses.
    """
    workers = _worker_count(len(values))
    if workers == 1:
        yield from map(function, values)
    else:
        yield from _forked(function, values, workers)


def _worker_count(values: int) -> int:
    import threading

    if values < MIN_VALUES or threading.active_count() > 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MAX_WORKERS)


def _forked(function: Callable[[Value], Result], values: Sequence[Value], count: int) -> Generator[Result, None, None]:
    chunks = [values[start : start + CHUNK_VALUES] for start in range(0, len(values), CHUNK_VALUES)]
    workers: list[Worker] = []
    try:
        workers.extend(_started(function, chunks[number::count]) for number in range(count))
        for number, chunk in enumerate(chunks):
            found: list[Result] | None = _received(workers[number % count].pipe)
            # This process does the work of a worker that was killed, for example for lack of memory.
            yield from map(function, chunk) if found is None else found
    finally:
        for worker in workers:
            _stop(worker)


def _started(function: Callable[[Value], Result], chunks: Sequence[Sequence[Value]]) -> Worker:
    reading, writing = os.pipe()
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    pid = os.fork()
    if not pid:
        _work(function, chunks, writing)
    os.close(writing)
    return Worker(pid, reading)


def _work(function: Callable[[Value], Result], chunks: Sequence[Sequence[Value]], pipe: int) -> None:
    """Send the results of each chunk, then exit without any exit handlers of the parent process."""
    try:
        # Ctrl-C reaches every process of the terminal; the parent reports it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Locks and the other workers' pipes belong to the parent.
        os.closerange(3, pipe)
        os.closerange(pipe + 1, pipe + 4096)
        for chunk in chunks:
            content = pickle.dumps([function(value) for value in chunk], pickle.HIGHEST_PROTOCOL)
            _send(pipe, len(content).to_bytes(HEAD_BYTES, "big") + content)
    finally:
        os._exit(0)


def _send(pipe: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _received(pipe: int) -> list[Result] | None:
    """Return the results of a worker's next chunk; None if the worker is gone."""
    head = _read(pipe, HEAD_BYTES)
    content = _read(pipe, int.from_bytes(head, "big")) if len(head) == HEAD_BYTES else b""
    try:
        return pickle.loads(content)  # type: ignore[no-any-return]
    except (EOFError, pickle.UnpicklingError):
        return None


def _read(pipe: int, length: int) -> bytes:
    """Read this many bytes, or fewer at the end of the pipe."""
    parts = []
    while length and (part := os.read(pipe, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _stop(worker: Worker) -> None:
    os.close(worker.pipe)
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(worker.pid, signal.SIGKILL)
        os.waitpid(worker.pid, 0)
