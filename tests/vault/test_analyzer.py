"""Which words a text can be found by."""

from __future__ import annotations

import re
import unicodedata

import pytest
from examples import examples, sized
from hypothesis import example, given
from hypothesis import strategies as st

from brain_cli.vault import analyzer
from brain_cli.vault.analyzer import fold, query_words, same_name, terms

from .strategies import ANY_TEXT, NOTES

SCRIPTS = st.text(
    st.characters(categories=["L", "M", "N", "Pd", "Pc", "Po", "Cf"]), min_size=1, max_size=20
)


def finds(query: str, text: str, language: str = "english") -> bool:
    """Whether all words of a query that count are among the terms of a text."""
    known = set(terms(text, language))
    words = query_words(query, [language])
    return bool(words) and all(
        known & set(word.variants) for word in words if not word.optional
    )


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("event-driven", ["event-driven", "event", "driven", "eventdriven", "Event Driven"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("getUserName", ["getUserName", "user", "getusername", "get_user_name"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("os.path.join", ["os.path", "path", "join", "os.path.join"]),
        ("UTF-8", ["utf-8", "utf8", "UTF 8"]),
        ("version 2.7.5", ["2.7.5", "2.7"]),
        ("the well‐known e‑mail", ["well-known", "email", "e-mail"]),
        ("Mara's notes", ["mara", "Mara’s"]),
        ("Décision à Zürich", ["decision zurich", "DÉCISION"]),
        ("Straße", ["strasse", "STRASSE"]),
        ("naïve ﬁle", ["naive file"]),
        ("exam\u00adple zero\u200bwidth", ["example", "zerowidth"]),
        ("migrations were running", ["migration run", "MIGRATED"]),
        ("設計について書きました", ["設計", "書きました", "設"]),
        ("한국어 메모", ["한국어", "메모", unicodedata.normalize("NFD", "한국어")]),
        ("ภาษาไทย", ["ภาษา", "ไทย"]),
        ("हिन्दी में लिखा", ["हिन्दी", "लिखा"]),
        ("בְּרֵאשִׁית", ["בראשית"]),
        ("مُحَمَّد", ["محمد"]),
        ("за́мок ёлка йод", ["замок", "елка", "йод"]),
        ("ｆｕｌｌ ｗｉｄｔｈ ﾃﾞｰﾀ", ["full width", "データ"]),
        ("$(rm) -rf --flag", ["rm", "rf", "flag"]),
    ],
)
def test_a_word_is_found_in_the_ways_people_write_it(text: str, queries: list[str]) -> None:
    assert [query for query in queries if not finds(query, text)] == []


@pytest.mark.parametrize(
    ("query", "text"), [("275", "2.7.5"), ("иод", "йод"), ("car", "cart"), ("設計", "設 計")]
)
def test_different_words_stay_different(query: str, text: str) -> None:
    assert not finds(query, text)


def test_stop_words_are_left_out_in_the_language_of_the_text() -> None:
    assert terms("the fox and the hound", "english") == ["fox", "hound"]
    assert terms("der Fuchs und die Hunde", "german") == ["fuch", "hund"]


def test_the_whole_of_a_compound_is_optional_in_a_query() -> None:
    assert [
        (word.text, word.optional) for word in query_words("event-driven", ["english"])
    ] == [
        ("event", False),
        ("driven", False),
        ("eventdriven", True),
    ]


def test_a_word_has_a_stem_for_each_language_of_the_vault() -> None:
    (word,) = query_words("Entscheidungen", ["english", "german"])
    assert word.variants == ("entscheidungen", "entscheid")


@examples(400)
@given(
    text=st.one_of(NOTES, SCRIPTS),
    language=st.sampled_from(["english", "german", "russian", "klingon"]),
)
@example("a'b ’ -_- \u0345", "english")
@example("İı ŉ ǰ ΐ ᾳ Ω", "english")
def test_every_word_of_a_text_finds_it(text: str, language: str) -> None:
    known = set(terms(text, language))
    for written in text.split():
        for word in query_words(written, [language]):
            assert known & set(word.variants)


@examples(400)
@given(text=st.text(st.characters(max_codepoint=127)) | NOTES)
@example(text="Don't use state-of-the_art HTTP/2.0 --dry-run (v1.2.3), O'Neill's file.md.")
@example(text="-.'x'.- a__b .net .NETs C++ c# snake_case 'quoted' getUserName")
def test_a_text_of_ascii_has_the_same_terms_beside_other_letters(text: str) -> None:
    assert terms(text, "english") == terms(f"{text}\nф", "english")[:-1]


@given(text=st.one_of(ANY_TEXT, SCRIPTS))
def test_folding_says_the_same_of_both_normal_forms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert same_name(composed) == same_name(decomposed)
    assert same_name(same_name(text)) == same_name(text)


@pytest.mark.parametrize(
    "unit",
    [
        "w",
        "a-",
        "aA",
        "a_",
        "a.",
        "1.",
        "漢",
        "ไ",
        "क",
        "ä",
        "\u0301\u0323",
        "\u0f71\u0f72",
        "\uff9e\u0323",
        "--'",
    ],
)
def test_words_without_end_are_cut_in_one_pass(unit: str) -> None:
    text = "a" + unit * (sized(200_000, everyday=30_000) // len(unit))
    assert all(len(term) <= 64 for term in terms(text, "english"))
    assert len(fold(text)) <= len(text)


LETTERS = rf"[^\W{analyzer._SPACELESS}{analyzer._INDIC}_]+"
ANY_RUN = re.compile(
    rf"{LETTERS}(?:[-‐_.'’·]{LETTERS})*|[{analyzer._SPACELESS}]+|[{analyzer._INDIC}]+"
)


@given(
    st.text(
        st.sampled_from("aZé1-_.'’‐· \n€…🗂️👍️жאعकि日本ไทย・。Ạ᠀丏𠀀") | st.characters(),
        max_size=12,
    )
)
def test_a_text_is_split_as_by_one_expression_for_all_scripts(text: str) -> None:
    # `C#` and `C++` are words of their own.
    text = text.translate({ord("#"): None, ord("+"): None})
    assert analyzer._runs(text) == ANY_RUN.findall(text)
