"""Run the user's own model: a program that reads passages and prints an answer, or writes the
handoff of a session.

Only the user's configuration may name it (config/schema.py). It is run without a shell, and its
output is treated as text.
"""

import contextlib
import os
import shlex
import signal
import subprocess
import time
from tempfile import TemporaryFile
from typing import IO

from brain_cli.answer.results import Recall
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line, printable
from brain_cli.process import command_context
from brain_cli.streams import say
from brain_cli.types import Strategy

# An answer should fit on a screen, so a program that prints more is stopped.
MAX_BYTES = 20_000
MAX_REASON_CHARS = 200
USUAL_SECONDS = 30.0
POLL_SECONDS = 0.02


class OwnModelError(Exception):
    """The program failed; the message completes “synthesize.command …”."""


def with_synthesis(recall: Recall, vault: Vault) -> Recall:
    """Return a recall of several notes with the program's answer, or unchanged if the program
    fails.
    """
    settings = vault.config.synthesize
    command = settings.get("command")
    if not command or recall.strategy is not Strategy.SYNTHESIZE or not recall.shown:
        return recall
    try:
        seconds = settings.get("seconds", USUAL_SECONDS)
        output = answer_of(command, passages_text(recall), seconds)
    except OwnModelError as error:
        say(f"synthesize.command {error}; here are the passages as they are.")
        return recall
    return recall._replace(synthesis=output)


def passages_text(recall: Recall) -> str:
    """Return the program's input: the question, then each passage below the title and path of its
    note.
    """
    passages = (
        f"[{number}] {one_line(point.title)} "
        f"({one_line(point.path)}:{point.line})\n{printable(point.text)}\n"
        for number, point in enumerate(recall.shown, start=1)
    )
    return "\n".join((f"Question: {one_line(recall.query)}\n", *passages))


def answer_of(command: str, text: str, seconds: float) -> str:
    """Run a program on a text and return its output; OwnModelError if it fails, is too slow or
    prints nothing.
    """
    with TemporaryFile() as passages, TemporaryFile() as out, TemporaryFile() as err:
        passages.write(text.encode("utf-8", "replace"))
        passages.seek(0)
        code = _run(command, (passages, out, err), seconds)
        out.seek(0)
        err.seek(0)
        printed, said = (file.read(MAX_BYTES).decode("utf-8", "replace") for file in (out, err))
    if code:
        reason = one_line(said.strip().partition("\n")[0])[:MAX_REASON_CHARS]
        raise OwnModelError(f"ended with {code}" + (f" ({reason})" if reason else ""))
    output = printable(printed).strip()
    if not output:
        raise OwnModelError("printed nothing")
    return output


def _run(
    command: str, files: tuple[IO[bytes], IO[bytes], IO[bytes]], seconds: float
) -> int | None:
    """Run a program with these files as stdin, stdout and stderr; return its exit code, None if it
    printed too much.

    The program and all of its child processes end with it, so that none outlives the recall.
    """
    passages, out, err = files
    context = command_context()
    deadline = time.monotonic() + seconds
    try:
        process = subprocess.Popen(
            shlex.split(command),
            stdin=passages,
            stdout=out,
            stderr=err,
            cwd=context.folder,
            # A daemon gets only a part of its client's environment.
            env={**os.environ, **context.environ},
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a command line"
        raise OwnModelError(f"cannot be started ({reason})") from None
    with process:
        try:
            while process.poll() is None and os.fstat(out.fileno()).st_size < MAX_BYTES:
                if time.monotonic() > deadline:
                    raise OwnModelError(
                        f"was not done within {seconds:g} second{'s' * (seconds != 1)}"
                    )
                time.sleep(POLL_SECONDS)
        finally:
            code = process.returncode
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
    return code
