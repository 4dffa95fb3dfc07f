"""The help is Typer's own, made from the signatures of the commands; a command is imported only for
its own help.
"""

from __future__ import annotations

import re

import pytest
from conftest import Brain, Vault
from terminal import on_a_terminal

from brain_cli.cli import verbs
from brain_cli.cli._app import command_line, command_named


def test_the_help_lists_every_command_with_what_it_does(brain: Brain) -> None:
    shown = brain("help", "all", env={"COLUMNS": "120"}).out
    for name, verb in verbs().items():
        assert f"  {name} " in shown
        assert " ".join(verb.about.split()) in " ".join(shown.split())
        assert f"\n{verb.panel}:\n" in shown


def test_the_first_help_lists_about_a_dozen_commands(brain: Brain) -> None:
    shown = brain("--help", env={"COLUMNS": "120"}).out
    assert brain("help", env={"COLUMNS": "120"}).out == shown
    listed = {name for name in verbs() if f"\n  {name} " in shown}
    assert listed == {name for name, verb in verbs().items() if verb.first}
    assert 10 <= len(listed) <= 14


def test_on_a_terminal_the_help_has_panels(vault: Vault) -> None:
    shown = re.sub(r"\x1b\[[\d;]*m", "", on_a_terminal(vault, "recent", "--help"))
    assert "╭─ Options ─" in shown
    assert "brain recent --since 2w" in shown


@pytest.mark.parametrize("name", verbs())
def test_the_help_of_a_command_names_its_options_and_loses_no_text(
    name: str, brain: Brain
) -> None:
    answer = brain(name, "--help", env={"COLUMNS": "200"})
    assert (answer.code, answer.err) == (0, "")
    command = command_named(name)
    assert not command.params or all(
        name in answer.out for each in command.params for name in _names(each)
    )
    # Square brackets would be markup.
    words = " ".join(answer.out.split())
    for line in (command.help or "").replace("\n\n", "\n").splitlines():
        assert " ".join(line.split()) in words


def _names(parameter: object) -> list[str]:
    hidden = getattr(parameter, "hidden", False)
    names: list[str] = [] if hidden else getattr(parameter, "opts", [])
    return [name for name in names if name.startswith("-")]


def test_the_help_imports_no_command(monkeypatch: pytest.MonkeyPatch, brain: Brain) -> None:
    def fail(name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr("brain_cli.cli._app.import_module", fail)
    assert brain("--help").code == 0
    assert set(command_line().commands) == set(verbs())


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        ("archived", "brain related --archived"),
        ("clock", "--now  ("),
        ("editor", "brain config set editor"),
        ("stdin", "brain remember --batch"),
        ("template", "--format  ("),
        ("strength of notes", "brain status --notes"),
        ("exclude", "brain 'kafka -draft'"),
        ("not", "brain 'kafka -draft'"),
        ("why", "brain explain"),
        ("network", "Privacy"),
        ("privacy", "Privacy"),
        ("june", "--since june"),
        ("size", "Size"),
        ("exit", "Exit codes"),
    ],
)
def test_help_finds_options_and_settings_by_the_words_of_their_help(
    brain: Brain, word: str, typed: str
) -> None:
    answer = brain("help", word)
    assert (answer.code, answer.err) == (0, "")
    assert any(line.startswith(typed) for line in answer.out.splitlines()), answer.out


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("qqq", "`brain help all` lists the commands."),
        ("undoo", "Did you mean `brain help undo`? `brain help all` lists the commands."),
    ],
)
def test_help_says_that_there_is_no_such_command(brain: Brain, word: str, hint: str) -> None:
    answer = brain("help", word)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"brain: There is no command “{word}”, and no option or setting is about it.\n  {hint}\n"
    )


@pytest.mark.parametrize(
    ("option", "first"), [("--tag", "brain remember --tag"), ("-n", "-n --limit  (remember,")]
)
def test_help_of_an_option_shows_that_option_only(
    brain: Brain, option: str, first: str
) -> None:
    answer = brain("help", option)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(first)
    assert all(option in line for line in answer.out.splitlines()[::2])


def test_a_question_that_begins_with_help_is_recalled(vault: Vault) -> None:
    vault.note("broker.md", "# Choose a broker\n\nHelp: Kafka.\n")
    assert "broker.md" in vault.brain("help", "me", "choose", "--vault", vault.folder).out
