"""Folder weights, forms and pins move a note within bounds, and --explain shows by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.ranking.scorers.blend import Blend
from brain_cli.types import Signals

if TYPE_CHECKING:
    from conftest import Vault

LINKS = "".join(f"- [[Guide {number}]]\n" for number in range(6))
TEXT = "The lamp of the harbour is lit at dusk by the keeper."


def steps(result: dict[str, Any]) -> dict[str, tuple[str, float]]:
    return {step["name"]: (step["op"], step["value"]) for step in result["steps"]}


def explained(vault: Vault, query: str) -> dict[str, dict[str, tuple[str, float]]]:
    return {result["path"]: steps(result) for result in vault.remember(query)["results"]}


def test_a_list_of_links_is_behind_the_note_that_says_as_much(vault: Vault) -> None:
    for name in ("list", "text"):
        vault.note(
            f"{name}/harbour.md",
            f"# Of the harbour\n\n{LINKS if name == 'list' else ''}\n{TEXT}\n",
        )
    found = explained(vault, "harbour lamp")
    assert list(found) == ["text/harbour.md", "list/harbour.md"]
    assert "index" in found["list/harbour.md"]
    assert "index" not in found["text/harbour.md"]


@pytest.mark.parametrize("title", ["{{title}}", "<% tp.file.title %>"])
def test_a_template_is_behind_the_note_made_from_it(vault: Vault, title: str) -> None:
    vault.note("templates/meeting.md", f"# Meeting {title}\n\n{TEXT}\n")
    vault.note("meeting.md", f"# Meeting monday\n\n{TEXT}\n")
    found = explained(vault, "harbour lamp")
    assert list(found) == ["meeting.md", "templates/meeting.md"]
    assert "template" in found["templates/meeting.md"]


def test_placeholders_in_code_make_no_template(vault: Vault) -> None:
    vault.note(
        "manual.md",
        "# Titles\n\n## The variable `{{title}}`\n\nWrite `{{title}}` into the lamp's page.\n",
    )
    assert "template" not in explained(vault, "lamp")["manual.md"]


def test_an_index_that_is_asked_for_by_name_stays_first(vault: Vault) -> None:
    vault.note("Harbours.md", f"# Harbours\n\n{LINKS}")
    vault.note(
        "harbour-lamp.md", f"# Lamps of all harbours\n\n{TEXT} Harbours, harbours, harbours.\n"
    )
    assert vault.order("harbours")[0] == "Harbours"


def test_a_pinned_note_overtakes_one_that_matches_a_little_better(vault: Vault) -> None:
    vault.note("a.md", f"# Evening\n\n{TEXT} The lamp, again.\n")
    vault.note(
        "b.md", f"# Morning\n\n{TEXT} And much else is written here about other things.\n"
    )
    assert vault.order("lamp of the harbour") == ["a", "b"]
    vault.note(
        "b.md",
        f"# Morning\n\n{TEXT} And much else is written here about other things.\n",
        pinned="true",
    )
    found = explained(vault, "lamp of the harbour")
    assert list(found) == ["b.md", "a.md"]
    assert found["b.md"]["pin"][0] == "+"


def test_a_pinned_note_stays_behind_the_exact_name(vault: Vault) -> None:
    vault.note("Harbour lamp.md", "# Harbour lamp\n\nLit at dusk.\n")
    vault.note(
        "pinned.md", f"# The harbour lamp of all harbour lamps\n\n{TEXT}\n", pinned="true"
    )
    assert vault.order("harbour lamp")[0] == "Harbour lamp"


def test_the_weight_of_a_folder_is_a_step_of_the_score(vault: Vault) -> None:
    vault.note("old/harbour.md", f"# Evening\n\n{TEXT}\n")
    vault.brain.config.parent.mkdir(parents=True, exist_ok=True)
    vault.brain.config.write_text('[weights]\n"old/**" = 0.5\n')
    assert explained(vault, "lamp of the harbour")["old/harbour.md"]["weight"] == ("*", 0.5)


@given(
    relevance=st.floats(0, 1),
    pinned=st.booleans(),
    form=st.sampled_from(["", "index", "template"]),
)
def test_priors_leave_an_exact_name_on_top(relevance: float, pinned: bool, form: str) -> None:
    score = Blend().score
    exact = score(
        Signals(
            relevance=1.0, strength=0.0, salience=0.0, confidence=0.0, quality=0.0, form="index"
        )
    )
    other = score(
        Signals(relevance=relevance, strength=1.0, salience=1.0, pinned=pinned, form=form)
    )
    assert other.total <= exact.total + 1e-3


def test_a_template_is_a_strong_match_only_when_asked_for_by_name(vault: Vault) -> None:
    vault.note(
        "templates/lamp.md", f"# Blog lamps {{{{date}}}}\n\n{TEXT}\n", aliases=["Lamp form"]
    )
    for name in ("Sea", "Hill", "Wood"):
        vault.note(f"{name}.md", f"# {name}\n\nOther text of the {name}.\n")
    unsure, named = vault.remember("blog lamps"), vault.remember("lamp form")
    assert (
        unsure["results"][0]["certainty_rule"]
        == "the note has little text of its own (template)"
    )
    assert unsure["strategy"] != "single-strong"
    assert named["strategy"] == "single-strong"
