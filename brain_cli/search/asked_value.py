"""Recognize a question for a number or a date, and whether a passage has one.

A passage about eggs that has no number does not answer “how many eggs”: it has the topic, but not the value.
"""

from __future__ import annotations

import re
from functools import cache

from brain_cli.vault.analyzer import words_of
from brain_cli.vault.time_words import TIME_WORDS, month_numbers

NUMBER, DATE = "number", "date"
# The beginnings of such questions, folded. “When should I …” asks for a condition, not for a date.
_BEGINS = {
    NUMBER: r"how (?:much|many|old|tall)|wie ?viele?|wie (?:teuer|alt|hoch)|combien|cuant[oa]s?|quant[oiae]s?|hoeveel"
    r"|сколько|(?:what|was|wie|quel|cual|qual|quale|wat|как\w*) (?:\w+ ){0,3}(?:price|costs?|preis|kosten|kostet|prix"
    "|coute|precio|cuesta|prezzo|costo|costa|preco|prijs|kost|цена|стоит|стоимость)",
    DATE: "when (?:did|was|were|is|will)|(?:on |in |at |since )?(?:what|which) (?:date|day|year|month)"
    "|wann (?:war|wurde|hat|ist|kam)|(?:in |an |seit )?welche[mns] (?:jahr|tag|monat|datum)"
    "|quand (?:a|est|etait|ont)|(?:en |a )?quelle (?:date|annee)|cuando (?:fue|se|ha)|(?:en )?que (?:ano|dia|fecha)"
    "|quando (?:e|fu|ha|foi)|(?:in )?(?:che|quale) (?:anno|giorno|data)|(?:em )?que data|wanneer (?:was|werd|is)"
    r"|(?:in )?welk jaar|когда (?:был|вышл|появил)\w*|в каком году",
}
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety dozen hundred thousand million half"
    " twice once none zwei drei vier funf sechs sieben acht neun zehn elf zwolf zwanzig dreissig vierzig funfzig"
    " hundert tausend deux trois quatre cinq sept huit neuf dix douze vingt trente quarante cinquante cent mille"
    " dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta cincuenta cien mil due tre quattro"
    " cinque sei sette otto nove dieci dodici venti trenta cinquanta cento dois quatro oito dez vinte cem twee"
    " drie vijf zes zeven negen tien twaalf twintig honderd один два две три четыре пять шесть семь восемь девять"
    " десять двадцать тридцать сорок пятьдесят сто тысяча"
)
# A longer question begins in the same way.
MAX_CHARS_READ = 300


def asked_value(question: str) -> str:
    """Return the kind of value that a question asks for, NUMBER or DATE; empty for any other question."""
    text = " ".join(words_of(question[:MAX_CHARS_READ]))
    return next((kind for kind, begins in _BEGINS.items() if re.match(rf"(?:{begins})\b", text)), "")


def has_value(kind: str, passage: str, *, is_dated: bool = False) -> bool:
    """Return whether a passage has a value of a kind; `is_dated`: its note has a date, which may be the answer."""
    if kind == DATE and is_dated:
        return True
    words = words_of(passage)
    if any(any(map(str.isdecimal, word)) for word in words) or not _number_words().isdisjoint(words):
        return True
    return kind == DATE and (not month_numbers().keys().isdisjoint(words) or bool(_time().search(" ".join(words))))


@cache
def _number_words() -> frozenset[str]:
    return frozenset(_NUMBERS.split())


@cache
def _time() -> re.Pattern[str]:
    """Return the pattern of the days and the units of time, in every language."""
    phrases = [
        phrase
        for words in TIME_WORDS.values()
        for phrase in (*words.units, *words.weekdays, *words.today.split(", "), *words.yesterday.split(", "))
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)")
