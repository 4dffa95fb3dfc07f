"""A query, read once: its words, the time it asks about, its conditions. `parse` is the one reader
of its text.

The query language: words rank; only `+word`, `-word`, fields and AND/OR/NOT between operands
restrict.

    kafka "event driven" +retry -draft tag:ops title:outbox path:decisions/* conf*
    kafka AND rabbitmq OR nats NOT redis          NOT before AND before OR; `AND NOT` is the same as
                                                  `NOT`

A `"phrase"` counts as its words, plus a bonus for notes with the exact phrase. A trailing `*` is a
prefix. There is no grouping: a parenthesis is punctuation, as in any text. `--word` is a word, an
option of another program; answer/find.py tells where `-word` is one, too.

A word before a colon that is not a field, as in `note:that`, is a plain word. A field with one
letter too many, too few or swapped (`tags:ops`) is an error, because the answer would not be
filtered.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from unicodedata import normalize

from brain_cli.errors import UsageError
from brain_cli.record import Record
from brain_cli.search.asked_time import QueryIntent, recency_intent
from brain_cli.search.filters import (
    FIELDS,
    Condition,
    Everything,
    Excluded,
    Filters,
    Holds,
    Phrase,
    all_of,
    any_of,
    condition,
)
from brain_cli.search.forms import Synonyms, with_forms
from brain_cli.search.names import paths_in
from brain_cli.search.question_words import asked_for, content_words, subject_of_listing
from brain_cli.search.words import is_misspelling
from brain_cli.types import BY_SCORE
from brain_cli.vault.analyzer import (
    MAX_QUERY_CHARS,
    MAX_QUERY_WORDS,
    Word,
    query_words,
    same_name,
    words_of,
)
from brain_cli.vault.clock import Clock

TITLE = "title"
_OPERATORS = ("AND", "OR", "NOT")
_END = ".,;:!?)'’\"”`"
_BEFORE_COLON = re.compile(r"(\w+):\w")


@cache
def _token(*fields: str) -> re.Pattern[str]:
    """Return the pattern of one word, phrase or field; plugins may add fields."""
    return re.compile(
        rf"""(?P<sign>[+-](?![+-]))?
             (?:(?P<field>{"|".join(fields)}):)?
             (?:"(?P<phrase>[^"]*)"|(?P<word>\S+))""",
        re.VERBOSE | re.IGNORECASE,
    )


class Query(Record):
    """A query: the text as typed, the filters, and how to read the text.

    `recent` overrides the recency found in the words; `literal` turns off operators, `unsigned`
    only the signs before words; `order` is one of ORDERS, `synonyms` are the user's.
    """

    text: str
    filters: Filters = Filters()
    recent: bool | None = None
    literal: bool = False
    order: str = BY_SCORE
    unsigned: bool = False
    synonyms: Synonyms = ()


class ParsedQuery(Record):
    """Everything that the text of a query says, for notes in some languages.

    `words` are its content words with their stems; they rank the notes, and so do `prefixes` and
    `phrases`. A note must meet the `condition`, which includes the filters. `time` is the time
    asked about, `dates` has the words of each of its spans. `subject` is set if the text asks for
    the notes about it; then only its words rank. `name` is the text in the form in which names are
    compared, in case it is a name; `paths` are the paths in it. `value` is the kind of value asked
    for, `attribute` the word for what is asked of a subject (search/question_words.py); both may be
    empty. `typed` maps words to their spelling. `signed` are the words with a sign, including that;
    `only_excludes` tells that there is nothing else. `problem` says why a malformed query was read
    as plain words, `excess` that words or conditions were omitted; both may be empty.
    """

    asked: Query
    time: QueryIntent
    words: tuple[Word, ...]
    prefixes: tuple[str, ...]
    phrases: tuple[str, ...]
    condition: Condition
    name: str
    paths: tuple[str, ...]
    dates: tuple[tuple[Word, ...], ...]
    subject: str
    value: str
    attribute: str
    typed: Mapping[str, str]
    signed: tuple[str, ...]
    only_excludes: bool
    problem: str
    excess: str

    @property
    def topic(self) -> str:
        """The text without its words of time; empty if it asks for nothing else."""
        return "" if self.time.only_time else self.time.topic

    @property
    def is_restricted(self) -> bool:
        """Return whether a condition excludes notes, whatever their relevance is."""
        return self.asked.filters.archived or self.condition != Everything()

    def as_typed(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return words as they were typed; a word that is only a part of what was typed is returned
        unchanged.
        """
        return tuple(self.typed.get(word, word) for word in words)


def parse(query: Query, clock: Clock, languages: Iterable[str]) -> ParsedQuery:
    """Read a query, asked at a time of notes in some languages (Snowball names).

    A malformed text is searched as words, with a `problem`; a misspelled field or filter is a
    UsageError.
    """
    text = query.text[:MAX_PARSED_CHARS]
    known_languages = tuple(languages)
    time = recency_intent(text, query.recent, clock)
    value, attribute = asked_for(text, known_languages)
    topic = "" if time.only_time else time.topic
    subject = subject_of_listing(topic, known_languages)
    topic = subject or topic
    operators = (
        Operators(topic)
        if query.literal
        else parse_operators(topic, known_languages, unsigned=query.unsigned)
    )
    # Every word has at least one character, so the words of a text with few characters are not
    # counted.
    may_be_cut = len(operators.ranking) > MAX_QUERY_WORDS
    is_cut = (
        may_be_cut and len(query_words(operators.ranking, known_languages)) >= MAX_QUERY_WORDS
    )
    is_cut = is_cut or len(operators.prefixes) == MAX_QUERY_WORDS
    # The date that was taken out of the topic may be a part of the name of a note.
    whole = text if time.spans else topic
    words = with_forms(
        content_words(operators.ranking, known_languages), known_languages, query.synonyms
    )
    are_common = not words and any(map(str.isalpha, operators.ranking)) and not time.only_time
    return ParsedQuery(
        asked=query,
        time=time,
        words=words,
        prefixes=operators.prefixes,
        phrases=operators.phrases,
        condition=all_of([operators.condition, condition(query.filters, clock)]),
        name=same_name(whole.strip().strip("\"'“”?!. ")),
        paths=paths_in(whole),
        dates=()
        if time.only_time
        else tuple(query_words(span.text, known_languages) for span in time.spans),
        subject=subject,
        value=value,
        attribute=attribute,
        typed=_typed(text),
        signed=operators.signed,
        only_excludes=operators.only_excludes and not query.filters and not time.spans,
        problem=TOO_LONG if text != query.text else operators.problem,
        excess=TOO_MANY_WORDS if is_cut else TOO_COMMON if are_common else operators.unused,
    )


_LETTERS = re.compile(r"[^\W_]+")


def _typed(text: str) -> dict[str, str]:
    """Return the words of a query as typed, by the form in which they are looked up; the first
    spelling counts.
    """
    typed: dict[str, str] = {}
    # In the composed form, a letter and its accents are one character.
    for written in _LETTERS.findall(normalize("NFC", text[:MAX_QUERY_CHARS])):
        words = words_of(written)
        if len(words) == 1:
            typed.setdefault(words[0], written)
    return typed


class Operators(Record):
    """A text in the query language: the words, prefixes and phrases that rank notes, and the
    condition to meet.

    `signed` are the words with a sign; `only_excludes` tells that each of them excludes notes.
    `unused` names the conditions on words that are not indexed, `problem` says why a malformed text
    was read as plain words.
    """

    ranking: str
    prefixes: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    condition: Condition = Everything()
    signed: tuple[str, ...] = ()
    only_excludes: bool = False
    unused: str = ""
    problem: str = ""


class Operand(Record):
    """One token: `sign` is +, - or empty; `field` empty for words and phrases."""

    text: str
    sign: str = ""
    field: str = ""
    is_phrase: bool = False

    @property
    def is_prefix(self) -> bool:
        return (
            not (self.is_phrase or self.field)
            and len(self.text) > 1
            and self.text.endswith("*")
        )

    def unsigned(self) -> "Operand":
        return self if self.field else self._replace(sign="")

    def is_indexed(self, languages: Iterable[str]) -> bool:
        """Return whether notes can be found by this; words that nearly every text has are not
        indexed.
        """
        if self.field:
            return self.field != TITLE or bool(query_words(self.text, languages))
        return self.is_prefix or bool(query_words(self.text, languages))

    def condition(self) -> Condition:
        """Return the condition of an operand that restricts the notes."""
        if self.field:
            return FIELDS[self.field](self.text)
        return Phrase(self.text) if self.is_phrase else Holds(self.text)


# A longer query is cut, because each operand takes a lookup.
MAX_PARSED_CHARS = 10_000
TOO_LONG = (
    f"The query has more than {MAX_PARSED_CHARS:,} characters, so only these were searched."
)
TOO_COMMON = (
    "Words that nearly every text has, such as “the” or “can”, are not searched for; "
    "add another."
)
UNUSED = "Nearly every text has {}, so no note was left out for it."
ONLY_IN_TITLES = "Nearly every text has {}, so only titles and aliases were compared with it."
TOO_MANY_WORDS = (
    f"The query has more than {MAX_QUERY_WORDS} different words, so only the first "
    "of them were searched."
)


def parse_operators(
    text: str, languages: Iterable[str] = (), *, unsigned: bool = False
) -> Operators:
    """Read the query language. A malformed text is read as words, with a `problem`; a misspelled
    field: UsageError.

    `unsigned`: a sign before a word or a phrase means nothing.
    """
    tokens = list(_tokens(text))
    if problem := _problem(text, tokens):
        return Operators(
            text.replace('"', " "), problem=f"{problem}, so the query was searched as words."
        )
    if unsigned:
        tokens = [token.unsigned() if isinstance(token, Operand) else token for token in tokens]
    operands = [token for token in tokens if isinstance(token, Operand)]
    _check_fields(operands)
    negated = _negated(tokens)
    ranks = [
        each for each in operands if not each.field and each.sign != "-" and each not in negated
    ]
    common = [each for each in operands if not each.is_indexed(languages)]
    unused = {each for each in common if not each.field and (each.sign or each in negated)}
    return Operators(
        ranking=" ".join(each.text for each in ranks if not each.is_prefix),
        prefixes=tuple(
            dict.fromkeys(each.text.rstrip("*") for each in ranks if each.is_prefix)
        )[:MAX_QUERY_WORDS],
        phrases=tuple(
            each.text for each in ranks if each.is_phrase and len(each.text.split()) > 1
        ),
        condition=_formula(tokens, unused),
        signed=tuple(
            f"{each.sign}{each.text.rstrip(_END)}"
            for each in operands
            if each.sign
            and not (each.field or each.is_phrase or each.is_prefix)
            and each not in unused
        ),
        only_excludes=bool(operands) and all(each.sign == "-" for each in operands),
        unused=" ".join(
            [
                *_said(UNUSED, (each for each in common if each in unused)),
                *_said(ONLY_IN_TITLES, (each for each in common if each.field)),
            ]
        ),
    )


def _said(sentence: str, operands: Iterable[Operand]) -> list[str]:
    """Return a sentence with the texts of some operands; nothing if there are none."""
    texts = ", ".join(f"“{each.text}”" for each in operands)
    return [sentence.format(texts)] if texts else []


def _problem(text: str, tokens: list[Operand | str]) -> str:
    """Return the error in a malformed query, as a sentence without its end; empty if
    there is none.
    """
    if text.count('"') % 2:
        return "There is an open quotation mark"
    # AND, OR and NOT are operators only between two operands.
    loose = next((name for name in _OPERATORS if Operand(name) in tokens), "")
    return f"{loose} needs a word on both sides" if loose and len(tokens) > 1 else ""


def _tokens(text: str) -> Iterator[Operand | str]:
    """Yield operands, and operators as text. AND, OR and NOT are operators only between two
    operands, else words.
    """
    found = [_operand(match) for match in _token(*FIELDS).finditer(text)]
    latest: Operand | str = ""
    for index, token in enumerate(found):
        if _is_joining(latest, token, found[index + 1 : index + 3]):
            latest = token.text
        elif token.text.strip("+-*"):
            latest = token
        else:  # only signs, which mean nothing
            continue
        yield latest


def _is_joining(before: Operand | str, token: Operand, after: list[Operand]) -> bool:
    """Return whether a token is an operator between its neighbours. NOT may follow one: `a AND NOT
    b`, `a OR NOT b`.
    """
    if not after or not _is_operator(token):
        return False
    if token.text == "NOT":
        return before not in ("", "NOT") and not _is_operator(after[0])
    # The next token is an operand, or NOT followed by one.
    follows = after[0] if after[0] != Operand("NOT") else next(iter(after[1:]), after[0])
    return isinstance(before, Operand) and not _is_operator(follows)


def _is_operator(token: Operand) -> bool:
    """Return whether a token is AND, OR or NOT, without a sign, a field or quotation marks."""
    return token.text in _OPERATORS and token == Operand(token.text)


def _operand(match: re.Match[str]) -> Operand:
    phrase = match["phrase"]
    word = match["word"]
    return Operand(
        text=word if phrase is None else phrase,
        sign=match["sign"] or "",
        field=(match["field"] or "").lower(),
        is_phrase=phrase is not None,
    )


def _check_fields(operands: list[Operand]) -> None:
    for each in operands:
        named = None if each.field or each.is_phrase else _BEFORE_COLON.match(each.text)
        if named and (field := _misspelled_field(named[1].lower())):
            raise UsageError(
                f"There is no field “{named[1]}”.",
                f"Did you mean “{field}”? With --words, everything is searched as words.",
            )


def _misspelled_field(name: str) -> str | None:
    """Return the field that a name misspells by one letter, which is rarely the first; shorter
    names are too common to be misspellings.
    """
    likely = (
        field for field in FIELDS if len(name) > 2 and field[0] == name[0] and field != name
    )
    return next((field for field in likely if is_misspelling(name, field, 1)), None)


def _negated(tokens: list[Operand | str]) -> list[Operand]:
    """Return the operands after a NOT, which do not rank."""
    after_not = (token for before, token in pairwise(tokens) if before == "NOT")
    return [token for token in after_not if isinstance(token, Operand)]


def _formula(tokens: list[Operand | str], unused: Container[Operand]) -> Condition:
    """Return the condition of the operands that operators join, or that have a sign or a field.
    Operands side by side belong to different runs.
    """
    runs: list[list[Operand | str]] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if not (runs and (isinstance(before, str) or isinstance(token, str))):
            runs.append([])
        runs[-1].append(token)
    return all_of([_disjunction(run, unused) for run in runs if _restricts(*run)])


def _restricts(first: Operand | str, *others: Operand | str) -> bool:
    """Return whether a run restricts the notes; a word alone ranks them."""
    return bool(others) or (isinstance(first, Operand) and bool(first.sign or first.field))


def _disjunction(run: list[Operand | str], unused: Container[Operand]) -> Condition:
    """Return the condition of one run, such as `a AND b OR NOT c`."""
    choices: list[list[Condition]] = [[]]
    negate = False
    for token in run:
        if isinstance(token, Operand):
            condition = token.condition()
            if negate != (token.sign == "-"):
                condition = Everything() if token in unused else Excluded(condition)
            choices[-1].append(condition)
        elif token == "OR":
            choices.append([])
        negate = token == "NOT"
    return any_of([all_of(choice) for choice in choices])
