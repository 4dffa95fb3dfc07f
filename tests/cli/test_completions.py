"""A half-typed command line is completed: in the shells that are here, and quietly where there is
nothing to offer.

`UPDATE=1 pytest tests/cli/test_completions.py` writes `completions/` anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
from examples import in_ci

from brain_cli.cli import completion as completing
from brain_cli.cli._app import command_line, command_named
from brain_cli.cli.completion import SHELLS, script

if TYPE_CHECKING:
    from conftest import Brain, Vault

FOLDER = Path(__file__).parents[2] / "completions"
FILES = {"bash": "brain.bash", "zsh": "_brain", "fish": "brain.fish"}
Offered = Callable[..., list[str]]


@pytest.fixture
def offered(sample: Vault, monkeypatch: pytest.MonkeyPatch) -> Offered:
    """Return the completions of the last word of a command line, by Typer's own code, in this
    process.
    """

    def complete(*words: str, cwd: Path = sample.folder, **environ: str) -> list[str]:
        for name, value in sample.brain.environ(
            **{"BRAIN_VAULT": str(sample.folder), **environ}
        ).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(cwd)
        monkeypatch.setenv("_BRAIN_COMPLETE", "complete_fish")
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        monkeypatch.setenv(
            "_TYPER_COMPLETE_ARGS", shlex.join(["brain", *words[:-1]]) + f" {words[-1]}"
        )
        with contextlib.redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit):
            command_line.__wrapped__().main(prog_name="brain")
        return [line.split("\t")[0] for line in out.getvalue().splitlines() if line]

    return complete


@pytest.mark.parametrize("shell", SHELLS)
def test_the_scripts_in_the_repository_are_those_that_are_printed(
    shell: str, brain: Brain
) -> None:
    printed = brain("completions", shell).out
    assert printed == script(shell)
    if os.environ.get("UPDATE"):
        (FOLDER / FILES[shell]).write_text(printed, encoding="utf-8")
    assert (FOLDER / FILES[shell]).read_text(encoding="utf-8") == printed, (
        "run: UPDATE=1 pytest " + __file__
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_read_its_script(shell: str) -> None:
    program = shutil.which(shell)
    if not program:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, "-n", FOLDER / FILES[shell]], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_is_refused_with_a_hint(brain: Brain) -> None:
    answer = brain("completions", "fsh")
    assert (answer.code, answer.out) == (2, "")
    assert "Did you mean “fish”?" in answer.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["remember", "--sco"], ["--scorer"]),
        (["remember", "--scorer", "claw"], ["clawmem", "clawdbot"]),
        (["remember", "--scorer=claude"], ["claude-mem"]),
        (["remember", "--where", "stat"], ["status="]),
        (["config", ""], ["get", "set", "unset"]),
        (["config", "set", "lim"], ["limit"]),
        (["import", "claw"], ["clawmem"]),
        (["model", "install", "mini"], ["minilm"]),
        (["rem"], ["remember"]),
        (["remember", "--format", "j"], ["json", "jsonl"]),
        (["remember", "--tag", "perf"], ["performance"]),
        (["remember", "--topics", "kafka,perf"], ["kafka,performance"]),
        (["remember", "--type", "learn"], ["learning"]),
        (["remember", "--path", "dec"], ["decisions/*"]),
        (["remember", "tag:perf"], ["tag:performance"]),
        (["remember", "kafka", "type:learn"], ["type:learning"]),
        (["remember", "perf"], []),
        (["config", "--profile", "s"], ["speed"]),
        (["context", "--profile", ""], ["speed", "balanced", "deep"]),
        (["completions", ""], ["bash", "zsh", "fish"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_values_are_offered(words: list[str], expected: list[str], offered: Offered) -> None:
    assert offered(*words) == expected


def test_restore_is_offered_archived_notes_alone(offered: Offered) -> None:
    found = offered("restore", "")
    assert found
    assert set(found) < set(offered("show", ""))
    assert "decisions/grpc.md" not in found


def test_projects_are_those_of_the_vault(offered: Offered, sample: Vault) -> None:
    projects = offered("remember", "--project", "")
    assert projects
    assert projects == sorted(projects)


def test_profiles_of_the_settings_are_offered_too(offered: Offered, tmp_path: Path) -> None:
    (tmp_path / "brain").mkdir()
    (tmp_path / "brain" / "config.toml").write_text("[profile.agent]\nlimit = 3\n")
    assert "agent" in offered("remember", "--profile", "", XDG_CONFIG_HOME=str(tmp_path))


def notes(
    sample: Vault, monkeypatch: pytest.MonkeyPatch, typed: str, below: str = ""
) -> list[str]:
    for name, value in sample.brain.environ(BRAIN_VAULT=str(sample.folder)).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(sample.folder / below)
    context = typer.Context(command_named("show"))
    return [value for value, _ in completing.notes(context, typed)]


def test_a_note_is_offered_by_path_by_path_from_here_and_by_title(
    sample: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notes(sample, monkeypatch, "decisions/grp") == ["decisions/grpc.md"]
    assert notes(sample, monkeypatch, "grpc.", below="decisions") == ["grpc.md"]
    assert notes(sample, monkeypatch, "Switch from R") == [
        "Switch from REST to gRPC for internal services"
    ]
    assert len(notes(sample, monkeypatch, "")) == len(list(sample.folder.rglob("*.md")))


def test_a_note_is_offered_by_its_file_name_and_in_any_case(
    sample: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notes(sample, monkeypatch, "uv-over") == ["uv-over-poetry"]
    assert notes(sample, monkeypatch, "UV-OVER") == ["uv-over-poetry"]
    assert notes(sample, monkeypatch, "switch FROM r") == [
        "Switch from REST to gRPC for internal services"
    ]
    assert notes(sample, monkeypatch, "Decisions/Grp") == ["decisions/grpc.md"]


def test_completion_offers_nothing_without_a_vault_or_an_index(
    offered: Offered, tmp_path: Path
) -> None:
    assert offered("remember", "--tag", "", BRAIN_VAULT=str(tmp_path / "nowhere")) == []
    assert offered("remember", "--tag", "", BRAIN_VAULT=str(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_a_name_with_control_characters_is_not_offered(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("good.md", "# Good\n")
    vault.note("bad\x1b[2J.md", "# Bad\n")
    vault.brain("index", "--vault", vault.folder)
    assert notes(vault, monkeypatch, "") == ["good.md"]


IMPORTED = """
import atexit, sys
atexit.register(lambda: print("\\n".join(sys.modules), file=sys.stderr))
from brain_cli.__main__ import main
main()
"""


@pytest.mark.exhaustive
def test_completing_opens_no_index_and_refreshes_nothing(sample: Vault) -> None:
    words = {
        "_BRAIN_COMPLETE": "complete_bash",
        "COMP_WORDS": "brain remember --tag perf",
        "COMP_CWORD": "3",
    }
    environ = sample.brain.environ(BRAIN_VAULT=str(sample.folder), **words)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "performance\n")
    assert not set(done.stderr.split()).intersection(
        ["whoosh", "markdown_it", "yaml", "Stemmer", "pathspec"]
    )


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with nothing in it but `brain`, for a shell's PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "brain").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m brain_cli "$@"\n')
    (folder / "brain").chmod(0o755)
    return folder


def shell_says(program: str, text: str, sample: Vault, tools: Path) -> list[str]:
    environ = sample.brain.environ(
        BRAIN_VAULT=str(sample.folder), PATH=f"{tools}:{os.environ['PATH']}"
    )
    done = subprocess.run(
        [
            program,
            *(["--norc", "-c"] if program.endswith("bash") else ["--no-config", "-c"]),
            text,
        ],
        env=environ,
        cwd=sample.folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [
        ("brain rem", ["brain", "rem"], ["remember"]),
        in_ci("brain remember --sco", ["brain", "remember", "--sco"], ["--scorer"]),
        in_ci(
            "brain remember --type learn",
            ["brain", "remember", "--type", "learn"],
            ["learning"],
        ),
        in_ci(
            "brain remember --path dec",
            ["brain", "remember", "--path", "dec"],
            [r"decisions/\*"],
        ),
        in_ci("brain nonsense x", ["brain", "nonsense", "x"], [""]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bash_completes(
    line: str, words: list[str], expected: list[str], sample: Vault, tools: Path
) -> None:
    bash = shutil.which("bash")
    if not bash:
        pytest.skip("bash is not installed")
    text = f"""
        source {shlex.quote(str(FOLDER / "brain.bash"))}
        COMP_LINE={shlex.quote(line)} COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}
        _brain_completion brain
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    assert shell_says(bash, text, sample, tools) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("brain rem", "remember\tRecall what your notes know."),
        ("brain remember --type learn", "learning\t"),
        ("brain remember tag:perf", "tag:performance\t"),
    ],
)
def test_fish_completes(line: str, expected: str, sample: Vault, tools: Path) -> None:
    fish = shutil.which("fish")
    if not fish:
        pytest.skip("fish is not installed")
    text = f"source {shlex.quote(str(FOLDER / 'brain.fish'))}; complete -C {shlex.quote(line)}"
    found = shell_says(fish, text, sample, tools)
    assert len(found) == 1
    assert found[0].startswith(expected)
