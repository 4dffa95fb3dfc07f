"""The manual, executed: every transcript in `transcripts/` is typed into one shell and must come
out as written.

    # a line of prose
    $ a command, run by sh
    > its next line
    what it prints
    ! what it says on stderr
    [exit 1]                      (0 where nothing is said)

Every transcript starts in a folder of its own, with `sample_vault` in it and the clock at
2026-11-21T10:00:00Z. `UPDATE=1 pytest tests/cli/test_transcripts.py` writes them anew; read the
difference before it is committed.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from examples import IN_CI, in_ci
from warm_program import cold_program

if TYPE_CHECKING:
    from conftest import Vault

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
# The others are typed in CI alone, where these start a process for each command.
EVERYDAY = ("batch", "formats", "four_answers", "several", "told")
STALE = "! brain: This answer may be stale: "


class Command(NamedTuple):
    """A command of a transcript: the prose before it, the typed lines, and the expected output."""

    prose: list[str]
    typed: list[str]
    expected: list[str]

    @property
    def script(self) -> str:
        return "\n".join(line[2:] for line in self.typed)


def commands(text: str) -> Iterator[Command]:
    """Cut a transcript at its commands; a blank line before prose or a command belongs to what
    follows.
    """
    prose: list[str] = []
    current: Command | None = None
    for line in text.splitlines():
        if line.startswith(("$ ", "# ")) and current:
            while current.expected and not current.expected[-1]:
                prose.insert(0, current.expected.pop())
        if line.startswith("$ "):
            if current:
                yield current
            current, prose = Command(prose, [line], []), []
        elif current and (line == ">" or line.startswith("> ")) and not current.expected:
            current.typed.append(line)
        elif line.startswith("# ") or line == "#":
            prose.append(line)
        elif current and not prose:
            current.expected.append(line)
        else:
            prose.append(line)
    if current:
        yield current


def shell_script(steps: list[Command]) -> str:
    """Return one script for all commands, so that `cd` and `export` last; each command writes to
    files of its own.
    """
    return "".join(
        f'{{\n{step.script}\n}} >"$LOGS/{number}.out" 2>"$LOGS/{number}.err"\necho $? >"$LOGS/{number}.code"\n'
        for number, step in enumerate(steps)
    )


def seen(logs: Path, number: int, hidden: dict[str, str]) -> list[str]:
    """Return the output of a command as a transcript shows it."""

    def lines(kind: str) -> list[str]:
        text = (logs / f"{number}.{kind}").read_text(encoding="utf-8")
        for secret, public in hidden.items():
            text = text.replace(secret, public)
        text = re.sub(r'"elapsed_ms": [\d.]+', '"elapsed_ms": 0.0', text)
        return text.rstrip("\n").splitlines()

    code = int((logs / f"{number}.code").read_text())
    return [
        *lines("out"),
        *(f"! {line}" for line in lines("err")),
        *([f"[exit {code}]"] if code else []),
    ]


@pytest.mark.parametrize(
    "transcript",
    [path if path.stem in EVERYDAY else in_ci(path) for path in TRANSCRIPTS],
    ids=lambda path: path.stem,
)
def test_every_transcript_shows_the_real_output(
    transcript: Path, tmp_path: Path, sample: Vault, warm_program: Path
) -> None:
    text = transcript.read_text(encoding="utf-8")
    steps = list(commands(text))
    # Each has paths of its own: pytest may give the next test the same folder, and the cache is shared.
    work, logs = tmp_path / transcript.stem, tmp_path / "logs"
    for folder in (work, logs):
        folder.mkdir()
    (work / "sample_vault").symlink_to(sample.folder)
    program = (
        cold_program(tmp_path / "program")
        if IN_CI and transcript.stem in EVERYDAY
        else warm_program
    )
    env = sample.brain.environ(
        LOGS=str(logs),
        PATH=f"{program}:{os.environ['PATH']}",
        XDG_CONFIG_HOME=str(work / ".config"),
        XDG_STATE_HOME=str(work / ".state"),
    )
    subprocess.run(
        ["sh", "-c", shell_script(steps)], cwd=work, env=env, timeout=120, check=False
    )
    hidden = {
        str(sample.folder): "/notes/sample_vault",
        str(work): "/notes",
        str(sample.brain.home): "/home/me",
    }
    happened = [
        line
        for number, step in enumerate(steps)
        for line in (*step.prose, *step.typed, *seen(logs, number, hidden))
    ]
    # On a busy machine a refresh may take longer than a recall waits for it; an answer that lacks notes
    # still fails.
    happened = [line for line in happened if not line.startswith(STALE)]
    if os.environ.get("UPDATE"):
        transcript.write_text("\n".join(happened) + "\n", encoding="utf-8")
    else:
        assert happened == text.splitlines()
