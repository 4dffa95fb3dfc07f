"""Words of the query are marked in passages: whole words with the same stem, and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from examples import in_ci
from terminal import on_a_terminal

if TYPE_CHECKING:
    from conftest import Vault

MARKED = re.compile(r"\x1b\[1;35m([^\x1b]*)\x1b")


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        (
            "learn",
            "Learney told us what she learned; learning, relearn and `learn()` too.",
            ["learned", "learning", "learn"],
        ),
        in_ci(
            "Übergang",
            "Die Übergänge und der Übergangsrat der Stadt sind nicht über uns.",
            ["Übergänge"],
        ),
        in_ci("注文サービス", "この注文サービスは新しい。", ["注文サービス"]),
        in_ci(
            "timeouts",
            "The header grpc-timeout and the OrderTimeout travel.",
            ["timeout", "OrderTimeout"],
        ),
    ],
)
def test_exactly_the_words_that_match_are_marked(
    vault: Vault, query: str, text: str, marked: list[str]
) -> None:
    vault.note("one.md", f"# One\n\n{text}\n")
    vault.note("two.md", "# Garden\n\nRoses and tulips grow here.\n")
    assert "".join(MARKED.findall(on_a_terminal(vault, "remember", query))) == "".join(marked)


def test_titles_and_headings_are_without_markup_everywhere(vault: Vault) -> None:
    vault.note(
        "one.md",
        "# The `crane` of [Hull](https://h.ex) **now**\n\nA [[two|port]].\n\n## *Its* [[boat|boats]]\n\nIt lifts coal.",
    )
    vault.note("two.md", "# Garden with ~~weeds~~\n\nSee [[one]]. __init__ stays.\n")
    title, heading = "The crane of Hull now", "Its boats"
    found = vault.remember("lifts coal")
    assert found["results"][0]["title"] == found["shown"][0]["title"] == title
    shown = on_a_terminal(vault, "remember", "lifts coal", NO_COLOR="1")
    assert title in shown
    assert heading in shown
    for command in (
        ("recent",),
        ("related", "two"),
        ("status", "--notes"),
        ("show", "one", "--json"),
        ("remember", "coal"),
    ):
        assert title in vault.brain(*command, "--vault", vault.folder).out, command
    assert "Garden with weeds" in vault.brain("related", "one", "--vault", vault.folder).out
    assert vault.brain("show", title, "--vault", vault.folder).code == 0


def test_only_content_words_are_said_to_be_mentioned_nowhere(vault: Vault) -> None:
    vault.note("one.md", "# Harbour\n\nThe crane of the harbour lifts coal, although slowly.\n")
    out = vault.brain(
        "remember",
        "whether the nine zebras of the harbour",
        "--format",
        "rich",
        "--vault",
        vault.folder,
    ).out
    assert "No note mentions “zebras”." in out
