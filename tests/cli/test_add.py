"""`brain add`: write a new note with its date and project, without overwriting another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from on_notes import Run, contents, runner, typed, undone
from texts import any_text

from brain_cli.vault.edit import composed, file_names, folder_for, title_of
from brain_cli.vault.inline_text import plain_title
from brain_cli.vault.note import parse_note

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def run(vault: Vault) -> Run:
    return runner(vault)


def test_a_title_and_a_text_become_a_note_in_the_folder_for_its_kind(
    run: Run, vault: Vault
) -> None:
    vault.note("Decisions/old.md", "# Old\n")
    answer = run(
        "add", "Drink green tea: why?", "--type", "decision", "--tag", "tea", "--tag", "#a b", "--project", "kitchen",
        stdin="Because it is green.\n",
    )  # fmt: skip
    assert (answer.code, answer.out) == (0, "Decisions/drink-green-tea-why.md\n")
    assert contents(vault)["Decisions/drink-green-tea-why.md"].decode() == (
        "---\ntype: decision\ndate: 2026-11-21T10:00:00Z\nproject: kitchen\n"
        'tags: [tea, "a b"]\nsalience: "0.65"\n---\n\n# Drink green tea: why?\n\nBecause it is green.\n'
    )
    found = vault.remember("why drink green tea")["results"][0]
    assert (found["path"], found["age_days"], found["project"]) == (
        "Decisions/drink-green-tea-why.md",
        0,
        "kitchen",
    )
    assert undone(answer, run).code == 0
    assert "Decisions/drink-green-tea-why.md" not in contents(vault)


def test_a_text_without_a_title_is_named_by_its_first_words(run: Run, vault: Vault) -> None:
    assert (
        run("add", stdin="\n- [ ] Buy *green* tea\n- and a pot\n").out == "buy-green-tea.md\n"
    )
    assert (
        contents(vault)["buy-green-tea.md"]
        .decode()
        .endswith("---\n\n- [ ] Buy *green* tea\n- and a pot\n")
    )
    assert run("add", stdin="# Oolong\n\nHalf green.\n").out == "oolong.md\n"
    assert run("add").code == 2


def test_properties_that_the_text_already_has_stay(run: Run, vault: Vault) -> None:
    text = "---\ntitle: Tea\ndate: 2020-01-01  # then\n---\n\nGreen.\n"
    assert (
        run("add", "--type", "learning", "--now", "2026-11-21", stdin=text).out
        == "learnings/tea.md\n"
    )
    assert contents(vault)["learnings/tea.md"].decode() == text.replace(
        "# then\n", "# then\ntype: learning\n"
    )


def test_another_note_is_never_overwritten(run: Run, vault: Vault) -> None:
    vault.note("tea.md", "# An older tea\n")
    assert run("add", "Tea", stdin="x").out == "tea-2.md\n"
    answer = run("add", "Tea", "--path", "tea.md", stdin="x")
    assert answer.code == 3
    assert contents(vault)["tea.md"] == b"# An older tea\n"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("a/b.md", "a/b.md"),
        ("a/b", "a/b.md"),
        ("new/", "new/tea.md"),
        ("there", "there/tea.md"),
        (".", "tea.md"),
    ],
)
def test_a_path_is_a_file_or_a_folder_of_the_vault(
    run: Run, vault: Vault, path: str, where: str
) -> None:
    (vault.folder / "there").mkdir()
    assert run("add", "Tea", "--path", path, "--json").json["path"] == where
    assert where in contents(vault)


@pytest.mark.parametrize(
    "path", ["../x.md", "/tmp/x.md", ".hidden/x.md", "a/../../x.md", "out/x.md"]
)
def test_nothing_is_written_outside_the_vault_or_where_it_would_not_be_found(
    run: Run, vault: Vault, path: str, tmp_path: Path
) -> None:
    (vault.folder / "out").symlink_to(tmp_path)
    assert run("add", "Tea", "--path", path, stdin="x").code == 2
    assert not contents(vault)


def test_a_note_that_was_just_added_is_not_added_again(run: Run, vault: Vault) -> None:
    first = run("add", "Use green tea for the morning", "--project", "kitchen")
    again = run("add", "Use GREEN tea, for the morning!", "--project", "Kitchen")
    assert (again.code, again.out) == (0, first.out)
    assert "--force" in again.err
    assert (
        run("add", "Use green tea for the morning", "--project", "kitchen", "--json").json[
            "stored"
        ]
        is False
    )
    assert run("add", "Use green tea for the morning", "--project", "office").out != first.out
    assert run("add", "Use black tea for the morning", "--project", "kitchen").out != first.out
    assert (
        run("add", "Use green tea for the morning", "--project", "kitchen", "--force").out
        != first.out
    )
    late = run(
        "add",
        "Use green tea for the morning",
        "--project",
        "kitchen",
        "--now",
        "2026-11-21T12:00:00Z",
    )
    assert late.out not in (first.out, "")


def test_notes_of_one_title_with_different_texts_are_both_kept(run: Run, vault: Vault) -> None:
    texts = ("It was green.\n", "No.\n", "It was black, and there was milk.\n")
    answers = [run("add", "Tea for the morning", "--json", stdin=text).json for text in texts]
    assert [answer["stored"] for answer in answers] == [True, True, True]
    assert len({answer["path"] for answer in answers}) == 3
    again = run("add", "Tea for the morning", "--json", stdin="No.\n").json
    assert (again["stored"], again["path"]) == (False, answers[1]["path"])


def test_the_project_is_the_repository_one_works_in(
    run: Run, vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "kitchen" / ".git").mkdir(parents=True)
    answer = run("add", "Tea", cwd=tmp_path / "kitchen")
    assert answer.out == f"{vault.folder}/tea.md\n"
    assert b"project: kitchen\n" in contents(vault)["tea.md"]


def test_the_repository_of_the_notes_is_no_project(run: Run, vault: Vault) -> None:
    (vault.folder / ".git").mkdir()
    run("add", "Tea", cwd=vault.folder)
    assert b"project" not in contents(vault)["tea.md"]


@pytest.mark.exhaustive
def test_on_a_terminal_the_text_is_written_in_the_editor(vault: Vault) -> None:
    editor = vault.brain.home / "nano"
    editor.write_text('#!/bin/sh\nprintf "Green.\\n" >>"$2"\n')
    editor.chmod(0o755)
    code, said = typed(vault, "", "add", "Tea", EDITOR=str(editor))
    assert code == 0, said
    assert contents(vault)["tea.md"].endswith(b"---\n\n# Tea\n\nGreen.\n")
    code, said = typed(vault, "", "add", "Coffee", EDITOR="true")
    assert code == 3
    assert "Nothing was written" in said


def test_words_without_a_text_may_have_been_a_question(vault: Vault) -> None:
    vault.note("git.md", "# Git\n\nTo add a remote: git remote add origin.\n")
    code, said = typed(vault, "y\n", "add", "a", "remote", EDITOR="true")
    assert code == 0, said
    assert "Was “add a remote” a question?" in said
    assert "Found a strong match" in said
    code, said = typed(vault, "n\n", "add", "a", "remote", EDITOR="true")
    assert code == 3
    assert "Nothing was written" in said
    assert list(contents(vault)) == ["git.md"]


@pytest.fixture
def decided(vault: Vault) -> Vault:
    vault.note(
        "carts.md", "# Keep carts in Redis\n\nFor now.\n", type="decision", date="2026-09-01"
    )
    vault.note(
        "mail.md", "# Send mails at night\n\nThey wait.\n", type="decision", date="2026-09-01"
    )
    return vault


def test_a_new_decision_says_which_one_on_its_subject_it_may_replace(decided: Vault) -> None:
    new = ("add", "Keep carts in PostgreSQL", "--vault", decided.folder, "--json")
    answer = decided.brain(*new, "--type", "decision", stdin="It is there.")
    assert answer.json["may_replace"] == ["carts.md"]
    assert "carts.md decides on the same subject" in answer.err
    assert (
        decided.brain(*new, "--type", "learning", "--force", stdin="It is there.").json[
            "may_replace"
        ]
        == []
    )


def test_a_note_that_is_replaced_is_named_and_no_longer_offered(decided: Vault) -> None:
    new = ("add", "--type", "decision", "--vault", decided.folder, "--json")
    answer = decided.brain(
        *new, "Keep carts in PostgreSQL", "--supersedes", "carts", stdin="It is there."
    )
    assert (answer.json["may_replace"], answer.err.count("same subject")) == ([], 0)
    assert (
        b"supersedes: [carts.md]\n"
        in contents(decided)["decisions/keep-carts-in-postgresql.md"]
    )
    later = decided.brain(*new, "Keep carts in memory", stdin="It is fast.")
    assert later.json["may_replace"] == ["decisions/keep-carts-in-postgresql.md"]
    missing = decided.brain(*new, "Another", "--supersedes", "none-of-them", stdin="Text.")
    assert missing.code == 2


@pytest.mark.exhaustive
def test_a_terminal_asks_whether_a_decision_is_replaced(decided: Vault) -> None:
    title = ("add", "--type", "decision", "Keep carts in PostgreSQL", "--vault", decided.folder)
    editor = decided.brain.home / "nano"
    editor.write_text('#!/bin/sh\nprintf "Now.\\n" >>"$2"\n')
    editor.chmod(0o755)
    code, said = typed(decided, "y\n", *title, EDITOR=str(editor))
    assert (code, "Does it replace “Keep carts in Redis” (carts.md)? [y/N]" in said) == (
        0,
        True,
    )
    assert (
        b"supersedes: [carts.md]\n"
        in contents(decided)["decisions/keep-carts-in-postgresql.md"]
    )


@given(any_text(200))
def test_every_title_has_a_safe_file_name(title: str) -> None:
    names = file_names(title)
    for name in (next(names), next(names)):
        assert name.strip("-")
        assert not set(name) & set('/\\:*?"<>|\0\n\t .')
        assert len(name.encode()) <= 210
        assert name.lower() not in ("con", "nul", "aux")


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=80),
    any_text(100),
)
def test_a_composed_note_has_the_title_it_was_given(title: str, text: str) -> None:
    title = " ".join(title.split())
    if not title or text.startswith(("---", "+++")):
        return
    raw = composed(title, text.replace("\ud800", ""), {"type": "learning"}, heading=True)
    metadata = parse_note("x.md", raw.decode(), 0.0).metadata
    assert (metadata.title, metadata.kind) == (plain_title(title), "learning")


def test_a_kind_goes_to_its_existing_folder_else_to_the_default_one() -> None:
    assert folder_for("decision", ["adr", "x"]) == "adr"
    assert folder_for("decision", ["ADR", "Decisions"]) == "Decisions"
    assert folder_for("decision", []) == "decisions"
    assert folder_for("recipe", ["recipes"]) == "recipes"
    assert folder_for("recipe", []) == ""
    assert folder_for(None, ["decisions"]) == ""


def test_a_text_is_named_by_its_title() -> None:
    assert title_of("---\ntitle: A\n---\n# B\n") == "A"
    assert title_of("text\n\n# B\n") == "B"
    assert title_of("\n> *quoted* `words`\n") == "quoted words"
    assert title_of("\n \n") == ""


def test_the_subject_of_a_new_note_can_be_given_by_options(
    vault: Vault, tmp_path: Path
) -> None:
    repository = tmp_path / "shop"
    (repository / ".git").mkdir(parents=True)
    (repository / "src").mkdir()
    about = [
        "--file",
        "cart.py",
        "--file",
        "../README.md",
        "--topic",
        "carts",
        "--task",
        "refactor",
        "--salience",
        "0.9",
    ]
    added = vault.brain(
        "add",
        "Carts",
        *about,
        "--vault",
        vault.folder,
        stdin="They expire.",
        cwd=repository / "src",
    )
    assert added.code == 0
    note = (vault.folder / "carts.md").read_text()
    for line in (
        "files: [src/cart.py, README.md]",
        "topics: [carts]",
        "task: refactor",
        "project: shop",
    ):
        assert line in note
    assert "salience: 0.9" in note.replace('"', "")


def test_a_section_is_appended_with_its_date_and_nothing_else_changes(vault: Vault) -> None:
    before = b"---\r\ntitle: Log\r\n---\r\n\r\nFirst.\r\n"
    (vault.folder / "log.md").write_bytes(before)
    answer = vault.brain(
        "add", "Second", "--append", "Log", "--vault", vault.folder, stdin="More.\n"
    )
    assert answer.code == 0
    after = (vault.folder / "log.md").read_bytes()
    assert after == before + b"\r\n## 2026-11-21 Second\r\n\r\nMore.\r\n"


def test_an_appended_section_links_the_notes_that_it_names(vault: Vault) -> None:
    vault.note("log.md", "# Log\n")
    vault.note("retry.md", "# Retry of payments\n")
    vault.brain(
        "add",
        "Third",
        "--append",
        "Log",
        "--vault",
        vault.folder,
        stdin="As in Retry of payments.\n",
    )
    text = (vault.folder / "log.md").read_text()
    assert text.endswith(
        "## 2026-11-21 Third\n\nAs in Retry of payments.\n\nRelated: [[retry]]\n"
    )


@pytest.mark.parametrize(
    ("kind", "salience"), [("decision", 0.65), ("change", 0.4), ("learning", 0.5)]
)
def test_a_note_that_is_added_matters_by_its_kind(
    vault: Vault, kind: str, salience: float
) -> None:
    path = vault.brain("add", "Carts", "--type", kind, "--vault", vault.folder, "--json").json[
        "path"
    ]
    shown = vault.brain("show", path, "--vault", vault.folder, "--json").json
    assert shown["salience"] == salience


def test_an_empty_text_cannot_be_appended(vault: Vault) -> None:
    vault.note("log.md", "# Log\n")
    answer = vault.brain("add", "--append", "Log", "--vault", vault.folder, stdin="")
    assert (answer.code, "nothing to append" in answer.err) == (2, True)


@pytest.mark.parametrize("kind", ["we/ird", "..\\up", "two\nlines"])
def test_a_kind_that_is_no_word_is_refused(vault: Vault, kind: str) -> None:
    answer = vault.brain("add", "Tea", "--type", kind, "--vault", vault.folder)
    assert answer.code == 2
    assert "cannot be a kind of note" in answer.err
    assert not list(vault.folder.iterdir())


@pytest.mark.parametrize(
    ("kind", "near"),
    [
        ("learnin", "learning"),
        ("desicion", "decision"),
        ("recipes", "recipe"),
        ("goals", "goal"),
    ],
)
def test_a_kind_that_is_nearly_a_known_one_is_named(
    run: Run, vault: Vault, kind: str, near: str
) -> None:
    vault.note("soup.md", "# Soup\n\nHot.\n", type="recipe")
    answer = run("add", "Bread", "--type", kind, stdin="Warm.\n")
    assert answer.code == 0
    assert f"No note is a “{kind}” yet.\n  Did you mean --type {near}?\n" in answer.err
    # It is known from now on.
    assert "Did you mean" not in run("add", "Rice", "--type", kind, stdin="White.\n").err


@pytest.mark.parametrize("kind", ["decision", "recipe", "meeting", "adr"])
def test_other_kinds_are_written_without_a_word(run: Run, vault: Vault, kind: str) -> None:
    vault.note("soup.md", "# Soup\n\nHot.\n", type="recipe")
    assert "Did you mean" not in run("add", "Bread", "--type", kind, stdin="Warm.\n").err


@pytest.mark.parametrize(("key", "kind"), [("y", "learning"), ("n", "learnin")])
def test_on_a_terminal_the_near_kind_is_offered(vault: Vault, key: str, kind: str) -> None:
    editor = vault.brain.home / "nano"
    editor.write_text('#!/bin/sh\nprintf "Green.\\n" >>"$2"\n')
    editor.chmod(0o755)
    code, said = typed(vault, f"{key}\n", "add", "Tea", "--type", "learnin", EDITOR=str(editor))
    assert code == 0, said
    assert "No note is a “learnin”. Write “learning”? [y/N]" in said
    [written] = contents(vault).values()
    assert f"type: {kind}\n".encode() in written
