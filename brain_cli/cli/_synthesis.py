"""Run the user's own model: a program that reads passages and prints an answer, or writes the handoff of a session.

Only the user's configuration may name it (config/schema.py). It is run without a shell, and its output is treated as
text.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
from tempfile import TemporaryFile
from typing import IO

from brain_cli.answer.results import Recall
from brain_cli.cli._output import say
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.printable import one_line, printable
from brain_cli.types import Strategy

# An answer should fit on a screen, so a program that prints more is stopped.
MAX_BYTES = 20_000
MAX_REASON_CHARS = 200
USUAL_SECONDS = 30.0
POLL_SECONDS = 0.1


class OwnModelError(Exception):
    """The program failed; the message completes “synthesize.command …”."""


def with_synthesis(recall: Recall, workspace: Workspace) -> Recall:
    """Return a recall of several notes with the program's answer, or unchanged if the program fails."""
    command = str(workspace.config.synthesize.get("command", ""))
    if not command or recall.strategy is not Strategy.SYNTHESIZE or not recall.shown:
        return recall
    try:
        seconds = float(str(workspace.config.synthesize.get("seconds", USUAL_SECONDS)))
        output = answer_of(command, passages_text(recall), seconds)
    except OwnModelError as error:
        say(f"synthesize.command {error}; here are the passages as they are.")
        return recall
    return recall._replace(synthesis=output)


def passages_text(recall: Recall) -> str:
    """Return the program's input: the question, then each passage below the title and path of its note."""
    passages = (
        f"[{number}] {one_line(point.title)} ({one_line(point.path)}:{point.line})\n{printable(point.text)}\n"
        for number, point in enumerate(recall.shown, start=1)
    )
    return "\n".join((f"Question: {one_line(recall.query)}\n", *passages))


def answer_of(command: str, text: str, seconds: float) -> str:
    """Run a program on a text and return its output; OwnModelError if it fails, is too slow or prints nothing."""
    with TemporaryFile() as passages:
        passages.write(text.encode("utf-8", "replace"))
        passages.seek(0)
        process = _started(command, passages)
    with process:
        try:
            out, err = _output(process, time.monotonic() + seconds)
            has_succeeded = len(out) == MAX_BYTES or not process.wait(seconds)
        except (TimeoutError, subprocess.TimeoutExpired):
            raise OwnModelError(f"was not done within {seconds:g} second{'s' * (seconds != 1)}") from None
        finally:
            _end(process)
    if not has_succeeded:
        reason = one_line(err.decode("utf-8", "replace").strip().partition("\n")[0])[:MAX_REASON_CHARS]
        raise OwnModelError(f"ended with {process.returncode}" + (f" ({reason})" if reason else ""))
    output = printable(out.decode("utf-8", "replace")).strip()
    if not output:
        raise OwnModelError("printed nothing")
    return output


def _started(command: str, passages: IO[bytes]) -> subprocess.Popen[bytes]:
    context = command_context()
    try:
        return subprocess.Popen(
            shlex.split(command),
            stdin=passages,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=context.folder,
            # A daemon gets only a part of its client's environment.
            env={**os.environ, **context.environ},
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a command line"
        raise OwnModelError(f"cannot be started ({reason})") from None


def _output(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes]:
    """Read stdout and stderr to their ends, or to a limit; raise TimeoutError at the deadline.

    A child process that the program leaves behind may keep both open, so silence after its exit ends the output.
    """
    assert process.stdout
    assert process.stderr
    read = {process.stdout.fileno(): b"", process.stderr.fileno(): b""}
    out = process.stdout.fileno()
    with selectors.DefaultSelector() as selector:
        for descriptor in read:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and len(read[out]) < MAX_BYTES:
            has_ended = process.poll() is not None
            left = deadline - time.monotonic()
            ready = selector.select(max(0.0, min(left, 0.0 if has_ended else POLL_SECONDS)))
            if not ready and has_ended:
                break
            if not ready and left <= 0:
                raise TimeoutError
            for key, _ in ready:
                content = os.read(key.fd, MAX_BYTES)
                read[key.fd] = (read[key.fd] + content)[:MAX_BYTES]
                if not content:
                    selector.unregister(key.fd)
    return read.pop(out), read.popitem()[1]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and all of its child processes, so that none outlives the recall."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
