"""Other ways to write a word of a query: irregular forms, British and American spellings, and the
user's synonyms.

An irregular form is one that a stemmer does not unite: met and meet, went and go. It counts as the
word, but it proves little, because it may be a word of its own. Another spelling is the same word:
colour and color. A synonym is set in the configuration, for example for an abbreviation; it holds
both ways, may have several words, and counts less:

    [synonyms]
    k8s = ["kubernetes"]
    ci = ["continuous integration"]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from brain_cli.vault.analyzer import Form, Word, fold, query_words, stemmer

# Commas separate the words; each is a group of forms.
IRREGULAR_FORMS = {
    "english": "arise arose arisen, beat beaten, become became, begin began begun, bend bent, bite"
    " bitten, bleed bled, blow blew blown, break broke broken, bring brought, build built,"
    " buy bought, catch caught, choose chose chosen, come came, deal dealt, dig dug, draw"
    " drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fallen, fight"
    " fought, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze"
    " froze frozen, get got gotten, give gave given, go goes went gone, grow grew grown,"
    " hear heard, hide hid hidden, hold held, keep kept, know knew known, lend lent, lose"
    " lost, make made, mean meant, meet met, mistake mistook mistaken, pay paid, ride rode"
    " ridden, ring rang rung, rise risen, run ran, say said, see seen, seek sought, sell"
    " sold, send sent, shake shook shaken, shine shone, shrink shrank shrunk, sing sang"
    " sung, sink sank sunk, sleep slept, speak spoken, spend spent, spin spun, stand stood,"
    " steal stolen, strike struck, swear swore sworn, swim swam swum, take took taken, teach"
    " taught, tear tore torn, tell told, think thought, throw threw thrown, understand"
    " understood, wake woke woken, wear wore worn, win won, write wrote written, child"
    " children, foot feet, goose geese, man men, mouse mice, person people, tooth teeth,"
    " woman women, index indices indexes, vertex vertices, matrix matrices, criterion"
    " criteria, phenomenon phenomena, datum data, medium media, analysis analyses,"
    " hypothesis hypotheses, thesis theses, leaf leaves, life lives, cactus cacti, nucleus"
    " nuclei, radius radii, stimulus stimuli, alumnus alumni, fungus fungi, focus foci,"
    " locus loci, syllabus syllabi, bacterium bacteria, curriculum curricula, memorandum"
    " memoranda, addendum addenda, erratum errata, stratum strata, symposium symposia,"
    " formula formulae, antenna antennae, larva larvae, automaton automata, appendix"
    " appendices, codex codices, vortex vortices, axis axes, crisis crises,"
    " diagnosis diagnoses, parenthesis parentheses, synthesis syntheses, ellipsis ellipses,"
    " synopsis synopses, schema schemata, stigma stigmata, ox oxen, louse lice,"
    " knife knives, shelf shelves, half halves, wife wives, loaf loaves, thief thieves, wolf"
    " wolves, calf calves, hoof hooves, bus buses, gas gases, quiz quizzes",
    "german": "beginnen begann begonnen, beweisen bewies bewiesen, bieten geboten, binden gebunden,"
    " bleiben blieb geblieben, brechen brach gebrochen, bringen brachte gebracht, denken"
    " dachte gedacht, entscheiden entschied entschieden, essen gegessen, fahren fuhr"
    " gefahren, fallen fiel, finden fand gefunden, fliegen flog geflogen, geben gab gegeben,"
    " gehen ging gegangen, gelten galt gegolten, gewinnen gewann gewonnen, halten hielt"
    " gehalten, heben hob gehoben, helfen half geholfen, kennen kannte gekannt, kommen kam"
    " gekommen, laden lud geladen, lassen ließ gelassen, laufen lief gelaufen, lesen las"
    " gelesen, liegen gelegen, nehmen nahm genommen, nennen nannte genannt, rufen rief"
    " gerufen, schlafen schlief geschlafen, schließen geschlossen, schneiden geschnitten,"
    " schreiben schrieb geschrieben, sehen sah gesehen, senden sandte gesandt, sitzen saß"
    " gesessen, sprechen sprach gesprochen, steigen stieg gestiegen, stehen gestanden,"
    " sterben starb gestorben, tragen trug getragen, treffen traf getroffen, treiben trieb"
    " getrieben, trinken trank getrunken, verbinden verbunden, vergessen vergaß, vergleichen"
    " verglich verglichen, verlieren verlor verloren, verstehen verstand verstanden, wachsen"
    " gewachsen, werfen warf geworfen, wissen wusste gewusst, ziehen zog gezogen",
}
# British and American spellings that share no stem; each pair is a part of words.
SPELLINGS = {
    "english": "colour color, favour favor, flavour flavor, honour honor, labour labor, humour humor,"
    " harbour harbor, neighbour neighbor, rumour rumor, vapour vapor, behaviour behavior, armour armor,"
    " endeavour endeavor, savour savor, splendour splendor, tumour tumor, vigour vigor, odour odor,"
    " parlour parlor, centred centered, centring centering, centre center, theatre theater, litre liter,"
    " metre meter, fibre fiber, calibre caliber, lustre luster, spectre specter, sombre somber,"
    " manoeuvre maneuver, defence defense, offence offense, licence license, pretence pretense,"
    " practise practice, catalogue catalog, dialogue dialog, analogue analog, judgement judgment,"
    " acknowledgement acknowledgment, programme program, grey gray, aluminium aluminum, jewellery jewelry,"
    " plough plow, mould mold, sceptic skeptic, pyjama pajama, tyre tire, artefact artifact,"
    " enquir inquir, ageing aging, fulfilment fulfillment, enrolment enrollment, instalment installment,"
    " skilful skillful, encyclopaedi encyclopedi, archaeolog archeolog, anaesthe anesthe, paediatr pediatr,"
    " orthopaed orthoped, foetus fetus, oestrogen estrogen, diarrhoea diarrhea, leukaemia leukemia,"
    " learnt learned, burnt burned, dreamt dreamed, spelt spelled, spoilt spoiled, leapt leaped",
}
# The ends of words whose spelling differs, each with what the other spelling has in its place.
ENDINGS = {
    "english": (
        (r"(?<=\w{3})is(?=(?:e[ds]?|ers?|ing|ations?|ational|able)$)", "iz"),
        (r"(?<=\w{3})iz(?=(?:e[ds]?|ers?|ing|ations?|ational|able)$)", "is"),
        (r"(?<=\w{2})ys(?=(?:e[ds]?|ers?|ing)$)", "yz"),
        (r"(?<=\w{2})yz(?=(?:e[ds]?|ers?|ing)$)", "ys"),
        (r"(?<=[aeiou][^aeiou][aeiou])ll(?=(?:ed|ing|ers?|ors?|ations?)$)", "l"),
        (r"(?<=[aeiou][^aeiou][aeiou])l(?=(?:ed|ing|ers?|ors?|ations?)$)", "ll"),
    ),
}
# Pairs of names for the same: each of the two may have several words.
Synonyms = tuple[tuple[str, str], ...]


def with_forms(
    words: Iterable[Word], languages: Sequence[str], synonyms: Synonyms = ()
) -> tuple[Word, ...]:
    """Return the words of a query, each with its other forms and spellings, and its synonyms."""
    found = [_with_own_forms(word, languages) for word in words]
    for names in synonyms:
        for name, other in (names, names[::-1]):
            _add_synonym(found, query_words(name, languages), other, languages)
    return tuple(found)


def _with_own_forms(word: Word, languages: Sequence[str]) -> Word:
    forms = [
        Form(form, ((stem,),))
        for language in languages
        for form in irregular_forms(language).get(word.text, ())
        if (stem := stemmer(language)(form)) not in word.variants
    ]
    if forms or "english" in languages:
        spelled = map(stemmer("english"), spellings(word.text, "english"))
        stems = (stem for form in forms for (stem,) in form.words)
        word = word._replace(
            variants=tuple(dict.fromkeys((*word.variants, *spelled, *stems))), forms=tuple(forms)
        )
    return word


@cache
def irregular_forms(language: str) -> dict[str, tuple[str, ...]]:
    """Return the other forms of each irregular word of a language (its Snowball name), folded."""
    found: dict[str, tuple[str, ...]] = {}
    for group in IRREGULAR_FORMS.get(language, "").split(","):
        forms = fold(group).casefold().split()
        for form in forms:
            found[form] = (*found.get(form, ()), *(other for other in forms if other != form))
    return found


def spellings(word: str, language: str) -> Iterator[str]:
    """Yield the other spellings of a word in a language (its Snowball name)."""
    for pair in SPELLINGS.get(language, "").split(","):
        one, other = pair.split()
        if one in word:
            yield word.replace(one, other)
        elif other in word:
            yield word.replace(other, one)
    for end, other in ENDINGS.get(language, ()):
        if re.search(end, word):
            yield re.sub(end, other, word)


def _add_synonym(
    found: list[Word], name: Iterable[Word], other: str, languages: Sequence[str]
) -> None:
    """Add a synonym to the words of a query that form a name, next to each other."""
    parts = [word for word in name if not word.optional]
    form = Form(other, tuple(w.variants for w in query_words(other, languages) if not w.optional))
    if not parts or not form.words:
        return
    places = [place for place, word in enumerate(found) if not word.optional]
    for start in range(len(places) - len(parts) + 1):
        run = places[start : start + len(parts)]
        if all(
            not set(part.variants).isdisjoint(found[place].variants)
            for place, part in zip(run, parts, strict=True)
        ):
            for place in run:
                word = found[place]
                found[place] = word._replace(synonyms=(*word.synonyms, form))
