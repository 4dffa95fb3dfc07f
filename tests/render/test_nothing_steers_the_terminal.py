"""No output carries a control character, an escape sequence or a direction override of a note to
the terminal.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from examples import few_every_day, in_ci
from hypothesis import given
from texts import any_text

from brain_cli.printable import for_terminal, one_line, printable

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Vault

OSC, CSI, C1, BIDI = (
    "\x1b]0;owned\x07",
    "\x1b[31m\x1b[2J",
    "\x9b31m\x9d0;owned\x9c",
    "\u202egpj.exe\u2066",
)
HOSTILE = f"tea{OSC}{CSI}{C1}{BIDI}\x08\x7f\x00"
# Colours and links to files are ours; nothing else may begin with an escape character.
OURS = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x07\x1b]*\x1b\\")
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

COMMANDS = [
    ["remember", "tea"],
    ["remember", "tea", "--explain"],
    ["remember", "tea", "--format", "plain"],
    ["remember", "tea", "--format", "paths"],
    ["remember", "tea", "--format", "markdown"],
    ["remember", "tea", "--format", "json"],
    ["remember", "tea", "--format", "jsonl"],
    ["remember", HOSTILE.replace("\0", "")],
    ["remember", "nothing", "--project", HOSTILE.replace("\0", "")],
    ["context"],
    ["recent"],
    ["related", "soup"],
    ["related", "soup", "--json"],
    ["show", "soup"],
    ["show", "soup", "--curve"],
    ["show", "soup", "--json"],
    ["show", HOSTILE.replace("\0", "")],
    ["status"],
    ["status", "--notes"],
    ["review"],
    ["review", "--list"],
    ["doctor"],
    ["index", "--full"],
    ["config"],
    ["archive", "soup", "--dry-run"],
    [HOSTILE.replace("\0", "")],
]
OF_EACH_KIND_FIRST = [*COMMANDS[::3], *COMMANDS[1::3], *COMMANDS[2::3]]


@pytest.fixture(scope="module")
def hostile(new_vault: Callable[[], Vault]) -> Vault:
    vault = new_vault()
    name = HOSTILE.replace("\0", "").replace("/", "")
    vault.note(
        f"{name}.md",
        f"# {HOSTILE}\n\nGreen {HOSTILE} with [[{HOSTILE}|{HOSTILE}]].\n",
        tags=["x"],
    )
    keys = ("title", "project", "type")
    head = "\n".join(
        [f'{key}: "{HOSTILE}"' for key in keys] + ["aliases: [soup]", f'tags: ["{HOSTILE}"]']
    )
    escaped = head.encode("unicode_escape").decode().replace("\\n", "\n").replace("\\x", "\\x")
    vault.note(
        f"{name}/soup.md",
        f'---\n{escaped}\ndate: "{HOSTILE}"\n---\n# {HOSTILE}\n\nTea soup {HOSTILE}.\n',
    )
    vault.note(
        "plain.md",
        f"---\ntitle: {CSI}\n---\nTea, [[soup]].\n```{HOSTILE}\ncode\n```\n| a{OSC} |\n|---|\n",
    )
    (vault.folder / ".gitignore").write_text(f"{HOSTILE}x\n")
    return vault


def on_a_terminal(brain: Path, vault: Vault, *arguments: str, term: str) -> str:
    """Return the text that a terminal receives from a command's stdout and stderr."""
    reader, writer = os.openpty()
    process = subprocess.Popen(
        [brain, *arguments, "--vault", str(vault.folder)],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
        env=vault.brain.environ(TERM=term, COLUMNS="100"),
        cwd=vault.folder,
    )
    os.close(writer)
    shown = b""
    try:
        while part := os.read(reader, 65_536):
            shown += part
    except OSError:  # the other side is closed
        pass
    os.close(reader)
    process.wait(60)
    return shown.decode("utf-8", "replace")


@pytest.mark.parametrize("term", ["xterm-256color", in_ci("dumb")])
@pytest.mark.parametrize(
    "command",
    few_every_day(OF_EACH_KIND_FIRST, 9),
    ids=lambda command: one_line(" ".join(command))[:40],
)
def test_no_output_steers_a_terminal(
    hostile: Vault, command: list[str], term: str, warm_program: Path
) -> None:
    shown = on_a_terminal(warm_program / "brain", hostile, *command, term=term).replace(
        "\r\n", "\n"
    )
    rest = OURS.sub("", re.sub(r"\r\x1b\[K", "", shown))
    assert not STEERING.findall(rest)
    assert "bug in brain" not in shown


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: one_line(" ".join(command))[:40]
)
def test_no_text_for_people_carries_controls_into_a_pipe(
    hostile: Vault, command: list[str]
) -> None:
    answer = hostile.brain(*command, "--vault", hostile.folder)
    exact = command[0] == "show" or "paths" in command or "markdown" in command
    assert exact or not STEERING.findall(answer.out)
    assert not STEERING.findall(answer.err)


def test_columns_of_the_plain_format_are_never_broken(vault: Vault) -> None:
    vault.note(
        "a\tb.md", "# Green\ttea\n\nTea.\n", title='"one\\ttwo\\nthree\\u2028four\\x85five"'
    )
    vault.note("c\nd.md", "Tea.\n")
    answer = vault.brain("remember", "tea", "--format", "plain", "--vault", vault.folder)
    lines = answer.out.split("\n")[:-1]
    assert len(lines) == 2
    assert all(line.count("\t") == 3 and all(line.split("\t")) for line in lines)


@given(any_text())
def test_printable_text_has_no_control_characters_and_does_not_change_again(text: str) -> None:
    assert not STEERING.search(printable(text))
    assert not re.search(r"[\t\n\r\v\f\x85\u2028\u2029]", one_line(text))
    assert printable(printable(text)) == printable(text)
    assert not STEERING.search(OURS.sub("", for_terminal(text)))
