"""Irregular forms of a word, which a stemmer does not unite: met and meet, went and go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from brain_cli.vault.analyzer import Word, stemmer
from brain_cli.vault.folding import fold

# Commas separate the words; each is a group of forms.
IRREGULAR_FORMS = {
    "english": "arise arose arisen, bear bore borne, beat beaten, become became, begin began begun, bend bent,"
    " bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken, bring brought, build"
    " built, buy bought, catch caught, choose chose chosen, come came, deal dealt, dig dug, draw drew"
    " drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel"
    " felt, fight fought, find found, fly flew flown, forbid forbade forbidden, forget forgot forgotten,"
    " freeze froze frozen, get got gotten, give gave given, go goes went gone, grow grew grown, hear"
    " heard, hide hid hidden, hold held, keep kept, know knew known, lead led, leave left, lend lent,"
    " light lit, lose lost, make made, mean meant, meet met, mistake mistook mistaken, pay paid, ride"
    " rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell"
    " sold, send sent, shake shook shaken, shine shone, shoot shot, shrink shrank shrunk, sing sang"
    " sung, sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend spent, spin spun, stand"
    " stood, steal stole stolen, stick stuck, strike struck, swear swore sworn, swim swam swum, take"
    " took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown, understand"
    " understood, wake woke woken, wear wore worn, win won, write wrote written, child children, foot"
    " feet, goose geese, man men, mouse mice, person people, tooth teeth, woman women, index indices"
    " indexes, vertex vertices, matrix matrices, criterion criteria, phenomenon phenomena, datum data,"
    " medium media, analysis analyses, hypothesis hypotheses, thesis theses, leaf leaves, life lives",
    "german": "beginnen begann begonnen, beweisen bewies bewiesen, bieten bot geboten, binden band gebunden,"
    " bleiben blieb geblieben, brechen brach gebrochen, bringen brachte gebracht, denken dachte gedacht,"
    " entscheiden entschied entschieden, essen gegessen, fahren fuhr gefahren, fallen fiel gefallen,"
    " finden fand gefunden, fliegen flog geflogen, geben gab gegeben, gehen ging gegangen, gelten galt"
    " gegolten, gewinnen gewann gewonnen, halten hielt gehalten, heben hob gehoben, helfen half"
    " geholfen, kennen kannte gekannt, kommen kam gekommen, laden lud geladen, lassen ließ gelassen,"
    " laufen lief gelaufen, lesen las gelesen, liegen lag gelegen, nehmen nahm genommen, nennen nannte"
    " genannt, rufen rief gerufen, schlafen schlief geschlafen, schließen schloss geschlossen, schneiden"
    " schnitt geschnitten, schreiben schrieb geschrieben, sehen sah gesehen, senden sandte gesandt,"
    " sitzen saß gesessen, sprechen sprach gesprochen, steigen stieg gestiegen, stehen stand gestanden,"
    " sterben starb gestorben, tragen trug getragen, treffen traf getroffen, treiben trieb getrieben,"
    " trinken trank getrunken, verbinden verband verbunden, vergessen vergaß, vergleichen verglich"
    " verglichen, verlieren verlor verloren, verstehen verstand verstanden, wachsen wuchs gewachsen,"
    " werfen warf geworfen, wissen wusste gewusst, ziehen zog gezogen",
}


def with_other_forms(words: Iterable[Word], languages: Iterable[str]) -> Iterator[Word]:
    """Yield the words of a query, each with the terms of its other forms among its variants."""
    known = tuple(languages)
    for word in words:
        stems = (stemmer(each)(form) for each in known for form in irregular_forms(each).get(word.text, ()))
        yield word._replace(variants=tuple(dict.fromkeys((*word.variants, *stems))))


@cache
def irregular_forms(language: str) -> dict[str, tuple[str, ...]]:
    """Return the other forms of each irregular word of a language (its Snowball name), folded."""
    groups = (fold(group).casefold().split() for group in IRREGULAR_FORMS.get(language, "").split(","))
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for form in group:
            found[form] = (*found.get(form, ()), *(other for other in group if other != form))
    return found
