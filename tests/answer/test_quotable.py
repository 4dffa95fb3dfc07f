"""Test which parts of a section can be quoted, and which never are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quotation_lint import problems
from rich.cells import cell_len

from brain_cli.answer.passages.blocks import Kind
from brain_cli.answer.passages.inline_text import inline_text
from brain_cli.answer.passages.quotable import section_pieces
from brain_cli.answer.passages.selection import Passage, Source, key_points, passages
from brain_cli.answer.passages.sentence_words import refers_back
from brain_cli.answer.passages.term_weights import TermWeights
from brain_cli.types import Fragment, KeyPoint
from brain_cli.vault.boilerplate import line_hash


def texts(markdown: str) -> list[str]:
    return [piece.text for piece in section_pieces(Fragment(("Heading",), markdown, 1, 2))]


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("See [[notes/rest|the decision]] and [[Kafka#Topics]].", "See the decision and Kafka › Topics."),
        ("Read [the manual](https://example.org/a_(b)).", "Read the manual."),
        ("Seen %% not this %% here <!-- nor this -->.", "Seen here ."),
        ("The lamp ![[lamp.png]] shines. ^block-1", "The lamp shines."),
        ("Use {{< param version >}} or `{{ .Title }}`.", "Use or `{{ .Title }}`."),
        ("I like #obsidian a lot. #note #daily", "I like obsidian a lot."),
        (":fas_lightbulb: An idea at 10:30:45.", "An idea at 10:30:45."),
        ("status:: done", "status: done"),
        ("<span class='x'>Red</span> and <https://example.org>", "Red and https://example.org"),
        ("A claim.[^1]", "A claim."),
        ("See [the lamp [old and new]](https://example.org).", "See the lamp [old and new]."),
        ("Replace it by <UNK> or <Your name>.", "Replace it by <UNK> or <Your name>."),
        ("A <my-card size=2>red</my-card> <BR/>card", "A red card"),
        (r"Open render/\_\_init\_\_.py and \*args.", "Open render/__init__.py and *args."),
    ],
)
def test_a_line_reads_without_what_is_hidden_or_decorates(markdown: str, read: str) -> None:
    assert inline_text(markdown) == read


@pytest.mark.parametrize(
    "markdown",
    [
        "<!-- a comment\nof several lines\n-->",
        "%% a comment\nof several lines\n%%",
        "![[picture.png]]",
        "[![badge](https://img.example/a)](https://example.org)",
        "{{< youtube 123 >}}",
        "{{< img\n  src=x\n>}}",
        "https://example.org/a/page",
        "#tag #other/tag",
        "^block-id",
        "| a | b |\n|---|---|",
        "```mermaid\ngraph TD; A-->B;\n```",
        "**A heading in bold**",
        "---",
    ],
)
def test_a_text_that_can_never_be_quoted_yields_nothing(markdown: str) -> None:
    assert texts(markdown) == []


def test_a_table_row_reads_as_column_and_value() -> None:
    assert texts("| city | people |\n|:--|--:|\n| Ulm | 126,000 |\n| Bonn | |") == [
        "city: Ulm; people: 126,000",
        "city: Bonn",
    ]


def test_a_definition_follows_its_term() -> None:
    assert texts("`Parent`\n: Returns the parent page.") == ["`Parent`: Returns the parent page."]


def test_of_several_definitions_each_follows_the_term() -> None:
    assert texts("Lamp\n: {{< new-in 2 >}}\n: A light of oil.") == ["Lamp: A light of oil."]


def test_a_callout_reads_by_its_text() -> None:
    assert texts("> [!NOTE]\n> The function is experimental.") == ["The function is experimental."]


def test_fields_on_lines_of_their_own_do_not_run_together() -> None:
    assert texts("Author: Mara Lind\nLicence: MIT\nCost: 4 euros") == [
        "Author: Mara Lind",
        "Licence: MIT",
        "Cost: 4 euros",
    ]


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert texts("Ask Dr. Berg, e.g. Mondays. He knows.") == ["Ask Dr. Berg, e.g. Mondays.", "He knows."]


def quoted(markdown: str, query: dict[str, float], **more: object) -> list[str]:
    fragment = Fragment(("Lighthouse",), markdown, 1, 2)
    boilerplate = frozenset(map(line_hash, more.get("boilerplate", ())))  # type: ignore[call-overload]
    source = Source("a.md", str(more.get("title", "Lighthouse")), "english", fragment, boilerplate)
    known = TermWeights(query)
    return [point.text for point in key_points([passages([source], known)], known)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Chiamare Marco (tel. 055 123456) il lunedì.",
        "Добавить 2 ст. л. муки и воду.",
        "Nous l'avons vu, cf. Martin p. ex. pour la suite.",
        "Vi ses kl. 10 på torget.",
        "Ask for it (see the guide. It has pictures) at the desk.",
    ],
)
def test_an_abbreviation_of_any_language_and_brackets_do_not_end_a_sentence(sentence: str) -> None:
    assert texts(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Это занимает десять минут.",
        "Questa costa 95 euro.",
        "Es dauert zehn Minuten.",
        "C'est la première fois.",
        "Eso no funciona así.",
        "Isso leva dez minutos.",
        "Dit duurt tien minuten.",
        "Det tager ti minutter.",
        "Detta tar tio minuter.",
        "Tämä kestää kymmenen minuuttia.",
        "Ez tíz percig tart.",
        "Bu on dakika sürer.",
        "Нет, этого мало.",
    ],
)
def test_a_sentence_that_refers_to_the_one_before_it_is_not_shown_without_it(sentence: str) -> None:
    assert refers_back(sentence)
    assert [piece.needs_previous for piece in section_pieces(Fragment((), f"Alpha beta gamma. {sentence}", 1, 1))][-1]


@pytest.mark.parametrize(
    "sentence", ["IT runs the servers.", "It-Berater kommen.", "Los servidores son nuevos.", "Ita"]
)
def test_a_sentence_with_a_subject_of_its_own_stands_alone(sentence: str) -> None:
    assert not refers_back(sentence)


def test_a_lead_in_is_shown_with_what_it_leads_to() -> None:
    (point,) = quoted("The lamp needs:\n\n- oil\n- a wick\n", {"lamp": 2.0})[:1]
    assert point == "The lamp needs:\n- oil\n- a wick"


def test_a_lead_in_to_nothing_is_not_quoted() -> None:
    assert quoted("The lamp needs:\n", {"lamp": 2.0}) == []


def test_this_is_shown_with_the_sentence_before_it() -> None:
    (point,) = quoted("We bought a second lamp. This doubled the light.", {"light": 2.0})
    assert point == "We bought a second lamp. This doubled the light."


def test_this_without_a_sentence_before_it_follows_its_heading() -> None:
    assert quoted("This doubled the light.", {"light": 2.0}) == ["Lighthouse: This doubled the light."]


def test_boilerplate_is_not_quoted() -> None:
    text = "The lamp is lit.\n\nThe lamp footer of every note."
    assert quoted(text, {"lamp": 2.0}, boilerplate=["The lamp footer of every note."]) == ["The lamp is lit."]


def test_boilerplate_is_not_quoted_as_an_item_of_a_list() -> None:
    text = "- The lamp is lit.\n- The lamp footer of every note."
    assert quoted(text, {"lamp": 2.0}, boilerplate=["- The lamp footer of every note."]) == ["The lamp is lit."]


FIELDS = "Lamp ID: lamp-oil\nKeeper: Mara\n\nIt burns whale oil for a month."


def test_a_field_of_a_template_is_quoted_after_what_the_note_says() -> None:
    found = quoted(FIELDS, {"lamp": 2.0, "oil": 1.0}, boilerplate=["Lamp ID:", "Keeper:"], title="Lamp oil")
    assert found[0] == "Lighthouse: It burns whale oil for a month."


def test_a_field_of_a_template_is_quoted_first_where_the_question_names_it() -> None:
    found = quoted(FIELDS, {"keeper": 2.0, "oil": 1.0}, boilerplate=["Lamp ID:", "Keeper:"], title="Lamp oil")
    assert found[0].startswith("Keeper: Mara")


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "The lamp is lit.", "- an item of the lamp", "1. first the lamp", "  - below it", "See below:", "",
            "| a | b |", "|---|---|", "| lamp | 2 |", "%% hidden", "%%", "<!--", "-->", "> quoted lamp",
            "[[lamp]]", "![[lamp.png]]", "This is why.", "{{< x", ">}}", "lamp " * 90, "https://example.org", ": so",
        ]
    ),
    max_size=30,
)  # fmt: skip


@given(MARKDOWN)
def test_quotations_of_any_note_are_well_formed(lines: list[str]) -> None:
    for text in quoted("\n".join(lines), {"lamp": 2.0, "item": 1.0}):
        assert not {"ends in a lead-in", "is too long", "shows a comment", "shows an embed"} & set(problems(text)), text


def test_of_a_list_the_items_about_the_question_follow_the_lead_in() -> None:
    (point, *_) = quoted(
        "Shares of the lighthouse:\n\n- Windows: half\n- Linux: a tenth\n", {"share": 2.0, "linux": 2.0}
    )
    assert point.startswith("Shares of the lighthouse:\n- Linux: a tenth")


def test_a_line_that_ends_in_a_colon_leads_to_the_next_one() -> None:
    assert texts("The shares are as follows:\n**Windows** — 53.1%\n\n**Linux** — 12.1%\n") == [
        "The shares are as follows:",
        "Windows — 53.1%",
        "Linux — 12.1%",
    ]


def test_a_label_and_a_number_can_be_quoted() -> None:
    assert quoted("**Linux** — 12.1%\n", {"linux": 2.0}) == ["Linux — 12.1%"]


def test_what_was_shown_is_not_shown_again_beside_another_sentence() -> None:
    query = {"lamp": 3.0, "keeper": 2.0}
    points = quoted("The lamp is green. Nobody knows why it is so. The keeper sleeps. The boats come home.", query)
    assert sum(point.count("Nobody knows") for point in points) == 1


def test_code_is_quoted_in_ticks() -> None:
    (point, *_) = quoted("To light the lamp:\n\n```sh\nlighthouse --lamp on\n```\n", {"lamp": 2.0})
    assert point == "To light the lamp:\n`lighthouse --lamp on`"


def test_what_a_shortcode_shows_as_code_is_code() -> None:
    (point, *_) = quoted(
        "To light it:\n\n{{< code-toggle file=lamp >}}\n[lamp]\ncolor = 'red'\n{{< /code-toggle >}}\n", {"lamp": 2.0}
    )
    assert point.splitlines()[:2] == ["To light it:", "`[lamp]`"]


def test_code_ends_what_a_lead_in_announces() -> None:
    markdown = "Basic structure:\n\n```sh\nlamp on\n```\n\n- The keeper sleeps in the day\n"
    assert quoted(markdown, {"keeper": 2.0})[0].startswith("The keeper sleeps")


def test_a_formula_keeps_its_underscores() -> None:
    assert texts("The sum of $x_{ij}$ over $y_{ij}$ is one.") == ["The sum of $x_{ij}$ over $y_{ij}$ is one."]


def test_an_entity_reads_as_its_character() -> None:
    assert texts("Salt&nbsp;&amp; pepper are here.") == ["Salt & pepper are here."]


def test_a_sentence_does_not_end_inside_of_a_link() -> None:
    assert texts("Read [about it. Then write](https://example.org/page) to us.") == ["Read about it. Then write to us."]


def test_data_of_a_program_is_not_quoted() -> None:
    assert texts("```\n" + "bM9x" * 40 + "\n```\nThe lamp is green.") == ["The lamp is green."]


def test_key_points_tell_of_different_words_of_the_question() -> None:
    query = TermWeights({"lamp": 3.0, "keeper": 2.5})
    lamps = "The lamp is green at night.\n\nAnother lamp burns in the hall of the house.\n\nThe keeper sleeps.\n"
    fragment = Fragment(("Lighthouse",), lamps, 1, 2)
    source = Source("a.md", "Lighthouse", "english", fragment, frozenset(), usual_chars=20)
    points = key_points([passages([source], query)], query, most=2)
    assert {"lamp" in points[0].text, "keeper" in points[1].text} == {True}


def test_a_passage_of_a_better_note_comes_first() -> None:
    query = TermWeights({"lamp": 3.0})
    notes = [
        passages([Source(path, "x", "english", Fragment((), text, 1, 1), frozenset())], query)
        for path, text in (("a.md", "A green lamp shines here."), ("b.md", "The old lamp was sold."))
    ]
    assert [point.path for point in key_points(notes, query)] == ["a.md", "b.md"]
    assert [point.path for point in key_points(notes[::-1], query)] == ["b.md", "a.md"]


def test_an_item_is_shown_from_its_first_sentence_on() -> None:
    (point, *_) = quoted(
        "The lamp has reasons:\n\n1. Dark. A keeper needs it.\n2. Fog. Ships need it.\n", {"lamp": 3.0, "ship": 2.0}
    )
    assert point.startswith("The lamp has reasons:\n2. Fog. Ships need it.")


def test_a_cell_with_an_icon_alone_is_left_out_of_its_row() -> None:
    table = "| icon | name | light |\n|---|---|---|\n| :fas-lamp: | harbour lamp | :fas-check: |\n| a | b | c |"
    assert texts(table) == ["name: harbour lamp", "icon: a; name: b; light: c"]


def test_the_middle_of_a_sentence_is_not_shown_without_its_beginning() -> None:
    found = section_pieces(Fragment((), "The value is a sum of all neighbours. where n is their number.", 1, 1))
    assert [piece.needs_previous for piece in found] == [False]
    [beginning, rest] = section_pieces(Fragment((), "We write:\n\n$$x = n$$\n\nwhere n is their number.", 1, 1))[::2]
    assert (beginning.needs_previous, rest.needs_previous) == (False, True)


def test_links_that_stand_alone_are_not_added_to_a_passage() -> None:
    section = "The harbour lamp burns all night.\n\n[[Lamp keepers]] [[Harbour master]] [[Storm bell]]"
    source = Source("a.md", "A note", "english", Fragment((), section, 1, 1), frozenset())
    assert [each.key_point.text for each in passages([source], TermWeights({"lamp": 1.0}))] == [
        "The harbour lamp burns all night."
    ]


def test_a_section_whose_heading_is_asked_for_comes_first() -> None:
    named = Fragment(("Guide", "Light a lamp"), "One match and some oil are all that a keeper needs.", 1, 1)
    other = Fragment(("Guide", "Generated text"), "A lamp of the lighthouse is described here by a program.", 9, 9)
    sources = [Source("a.md", "Guide", "english", each, frozenset()) for each in (other, named)]
    found = passages(sources, TermWeights({"light": 2.0, "lamp": 2.0, "new": 2.0}))
    assert found[0].key_point.heading == ("Guide", "Light a lamp")


def test_the_title_of_a_box_is_shown_only_with_the_text_below_it() -> None:
    title = "***IN PRACTICE* The lamp**"
    assert quoted(f"{title}\n\nTrim its wick.", {"lamp": 2.0}) == ["IN PRACTICE The lamp:\nTrim its wick."]
    assert quoted(f"The lamp is lit.\n\n{title}", {"lamp": 2.0}) == ["The lamp is lit."]


@pytest.mark.parametrize(("value", "first"), [(1.5, "a.md"), (3.0, "b.md")])
def test_the_first_point_is_of_the_best_note_if_it_is_nearly_as_good(value: float, first: str) -> None:
    best = Passage(1.0, KeyPoint("The lamp is lit.", "a.md", 1), "english")
    other = Passage(value, KeyPoint("A lamp burns oil in the tower.", "b.md", 1), "english")
    assert key_points([[best], [other]], TermWeights({"lamp": 0.1}))[0].path == first


@pytest.mark.parametrize("end", ["s.t.", "e.g.", "z.B.", "d. h."])
def test_an_abbreviation_at_the_end_announces_what_comes_next(end: str) -> None:
    assert quoted(f"Light the big lamp {end}\n\n- the harbour is lit", {"lamp": 2.0}) == [
        f"Light the big lamp {end}\n- the harbour is lit"
    ]
    assert quoted(f"Light the big lamp {end}", {"lamp": 2.0}) == []


def test_code_that_repeats_the_title_comes_after_prose() -> None:
    text = "```\nlight_lamp(oil)\n```\n\nIt burns for a month."
    assert quoted(text, {"lamp": 2.0, "light": 2.0}, title="Light lamp")[0].endswith("It burns for a month.")
    assert quoted(text, {"lamp": 2.0, "oil": 2.0}, title="Light lamp")[0].startswith("`light_lamp(oil)`")


QUOTED_CODE = (
    "> To light it:\n>\n> ```js\n> if (lamp == 'oil') {\n>   light(`${lamp}`)\n> }\n> ```\n>\n> It burns long."
)


def test_code_in_a_quotation_is_code() -> None:
    found = section_pieces(Fragment((), QUOTED_CODE, 1, 1))
    code = [piece.text for piece in found if piece.kind is Kind.CODE]
    assert code[:2] == ["if (lamp == 'oil') {", "  light(`${lamp}`)"]
    assert found[-1].text == "It burns long."


def test_code_in_a_quotation_ends_with_the_quotation() -> None:
    assert texts("> ```sh\n> light the lamp\n\nIt burns *long*.") == ["light the lamp", "It burns long."]


def test_code_outside_of_a_quotation_keeps_its_marks_of_redirection() -> None:
    assert texts("```sh\nlight lamp\n> log.txt\n```") == ["light lamp", "> log.txt"]


def test_lines_of_brackets_are_quoted_only_with_what_they_close() -> None:
    code = "light(the, harbour, {\n  lamp: 8,\n})"
    assert quoted(f"```js\n{code}\n```", {"harbour": 2.0}) == ["`light(the, harbour, {`\n  `lamp: 8,`\n`})`"]
    assert quoted("```js\nlamp: 8,\n})\n```", {"lamp": 2.0}) == ["`lamp: 8,`"]


def test_chinese_sentences_are_joined_without_a_blank() -> None:
    [shown] = quoted("灯塔的灯在夜里亮着。\n把它\n关掉很容易。Git 技巧在这里。", {"灯塔": 2.0})
    assert shown == "灯塔的灯在夜里亮着。把它关掉很容易。Git 技巧在这里。"


def test_a_chinese_passage_is_as_wide_as_an_english_one() -> None:
    shown = quoted("灯塔的灯在夜里亮着，" * 60, {"灯塔": 2.0})[0]
    assert 200 < cell_len(shown) <= 320
    assert shown.endswith("，…")


def test_a_sentence_with_another_word_of_the_question_is_added_before_one_that_repeats_a_word() -> None:
    section = "Any lamp may be red or green. The lamp stands on top of it. Oil is what it burns."
    source = Source("a.md", "A note", "english", Fragment((), section, 1, 1), frozenset(), usual_chars=40)
    found = passages([source], TermWeights({"lamp": 3.0, "stand": 3.0, "oil": 1.0}))
    assert found[0].key_point.text == "The lamp stands on top of it. Oil is what it burns."
