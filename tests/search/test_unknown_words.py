"""Words of the query that no note of the vault has are named, so that a reader knows what was not
found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault


def test_a_word_that_no_note_has_is_unknown(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamp.\n")
    assert vault.remember("lighthouse photosynthesis")["unknown"] == ["photosynthesis"]


def test_an_unknown_word_is_told_as_it_was_typed(vault: Vault) -> None:
    vault.note("Leuchtturm.md", "# Leuchtturm\n\nWer hält die Lampe?\n")
    found = vault.remember("Leuchtturm Bücher")
    assert found["unknown"] == ["Bücher"]
    assert found["results"][0]["matched"] == ["Leuchtturm"]
    assert found["results"][0]["unmatched"] == ["Bücher"]


def test_stop_words_and_other_forms_of_a_known_word_are_not_unknown(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamps.\n")
    assert (
        vault.remember("who is the keeper of which lamp in the lighthouses?")["unknown"] == []
    )


def test_a_word_of_the_archive_alone_is_known(vault: Vault) -> None:
    vault.note("archive/a.md", "# Zeppelin\n\nThe zeppelin burned.\n")
    vault.note("b.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamp.\n")
    assert vault.remember("zeppelin")["unknown"] == []


def test_in_a_vault_of_one_subject_an_unknown_word_does_not_hide_every_note(
    vault: Vault,
) -> None:
    for number in range(12):
        vault.note(
            f"{number}.md",
            f"# Topic {number}\n\nThe kafka cluster number {number} has brokers.\n",
        )
    found = vault.remember("kafka quotas")
    assert (found["strategy"], len(found["results"])) == ("many-weak", 10)
    assert found["unknown"] == ["quotas"]


def test_a_note_of_the_archive_that_knows_the_rare_word_is_still_found(vault: Vault) -> None:
    for number in range(12):
        vault.note(
            f"{number}.md",
            f"# Topic {number}\n\nThe kafka cluster number {number} has brokers.\n",
        )
    vault.note("archive/quotas.md", "# Quotas in kafka\n\nWe had quotas once.\n")
    found = vault.remember("kafka quotas")
    assert [each["path"] for each in found["archive"]] == ["archive/quotas.md"]


def test_a_query_of_unknown_words_alone_finds_nothing(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamp.\n")
    assert vault.remember("photosynthesis chlorophyll")["strategy"] == "archive-fallback"


def test_a_word_is_not_unknown_where_the_vault_has_another_form_with_another_stem(
    vault: Vault,
) -> None:
    vault.note(
        "прививки.md",
        "# Прививки\n\nКлещевой энцефалит — в марте, и это было в больнице на Садовой.",
    )
    assert vault.remember("прививка от энцефалита")["unknown"] == []


def test_a_word_that_its_only_note_has_lost_is_unknown_and_not_offered_for_a_typo(
    vault: Vault,
) -> None:
    for number in range(12):
        vault.note(
            f"{number}.md", f"# Topic {number}\n\nThe cluster number {number} has brokers.\n"
        )
    vault.note("a.md", "# Source\n\nThe zeppelin flies.\n")
    assert vault.remember("zepelin")["corrections"] != []
    vault.note("a.md", "# Source\n\nThe balloon flies.\n")
    for query in ("zeppelin", "zepelin"):
        found = vault.remember(query)
        assert (found["corrections"], found["unknown"]) == ([], [query])
