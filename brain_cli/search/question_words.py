"""The words with which a question is put, and what it asks for: a definition, a number or a date.

“How do I”, “tell me something about”, “Was bedeutet eigentlich” do not name the subject of a
question. The lists supplement the Snowball stop words; accents do not count. Chinese, Japanese and
Korean, searched by pairs of characters, have phrases instead.

A passage about eggs that has no number does not answer “how many eggs”: it has the topic, but not
the value. “What is a hash?” is answered by the first sentence of the note “Hash function”, which
seldom repeats its title.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from brain_cli.vault.analyzer import (
    DEFAULT_LANGUAGE,
    Word,
    fold,
    has_stop_words,
    likely_language,
    query_words,
    terms,
    words_of,
)
from brain_cli.vault.time_words import TIME_WORDS, month_numbers

QUESTION_WORDS = {
    "danish": "hvad hvem hvor hvordan hvorfor hvornår hvilken hvilket hvilke hvis kan kunne skal skulle må vil"
    " ville venligst tak fortæl forklar betyder hedder noget nogen ting måde findes gør",
    "dutch": "wat wie waar hoe hoeveel waarom wanneer welk welke wiens kan kun kunnen kunt moet moeten mag zou zouden"
    " alsjeblieft graag vertel verklaar betekent heet iets iemand ding dingen manier bestaat doe doet eigenlijk echt"
    " dient waarvoor waarmee erg",
    "english": "could would shall must cannot whose whether please tell explain describe means meant let lets one"
    " ones something anything somebody someone anybody anyone thing things stuff way yet actually really even just"
    " already still quite also else ever somehow vs versus",
    "finnish": "mikä mitä kuka ketä missä mistä mihin miten miksi milloin kuinka voi voinko voiko voin pitää pitäisi"
    " saako kerro selitä tarkoittaa jotain joku tapa kiitos",
    "french": "quoi quel quelle quels quelles qui que où comment pourquoi quand combien lequel laquelle peut peux"
    " puis pouvez doit dois faut veux voudrais merci dis dites explique expliquez signifie appelle quelque"
    " chose quelqu'un quelquun chose façon moyen faire fait est-ce vraiment aussi déjà encore juste"
    " les cette cet cela être avoir alors donc si très sert servent servir lesquels lesquelles veut",
    "german": "warum wieso weshalb wozu wann wer wen wem wessen wohin woher womit wofür worin worum wodurch woran"
    " darf dürfen dürfte kannst könnte könnten können muss müssen müsste sollen sollten würde würden bitte"
    " danke gibt gab irgendwas irgendwie irgendwo irgendein irgendeine jemand ding dinge sache erkläre"
    " erklären erzähl sag bedeutet heißt nennt eigentlich überhaupt schon eben halt mal denn tun tut geht fürs"
    " aufs ans ins durchs übers ums unters vors hinters vs versus"
    " dass wurde wurden machen macht mache dient beim sehr mein meine",
    "hungarian": "mi mit ki kit hol hova honnan hogyan miért mikor mennyi melyik lehet tudok tudom kell kellene kérem"
    " köszönöm mondd magyarázd jelent valami valaki dolog mód",
    "italian": "cosa cos'è cos com'è chi dove come perché quando quanto quanti quanta quante quale quali qual"
    " posso può puoi possono devo"
    " deve vorrei voglio grazie favore dimmi spiega spiegami significa chiama qualcosa qualcuno cosa modo"
    " fare c'è davvero proprio già ancora anche"
    " essere stato viene così serve servono servire fa fanno vuole quindi",
    "norwegian": "hva hvem hvor hvordan hvorfor når hvilken hvilket hvilke kan kunne skal skulle må vil ville"
    " vennligst takk fortell forklar betyr heter noe noen ting måte finnes gjør",
    "portuguese": "que quê quem onde como porque porquê quando quanto quantos quantas qual quais posso pode"
    " podem devo deve preciso"
    " quero gostaria favor obrigado diga explique significa chama algo alguém coisa maneira fazer realmente já ainda"
    " também"
    " serve servem ser assim faz fazem quer",
    "russian": "что кто где куда откуда как почему зачем когда сколько какой какая какое какие каким какую чей можно"
    " могу может нужно надо должен хочу пожалуйста спасибо скажи расскажи объясни значит называется такое"
    " чтото что-то ктото кто-то вещь способ вообще действительно просто"
    " это этот эта эту этого этой этом эти этих какого какому каком каких какою чем чему чего чём кого кому ком кем"
    " свой своя своё свою своего своей своих своим свои который которая которое которые которого которой которых"
    " котором если также очень делать сделать делает нужен нужна нужны служит является есть ли",
    "spanish": "qué quién quiénes dónde cómo por porqué cuándo cuánto cuántos cuánta cuántas cuál cuáles puedo"
    " puede pueden debo debe"
    " quiero quisiera favor gracias dime explica explícame significa llama algo alguien cosa manera hacer"
    " ser son así aún además sirve sirven servir hace hacen quieren quiere si",
    "swedish": "vad vem var hur varför när vilken vilket vilka kan kunde ska skulle måste vill ville snälla tack"
    " berätta förklara betyder heter något någon sak sätt finns gör",
    "turkish": "ne nedir kim nerede nereye nereden nasıl niçin niye neden hangi kaç mi mı mu mü bana lütfen"
    " teşekkürler anlat açıkla demek anlama birşey şey biri olur",
}

# In “how does it work?” the verb asks too, but not in “it does not work”: how a question begins, and
# the verb. The English verb is left out, as it is a noun too; “many” and “long” ask in “how many” and
# “how long”.
HOW_IT_WORKS = {
    "danish": ("hvordan", "fungerer virker"),
    "dutch": ("hoe", "werkt werken lang vaak ver"),
    "english": ("how", "many much long often far"),
    "french": ("comment", "fonctionne fonctionnent fonctionner"),
    "german": ("wie", "funktioniert funktionieren lange oft weit"),
    "italian": ("come", "funziona funzionano funzionare"),
    "norwegian": ("hvordan", "fungerer virker"),
    "portuguese": ("como", "funciona funcionam funcionar"),
    "russian": ("как", "работает работают работать"),
    "spanish": ("cómo", "funciona funcionan funcionar"),
    "swedish": ("hur", "fungerar"),
}


@cache
def question_words(language: str) -> frozenset[str]:
    """Return the question words of a language (its Snowball name), folded; none for a language
    without a list.
    """
    return frozenset(fold(word).casefold() for word in QUESTION_WORDS.get(language, "").split())


def content_words(text: str, languages: Iterable[str]) -> tuple[Word, ...]:
    """Return the content words of a query; if it has only question words, these."""
    known = tuple(languages) or (DEFAULT_LANGUAGE,)
    words = query_words(without_question(text), known) or query_words(text, known)
    language = _language_of(text, words, known)
    dropped = set(question_words(language))
    how, verbs = HOW_IT_WORKS.get(language, ("", ""))
    if how and words_of(text)[:1] == [fold(how)]:
        dropped.update(fold(verbs).split())
    return tuple(word for word in words if word.text not in dropped) or words


def _language_of(text: str, words: Iterable[Word], known: tuple[str, ...]) -> str:
    """Return the language of a query by its stop words, or if it has none, by its question words."""
    if len(known) == 1 or has_stop_words(text, known):
        return likely_language(text, known)
    content = {word.text for word in words}
    return max(
        known,
        key=lambda language: (len(content & question_words(language)), -known.index(language)),
    )


# A phrase is left out wherever it stands, an ending only after a word, where the text or a part of it
# ends.
PHRASES = {
    "chinese": "为什么 为何 什么是 是什么 什么 怎么办 怎么样 怎么 怎样 如何 哪里 哪儿 哪个 哪些 哪种 请问"
    " 是多少 多少 在哪里 能不能 可不可以 是不是 有没有 谁",
    "traditional chinese": "為什麼 為何 什麼是 是什麼 什麼 怎麼辦 怎麼樣 怎麼 怎樣 哪裡 哪個 請問 在哪裡 誰",
    "japanese": "とは何ですか とはなんですか とは何 何ですか どうやって どうすれば どうしたら どのように どうして"
    " どちら 教えてください 教えて いいですか よいですか できますか ありますか ください",
    "korean": "어떻게 무엇인가요 무엇 어디에서 어디서 어디 누가 누구 뭔가요 알려주세요 알려줘 주세요",
}
ENDINGS = {
    "chinese": "吗 呢 嗎",
    "japanese": "とは ですか ますか でしょうか するには には",
    "korean": "인가요 하나요 되나요 합니까 입니까 나요 은 는",
}
# Short words of hiragana are also parts of others (のど, たどれる, 見どころ). They ask only where a word may
# begin: at the beginning, after other characters than hiragana, and after a particle.
SHORT = "なぜ どこ どれ どの"
_WORD_MAY_BEGIN = r"(?:(?<![ぁ-ゖ])|(?<=[はがをにでへ])|(?<=[^\Wぁ-ゖ][のと]))"


def without_question(text: str) -> str:
    """Return a text without the phrases of a question; the text itself if there are none."""
    if text.isascii():
        return text
    phrase = _phrase()
    return phrase.sub(" ", unicodedata.normalize("NFC", text)) if phrase.search(text) else text


@cache
def _phrase() -> re.Pattern[str]:
    phrases, endings = (
        sorted(" ".join(table.values()).split(), key=len, reverse=True)
        for table in (PHRASES, ENDINGS)
    )
    asking = f"{'|'.join(phrases)}|{_WORD_MAY_BEGIN}(?:{'|'.join(SHORT.split())})(?!ろ)"
    return re.compile(rf"(?:{asking})|(?<=\w)(?:{'|'.join(endings)})(?=\W|$|{asking})")


NUMBER = "number"
DURATION = "duration"
DATE = "date"
PERSON = "person"
# The beginnings of such questions, folded. “When should I …” asks for a condition, not for a date.
_BEGINS = {
    DURATION: "how (?:long|often)|wie (?:lange|oft)|combien de temps|cuanto tiempo|quanto tempo|hoe (?:lang|vaak)",
    NUMBER: r"how (?:much|many|old|tall|big|large|high|far|heavy|deep|wide)"
    r"|(?:the )?(?:\w+ ){0,2}(?:number|amount|price|cost) of|anzahl (?:der|des|von)"
    r"|wie ?viele?|wie (?:teuer|alt|hoch|gross|weit|schwer)|combien|cuant[oa]s?|quant[oiae]s?|hoeveel"
    r"|сколько|(?:what|was|wie|quel|cual|qual|quale|wat|как\w*) (?:\w+ ){0,3}(?:price|costs?|preis|kosten|kostet|prix"
    "|coute|precio|cuesta|prezzo|costo|costa|preco|prijs|kost|цена|стоит|стоимость)",
    DATE: "when (?:did|was|were|is|will)|(?:the )?(?:exact )?(?:date|day) (?:when|of)|datum (?:der|des|von)"
    "|(?:on |in |at |since )?(?:what|which) (?:date|day|year|month)"
    "|wann (?:war|wurde|hat|ist|kam)|(?:in |an |seit )?welche[mns] (?:jahr|tag|monat|datum)"
    "|quand (?:a|est|etait|ont)|(?:en |a )?quelle (?:date|annee)|cuando (?:fue|se|ha)|(?:en )?que (?:ano|dia|fecha)"
    "|quando (?:e|fu|ha|foi)|(?:in )?(?:che|quale) (?:anno|giorno|data)|(?:em )?que data|wanneer (?:was|werd|is)"
    r"|(?:in )?welk jaar|когда (?:был|вышл|появил)\w*|в каком году",
    PERSON: "who|whose|wer|wem|wessen|qui|chi|quien(?:es)?|quem|кто",
}
# How a question for one attribute of its subject begins: “which make”, “what is the password”. “What
# make” is left out, because a verb may follow “what”, and so is “difference”, a word that notes about
# two things lack.
_ATTRIBUTE = (
    "(?:which|what (?:s|is|was|are|were) (?:the|my|our|your|his|her|their|its)"
    r"|welche[mnrs]?|was (?:ist|war|sind|waren) (?:der|die|das|mein\w*|unser\w*)"
    "|quel(?:le)?s?(?: (?:est|etait|sont))?(?: (?:le|la|les|l|mon|ma|mes|notre|nos))?"
    "|qual[ei]?(?: (?:e|era|sono|erano))?(?: (?:il|lo|la|i|gli|le|l|o|a|os|as))?"
    "|cual(?:es)? (?:es|era|son|eran) (?:el|la|los|las|mi|mis|nuestr[oa]s?)"
    r"|welke?|wat (?:is|was|zijn) (?:de|het|mijn|onze?)|как(?:ой|ая|ое|ие|ова|ово))"
    r" (?!diff?[eé]ren|unterschied|verschil|разниц)(\w+)"
)
_NUMBERS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety dozen hundred thousand million half"
    " twice zwei drei vier funf sechs sieben acht neun zehn elf zwolf zwanzig dreissig vierzig funfzig"
    " hundert tausend deux trois quatre cinq sept huit neuf dix douze vingt trente quarante cinquante cent mille"
    " dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta cincuenta cien mil due tre quattro"
    " cinque sei sette otto nove dieci dodici venti trenta cinquanta cento dois quatro oito dez vinte cem twee"
    " drie vijf zes zeven negen tien twaalf twintig honderd один два две три четыре пять шесть семь восемь девять"
    " десять двадцать тридцать сорок пятьдесят сто тысяча"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
# A longer question begins in the same way.
MAX_CHARS_READ = 300


def asked_for(question: str) -> tuple[str, str]:
    """Return what a question asks for, NUMBER, DURATION, DATE or PERSON, and the word for what it
    asks of its subject.

    That word is “password” in “what is the password of”. Both are empty for any other question.
    """
    text = " ".join(words_of(question[:MAX_CHARS_READ]))
    value = next(
        (kind for kind, begins in _BEGINS.items() if re.match(rf"(?:{begins})\b", text)), ""
    )
    attribute = re.match(_ATTRIBUTE, text)
    return value, attribute[1] if attribute else ""


def has_value(kind: str, passage: str, *, is_dated: bool = False) -> bool:
    """Return whether a passage has a value of a kind, as far as that can be seen: any word may name
    a person.

    `is_dated`: its note has a date, which may be the answer.
    """
    if kind == PERSON or (kind == DATE and is_dated):
        return True
    words = words_of(passage)
    if kind != DATE and any(map(_is_amount, words)):
        return True
    if kind == DATE and any(any(map(str.isdecimal, word)) for word in words):
        return True
    if kind == NUMBER:
        return False
    return bool(_time().search(" ".join(words))) or (
        kind == DATE and not month_numbers().keys().isdisjoint(words)
    )


def _is_amount(word: str) -> bool:
    """Return whether a word is a number, and not a year."""
    return word in _number_words() or (any(map(str.isdecimal, word)) and not _YEAR.fullmatch(word))


@cache
def _number_words() -> frozenset[str]:
    return frozenset(_NUMBERS.split())


@cache
def _time() -> re.Pattern[str]:
    """Return the pattern of the days and the units of time, in every language."""
    phrases = [
        phrase
        for words in TIME_WORDS.values()
        for phrase in (
            *words.units,
            *words.weekdays,
            *words.today.split(", "),
            *words.yesterday.split(", "),
        )
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)")


# How such a question begins, by language; the rest of the question is its subject.
ASKING = {
    "english": r"what(?:['’]?s| is| are)|define|definition of|meaning of",
    "german": r"was (?:ist|sind|bedeutet|bedeuten|heißt)|was versteht man unter|definition von",
    "french": r"qu['’]est[- ]ce qu(?:e|['’])(?: c['’]est qu(?:e|['’]))?|c['’]est quoi|que signifie|définition d[e'’]",
    "italian": r"(?:che )?(?:cos['’]è|cosa è|cosa sono|cosa significa)|che significa|definizione di",
    "spanish": r"qu[eé] (?:es|son|significan?)|definición de",
    "portuguese": r"o que (?:é|são|significam?)|definição de",
    "dutch": r"wat (?:is|zijn|betekent)",
    "russian": r"что (?:такое|значит|означает|за)|определение",
}
_ASKING = re.compile(rf"[\s¿]*(?:{'|'.join(ASKING.values())})(?:(?!\w)|(?<=['’]))", re.IGNORECASE)


def subject_of_definition(query: str) -> str:
    """Return what a question asks the meaning of; empty for a question that asks for something
    else.
    """
    asking = _ASKING.match(query)
    return query[asking.end() :].strip(" ?!.¿") if asking else ""


def is_about(name: str, subject: str, language: str) -> bool:
    """Return whether a note's name begins with a subject: “Hash function” does with “a hash”."""
    wanted = set(terms(subject, language))
    of_name = terms(name, language)
    return bool(wanted) and wanted <= set(of_name) and of_name[0] in wanted


# How a question begins that the list of the notes about a subject answers, by language.
LISTING = {
    "english": r"(?:(?:what (?:do|did|have)|everything|all) (?:i|we) (?:know|have|learn(?:ed|t)?|written?|wrote)"
    r"|everything|(?:all |list |show )?(?:me )?(?:(?:the|my|our) )?notes) (?:about|on)",
    "german": r"(?:alles|(?:alle )?(?:meine |unsere )?notizen|was (?:weiß|wissen|habe|haben) (?:ich|wir)) (?:über|zu)",
    "french": r"(?:tout(?: ce que je sais)?|que sais-je|(?:toutes )?(?:les |mes |nos )?notes) sur",
    "italian": r"(?:tutto(?: quello che so)?|(?:che )?cosa so|(?:tutte )?(?:le )?(?:mie )?note) su",
    "spanish": r"(?:todo(?: lo que sé)?|qué sé|(?:todas )?(?:las |mis )?notas) (?:sobre|de)",
    "portuguese": r"(?:tudo(?: o que sei)?|o que sei|(?:todas )?(?:as )?(?:minhas )?notas) sobre",
    "dutch": r"(?:alles|wat weet ik|(?:alle )?(?:mijn )?notities) over",
    "russian": r"(?:вс[её](?:,? что я знаю)?|что я знаю|(?:все )?(?:мои )?заметки) (?:об?|про)",
}
_LISTING = re.compile(rf"\s*(?:{'|'.join(LISTING.values())})\s", re.IGNORECASE)
# A longer text asks for something about its subject.
MAX_SUBJECT_WORDS = 3


def subject_of_listing(query: str) -> str:
    """Return the subject whose notes a question asks for, as “kafka” in “what do I know about
    kafka?”; else empty.
    """
    asking = _LISTING.match(query)
    subject = query[asking.end() :].strip(" ?!.¿") if asking else ""
    return subject if len(subject.split()) <= MAX_SUBJECT_WORDS else ""


def names_subject(names: Iterable[str], subject: str, language: str) -> bool:
    """Return whether a note's title, aliases, tags or folder have all words of a subject."""
    wanted = set(terms(subject, language))
    return bool(wanted) and wanted <= set(terms(" ".join(names), language))
