"""The names of the months in eight languages, for file names, headings and questions."""

from __future__ import annotations

from functools import cache

# One line per language: English, German, French, Spanish, Italian, Portuguese, Dutch, Russian. January comes first; `|`
# separates the forms of a month. Folded: lower case, no accents. Russian has the cases that a date takes.
_NAMES = """\
january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct \
november|nov december|dec
januar|janner februar marz april mai juni juli august september oktober|okt november dezember|dez
janvier|janv fevrier|fevr mars avril|avr mai juin juillet|juil aout septembre octobre novembre decembre
enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre octubre noviembre diciembre|dic
gennaio|gen febbraio marzo aprile maggio|mag giugno|giu luglio|lug agosto settembre|set ottobre|ott novembre dicembre
janeiro fevereiro|fev marco abril maio junho julho agosto setembro outubro|out novembro dezembro
januari februari maart|mrt april mei juni juli augustus september oktober november december
январь|января|январе февраль|февраля|феврале март|марта|марте апрель|апреля|апреле май|мая|мае июнь|июня|июне \
июль|июля|июле август|августа|августе сентябрь|сентября|сентябре октябрь|октября|октябре \
ноябрь|ноября|ноябре декабрь|декабря|декабре\
"""


@cache
def month_numbers(line: int | None = None) -> dict[str, int]:
    """Return the number of each month, 1 to 12, by its folded names in one language (a line of NAMES), or in all."""
    lines = _NAMES.splitlines()
    return {
        name: number
        for names in (lines if line is None else lines[line : line + 1])
        for number, month in enumerate(names.split(), start=1)
        for name in month.split("|")
    }


def is_written_out(month: str) -> bool:
    """Return whether a month is written in full; short forms such as `mar` and `set` are also ordinary words."""
    return len(month) > 3 or month in ("may", "mai", "mei", "май", "мая", "мае")
