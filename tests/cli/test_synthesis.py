"""The user's own model: `synthesize.command` reads the passages, and its answer stands above them."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import few_every_day

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Answer, Vault

QUERY = "duplicate payments"
PASSAGE = "Zero duplicates in the daily reconciliation"


@pytest.fixture(autouse=True)
def _without_settings_afterwards(sample: Vault) -> Iterator[None]:
    """Remove the settings from the sample vault, which other tests share."""
    yield
    sample.brain.config.unlink(missing_ok=True)


def model(sample: Vault, program: str, seconds: float = 20) -> None:
    """Configure a Python program as the user's model."""
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}"
    sample.brain.config.parent.mkdir(parents=True, exist_ok=True)
    sample.brain.config.write_text(
        f"[synthesize]\ncommand = '''{command}'''\nseconds = {seconds}\n"
    )


def asked(sample: Vault, *options: object, query: str = QUERY) -> Answer:
    return sample.brain("remember", query, "--no-touch", *options, "--vault", sample.folder)


@pytest.mark.parametrize("name", ["rich", "markdown"])
def test_the_answer_of_the_model_stands_above_the_passages(sample: Vault, name: str) -> None:
    model(sample, "print('Nothing was paid twice.')")
    out = asked(sample, "--format", name).out
    assert 0 <= out.index("Nothing was paid twice.") < out.index(PASSAGE)


def test_the_model_reads_the_question_and_each_passage_with_its_place(sample: Vault) -> None:
    model(sample, "import sys; print(sys.stdin.read())")
    said = asked(sample, "--json").json["synthesis"]
    assert f"Question: {QUERY}" in said
    assert "(decisions/idempotency-keys.md:30)" in said
    assert PASSAGE in said


FAILURES = {
    "it fails": ("import sys; sys.exit('no key')", "ended with 1 (no key)"),
    "it says nothing": ("pass", "printed nothing"),
    "it is too slow": ("import time; time.sleep(60)", "was not done within 1 second"),
    "it closes its output but goes on": (
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        "was not done",
    ),
}


@pytest.mark.parametrize("name", few_every_day(FAILURES, 3))
def test_the_passages_are_shown_as_they_are_when_it_fails(sample: Vault, name: str) -> None:
    program, reason = FAILURES[name]
    model(sample, program, seconds=1)
    answer = asked(sample, "--format", "markdown")
    assert answer.code == 0
    assert PASSAGE in answer.out
    assert reason in answer.err
    assert answer.err.count("\n") == 1


def test_a_missing_program_is_reported_in_one_line(sample: Vault) -> None:
    sample.brain.config.parent.mkdir(parents=True, exist_ok=True)
    sample.brain.config.write_text('[synthesize]\ncommand = "no-such-model --fast"\n')
    answer = asked(sample, "--format", "markdown")
    assert (answer.code, answer.err.count("\n")) == (0, 1)
    assert "cannot be started" in answer.err


def test_printed_text_cannot_steer_the_terminal(sample: Vault) -> None:
    model(sample, r"print('\x1b[2Jwiped \x1b]0;title\x07done')")
    for name in ("rich", "markdown", "json"):
        out = asked(sample, "--format", name).out
        assert "\x1b" not in out
        assert "\\u001b" not in out


def test_a_program_that_never_stops_printing_is_stopped(sample: Vault) -> None:
    model(sample, "while True: print('word ' * 1000)")
    assert 0 < len(asked(sample, "--json").json["synthesis"]) <= 20_000


@pytest.mark.exhaustive
def test_no_process_of_the_program_outlives_the_recall(sample: Vault, tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(2); open({str(mark)!r}, 'w')"
    model(
        sample,
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]); print('Said.')",
        1,
    )
    asked(sample, "--format", "markdown")
    time.sleep(2.5)
    assert not mark.exists()


def test_a_child_process_that_keeps_the_output_open_does_not_cost_the_answer(
    sample: Vault,
) -> None:
    child = "import time; time.sleep(60)"
    model(
        sample,
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]); print('Said.')",
    )
    answer = asked(sample, "--json")
    assert (answer.json["synthesis"], answer.err) == ("Said.", "")


def test_a_program_gets_no_more_than_its_words_from_the_shell(
    sample: Vault, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    sample.brain.config.parent.mkdir(parents=True, exist_ok=True)
    sample.brain.config.write_text(
        f"[synthesize]\ncommand = 'echo $HOME; touch {mark} | cat > {mark} `touch {mark}`'\n"
    )
    assert asked(sample, "--json").json["synthesis"].startswith("$HOME; touch ")
    assert not mark.exists()


def test_it_is_asked_about_several_notes_alone_and_not_when_it_is_unwanted(
    sample: Vault, tmp_path: Path
) -> None:
    mark = tmp_path / "asked"
    model(sample, f"open({str(mark)!r}, 'w'); print('Said.')")
    asked(sample, "--json", query="why did we leave REST")
    asked(sample, "--json", "--no-synthesis")
    asked(sample, "--format", "paths")
    assert not mark.exists()
    asked(sample, "--json")
    assert mark.exists()


@pytest.mark.parametrize("table", ["[synthesize]", "[profile.x.synthesize]"])
def test_a_vault_cannot_name_a_program(vault: Vault, tmp_path: Path, table: str) -> None:
    mark = tmp_path / "ran"
    vault.note("a.md", "# Lighthouse\n\nThe lighthouse is old.\n")
    vault.note("b.md", "# Lighthouse two\n\nThe lighthouse has burned down.\n")
    os.makedirs(vault.folder / ".brain")
    (vault.folder / ".brain/config.toml").write_text(f'{table}\ncommand = "touch {mark}"\n')
    answer = vault.brain("remember", "lighthouse", "--vault", vault.folder, "--profile", "x")
    assert answer.code == 2
    assert answer.err.count("\n") <= 2
    assert not mark.exists()
