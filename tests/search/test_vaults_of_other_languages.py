"""A vault in any language with a stemmer: question words cost nothing, other forms and typos find
the note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.search.question_words import content_words, without_question

if TYPE_CHECKING:
    from conftest import Vault

NOTES = {
    "it": {
        "memoria": "# Memoria virtuale\n\nLa memoria virtuale assegna le pagine ai processi del sistema operativo.\n",
        "reti": "# Reti neurali\n\nLe reti neurali imparano dai dati con la discesa del gradiente.\n",
    },
    "ru": {
        "memoria": "# Виртуальная память\n\nВиртуальная память распределяет страницы между процессами системы.\n",
        "reti": "# Нейронные сети\n\nНейронные сети обучаются на данных методом градиентного спуска.\n",
    },
    "fr": {
        "memoria": "# Mémoire virtuelle\n\nLa mémoire virtuelle attribue des pages aux processus du système.\n",
        "reti": "# Réseaux de neurones\n\nLes réseaux de neurones apprennent des données par descente de gradient.\n",
    },
    "es": {
        "memoria": "# Memoria virtual\n\nLa memoria virtual asigna páginas a los procesos del sistema operativo.\n",
        "reti": "# Redes neuronales\n\nLas redes neuronales aprenden de los datos con el descenso de gradiente.\n",
    },
}


@pytest.mark.parametrize(
    ("language", "question", "name"),
    [
        ("it", "cos'è la memoria virtuale?", "memoria"),
        ("it", "come imparano davvero le reti neurali", "reti"),
        ("it", "rete neurale", "reti"),
        ("it", "pagine dei procesi", "memoria"),
        ("ru", "что такое виртуальная память", "memoria"),
        ("ru", "как вообще обучаются нейронные сети?", "reti"),
        ("ru", "нейронная сеть", "reti"),
        ("fr", "qu'est-ce que la mémoire virtuelle ?", "memoria"),
        ("fr", "comment apprennent les reseaux de neurones", "reti"),
        ("es", "¿qué es la memoria virtual?", "memoria"),
        ("es", "red neuronal", "reti"),
        ("es", "como se asignan las pagimas a los procesos", "memoria"),
    ],
)
def test_the_note_that_is_asked_for_is_first(
    vault: Vault, language: str, question: str, name: str
) -> None:
    for path, text in NOTES[language].items():
        vault.note(f"{path}.md", text, lang=language)
    assert vault.order(question)[0] == name


@pytest.mark.parametrize(
    ("language", "question", "asked"),
    [
        ("german", "wofür dient eigentlich mein Kompass", {"kompass"}),
        ("german", "was macht man, wenn der Kompass gestohlen wurde", {"kompass", "gestohlen"}),
        ("french", "à quoi sert donc cette boussole", {"boussole"}),
        ("french", "comment lire les cartes", {"lire", "cartes"}),
        ("italian", "a cosa serve la bussola", {"bussola"}),
        ("spanish", "¿para qué sirve la brújula?", {"brujula"}),
        ("portuguese", "para que serve a bússola", {"bussola"}),
        ("dutch", "waarvoor dient het kompas", {"kompas"}),
        ("russian", "для чего нужен компас", {"компас"}),
        (
            "russian",
            "какому туристу принадлежит этот компас",
            {"туристу", "принадлежит", "компас"},
        ),
        ("russian", "что делать, если свой компас потерян", {"компас", "потерян"}),
    ],
)
def test_what_only_asks_is_left_out_of_a_question(
    language: str, question: str, asked: set[str]
) -> None:
    assert {word.text for word in content_words(question, [language])} == asked


@pytest.mark.parametrize(
    ("question", "complaint", "language"),
    [
        ("Wie funktioniert ein Compiler?", "Der Compiler funktioniert nicht", "german"),
        ("comment fonctionne le compilateur", "le compilateur ne fonctionne pas", "french"),
        ("come funziona il compilatore", "il compilatore non funziona", "italian"),
        ("cómo funciona el compilador", "el compilador no funciona", "spanish"),
        ("как работает компилятор", "компилятор не работает", "russian"),
    ],
)
def test_how_something_works_asks_for_it_but_that_it_does_not_work_says_something(
    question: str, complaint: str, language: str
) -> None:
    assert len(content_words(question, [language])) == 1
    assert len(content_words(complaint, [language])) == 2


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("怎么备份数据？", {"备份", "份数", "数据"}),
        ("什么是内核", {"内核"}),
        ("バックアップとは何ですか", {"バッ", "ック", "クア", "アッ", "ップ"}),
        ("어떻게 배포하나요?", {"배포"}),
        ("什么", {"什么"}),
    ],
)
def test_what_only_asks_is_left_out_where_no_spaces_part_the_words(
    question: str, asked: set[str]
) -> None:
    assert {
        word.text for word in content_words(question, ["english"]) if not word.optional
    } == asked


@pytest.mark.parametrize(
    "text", ["のどの痛み", "京都の見どころ", "リンクをたどれる", "窓などの掃除", "금과 은"]
)
def test_a_word_that_only_contains_what_asks_is_not_left_out(text: str) -> None:
    assert without_question(text) == text


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("設定ファイルのどこに書く", "設定ファイルの に書く"),
        ("空はなぜ青い", "空は 青い"),
        ("どの店で買う", "店で買う"),
        ("AとBとどれがいい", "AとBと がいい"),
        ("どこ", ""),
    ],
)
def test_a_short_word_asks_at_the_beginning_and_after_a_particle(
    question: str, asked: str
) -> None:
    assert without_question(question).strip() == asked


def test_unknown_words_are_named_whole_where_no_spaces_part_them(vault: Vault) -> None:
    vault.note("git.md", "# Git 技巧\n\n用 reflog 恢复提交的内容。\n")
    assert vault.remember("git 误删的提交怎么恢复")["unknown"] == ["误删"]
    assert vault.remember("提交恢复")["unknown"] == []
    assert vault.remember("高铁票价 git")["unknown"] == ["高铁票价"]
