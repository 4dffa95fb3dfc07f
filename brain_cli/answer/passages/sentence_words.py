"""Words that matter for sentence boundaries, by language: abbreviations, and words that refer to the sentence before.

The words of all languages count in every text, because a note may quote several languages. Words that
begin many sentences of another language are left out, such as the Finnish “se” and the Dutch “de”.
"""

from __future__ import annotations

import re

REFERRING = {
    "english": """this these that those it its it's they them their he she his her such thus therefore hence however
        but and or also otherwise instead moreover furthermore""",
    "german": """dies diese dieser dieses diesen diesem es sie er ihn ihm ihnen dabei dadurch dazu daher darum deshalb
        deswegen damit danach davon dafür dagegen hierbei hierzu allerdings jedoch trotzdem dennoch somit zudem sonst
        aber und oder außerdem""",
    "french": """ce cela ceci cette ces il elle ils elles celui celle ceux celles mais donc cependant toutefois ainsi
        sinon et""",
    "spanish": "esto eso esta este estos estas ese esa esos esas ello él ella ellos ellas pero además también entonces",
    "portuguese": """isto isso este esta estes estas esse essa esses essas ele ela eles elas mas porém contudo portanto
        também""",
    "italian": """questo questa questi queste quello quella quelli quelle ciò esso essa essi esse egli ella lui lei
        loro ma però perciò quindi inoltre tuttavia dunque pertanto invece altrimenti""",
    "dutch": "dit deze dat hij zij ze maar echter daarom dus daardoor hierdoor ook bovendien",
    "danish": "det dette disse denne han hun men derfor dermed desuden ellers også",
    "norwegian": "det dette disse denne han hun men derfor dermed dessuten ellers også likevel",
    "swedish": "det detta dessa denna han hon men därför därmed dessutom annars också",
    "finnish": "tämä tämän tätä tässä tästä nämä näitä hän mutta kuitenkin siksi lisäksi muuten",
    "hungarian": "ez ezek ezt ezért ezzel azok ők viszont azonban így tehát emellett továbbá",
    "turkish": "bu bunu bunun bunlar onu onun onlar ama fakat ancak böylece ayrıca",
    "russian": """это этот эта эти этого этому этим этой этих он она оно они его её ее их ему ей им но однако поэтому
        также тоже такой такая такое такие иначе зато там а и""",
}
# A sentence that begins with one of these and a comma answers the one before.
ANSWERS = "no yes so nein ja doch non oui no sí sì não sim nee nej nei jo ei kyllä nem igen hayır evet нет да"
ABBREVIATIONS = {
    "english": "e.g i.e etc vs cf ca approx Dr Mr Mrs Ms Prof St No Fig tel pp vol",
    "german": "z.B d.h u.a bzw evtl ggf vgl resp Nr Abb Tel Str usw inkl zzgl Hr Fr",
    "french": "p.ex Mme fig réf tél",
    "spanish": "Sr Sra Dra pág p.ej núm tel aprox ej",
    "portuguese": "Sr Sra Dra pág p.ex núm tel aprox",
    "italian": "sig dott dott.ssa prof tel pag ecc avv",
    "dutch": "bijv o.a d.w.z nr blz incl tel m.b.t t.a.v",
    "danish": "f.eks bl.a dvs kl ca nr tlf",
    "norwegian": "f.eks bl.a dvs kl ca nr tlf",
    "swedish": "t.ex bl.a dvs kl ca nr tel s.k",
    "finnish": "esim ks klo puh",
    "hungarian": "pl kb stb ún tel",
    "turkish": "örn vb bkz tel",
    "russian": "т.е т.д т.п т.к др пр см стр рис ул руб тыс млн тел ред напр",
}
_ANSWERS = frozenset(ANSWERS.split())
_REFERRING = frozenset(word for words in REFERRING.values() for word in words.split())
_FIRST_WORD = re.compile(r"[\"“„«‘'(*_¿¡-]*([^\W\d_][\w'’]*)(?![\w-])(,?)")
# A French “c'est”, and a German “das ist”, where “das” alone is an article.
_REFERRING_PHRASE = re.compile(r"[\"“„«(*_-]*(?:c['’]|das (?:ist|sind|war|wird|hat|kann)\b)", 2)
_LONGEST_FIRST = sorted({word for words in ABBREVIATIONS.values() for word in words.split()}, key=len, reverse=True)
# There may be spaces after the dots inside an abbreviation.
_ABBREVIATIONS = "|".join(_LONGEST_FIRST).replace(".", r"\. ?")
_ABBREVIATION = re.compile(rf"(?:\b(?:{_ABBREVIATIONS})|\b[^\W\d_a-z]|^\d{{1,3}})\.$")
MAX_ABBREVIATION_CHARS = 12


def refers_back(sentence: str) -> bool:
    """Return whether a sentence cannot be understood without the one before it, by its first word."""
    first = _FIRST_WORD.match(sentence)
    if not first:
        return False
    word = first[1].replace("’", "'")
    # `IT` is a department.
    if len(word) > 1 and word.isupper():
        return False
    word = word.casefold()
    is_answer = bool(first[2]) and word in _ANSWERS
    return is_answer or word in _REFERRING or bool(_REFERRING_PHRASE.match(sentence))


def ends_abbreviation(text: str, position: int) -> bool:
    """Return whether the dot before a position of a text is one of an abbreviation or an ordinal."""
    return bool(_ABBREVIATION.search(text, max(0, position - MAX_ABBREVIATION_CHARS), position))
