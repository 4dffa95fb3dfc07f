"""A shared memory gives the same answer as the vault, whole: every field of the JSON document, for
any words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE_VAULT, Brain, Vault
from examples import examples, in_ci
from hypothesis import given
from hypothesis import strategies as st
from postgres_server import Server

from brain_cli.answer.recall import recall
from brain_cli.config import load_config
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.library import vault as library
from brain_cli.plugins.team.question import UnaskedSnapshot
from brain_cli.plugins.team.reading import Reader
from brain_cli.plugins.team.sending import Sending
from brain_cli.plugins.team.store import Store
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.render import View, json_text
from brain_cli.search.filters import FILTERS, Filters
from brain_cli.search.query import Query
from brain_cli.types import Session
from brain_cli.vault.analyzer import words_of
from brain_cli.vault.clock import Clock

NOW = 1.79e9
VIEW = View(vault="", folder="", body_of=str, explain=True)
NOTES = {
    "billing/reconciliation.md": "# Monthly closing\n\nThe reconciliation of invoices takes two days.",
    "billing/rechnungen.md": "# Rechnungsprüfung\n\nDie Abrechnungen der Kundenverträge prüfen wir monatlich.",
    "billing/vertrag.md": "# Vertragsverlängerung\n\nKündigungsfristen stehen im [[rechnungen]].",
    "health/entsefalit.md": "# Клещевой энцефалит\n\nПрививка от энцефалита нужна каждые три года.",
    "health/vaccin.md": "# Vaccination\n\nLes vaccinations contre l'encéphalite sont recommandées aux voyageurs.",
    "health/vacuna.md": "# Vacunas\n\nLas vacunaciones de los niños y las enfermedades tropicales.",
    "search/kensaku.md": "# 全文検索\n\n日本語の全文検索エンジンについて。[[heapsort]]",
    "search/heapsort.md": "# Heap Sort\n\nSorting by a heap; see [the encyclopaedia](kensaku.md).",
    "search/frontmatter.md": "# Frontmatter\n\nRelease 2.7.5 reads the front of a note, and 404 of them failed.",
}
ENDINGS = (
    "s",
    "ed",
    "ing",
    "e",
    "ation",
    "ations",
    "ement",
    "ung",
    "en",
    "es",
    "а",
    "ов",
    "ая",
    "ción",
    "ique",
)
ASKED_FILTERS: tuple[Mapping[str, str], ...] = (
    {"tag": "kafka"},
    {"tag": "-kafka"},
    {"type": "decision"},
    {"path": "*/re*.md"},
    {"path": "decisions"},
    {"path": "[dr]e*/*.md"},
    {"title": "kafka"},
    {"since": "2026-10-01"},
    {"before": "2026-10-01"},
    {"where": "type=decision"},
)


@pytest.fixture(scope="module")
def words() -> list[str]:
    """The words of some notes in six languages, in their order."""
    texts = [
        *NOTES.values(),
        *(path.read_text() for path in sorted(SAMPLE_VAULT.rglob("*.md"))[::5]),
    ]
    return list(dict.fromkeys(word for text in texts for word in words_of(text)))


@pytest.fixture(scope="module")
def both(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], tuple[Snapshot, Snapshot]]]:
    """Return a function that opens a vault twice: its own index, and a shared memory that has its
    notes.
    """
    folder = tmp_path_factory.mktemp("languages")
    for note in SAMPLE_VAULT.rglob("*.md"):
        NOTES.setdefault(str(note.relative_to(SAMPLE_VAULT)), note.read_text())
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    vault = library.Vault(
        folder=str(folder),
        working_folder=str(folder),
        config=load_config(None, {}, {}),
        now=NOW,
        cache_home=str(folder.with_name("cache")),
        state_home=str(folder.with_name("state")),
    )
    vault.index()
    alone, store = open_snapshot(vault.index_directory), Store(server.database())
    Sending(vault, store.vault("vault", "me")).run(lambda _done, _total: None)
    yield lambda: (
        alone,
        UnaskedSnapshot(Reader(store, folder.with_name("events"), lambda *_, **__: None)),
    )
    alone.index.close()
    store.close()


def answered(snapshot: Snapshot, query: Query, scorer: str) -> dict[str, Any]:
    answer = recall(
        query,
        Session(NOW),
        snapshot.about(query, Clock(NOW)),
        RankingOptions(load_scorer(scorer)),
    )
    return json_text.document(answer, VIEW)


def without_vault(value: Any) -> Any:
    """Return a document with the paths of notes as the vault itself names them."""
    if isinstance(value, dict):
        return {key: without_vault(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(without_vault, value))
    return value.removeprefix("vault:") if isinstance(value, str) else value


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield the places where two documents differ; numbers may differ by rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key), other.get(key), f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (each, another) in enumerate(zip(one, other, strict=True)):
            yield from differences(each, another, f"{place}[{number}]")
    elif (
        isinstance(one, float)
        and isinstance(other, float)
        and math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    ):
        return
    elif one != other:
        yield f"{place}: {one!r} in the vault, {other!r} in the memory"


def same(
    both: Callable[[], tuple[Snapshot, Snapshot]], query: Query, scorer: str = "blend"
) -> dict[str, Any]:
    """Assert that both answer alike; return the answer."""
    alone, shared = both()
    try:
        found, there = (answered(each, query, scorer) for each in (alone, shared))
    finally:
        shared.index.close()
    assert list(differences(found, without_vault(there))) == []
    return found


@pytest.mark.parametrize("scorer", ["blend", in_ci("brain")])
@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("reconcile invoices", []),
        ("энцефалитное", ["энцефалитное"]),
        ("Kundenvertrag prüfung", ["prüfung"]),
        ("zebra", ["zebra"]),
        ("reconcilliation", ["reconcilliation"]),
        ("全文検索エンジン", []),
        ("heapsort", []),
        ("front matter 2.7.5", []),
        ("ordersmonthly", ["ordersmonthly"]),
    ],
)
def test_a_word_is_unknown_where_no_note_has_it_in_any_form(
    both: Callable[[], tuple[Snapshot, Snapshot]], query: str, unknown: list[str], scorer: str
) -> None:
    assert same(both, Query(query), scorer)["unknown"] == unknown


@st.composite
def asked_words(draw: st.DrawFn, words: list[str]) -> str:
    """A word of the vault: as it is, misspelt, with another ending, or joined with another; or one
    of no vault.
    """
    word = draw(st.sampled_from(words))
    # The server finds no term that differs in its first letter (docs/shared-memory.md).
    place = draw(st.integers(min(1, len(word) - 1), len(word) - 1))
    letter = draw(st.sampled_from("aeßxzи検7"))
    return draw(
        st.sampled_from(
            (
                word,
                word[:place] + word[place + 1 :] or word,
                word[:place] + letter + word[place:],
                word[:place] + letter + word[place + 1 :],
                word[: max(4, place)] + draw(st.sampled_from(ENDINGS)),
                word + draw(st.sampled_from(words)),
                f"{word[:3]}*",
                f"-{word}",
                "2026-11-19",
                f'"{word} {draw(st.sampled_from(words))}"',
                draw(st.text("qwxzjk", min_size=5, max_size=9)),
                draw(st.text("0123456789.", min_size=1, max_size=6)),
            )
        )
    )


def test_every_filter_is_asked_below() -> None:
    assert {name for each in ASKED_FILTERS for name in each} == FILTERS.keys()


@given(data=st.data(), scorer=st.sampled_from(("blend", "brain", "claude-mem")))
@examples(250)
def test_the_memory_answers_as_the_vault_does(
    both: Callable[[], tuple[Snapshot, Snapshot]],
    words: list[str],
    data: st.DataObject,
    scorer: str,
) -> None:
    asked = data.draw(st.lists(asked_words(words), min_size=1, max_size=5), "words")
    filters = data.draw(st.lists(st.sampled_from(ASKED_FILTERS), max_size=2), "filters")
    options = {name: value for each in filters for name, value in each.items()}
    archived = data.draw(st.booleans(), "archived") if filters else False
    same(both, Query(" ".join(asked), Filters.of(archived=archived, **options)), scorer)


def test_the_topics_of_active_notes_are_suggested_for_archived_ones(
    both: Callable[[], tuple[Snapshot, Snapshot]],
) -> None:
    same(both, Query("monthly", Filters.of(archived=True, path="[dr]e*/*.md")))


@pytest.mark.parametrize(
    "query",
    ["-kafka", "qzxv -kafka", "qzxv OR -heapsort", "qzxv 2026-11-19", "qzxv -kafka 2026-11-19"],
)
def test_a_query_without_a_known_word_has_the_same_answer(
    both: Callable[[], tuple[Snapshot, Snapshot]], query: str
) -> None:
    same(both, Query(query))


def test_the_line_about_unknown_words_is_the_same(
    vault: Vault, memory: str, brain: Brain, tmp_path: Path
) -> None:
    vault.note("closing.md", "# Closing\n\nThe reconciliation of invoices takes two days.")
    assert brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    for query in ("reconcile zebra", "reconcile invoice", "zebras", "invoces"):
        alone, shared = (
            brain("remember", query, *place, "--no-touch", "--format", "rich")
            for place in (("--vault", vault.folder), ("--memory", memory))
        )
        lines = [
            [line for line in each.out.splitlines() if "No note mentions" in line]
            for each in (alone, shared)
        ]
        assert lines[0] == lines[1], query
