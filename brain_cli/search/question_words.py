"""Words that phrase a question or are polite, in every language with a stemmer.

“How do I”, “tell me something about”, “Was bedeutet eigentlich” do not name the subject of a question. The lists
supplement the Snowball stop words; accents do not count. Chinese, Japanese and Korean, searched by pairs of characters,
have phrases instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from brain_cli.search.word_forms import with_other_forms
from brain_cli.vault.analyzer import Word, query_words, words_of
from brain_cli.vault.folding import fold
from brain_cli.vault.language import DEFAULT_LANGUAGE, has_stop_words, likely_language

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

# In “how does it work?” the verb asks too, but not in “it does not work”: how a question begins, and the verb.
# The English verb is left out, as it is a noun too; “many” and “much” ask in “how many”.
HOW_IT_WORKS = {
    "danish": ("hvordan", "fungerer virker"),
    "dutch": ("hoe", "werkt werken"),
    "english": ("how", "many much"),
    "french": ("comment", "fonctionne fonctionnent fonctionner"),
    "german": ("wie", "funktioniert funktionieren"),
    "italian": ("come", "funziona funzionano funzionare"),
    "norwegian": ("hvordan", "fungerer virker"),
    "portuguese": ("como", "funciona funcionam funcionar"),
    "russian": ("как", "работает работают работать"),
    "spanish": ("cómo", "funciona funcionan funcionar"),
    "swedish": ("hur", "fungerar"),
}


@cache
def question_words(language: str) -> frozenset[str]:
    """Return the question words of a language (its Snowball name), folded; none for a language without a list."""
    return frozenset(fold(word).casefold() for word in QUESTION_WORDS.get(language, "").split())


def content_words(text: str, languages: Iterable[str]) -> tuple[Word, ...]:
    """Return the content words of a query; if it has only question words, these."""
    known = tuple(languages) or (DEFAULT_LANGUAGE,)
    words = query_words(without_question(text), known) or query_words(text, known)
    language = _language_of(text, words, known)
    dropped = question_words(language) | _verbs_that_ask(text, language)
    content = tuple(word for word in words if word.text not in dropped) or words
    return tuple(with_other_forms(content, known))


def _verbs_that_ask(text: str, language: str) -> frozenset[str]:
    """Return the verbs that only ask in this query: those of “how does it work?”."""
    how, verbs = HOW_IT_WORKS.get(language, ("", ""))
    begins = how and words_of(text)[:1] == [fold(how)]
    return frozenset(fold(verbs).split()) if begins else frozenset()


def _language_of(text: str, words: Iterable[Word], known: tuple[str, ...]) -> str:
    """Return the language of a query by its stop words, or if it has none, by its question words."""
    if len(known) == 1 or has_stop_words(text, known):
        return likely_language(text, known)
    content = {word.text for word in words}
    return max(known, key=lambda language: (len(content & question_words(language)), -known.index(language)))


# A phrase is left out wherever it stands, an ending only after a word, where the text or a part of it ends.
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
# Short words of hiragana are also parts of others (のど, たどれる, 見どころ). They ask only where a word may begin:
# at the beginning, after other characters than hiragana, and after a particle.
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
    phrases, endings = (sorted(" ".join(table.values()).split(), key=len, reverse=True) for table in (PHRASES, ENDINGS))
    asking = f"{'|'.join(phrases)}|{_WORD_MAY_BEGIN}(?:{'|'.join(SHORT.split())})(?!ろ)"
    return re.compile(rf"(?:{asking})|(?<=\w)(?:{'|'.join(endings)})(?=\W|$|{asking})")
