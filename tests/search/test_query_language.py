"""The query language and the filters: words rank, and only what is marked restricts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from examples import examples, in_ci
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from brain_cli.errors import UsageError
from brain_cli.search.dates import local_time
from brain_cli.search.filters import FIELDS, FILTERS, Filters, condition
from brain_cli.search.query import Operators, parse_operators
from brain_cli.vault.clock import Clock
from brain_cli.vault.dates import timestamp_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Vault

NOTES: dict[str, tuple[str, dict[str, object]]] = {
    "ops/kafka": (
        "# Kafka\n\nThe event driven broker with retries.\n",
        {"tags": ["ops", "queue/kafka"], "owner": "Ana"},
    ),
    "ops/rabbit": (
        "# RabbitMQ\n\nA broker, driven by events; no kafka.\n",
        {"tags": ["ops"], "date": "2026-11-01"},
    ),
    "decisions/outbox": (
        "# Outbox\n\nDraft of the kafka outbox.\n",
        {"type": "decision", "owner": "Bo", "on": "yes"},
    ),
    "journal/day": ("# Day\n\nNothing but rain and configuration.\n", {"date": "2026-11-20"}),
    "archive/old": ("# Kafka of old\n\nThe first broker.\n", {}),
}


@pytest.fixture(scope="module")
def notes(new_vault: Callable[[], Vault]) -> Vault:
    vault = new_vault()
    for path, (text, head) in NOTES.items():
        vault.note(f"{path}.md", text, **{"date": "2026-06-01", **head})
    for number in range(6):
        vault.note(
            f"rest/{number}.md",
            f"# Number {number}\n\nSome other thing {number}.\n",
            date="2026-06-01",
        )
    return vault


def found(vault: Vault, query: str, *options: object) -> set[str]:
    return set(vault.order(query, *options))


KAFKA, RABBIT, OUTBOX, DAY = "ops/kafka", "ops/rabbit", "decisions/outbox", "journal/day"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kafka", {KAFKA, RABBIT, OUTBOX}),
        ("kafka +retries", {KAFKA}),
        ("kafka -draft", {KAFKA, RABBIT}),
        ('kafka -"kafka outbox"', {KAFKA, RABBIT}),
        ('broker +"event driven"', {KAFKA}),
        ("kafka AND draft", {OUTBOX}),
        ("draft OR retries", {KAFKA, OUTBOX}),
        ("kafka NOT draft", {KAFKA, RABBIT}),
        ("kafka AND NOT draft", {KAFKA, RABBIT}),
        ("kafka AND driven AND NOT draft", {KAFKA, RABBIT}),
        ("kafka OR NOT draft", {KAFKA, RABBIT, OUTBOX}),
        ("kafka and draft", {KAFKA, RABBIT, OUTBOX}),
        ("AND kafka", {KAFKA, RABBIT, OUTBOX}),
        ("tag:ops", {KAFKA, RABBIT}),
        ("tag:queue", {KAFKA}),
        ("broker -tag:queue", {RABBIT}),
        ("type:decision", {OUTBOX}),
        ("title:kafka", {KAFKA}),
        ("path:ops/*", {KAFKA, RABBIT}),
        ("path:journal", {DAY}),
        ("configur*", {DAY}),
        ("TAG:OPS kafka", {KAFKA, RABBIT}),
        ("tag:nothing kafka", set()),
    ],
)
def test_a_query_finds_what_it_asks_for(notes: Vault, query: str, expected: set[str]) -> None:
    assert found(notes, query) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--type", "decision"], {OUTBOX}),
        (["--tag", "ops"], {KAFKA, RABBIT}),
        (["--tag", "ops", "--tag", "-queue"], {RABBIT}),
        (["--path", "ops/*"], {KAFKA, RABBIT}),
        (["--since", "2026-11-01"], {RABBIT, DAY}),
        (["--since", "2w"], {DAY}),
        (["--since", "3 months", "--before", "2026-11-15"], {RABBIT}),
        (["--where", "owner=ana"], {KAFKA}),
        (["--where", "on=yes"], {OUTBOX}),
        (["--where", "Owner=Bo", "--type", "decision"], {OUTBOX}),
        (["--where", "owner=nobody"], set()),
        (["--archived"], {"archive/old"}),
    ],
)
def test_a_filter_without_words_lists_what_passes_at_relevance_1(
    notes: Vault, options: list[str], expected: set[str]
) -> None:
    document = notes.remember("", *options)
    assert {each["path"].removesuffix(".md") for each in document["results"]} == expected
    assert all(each["signals"]["relevance"] == 1 for each in document["results"])


def test_a_filter_that_no_note_passes_is_reported_without_topics(notes: Vault) -> None:
    answer = notes.brain(
        "remember", "--where", "owner=nobody", "--format", "rich", "--vault", notes.folder
    )
    assert (answer.code, answer.out) == (
        1,
        "No active memory passes these filters.\nSearched archive — no matches.\n",
    )


def test_filters_narrow_a_recall_and_combine(notes: Vault) -> None:
    assert found(notes, "broker", "--tag", "ops", "--where", "owner=Ana") == {KAFKA}
    assert found(notes, "kafka", "--type", "decision", "--path", "ops/*") == set()
    assert found(notes, "kafka -draft", "--before", "2026-07-01") == {KAFKA}


def test_a_filter_changes_no_relevance(notes: Vault) -> None:
    alone, narrowed = notes.relevances("broker"), notes.relevances("broker", "--tag", "queue")
    assert narrowed == {KAFKA: alone[KAFKA]}


def test_a_phrase_counts_as_its_words_and_a_bonus_where_it_stands(notes: Vault) -> None:
    words, phrase = notes.relevances("event driven"), notes.relevances('"event driven"')
    assert words.keys() == phrase.keys() == {KAFKA, RABBIT}
    assert phrase[KAFKA] > words[KAFKA]
    assert phrase[RABBIT] == words[RABBIT]


def test_words_takes_every_operator_for_a_word(notes: Vault) -> None:
    assert found(notes, "kafka -draft tag:ops", "--words") == {KAFKA, RABBIT, OUTBOX}


def test_an_open_quotation_mark_is_searched_as_words_and_reported(notes: Vault) -> None:
    answer = notes.brain(
        "remember", 'kafka "draft', "--format", "paths", "--no-touch", "--vault", notes.folder
    )
    assert len(answer.out.splitlines()) == 3
    assert "open quotation mark" in answer.err


@pytest.mark.parametrize(
    "query",
    [
        "kafka AND",
        "AND kafka",
        "kafka AND OR draft",
        "tag:ops kafka NOT",
        "kafka NOT AND draft",
        "kafka AND NOT",
    ],
)
def test_an_operator_without_two_operands_is_searched_as_words_and_reported(
    notes: Vault, query: str
) -> None:
    answer = notes.brain(
        "remember", query, "--format", "paths", "--no-touch", "--vault", notes.folder
    )
    assert len(answer.out.splitlines()) == 3
    assert "needs a word on both sides, so the query was searched as words." in answer.err


@pytest.mark.parametrize("query", ["(kafka", "kafka)", "(kafka)", "kafka :-)"])
def test_a_parenthesis_is_punctuation(notes: Vault, query: str) -> None:
    answer = notes.brain(
        "remember", query, "--format", "paths", "--no-touch", "--vault", notes.folder
    )
    assert (len(answer.out.splitlines()), answer.err) == (3, "")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("tags:ops kafka", "tag"),
        ("kafka +titel:broker", "title"),
        ("kafka -paths:ops", "path"),
        ("Tpye:decision", "type"),
    ],
)
def test_a_misspelled_field_is_an_error_that_names_the_field(
    notes: Vault, query: str, field: str
) -> None:
    answer = notes.brain("remember", query, "--no-touch", "--vault", notes.folder)
    assert answer.code == 2
    assert f"Did you mean “{field}”?" in answer.err


@pytest.mark.parametrize(
    "query",
    ["kafka:broker", "time:event", "https://tag.example/kafka", "stag:kafka", "types: kafka"],
)
def test_another_word_before_a_colon_is_a_word(notes: Vault, query: str) -> None:
    answer = notes.brain("remember", query, "--no-touch", "--vault", notes.folder)
    assert answer.code in (0, 1)
    assert "field" not in answer.err


def test_a_misspelled_field_can_be_searched_as_words(notes: Vault) -> None:
    assert found(notes, "tags:kafka", "--words") == found(notes, "tags kafka")


def test_every_field_of_a_query_is_a_filter() -> None:
    assert FIELDS.keys() <= FILTERS.keys()
    one, other = (
        condition(each, Clock(NOW)) for each in (Filters.of(title="x"), Filters.of(type="x"))
    )
    assert (one, other) == (FIELDS["title"]("x"), FIELDS["type"]("x"))


@pytest.mark.parametrize(
    "options", [["--since", "someday"], ["--where", "owner"], ["--before", "2026-02-31"]]
)
def test_a_filter_that_cannot_be_read_is_wrong_usage(notes: Vault, options: list[str]) -> None:
    assert notes.brain("remember", "kafka", *options, "--vault", notes.folder).code == 2


def test_a_batch_line_has_filters_and_syntax_of_its_own(notes: Vault) -> None:
    lines = [
        {"id": 1, "query": "kafka", "where": {"owner": "Bo"}},
        {"id": 2, "query": "kafka -draft"},
        {"id": 3, "query": "kafka -draft", "syntax": "words"},
    ]
    answer = notes.brain(
        *("remember", "--batch", "-", "--no-touch", "--vault", notes.folder),
        stdin="\n".join(map(json.dumps, lines)),
    )
    assert [len(line["results"]) for line in answer.lines] == [1, 2, 3]


def test_an_unknown_word_is_corrected_and_the_correction_is_reported(notes: Vault) -> None:
    answer = notes.brain(
        "remember", "configuraton", "--format", "paths", "--no-touch", "--vault", notes.folder
    )
    assert answer.out.splitlines() == [f"{notes.folder}/journal/day.md"]
    assert "Did you mean “configuration”?" in answer.err


def test_a_known_word_is_never_corrected(notes: Vault) -> None:
    notes_with_rain = found(notes, "rain")
    assert notes_with_rain == {DAY}
    assert (
        "Did you mean"
        not in notes.brain("remember", "rain", "--no-touch", "--vault", notes.folder).err
    )


def test_a_corrected_word_never_outranks_an_exact_one(vault: Vault) -> None:
    vault.note(
        "exact.md", "# Misc\n\n" + "filler words here. " * 200 + "harbour\n", date="2020-01-01"
    )
    vault.note(
        "near.md", "# Lighthouse\n\nLighthouse lighthouse lighthouse.\n", date="2026-11-20"
    )
    for number in range(4):
        vault.note(f"{number}.md", f"# N{number}\n\nOther text {number}.\n")
    assert vault.order("harbour lighthuose")[0] == "exact"


SPACE = st.sampled_from([" ", "  "])
PIECE = st.sampled_from(
    [
        "tags:a",
        '"',
        "+",
        "-",
        "AND",
        "OR",
        "NOT",
        "tag:",
        "title:x",
        "kafka",
        "*",
        "a*",
        "(",
        ":",
        "é",
        "\\",
    ]
)


@examples(400)
@given(st.one_of(any_text(60), st.lists(st.one_of(PIECE, SPACE), max_size=20).map("".join)))
def test_every_text_can_be_asked_unless_it_misspells_a_field(text: str) -> None:
    try:
        asked = parse_operators(text)
    except UsageError as error:
        assert "There is no field" in error.message  # noqa: PT017
        return
    assert asked.problem or text.count('"') % 2 == 0
    assert not asked.problem or asked == Operators(asked.ranking, problem=asked.problem)


NOW = timestamp_of("2026-11-21T10:00:00Z") or 0.0


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2w", 14),
        ("3 months", 90),
        ("1 year", 365),
        ("10d ago", 10),
        ("24h", 1),
        ("now", 0),
        ("2026-11-20T10:00Z", 1),
    ],
)
def test_times_ago_are_read_as_people_write_them(text: str, days: float) -> None:
    assert local_time(text, Clock(NOW)) == pytest.approx(NOW - days * 86_400)


def test_yesterday_begins_at_midnight() -> None:
    assert local_time("yesterday", Clock(NOW)) == timestamp_of("2026-11-20")
    with pytest.raises(UsageError):
        local_time("3 lightyears", Clock(NOW))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (" ".join(f"w{number}x" for number in range(201)), "more than 200 different words"),
        ("word " * 2_001, "more than 10,000 characters"),
        (" ".join(f"w{number}x*" for number in range(201)), "more than 200 different words"),
        in_ci("word " * 1_999, ""),
        in_ci(" ".join(f"w{number}x" for number in range(199)), ""),
    ],
)
@pytest.mark.parametrize("options", [[], in_ci(["--words"])])
def test_a_query_that_is_cut_says_so(
    sample: Vault, query: str, said: str, options: list[str]
) -> None:
    answer = sample.brain(
        "remember", "--no-touch", *options, "--vault", sample.folder, "--", query
    )
    told = [line for line in answer.err.splitlines() if "The query has" in line]
    assert len(told) == bool(said)
    assert all(said in line for line in told)
