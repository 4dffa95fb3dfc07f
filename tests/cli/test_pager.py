"""A note, a help and all of an answer are shown by the user's pager if they are longer than the
window.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from conftest import Brain, Vault
from examples import in_ci
from terminal import on_a_terminal
from watching import watching

from brain_cli.pager import pager_command

# A pager that shows that it was there, and leaves when its input ends.
MARKING = f"{sys.executable} -c \"import sys; print('PAGED'); print(sys.stdin.read())\""


@pytest.fixture
def long_note(vault: Vault) -> Vault:
    vault.note("long.md", "# Long\n\n" + "".join(f"- step {number}\n" for number in range(60)))
    vault.note("short.md", "# Short\n\nOne line.\n")
    return vault


@pytest.mark.exhaustive
@pytest.mark.parametrize("variable", ["BRAIN_PAGER", "PAGER"])
def test_a_long_answer_goes_to_the_pager(long_note: Vault, variable: str) -> None:
    shown = on_a_terminal(long_note, "show", "long", **{variable: MARKING})
    assert shown.startswith("PAGED")
    assert "step 59" in shown


@pytest.mark.exhaustive
def test_brain_pager_comes_before_pager(long_note: Vault) -> None:
    assert "PAGED" not in on_a_terminal(
        long_note, "show", "long", PAGER=MARKING, BRAIN_PAGER="cat"
    )


@pytest.mark.parametrize(
    "arguments", [in_ci(("--no-pager", "show", "long")), ("show", "long", "--no-pager")]
)
def test_no_pager_prints_at_once(long_note: Vault, arguments: tuple[str, ...]) -> None:
    shown = on_a_terminal(long_note, *arguments, PAGER=MARKING)
    assert "PAGED" not in shown
    assert "step 59" in shown


def test_no_pager_after_two_dashes_is_a_word(long_note: Vault) -> None:
    assert (
        long_note.brain(
            "remember", "--vault", long_note.folder, "--", "step", "--no-pager"
        ).code
        == 0
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_warm", [False, True])
def test_only_all_of_an_answer_is_paged(long_note: Vault, is_warm: bool) -> None:
    asked = ("remember", "step 40", "--explain")
    with watching(long_note) if is_warm else nullcontext() as watched:
        environ = {**(watched.env if watched else {}), "PAGER": MARKING, "NO_COLOR": "1"}
        assert "PAGED" not in on_a_terminal(long_note, *asked, **environ)
        shown = on_a_terminal(long_note, *asked, "--lines", "0", **environ)
        assert "PAGED" in shown
        assert "step 0" in shown
        assert "step 59" in shown
        assert "PAGED" not in on_a_terminal(
            long_note, *asked, "--lines", "0", "--no-pager", **environ
        )


def test_less_is_the_pager_if_none_is_set() -> None:
    assert pager_command({}) == ["less"]
    assert pager_command({"PAGER": ""}) == []


@pytest.mark.exhaustive
def test_a_short_answer_is_printed_at_once(long_note: Vault) -> None:
    assert "PAGED" not in on_a_terminal(long_note, "show", "short", PAGER=MARKING)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "pager",
    ["", in_ci("no-such-pager --here"), "sh -c 'exec no-such-pager'", in_ci("unclosed 'quote")],
)
def test_a_pager_that_cannot_run_does_not_cost_the_answer(long_note: Vault, pager: str) -> None:
    assert "step 59" in on_a_terminal(long_note, "show", "long", PAGER=pager)


@pytest.mark.exhaustive
def test_a_pager_that_is_left_early_is_not_an_error(long_note: Vault) -> None:
    assert "bug" not in on_a_terminal(long_note, "show", "long", PAGER="true")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "pager",
    [
        "cat; touch {mark}",
        in_ci("cat | touch {mark}"),
        in_ci("$(touch {mark})"),
        in_ci("cat `touch {mark}`"),
    ],
)
def test_a_pager_gets_no_more_than_its_words_from_the_shell(
    long_note: Vault, tmp_path: Path, pager: str
) -> None:
    mark = tmp_path / "ran"
    on_a_terminal(long_note, "show", "long", PAGER=pager.format(mark=mark))
    assert not mark.exists()


@pytest.mark.exhaustive
def test_a_pager_that_is_killed_is_not_an_error(long_note: Vault) -> None:
    assert "bug" not in on_a_terminal(long_note, "show", "long", PAGER="sh -c 'kill -9 $$'")


def test_a_pipe_is_never_paged(long_note: Vault, brain: Brain, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    answer = brain.process(
        "show", "long", "--vault", long_note.folder, env={"PAGER": f"touch {mark}"}
    )
    assert "step 59" in answer.out
    assert not mark.exists()
