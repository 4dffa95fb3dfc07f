"""Apply a function to many values on all cores, and yield the results in the order of the values."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from pickle import HIGHEST_PROTOCOL, dumps, loads
from typing import Any, TypeVar

Value = TypeVar("Value")
Result = TypeVar("Result")

# For fewer values, starting the workers takes longer than the work.
MIN_VALUES = 200
CHUNK_VALUES = 32
# More workers would read faster than one process can write.
MAX_WORKERS = 8
# The chunks for each worker that are in work, or whose results wait for the reader.
CHUNKS_AHEAD = 4


def in_order(function: Callable[[Value], Result], values: Sequence[Value]) -> Generator[Result, None, None]:
    """Yield the function's results; close the generator to stop the workers early.

    This process does the work itself for few values, on a single core, or if it has other threads, which a fork loses.
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
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MAX_WORKERS)


def _by_workers(
    function: Callable[[Value], Result], values: Sequence[Value], count: int
) -> Generator[list[Result], None, None]:
    """Yield the results chunk by chunk; end early if a worker is killed, for example for lack of memory."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    chunks = (values[start : start + CHUNK_VALUES] for start in range(0, len(values), CHUNK_VALUES))
    # A forked worker has the function without pickling it.
    pool = ProcessPoolExecutor(count, get_context("fork"), _begin, (function,))
    try:
        futures = deque(pool.submit(_results, chunk) for chunk in islice(chunks, CHUNKS_AHEAD * count))
        while futures:
            yield loads(futures.popleft().result())
            futures.extend(pool.submit(_results, chunk) for chunk in islice(chunks, 1))
    except BrokenProcessPool:
        return
    except BaseException:
        # Interrupted while the workers are started, the pool forgets them, and Python would wait for them at its end.
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
