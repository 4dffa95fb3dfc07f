"""Run a daemon as a real process, and ask `brain` with it (warm) or without it (cold)."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from conftest import Vault

# Run `brain` and write the names of all imported modules to a file.
TRACED = """
import atexit, os, sys
atexit.register(lambda: open(os.environ.pop("TRACE"), "w").write(" ".join(sys.modules)))
from brain_cli.__main__ import main
main()
"""
DEADLINE_SECONDS = 60.0


class Shown(NamedTuple):
    """The output of a process, its exit code, and the modules that it imported."""

    code: int
    out: bytes
    err: bytes
    modules: frozenset[str]

    @property
    def warm(self) -> bool:
        """Return whether a daemon answered."""
        return "brain_cli.cli.boundary" not in self.modules

    @property
    def answer(self) -> tuple[int, bytes, bytes]:
        """Everything that a daemon must not change: all but the elapsed time and the random link
        ids of rich.
        """
        return (
            self.code,
            re.sub(rb'(?<="elapsed_ms": )[\d.]+|(?<=\x1b\]8;id=)\d+', b"", self.out),
            self.err,
        )


class Watched:
    """A vault with a running daemon."""

    def __init__(self, vault: Vault, env: Mapping[str, str], *options: object) -> None:
        self.vault = vault
        run = vault.folder.parent / "run"
        run.mkdir(exist_ok=True)
        self.env = {"XDG_RUNTIME_DIR": str(run), **env}
        self.said = vault.folder.parent / "watcher.err"
        with open(self.said, "wb") as err:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "brain_cli",
                    "index",
                    "--watch",
                    "--vault",
                    str(vault.folder),
                    *map(str, options),
                ],
                env=vault.brain.environ(**self.env),
                stdout=err,
                stderr=err,
            )
        started = "Watching"
        until(
            lambda: started in self.said.read_text() or self.process.poll() is not None,
            longest_pause=0.05,
        )

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Stop the daemon; return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_SECONDS)

    def ask(
        self,
        *arguments: object,
        cold: bool = False,
        stdin: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        terminal: bool = False,
    ) -> Shown:
        """Run `brain` on this vault; `cold` hides the daemon from it."""
        elsewhere = {"XDG_RUNTIME_DIR": str(self.vault.folder.parent)} if cold else {}
        trace = self.vault.folder.parent / "trace"
        vault = {"BRAIN_VAULT": str(self.vault.folder)}
        environ = self.vault.brain.environ(
            **{**self.env, **vault, **(env or {}), **elsewhere, "TRACE": str(trace)}
        )
        command: list[str | bytes] = [
            sys.executable,
            "-c",
            TRACED,
            *map(os.fsencode, map(_text, arguments)),
        ]
        with _stdout(terminal) as (stdout, read):
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=environ,
                cwd=cwd,
            )
            out, err = process.communicate(stdin, timeout=60)
            return Shown(
                process.returncode, read(out), err, frozenset(trace.read_text().split())
            )

    def ask_cold(
        self,
        *arguments: object,
        stdin: bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        terminal: bool = False,
    ) -> Shown:
        """Run `brain` without the daemon: on a terminal in a process of its own, else in this one,
        which is quicker.
        """
        if terminal:
            return self.ask(*arguments, cold=True, stdin=stdin, cwd=cwd, env=env, terminal=True)
        elsewhere = {
            "XDG_RUNTIME_DIR": str(self.vault.folder.parent),
            "BRAIN_VAULT": str(self.vault.folder),
        }
        answer = self.vault.brain(
            *arguments,
            stdin=stdin,
            cwd=cwd or Path.cwd(),
            env={**self.env, **elsewhere, **(env or {})},
        )
        return Shown(
            answer.code,
            os.fsencode(answer.out),
            answer.err.encode(),
            frozenset(["brain_cli.cli.boundary"]),
        )

    def paths(self, *words: object) -> list[str]:
        """Return the paths of the notes that a recall finds."""
        shown = self.ask("remember", *words, "--json", "--no-touch")
        assert shown.code in (0, 1), shown.err
        results: list[dict[str, Any]] = json.loads(shown.out)["results"]
        return [result["path"] for result in results]

    def note(self, path: str, text: str) -> None:
        """Write a note with the current time."""
        file = self.vault.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def history(self) -> dict[str, bytes]:
        return {
            path.name: path.read_bytes() for path in self.vault.brain.state.rglob("*.jsonl")
        }

    def refreshes(self) -> int:
        """Return the generation of the index, the number of times it was written."""
        return max(
            int(re.findall(r"\d+", path.stem)[-1])
            for path in self.vault.brain.cache.rglob("_MAIN_*.toc")
        )


@contextlib.contextmanager
def watching(
    vault: Vault, *options: object, env: Mapping[str, str] | None = None
) -> Iterator[Watched]:
    watched = Watched(vault, env or {}, *options)
    try:
        yield watched
    finally:
        if watched.process.poll() is None:
            watched.process.kill()
            watched.process.wait(DEADLINE_SECONDS)


def until(
    holds: Callable[[], object], seconds: float = DEADLINE_SECONDS, longest_pause: float = 0.3
) -> None:
    """Wait until a condition holds; fail after a deadline."""
    end, pause = time.monotonic() + seconds, 0.02
    while not holds():
        assert time.monotonic() < end, "the condition never held"
        time.sleep(pause)
        # A condition may start a process, which slows down what it waits for.
        pause = min(2 * pause, longest_pause)


@contextlib.contextmanager
def _stdout(terminal: bool) -> Iterator[tuple[int, Callable[[bytes | None], bytes]]]:
    """Yield a stdout for a process (a pipe or a pseudo-terminal) and a function that returns all
    output.
    """
    if not terminal:
        yield subprocess.PIPE, lambda out: out or b""
        return
    reader, writer = pty.openpty()
    shown: list[bytes] = []

    def collect() -> None:
        # Reading a pseudo-terminal that the process has closed ends with an error.
        with contextlib.suppress(OSError):
            while part := os.read(reader, 65_536):
                shown.append(part)

    collecting = threading.Thread(target=collect)
    collecting.start()

    def read(_: bytes | None) -> bytes:
        os.close(writer)
        collecting.join(DEADLINE_SECONDS)
        return b"".join(shown)

    yield writer, read
    os.close(reader)


def _text(argument: object) -> str | bytes:
    return argument if isinstance(argument, bytes) else str(argument)
