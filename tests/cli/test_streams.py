"""The answer goes to stdout and the rest to stderr, in pipes, terminals, locales, interruptions and
bugs.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import in_ci
from terminal import OnTerminal

from brain_cli.cli.notes import HINT
from brain_cli.streams import folded

if TYPE_CHECKING:
    from conftest import Brain, Vault

ESCAPE = "\x1b"


def on_a_terminal(brain: Brain, *arguments: str, env: dict[str, str]) -> str:
    """Run brain with stdout on a pseudo-terminal of 80 columns; return what it wrote there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_cli", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=brain.environ(**{"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": "", **env}),
    )
    os.close(theirs)
    written = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        written += piece
    process.wait(timeout=60)
    os.close(ours)
    return written.decode()


def remembering(sample: Vault, *more: str) -> list[str]:
    return ["remember", "event-driven design", "--vault", str(sample.folder), *more]


@pytest.mark.exhaustive
def test_a_terminal_gets_the_answer_in_colour_with_links_to_the_notes(sample: Vault) -> None:
    screen = on_a_terminal(sample.brain, *remembering(sample), env={})
    assert "Found a strong match" in screen
    assert f"{ESCAPE}[" in screen
    assert f"{ESCAPE}]8;" in screen


@pytest.mark.parametrize(
    ("env", "begins"),
    [({"NO_COLOR": "1"}, "Found"), in_ci({"TERM": "dumb"}, "0.")],
    ids=["NO_COLOR", "TERM=dumb"],
)
def test_a_terminal_that_wants_none_gets_no_escape_codes(
    sample: Vault, env: dict[str, str], begins: str
) -> None:
    screen = on_a_terminal(sample.brain, *remembering(sample), env=env)
    assert ESCAPE not in screen
    assert screen.startswith(begins)


def test_a_pipe_gets_plain_lines_and_nothing_on_stderr(sample: Vault) -> None:
    answer = sample.brain.process(*remembering(sample))
    assert (answer.code, answer.err) == (0, "")
    assert all(len(line.split("\t")) == 4 for line in answer.out.splitlines())


def test_no_column_of_a_plain_line_is_empty(vault: Vault) -> None:
    vault.note("heading.md", "# Harbour\n")
    vault.note("text.md", "# Harbour wall\n\nThe harbour has one.\n")
    vault.note("section.md", "# Tower\n\n## Stone\n\n### Granite\n\nThe harbour tower.\n")
    vault.note("bare.md", "The harbour.\n")
    answer = vault.brain(
        "remember", "harbour", "--format", "plain", "--no-touch", "--vault", vault.folder
    )
    assert sorted(line.split("\t")[2:] for line in answer.out.splitlines()) == [
        ["Harbour", "Harbour"],
        ["Harbour wall", "Harbour wall"],
        ["Tower › Stone › Granite", "Tower"],
        ["bare", "bare"],
    ]


@pytest.mark.exhaustive
def test_a_message_on_a_terminal_is_broken_between_words(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    screen = OnTerminal(vault, "snooze", "tea", "someday", COLUMNS="60")
    assert screen.end() == 2
    rows = screen.shown.decode().splitlines()
    assert max(map(len, rows)) <= 60
    assert HINT in " ".join(row.strip() for row in rows)


def test_stdout_is_the_answer_alone_also_while_an_index_is_built(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\nGreen or black.\n")
    vault.note("broken.md", "---\nkey: [\n---\n# Broken\n\nGreen as well.\n")
    answer = vault.brain.process("remember", "green tea", "--json", "--vault", vault.folder)
    assert json.loads(answer.out)["considered"] == 2
    assert "broken.md" in answer.err


@pytest.mark.exhaustive
def test_a_reader_that_stops_early_is_not_an_error(vault: Vault) -> None:
    for number in range(400):
        vault.note(
            f"{number}.md",
            f"# Tea number {number}\n\n" + "Green tea, black tea, oolong tea.\n" * 4,
        )
    assert vault.brain("index", "--vault", vault.folder).code == 0
    command = f'"{sys.executable}" -m brain_cli remember tea -n 400 --format FORMAT --vault "{vault.folder}"'
    for form in ("plain", "json", "jsonl"):
        done = subprocess.run(
            [
                "bash",
                "-c",
                f'{command.replace("FORMAT", form)} | head -n 1; echo "${{PIPESTATUS[0]}}"',
            ],
            capture_output=True,
            text=True,
            env=vault.brain.environ(),
            check=True,
        )
        assert done.stderr == ""
        assert done.stdout.splitlines()[-1] == "0"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "command",
    [
        "remember kafka --format paths --no-touch",
        "show decisions/grpc.md",
        "status",
        "remember --help",
    ],
)
def test_a_reader_that_leaves_before_the_first_byte_is_not_an_error(
    sample: Vault, command: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "brain_cli", "--vault", str(sample.folder), *command.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=sample.brain.environ(),
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_stderr_is_not_an_error(sample: Vault) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "brain_cli",
            "remember",
            "zeppelin",
            "--vault",
            str(sample.folder),
        ],
        stdout=subprocess.PIPE,
        stderr=open("/dev/full", "w"),  # noqa: SIM115
        env=sample.brain.environ(),
        check=False,
    )
    assert done.returncode == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "locale",
    [
        in_ci({"LC_ALL": "C"}),
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["LC_ALL=C", "LC_ALL=C and Python not told better"],
)
def test_words_and_names_beyond_ascii_survive_any_locale(
    vault: Vault, locale: dict[str, str]
) -> None:
    vault.note("Žluťoučký kůň.md", "# 日本のお茶\n\nThe café serves it.\n")
    for query in ("café", "お茶"):
        answer = vault.brain.process(
            "remember", query, "--format", "paths", cwd=vault.folder, env=_here(vault, locale)
        )
        assert (answer.code, answer.out) == (0, "Žluťoučký kůň.md\n")
    for form in ("rich", "markdown", "plain", "json"):
        answer = vault.brain.process(
            "remember", "café", "--format", form, env=_here(vault, locale)
        )
        assert answer.code == 0, answer.err
    assert vault.brain.process("remember", "zürich", env=_here(vault, locale)).code == 1


def _here(vault: Vault, env: dict[str, str]) -> dict[str, str]:
    return {"BRAIN_VAULT": str(vault.folder), **env}


@pytest.mark.exhaustive
def test_a_file_name_that_is_not_utf_8_is_printed_byte_for_byte(vault: Vault) -> None:
    name = os.fsencode(vault.folder) + b"/caf\xe9.md"
    Path(os.fsdecode(name)).write_text("# Coffee\n\nBlack.\n")
    answer = vault.brain.process(
        "remember", "coffee", "--format", "paths", "--vault", vault.folder, cwd=vault.folder
    )
    assert answer.out.encode("utf-8", "surrogateescape") == b"caf\xe9.md\n"
    for form in ("plain", "rich", "markdown", "json", "jsonl"):
        assert (
            vault.brain("remember", "coffee", "--format", form, "--vault", vault.folder).code
            == 0
        )


@pytest.mark.exhaustive
def test_a_query_that_is_not_utf_8_is_searched_by_its_readable_words(vault: Vault) -> None:
    vault.note("coffee.md", "# Coffee\n\nBlack.\n")
    answer = vault.brain.process(
        "remember", b"coffee \xff\xfe", "--json", "--vault", vault.folder
    )
    assert answer.code == 0
    assert answer.json["considered"] == 1
    piped = vault.brain.process(
        "remember", "-", "--json", "--vault", vault.folder, stdin=b"coffee \xff\xfe"
    )
    assert piped.json["query"] == answer.json["query"]


def test_five_thousand_words_are_a_question_like_any_other(sample: Vault) -> None:
    words = " ".join(f"{('kafka', 'broker', 'events')[n % 3]} word{n}" for n in range(2_500))
    answer = sample.brain("remember", words, "--json", "--vault", sample.folder)
    assert answer.code in (0, 1)
    assert answer.json["query"] == words


def test_control_characters_in_a_note_do_not_reach_the_terminal(vault: Vault) -> None:
    vault.note(
        "bell.md", f"# Bell {ESCAPE}[31mred\n\nTea {ESCAPE}]0;owned\x07 time.\n", tags=["bell"]
    )
    vault.note("other.md", f"# Other\n\nTea {ESCAPE}]0;owned\x07 time, and tea again.\n")
    for form in ("rich", "plain", "markdown"):
        for query in ("tea", "bell"):
            answer = vault.brain("remember", query, "--format", form, "--vault", vault.folder)
            if form != "markdown":
                assert ESCAPE not in answer.out, (form, query)


HOSTILE = [
    ["status"],
    ["status", "--notes"],
    ["context", "--prompt", "tea time with a bell"],
    ["review"],
    ["review"],
    ["doctor"],
    ["related", "bell.md"],
    ["related", "bell.md", "--format", "rich"],
    ["show", "bell.md#nowhere"],
    ["remember", "tea", "--format", "rich", "--scorer", "claude-mem"],
    ["remember", "tea", "--format", "plain", "--scorer", "claude-mem"],
    ["remember", "tea", "--format", "markdown", "--scorer", "claude-mem"],
]


@pytest.mark.parametrize("command", HOSTILE, ids=" ".join)
def test_no_property_of_a_note_steers_the_terminal(command: list[str], vault: Vault) -> None:
    hostile = '"x\\e]0;owned\\a\\ny"'
    text = f"# Tea {ESCAPE}[31m\n\nTea time, with a bell. [[clock]] [[nowhere{ESCAPE}]]\n"
    for name in ("bell", "clock", "kettle"):
        vault.note(
            f"{name}.md",
            text,
            type=hostile,
            project=hostile,
            aliases=hostile,
            date="2026-11-20",
        )
    answer = vault.brain(*command, "--vault", vault.folder)
    assert answer.out or answer.err
    assert ESCAPE not in answer.out + answer.err


def wait_until_it_reads_stdin(pid: int) -> None:
    """Wait until the system call that a process is in is a read of its stdin; where that is not
    told, for a while.
    """
    call, until = Path(f"/proc/{pid}/syscall"), time.monotonic() + 60
    if not call.exists():
        time.sleep(2)
        return
    # `read` has the number 0 on x86-64 and 63 on ARM; other calls have a first argument of 0 too.
    while (
        call.read_text().split()[:2] not in (["0", "0x0"], ["63", "0x0"])
        and time.monotonic() < until
    ):
        time.sleep(0.05)


def test_an_interrupted_command_ends_with_130_and_without_a_traceback(vault: Vault) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_cli", "remember", "-", "--vault", str(vault.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=vault.brain.environ(),
        text=True,
        # A shell in the background ignores it for all that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_until_it_reads_stdin(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert out == ""


def test_a_recall_that_cannot_be_recorded_is_answered_all_the_same(sample: Vault) -> None:
    answer = sample.brain(
        *remembering(sample, "--format", "paths"), env={"XDG_STATE_HOME": "/dev/null/nowhere"}
    )
    assert answer.code == 0
    assert answer.out
    assert "damaged" not in answer.err


def test_a_batch_that_cannot_be_recorded_is_answered_all_the_same(sample: Vault) -> None:
    options = ("remember", "--batch", "-", "--vault", sample.folder)
    answer = sample.brain(
        *options, stdin='{"query": "kafka"}\n', env={"XDG_STATE_HOME": "/dev/null/nowhere"}
    )
    assert answer.code == 0
    assert answer.lines[0]["results"]
    assert "could not be added to the history" in answer.err


def broken_installation(folder: Path) -> dict[str, str]:
    """Make a library fail in an unforeseen way."""
    (folder / "broken" / "whoosh").mkdir(parents=True)
    (folder / "broken" / "whoosh" / "__init__.py").write_text(
        "raise RuntimeError('a broken installation')\n"
    )
    return {"PYTHONPATH": f"{folder / 'broken'}:{os.environ.get('PYTHONPATH', '')}"}


def test_a_bug_ends_with_70_and_its_traceback_in_a_log(vault: Vault, tmp_path: Path) -> None:
    vault.note("tea.md", "# Tea\n")
    env = broken_installation(tmp_path)
    answer = vault.brain.process("remember", "tea", "--vault", vault.folder, env=env)
    assert answer.code == 70
    assert answer.out == ""
    assert "Traceback" not in answer.err
    log = vault.brain.state / "errors.log"
    assert str(log) in answer.err
    assert "a broken installation" in log.read_text()


def test_a_bug_that_cannot_be_logged_is_at_least_shown(vault: Vault, tmp_path: Path) -> None:
    vault.note("tea.md", "# Tea\n")
    env = {**broken_installation(tmp_path), "XDG_STATE_HOME": "/dev/null/nowhere"}
    answer = vault.brain.process("remember", "tea", "--vault", vault.folder, env=env)
    assert answer.code == 70
    assert "a broken installation" in answer.err


def redirected(
    vault: Vault, command: str, redirection: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a vault of one note, with its streams redirected as a shell does."""
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    return subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m brain_cli {command} {redirection}"],
        stderr=subprocess.PIPE,
        text=True,
        env=vault.brain.environ(BRAIN_VAULT=str(vault.folder)),
        timeout=60,
        check=False,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "command", ["remember leek", "show soup", "status", "index --json", "--help", "--version"]
)
@pytest.mark.parametrize("redirection", [">&-", "> /dev/full"])
def test_a_closed_or_full_stdout_is_one_sentence_and_never_a_bug(
    vault: Vault, command: str, redirection: str
) -> None:
    done = redirected(vault, command, redirection)
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr
    if command != "--help":
        assert done.returncode == 3
        assert "written" in done.stderr


@pytest.mark.parametrize("command", ["review", "score", "mcp", "lsp", "add Rice"])
@pytest.mark.parametrize("redirection", ["<&-", "<&- >&-"])
def test_a_closed_stdin_is_an_empty_one(vault: Vault, command: str, redirection: str) -> None:
    done = redirected(vault, command, redirection)
    assert "bug" not in done.stderr
    is_refused = redirection == "<&- >&-" and command not in (
        "score",
        "mcp",
    )  # which have nothing to say
    assert done.returncode == (3 if is_refused else 0), done.stderr


def test_a_server_whose_stdout_is_closed_says_so(vault: Vault) -> None:
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m brain_cli mcp >&-"],
        input=ping,
        stderr=subprocess.PIPE,
        env=vault.brain.environ(BRAIN_VAULT=str(vault.folder)),
        timeout=60,
        check=False,
    )
    assert (done.returncode, b"The answer cannot be written" in done.stderr) == (3, True)


def test_a_configuration_that_is_a_pipe_does_not_block(brain: Brain) -> None:
    brain.config.parent.mkdir(parents=True)
    os.mkfifo(brain.config)
    answer = brain.process("remember", "leek")
    assert answer.code in (2, 3)
    assert len(answer.err.splitlines()) <= 2


def test_a_command_without_enough_memory_says_so_in_a_sentence(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(_: list[str]) -> int:
        raise MemoryError

    monkeypatch.setattr("brain_cli.cli.boundary._run", exhausted)
    answer = brain("status")
    assert (answer.code, answer.err.splitlines()[0]) == (
        3,
        "brain: There is not enough memory for this.",
    )


def test_more_is_not_read_from_a_pipe_than_a_note_may_hold(vault: Vault) -> None:
    answer = vault.brain("add", "Long", "--vault", vault.folder, stdin=b"x" * (65 << 20))
    assert (answer.code, "64 MB" in answer.err) == (3, True)
    assert not list(vault.folder.iterdir())


@pytest.mark.parametrize("is_open", [False, in_ci(True)])
def test_a_terminal_that_cannot_be_read_answers_no(vault: Vault, is_open: bool) -> None:
    note = vault.note("tea.md", "# Tea\n")
    ours, theirs = pty.openpty()
    unreadable = os.open(os.ttyname(theirs), os.O_WRONLY)
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_cli", "forget", "tea", "--vault", str(vault.folder)],
        stdin=unreadable,
        stderr=theirs if is_open else subprocess.DEVNULL,
        env=vault.brain.environ(),
    )
    assert process.wait(timeout=60) == 3
    assert note.exists()
    for handle in (ours, theirs, unreadable):
        os.close(handle)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        (
            "  Did you mean how-to/replay.md? To recall the words: brain -- pin dead letters",
            "  Did you mean how-to/replay.md?\n  To recall the words: brain -- pin dead letters",
        ),
        (
            "  See `brain restore --help`. To recall: brain remember restore --tag runbook -n 9",
            "  See `brain restore --help`.\n  To recall: brain remember restore --tag runbook -n 9",
        ),
        (
            "  See it. To undo: brain unpin a/note/whose/path/is/longer/than/the/row.md",
            "  See it.\n  To undo:\n    brain unpin a/note/whose/path/is/longer/than/the/row.md",
        ),
        (
            "brain: To undo: brain unpin a/note/whose/path/is/longer/than/the/row.md",
            "brain: To undo:\n  brain unpin a/note/whose/path/is/longer/than/the/row.md",
        ),
    ],
)
def test_a_sentence_that_introduces_a_command_is_not_broken(line: str, rows: str) -> None:
    assert folded(line, 60) == rows
