"""Split a text into terms. This is the one place that decides by which words a note can be found.

A word is found in any case, accent or form; a compound (`event-driven`, `getUserName`, `os.path`)
as a whole and by its parts; text without spaces (Chinese, Japanese, Thai …) by pairs of
neighbouring characters.

Accents and letter forms are folded, so that `Café` and `Cafe` are the same word. The language of a
text is recognized by its stop words, if one language clearly leads.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import chain

from brain_cli.record import Record
from brain_cli.vault.inline_text import with_joined_words
from brain_cli.vault.languages import language_words

# Accents, the vowel points of Hebrew and Arabic, and the dot below of Hindi, which are optional in
# writing.
_MARKS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u093c"
# Patterns for text that is not ASCII alone are texts here, which `re` compiles on first use and
# keeps. Each begins with a plain set of characters: only then does `re` skip other characters at
# full speed. In Cyrillic, й is a separate letter: its mark is kept until the letter is composed
# again.
_ACCENTS = f"[{_MARKS}](?<![\u0400-\u052f](?s:.))[{_MARKS}]*"
# Soft hyphens, zero-width spaces, marks of direction, and the line that stretches Arabic words.
_INVISIBLE = "\u00ad\u0640\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_REMAINING = f"[{_MARKS}{_INVISIBLE}][{_MARKS}{_INVISIBLE}]*"
# More marks than any letter has. Unicode sorts the marks of a letter, which takes quadratic time.
_MARK_RUN = r"([^\w\s!-~][^\w\s!-~]{29})[^\w\s!-~]+"
# The links of a vault repeat the names of its notes.
CACHED_NAMES = 16_384
# Latin letters that Unicode does not decompose, such as `ø` and `ł`, and the letter after each: `Æ`
# is `Ae` in `Ærø`, and `AE` in `ÆRØ`.
_WHOLE_LETTER = (
    r"([\u00c6-\u02af\u1d00-\u1dbf\u1e9c-\u1eff\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab6f])"
    r"(?=(.?))"
)
# What people type for letters whose Unicode name does not say it; `ø` is LATIN SMALL LETTER O WITH
# STROKE.
_TYPED = {
    "ETH": "D",
    "THORN": "TH",
    "SHARP S": "SS",
    "ENG": "N",
    "SCHWA": "E",
    "KRA": "K",
    "ESH": "S",
    "EZH": "Z",
}
# The apostrophes that Unicode counts among the letters: of Hawaiian, and of Ukrainian.
_LETTER_APOSTROPHES = {0x2BB: None, 0x2BC: "'"}
# Unicode classes the marks of halfwidth kana as letters.
_KANA_MARKS = ("\uff9e", "\uff9f")
_MARK_RUN_WITH_KANA = r"((?:[^\w\s!-~]|[\uff9e\uff9f]){30})(?:[^\w\s!-~]|[\uff9e\uff9f])+"


def fold(text: str) -> str:
    """Remove accents and compatibility forms, keep case: `Café` → `Cafe`, `Łódź` → `Lodz`, `ё` →
    `е`.
    """
    if text.isascii():
        return text
    from unicodedata import name, normalize

    mark_run = _MARK_RUN_WITH_KANA if any(mark in text for mark in _KANA_MARKS) else _MARK_RUN
    bare = re.sub(_ACCENTS, "", normalize("NFKD", re.sub(mark_run, r"\1", text)))
    composed = re.sub(_REMAINING, "", normalize("NFKC", bare))
    typed = re.sub(
        _WHOLE_LETTER,
        lambda match: _plain_letter(name(match[1], ""), *match.groups()),
        composed,
    )
    return typed.translate(_LETTER_APOSTROPHES).replace("ё", "е").replace("Ё", "Е")


@cache
def _plain_letter(name: str, letter: str, following: str) -> str:
    """Return what people type for a letter of a Unicode name: `o` for `ø`, `ae` for `æ`."""
    latin = re.fullmatch(r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) (.+?)(?: WITH .*)?", name)
    if not latin:
        return letter
    typed = _TYPED.get(latin[2]) or latin[2].rpartition(" ")[2]
    if len(typed) > 2:
        return letter
    if latin[1] == "SMALL":
        return typed.lower()
    return typed.capitalize() if following.islower() else typed


@lru_cache(maxsize=CACHED_NAMES)
def same_name(text: str) -> str:
    """Return a name in the form for comparisons: without case and accents, with single spaces
    between words.
    """
    return " ".join(fold(text).casefold().split())


DEFAULT_LANGUAGE = "english"
# Snowball's names of the languages that have a stemmer and a list of stop words.
LANGUAGE_BY_CODE = {
    code: name for name, words in language_words().items() for code in words.get("codes", ())
}
SAMPLE_CHARS = 8_000
# With these values no section of English documentation, chats or code was taken for another
# language.
CLEAR_LEAD = 1.5
MIN_STOP_WORDS = 3.0
_WORD = re.compile(r"[^\W\d_]+")
_NO_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language (its Snowball name), folded; empty if there is
    no list.
    """
    words = language_words().get(language, {})
    return frozenset(map(fold, words.get("stop_words", "").split()))


def language_named(name: str) -> str | None:
    """Return the Snowball name for `de`, `de-AT`, `German`; None for a language without a
    stemmer.
    """
    wanted = name.strip().lower()
    if wanted in LANGUAGE_BY_CODE.values():
        return wanted
    return LANGUAGE_BY_CODE.get(wanted.replace("_", "-").split("-")[0])


def detected_language(text: str) -> str | None:
    """Return the language whose stop words clearly lead; None if the text is too short or no
    language leads.
    """
    shares = _stop_word_shares(text)
    leader, second = sorted((*shares, "", ""), key=lambda language: -shares[language])[:2]
    clear = shares[leader] >= max(MIN_STOP_WORDS, CLEAR_LEAD * shares[second])
    return leader if clear else None


def likely_language(text: str, known: tuple[str, ...]) -> str:
    """Return the language in `known` with the most stop words in a short text; of equals, the
    first.
    """
    if len(known) == 1:
        return known[0]
    shares = _stop_word_shares(text)
    return max(known, key=lambda language: (shares[language], -known.index(language)))


def has_stop_words(text: str, known: tuple[str, ...]) -> bool:
    """Return whether a short text has a stop word of any of these languages."""
    shares = _stop_word_shares(text)
    return any(shares[language] for language in known)


def _stop_word_shares(text: str) -> defaultdict[str, float]:
    """Weigh the languages of a text: each distinct stop word counts one, divided among all
    languages that have it.

    Repeats do not count, because a name that is a stop word elsewhere (`mod`, `top`) may recur on
    every line.
    """
    table = _languages_by_stop_word()
    shares: defaultdict[str, float] = defaultdict(float)
    sample = fold(text[:SAMPLE_CHARS]).lower()
    # For ASCII without the pattern, which takes longer.
    words = sample.translate(_NO_LETTERS).split() if sample.isascii() else _WORD.findall(sample)
    for word in sorted(table.keys() & words):
        for language in table[word]:
            shares[language] += 1 / len(table[word])
    return shares


@cache
def _languages_by_stop_word() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for language in dict.fromkeys(LANGUAGE_BY_CODE.values()):
        for word in stop_words(language):
            table[word] = (*table.get(word, ()), language)
    return table


# Scripts that put no spaces between words: Thai to Tibetan, Burmese, Khmer; Chinese, Japanese,
# Korean.
_SPACELESS = (
    "\u0e00-\u0e4e\u0e80-\u0ece\u0f40-\u0fbc\u1000-\u1049\u1780-\u17d3"
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# The scripts of India: vowels are marks, which Python does not count among the letters.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_OTHER_SCRIPT = rf"(?P<spaceless>[{_SPACELESS}]+)|(?P<indic>[{_INDIC}]+)"
_LATIN_RUN = re.compile(r"[^\W_]+(?:[-‐_.'’·][^\W_]+)*")
# A character that may belong to one of those scripts, which excludes European and Arabic letters
# and punctuation.
_MAYBE_OTHER_SCRIPT = r"[^\x00-\u08ff\u2000-\u2bff](?<![\ufe00-\ufe0f\U0001f000-\U0001ffff])"
# A space for each ASCII character that is in no run.
_OUTSIDE_RUNS = {
    code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "-_.'")
}
_PART = re.compile(r"[^\W_]+")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN_DIGITS = re.compile(r"\d[-‐_.]\d")
# Names whose signs tell them from other words: `C++`, `C#`, `.NET`; Markdown may escape the signs.
_SIGNED = (
    r"(?<![\w+])[^\W\d_]\w{0,30}+(?:\\?\+){2}(?!\\?\+|[^\W\d_])"
    r"|(?<![\w#&/\\])[^\W\d_]\\?#(?![\w#])"
    r"|(?<![\w.])\.(?i:net)(?![^\W\d_])"
)
# Most of the many texts with a sign, such as of a heading or a tag, have none after a letter.
_MAY_BE_SIGNED = re.compile(r"[+#.](?:(?<=[\w\\][+#])(?![\w#])|(?<=\.)(?:net|NET))")
MAX_WORD_CHARS = 64
# Each word takes a lookup in the index, and an unknown one a search for similar words, so a longer
# query is cut.
MAX_QUERY_CHARS = 20_000
MAX_QUERY_WORDS = 200
CACHED_RUNS = 65_536


class Form(Record):
    """Another form of a word, or a name for the same: the variants of each of its words."""

    text: str
    words: tuple[tuple[str, ...], ...]


class Word(Record):
    """One word of a query: any of its `variants` (a stem per language) counts as the word.

    An `optional` word is a whole compound whose parts are also words of the query:
    it counts in notes that write it so, and is not missed in others. The variants include those of
    its irregular `forms`, not those of its `synonyms`, which count less (search/forms.py).
    """

    text: str
    variants: tuple[str, ...]
    optional: bool = False
    forms: tuple[Form, ...] = ()
    synonyms: tuple[Form, ...] = ()

    @property
    def found_by(self) -> tuple[str, ...]:
        """All terms by which the word may be found."""
        of_synonyms = (term for form in self.synonyms for part in form.words for term in part)
        return (*self.variants, *of_synonyms)


def terms(text: str, language: str) -> list[str]:
    """Return the terms under which a text is indexed, in order, with repeats, without
    stop words.
    """
    folded = fold(with_joined_words(text))
    of_runs, of_ascii = _cached_terms(language)
    if folded.isascii() and not _MAY_BE_SIGNED.search(folded):
        # Much faster than to find the runs of the text by a pattern.
        found = map(of_ascii.__getitem__, folded.translate(_OUTSIDE_RUNS).split())
    else:
        found = map(of_runs.__getitem__, _runs(folded))
    return list(chain.from_iterable(found))


Terms = tuple[str, ...]


class _CachedTerms(dict[str, Terms]):
    """The terms of each piece of text, computed on a miss; most words recur."""

    def __init__(self, compute: Callable[[str], Terms]) -> None:
        self._compute = compute

    def __missing__(self, piece: str) -> Terms:
        found = self._compute(piece)
        # Long pieces are not worth their memory.
        if len(piece) <= MAX_WORD_CHARS:
            if len(self) >= CACHED_RUNS:
                self.clear()
            self[piece] = found
        return found


@cache
def _cached_terms(language: str) -> tuple[_CachedTerms, _CachedTerms]:
    """Return the terms of runs of letters in a language, and those of pieces of ASCII text with
    several runs.
    """
    stem = stemmer(language)
    stops = stop_words(language)

    def of_run(run: str) -> Terms:
        parts, wholes = _split(run)
        # Who writes `net core` means `.NET Core`, but who asks for `.NET` means no fishing net.
        bare = (part.removeprefix(".") for part in parts if part.startswith("."))
        return tuple(stem(word) for word in (*parts, *bare, *wholes) if word not in stops)

    of_runs = _CachedTerms(of_run)

    def of_ascii(piece: str) -> Terms:
        return tuple(chain.from_iterable(map(of_runs.__getitem__, _LATIN_RUN.findall(piece))))

    return of_runs, _CachedTerms(of_ascii)


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded and in lower case, compounds split into their parts,
    without stemming.
    """
    return [part for run in _runs(fold(text)) for part in _split(run)[0]]


def query_words(text: str, languages: Iterable[str]) -> tuple[Word, ...]:
    """Return the distinct words of a query, each with its stems in the languages of the vault.

    Stop words of the query's most likely language are dropped.
    """
    known = tuple(languages) or (DEFAULT_LANGUAGE,)
    stops = stop_words(likely_language(text, known))
    found: dict[tuple[str, ...], Word] = {}
    for run in _runs(fold(text[:MAX_QUERY_CHARS])):
        if len(found) >= MAX_QUERY_WORDS:
            break
        parts, wholes = _split(run)
        for word, optional in (
            *((part, False) for part in parts),
            *((whole, bool(parts)) for whole in wholes),
        ):
            variants = tuple(dict.fromkeys(stemmer(language)(word) for language in known))
            if word not in stops and (variants not in found or not optional):
                found[variants] = Word(word, variants, optional)
    return tuple(found.values())


def _runs(text: str) -> list[str]:
    """Return the runs of letters of a text, each in one kind of script, including hyphens and dots
    inside.
    """
    special = [_OTHER_SCRIPT] if _has_other_script(text) else []
    if _MAY_BE_SIGNED.search(text):
        special.append(_SIGNED)
    if not special:
        return _LATIN_RUN.findall(text)
    found: list[str] = []
    end = 0
    for other in re.finditer("|".join(special), text):
        found += _LATIN_RUN.findall(text, end, other.start())
        found.append(other[0].replace("\\", ""))
        end = other.end()
    return found + _LATIN_RUN.findall(text, end)


def written_words(text: str) -> int:
    """Return the number of words in a text; in scripts without spaces, two characters count as a
    word.
    """
    spaceless = 0
    if _has_other_script(text):
        spaceless = sum(
            len(run[0])
            for run in re.finditer(_OTHER_SCRIPT, text)
            if run.lastgroup == "spaceless"
        )
    return len(text.split()) + spaceless // 2


def _has_other_script(text: str) -> bool:
    return not text.isascii() and re.search(_MAYBE_OTHER_SCRIPT, text) is not None


def _script(run: str) -> str | None:
    """Return the kind of script of a run; None for scripts with spaces between words and vowels as
    letters.
    """
    found = re.match(_OTHER_SCRIPT, run) if _has_other_script(run) else None
    return found.lastgroup if found else None


def is_spaceless(word: str) -> bool:
    """Return whether a word is a pair of characters of a script without spaces between words."""
    return len(word) == 2 and _script(word) == "spaceless"


def _split(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a run of letters into its parts and the compounds they form, in lower case."""
    if run.startswith(".") or run.endswith(("+", "#")):
        # `C++` is another word than `C`, but `Notepad++` is also found by `notepad`.
        name = run.rstrip("+#").casefold()
        return (
            ((name,), (run.casefold(),))
            if len(name) > 1 and run[0] != "."
            else ((run.casefold(),), ())
        )
    script = _script(run)
    if script == "spaceless":
        pairs = tuple(run[i : i + 2] for i in range(len(run) - 1))
        return pairs, tuple(run)
    if script == "indic":
        return (_clipped(run),), ()
    parts = [
        _clipped(piece) for part in _PART.findall(run) for piece in _CAMEL_BOUNDARY.split(part)
    ]
    if len(parts) == 1:
        return tuple(parts), ()
    if "'" in run or "’" in run:
        # `don't`, `l'homme`, `Mara's`: the letters cut off by the apostrophe are not words.
        parts = [part for part in parts if len(part) > 1]
        if len(parts) == 1:
            return tuple(parts), ()
    # A version keeps its dots (2.7.5 is not 275); any other compound also counts as one word (UTF-8
    # as utf8).
    whole = run if _BETWEEN_DIGITS.search(run) else "".join(_PART.findall(run))
    return tuple(parts), (_clipped(whole),)


def _clipped(word: str) -> str:
    return word.casefold()[:MAX_WORD_CHARS]


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """Return the Snowball stemmer of a language; without one, words are not stemmed."""
    import Stemmer

    return Stemmer.Stemmer(language, 0).stemWord if language in Stemmer.algorithms() else str
