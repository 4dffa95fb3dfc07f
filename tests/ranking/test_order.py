"""Of two notes that differ in one thing only, the better one comes first, under every formula that
knows the thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from examples import in_ci

from brain_cli.ranking.scorers import SCORERS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Vault

ALL = tuple(SCORERS)
BODY = "We talked about the lighthouse for a while.\n"


def pair(
    vault: Vault,
    better: dict[str, object],
    worse: dict[str, object],
    scorer: str,
    *options: object,
) -> None:
    """Write two notes that differ in their frontmatter; the better one has the later path, so no
    tie helps it.
    """
    vault.note("z-better.md", f"# Entry\n\n{BODY}", **{"date": "2026-11-01", **better})
    vault.note("a-worse.md", f"# Entry\n\n{BODY}", **{"date": "2026-11-01", **worse})
    assert vault.order("lighthouse", "--scorer", scorer, "--no-mmr", *options) == [
        "z-better",
        "a-worse",
    ]


@pytest.mark.parametrize("scorer", ALL)
def test_the_younger_of_two_notes_comes_first(vault: Vault, scorer: str) -> None:
    pair(vault, {"date": "2026-11-20"}, {"date": "2026-09-01"}, scorer)


@pytest.mark.parametrize("scorer", ALL)
def test_a_decision_before_a_note_of_the_same_age(vault: Vault, scorer: str) -> None:
    pair(
        vault,
        {"type": "decision", "date": "2026-10-01"},
        {"type": "note", "date": "2026-10-01"},
        scorer,
    )


@pytest.mark.parametrize("scorer", ["brain", "blend"])
def test_a_conversation_before_an_observation(vault: Vault, scorer: str) -> None:
    pair(vault, {"type": "conversation"}, {"type": "observation"}, scorer)


def test_a_bugfix_before_a_refactoring(vault: Vault) -> None:
    pair(vault, {"type": "bugfix"}, {"type": "refactor"}, "claude-mem")


@pytest.mark.parametrize("scorer", ["brain", "clawmem", "clawdbot", "blend"])
def test_a_pinned_note_before_one_that_is_not(vault: Vault, scorer: str) -> None:
    pair(vault, {"pinned": "true"}, {}, scorer)


@pytest.mark.parametrize("scorer", ["brain", "blend"])
def test_a_salient_note_before_one_that_is_not(vault: Vault, scorer: str) -> None:
    pair(vault, {"salience": 0.9}, {"salience": 0.1}, scorer)


@pytest.mark.parametrize("scorer", ["brain", "blend"])
def test_a_strong_memory_before_a_weak_one(vault: Vault, scorer: str) -> None:
    pair(vault, {"strength": 0.9}, {"strength": 0.2}, scorer)


@pytest.mark.parametrize("scorer", ["brain", "blend"])
def test_a_memory_that_fades_slowly_before_one_that_fades_fast(
    vault: Vault, scorer: str
) -> None:
    pair(vault, {"decay_rate": 0.999}, {"decay_rate": 0.9}, scorer)


@pytest.mark.parametrize("scorer", ["clawmem", "blend"])
def test_a_note_that_is_sure_before_one_that_is_not(vault: Vault, scorer: str) -> None:
    pair(vault, {"confidence": 0.9}, {"confidence": 0.2}, scorer)


@pytest.mark.parametrize("scorer", ["brain", "claude-mem", "blend"])
def test_a_note_of_this_project_before_one_of_another(vault: Vault, scorer: str) -> None:
    pair(vault, {"project": "orders"}, {"project": "tides"}, scorer, "--project", "Orders")


def test_a_note_about_files_of_the_working_folder_before_another(
    vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "main.py").touch()
    vault.note("z-better.md", f"# Entry\n\n{BODY}", date="2026-11-01", files=["main.py"])
    vault.note(
        "a-worse.md",
        f"# Entry\n\n{BODY}",
        date="2026-11-01",
        files=["../here/main.py", "gone.py"],
    )
    assert vault.order("lighthouse", "--scorer", "claude-mem", cwd=tmp_path / "here") == [
        "z-better",
        "a-worse",
    ]


def test_notes_that_carry_the_tag_that_was_asked_for(vault: Vault) -> None:
    vault.note(
        "z-better.md", f"# Entry\n\n{BODY} Some optics.\n", date="2026-11-01", tags=["optics"]
    )
    vault.note(
        "a-worse.md", f"# Entry\n\n{BODY} Some optics.\n", date="2026-11-01", tags=["glass"]
    )
    assert vault.order("lighthouse optics", "--scorer", "claude-mem")[0] == "z-better"
    first = vault.remember("lighthouse optics", "--scorer", "claude-mem")["results"][0]
    assert first["signals"]["concept_overlap"] == 1.0


def test_a_well_built_note_before_a_bare_paragraph(vault: Vault) -> None:
    body = "We talked about the lighthouse for a while, and about the keeper.\n"
    vault.note(
        "z-better.md",
        f"# Entry\n\n{body}\n- We decided to go.\n- We went.\n",
        date="2026-11-01",
    )
    vault.note(
        "a-worse.md",
        f"# Entry\n\n{body}\nWe had intended to go.\nWe went.\n",
        date="2026-11-01",
    )
    found = vault.remember("lighthouse", "--scorer", "clawmem", "--no-mmr")["results"]
    assert [each["path"] for each in found] == ["z-better.md", "a-worse.md"]
    assert found[0]["signals"]["quality"] > found[1]["signals"]["quality"]


def test_a_short_note_before_a_long_one_of_equal_relevance(vault: Vault) -> None:
    vault.note("z-better.md", f"# Lighthouse\n\n{BODY}", date="2026-11-01")
    vault.note(
        "a-worse.md",
        f"# Lighthouse\n\n{BODY}" + "Nothing else came up. " * 200,
        date="2026-11-01",
    )
    found = vault.remember("lighthouse", "--scorer", "clawmem")["results"]
    assert [each["path"] for each in found] == ["z-better.md", "a-worse.md"]
    assert [each["signals"]["relevance"] for each in found] == [1.0, 1.0]


def test_a_note_that_was_revised_before_one_that_was_not(vault: Vault) -> None:
    pair(vault, {"revisions": 9}, {"revisions": 1}, "clawmem")


@pytest.mark.parametrize("scorer", ["clawmem", "blend"])
def test_a_superseded_note_behind_the_one_that_supersedes_it(vault: Vault, scorer: str) -> None:
    vault.note(
        "z-better.md",
        f"# Entry two\n\n{BODY}",
        date="2026-11-01",
        supersedes="[[a-worse]]",
        type="decision",
    )
    vault.note("a-worse.md", f"# Entry one\n\n{BODY}", date="2026-11-01", type="decision")
    assert vault.order("lighthouse", "--scorer", scorer, "--no-mmr") == ["z-better", "a-worse"]


def test_a_linked_note_before_a_lonely_one_and_one_hop_before_two(vault: Vault) -> None:
    """`hub` is the strong source; `z-one` is one link away from it, `m-two` two, `a-lonely` none."""
    vault.note("hub.md", f"# Lighthouse\n\n{BODY}", date="2026-11-01", related=["z-one"])
    vault.note("z-one.md", f"# Entry\n\n{BODY}", date="2026-11-01", related=["relay"])
    vault.note(
        "relay.md", "# Relay\n\nNothing of it.\n", date="2026-11-01", related=["hub", "m-two"]
    )
    vault.note("m-two.md", f"# Entry\n\n{BODY}", date="2026-11-01")
    vault.note("a-lonely.md", f"# Entry\n\n{BODY}", date="2026-11-01")
    assert vault.order("lighthouse", "--no-mmr") == ["hub", "z-one", "m-two", "a-lonely"]


def test_a_question_for_the_newest_prefers_age_to_relevance(vault: Vault) -> None:
    for number in range(8):
        vault.note(f"{number}.md", f"# Subject {number}\n\nSomething about subject {number}.\n")
    vault.note("old.md", f"# Lighthouse tower\n\n{BODY}", date="2026-06-01")
    vault.note("new.md", f"# Entry\n\n{BODY} And of much else that day.\n", date="2026-11-20")
    assert vault.order("lighthouse tower", "--scorer", "clawmem") == ["old", "new"]
    assert vault.order("latest lighthouse tower", "--scorer", "clawmem") == ["new", "old"]
    assert vault.order("lighthouse tower", "--scorer", "clawmem", "--recent") == ["new", "old"]
    assert vault.order("latest lighthouse tower", "--scorer", "clawmem", "--no-recent") == [
        "old",
        "new",
    ]


def test_a_very_old_note_keeps_the_floor(vault: Vault) -> None:
    vault.note("old.md", "# Lighthouse\n\nBuilt of stone.\n", date="1999-01-01")
    [found] = vault.remember("lighthouse", "--scorer", "clawdbot")["results"]
    assert found["total"] == pytest.approx(0.1)
    assert vault.remember("lighthouse")["considered"] == 1


@pytest.mark.parametrize("scorer", ALL)
def test_a_tie_goes_to_the_newest_then_to_the_first_path(vault: Vault, scorer: str) -> None:
    for path, second in (("b", 0), ("c", 0), ("a", 0), ("z", 1)):
        # In the future: all are as old as today to the formula, but one is newer. No two are of equal
        # content.
        head = {"date": f"2027-01-01T10:00:0{second}Z", "type": "decision", "mark": path}
        vault.note(f"{path}.md", f"# Entry\n\n{BODY}", **head)
    assert vault.order("lighthouse", "--scorer", scorer, "--no-mmr") == ["z", "a", "b", "c"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("scorer", [ALL[0], *map(in_ci, ALL[1:])])
def test_a_real_process_gives_the_same_order_twice(sample: Vault, scorer: str) -> None:
    arguments = (
        "remember",
        "event-driven design",
        "--scorer",
        scorer,
        "--format",
        "jsonl",
        "--no-touch",
    )
    first, second = (
        sample.brain.process(*arguments, "--vault", sample.folder) for _ in range(2)
    )
    assert first.out == second.out
    totals = [each["total"] for each in first.lines]
    assert totals == sorted(totals, reverse=True)


def test_near_duplicates_go_behind_the_others_with_their_scores_and_none_is_lost(
    vault: Vault,
) -> None:
    text = "The lighthouse keeper lit the lamp at dusk, cleaned the lens, and wrote the weather down every hour."
    vault.note("best.md", f"# Lighthouse\n\n{text}\n", date="2026-11-20")
    vault.note("copy.md", f"# Lighthouse log\n\n{text} Twice.\n", date="2026-11-19")
    vault.note(
        "other.md",
        "# Harbour\n\nSeen from the lighthouse, boats are small.\n",
        date="2026-10-01",
    )
    plain = {
        each["path"]: each["score"]
        for each in vault.remember("lighthouse", "--no-mmr")["results"]
    }
    diverse = {each["path"]: each["score"] for each in vault.remember("lighthouse")["results"]}
    assert list(plain) == ["best.md", "copy.md", "other.md"]
    assert list(diverse) == ["best.md", "other.md", "copy.md"]
    assert diverse == plain


def test_the_limit_cuts_the_list_and_says_how_many_are_left(vault: Vault) -> None:
    for number in range(7):
        vault.note(f"{number}.md", f"# Entry {number}\n\nLighthouse number {number}.\n")
    document = vault.remember("lighthouse", "-n", 3)
    assert [each["rank"] for each in document["results"]] == [1, 2, 3]
    assert (document["considered"], document["more"]) == (7, 4)


def test_a_floor_on_the_score_leaves_out_what_is_below(vault: Vault) -> None:
    vault.note("new.md", "# Lighthouse\n\nStone.\n", date="2026-11-20")
    vault.note("old.md", "# Lighthouse keeper\n\nA man.\n", date="2020-11-20")
    assert vault.order("lighthouse", "--scorer", "clawdbot", "--min-score", 0.5) == ["new"]
