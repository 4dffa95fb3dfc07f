"""Find the candidates of a query on the server: its words with their variants, weighted by how rare
they are.

Those that have some of its keys (`_keys`; a note's own keys: note.py) and meet its condition
(`scope_of`) are found. `CANDIDATES` of them come, and others that are linked with the best
(`CHOSEN` in queries.py, `LIMITS` in reading.py). The recall ranks the candidates as it ranks the
notes of a vault (`brain explain`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, pairwise
from typing import Any, TypeVar

from brain_cli.index.filter_keys import Compared
from brain_cli.index.note_names import is_within, letters_of
from brain_cli.index.snapshot import (
    AskedWords,
    KeptVectors,
    Snapshot,
    TermPostings,
    term_postings,
)
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.note import (
    ABOUT,
    COMPOUND,
    GRAM,
    TAG,
    months,
    name_key,
    storable,
    stored_term,
)
from brain_cli.plugins.team.reading import Reader, Statement
from brain_cli.plugins.team.rows import ROW_ERRORS, SentNote
from brain_cli.plugins.team.snapshot import CandidateIndex, TeamNoteTable
from brain_cli.search.bm25 import idf
from brain_cli.search.filters import (
    All,
    AnyOf,
    Condition,
    DatedIn,
    Excluded,
    Holds,
    Phrase,
    TitleHas,
)
from brain_cli.search.mentions import words_of_time
from brain_cli.search.query import Query, parse
from brain_cli.search.words import (
    MIN_PART_LETTERS,
    edits_of,
    may_be_part,
    prefix_of,
    shortened,
)
from brain_cli.types import BY_SCORE, SECONDS_PER_DAY, Intent, NoteMetadata
from brain_cli.vault.analyzer import LANGUAGE_BY_CODE, Word, query_words, stemmer, words_of
from brain_cli.vault.clock import Clock

Answer = TypeVar("Answer")
# A day of the calendar begins at most so many seconds earlier or later in another time zone.
ZONES = SECONDS_PER_DAY
# So many candidates are ranked; more where dates or another order than the score's decide.
CANDIDATES = 300
MORE_CANDIDATES = 1_000
WITHOUT_WORDS = 3_000
# The weight of a word in the title, above that of the word in a text.
IN_TITLE = 1.2
# The vectors of so many notes are fetched: those that match, and those linked with the best.
MOST_WITH_VECTORS = 400
# How near notes usually are to a question is measured by about so many of them.
SAMPLE = 200
# The condition that all notes meet, in SQL.
EVERYTHING = "true"
# For an unknown word, so many of the terms that may be meant are tried.
MAX_CORRECTIONS = 4
# The columns of a note (`n`) for the keys of filters, and the comparisons of a column with a value.
COLUMNS = {
    "kind": "n.kind",
    "path": "n.path_key",
    "tags": "n.keys",
    "properties": "n.properties",
}
COMPARISONS: Mapping[str, tuple[str, Callable[[Any], object]]] = {
    "is": ("{own} = {value}::text", storable),
    "has": ("{own} @> array[{value}::text]", lambda tag: f"{TAG}{storable(tag)}"),
    "contains": ("position({value}::text in {own}) > 0", storable),
    "matches": ("{own} like any({value}::text[])", lambda patterns: list(map(_like, patterns))),
    "has property": (
        "{own} @> {value}::jsonb",
        lambda pair: json.dumps({storable(pair[0]): [storable(pair[1])]}),
    ),
}


class TeamSnapshot(Snapshot):
    """Some notes of a shared memory, with the totals and the frequencies of the whole memory; it
    asks the server for those that a question may find.

    The `kept` notes are in the snapshot for each question too.
    """

    def __init__(
        self,
        reader: Reader,
        notes: Sequence[SentNote],
        frequencies: Mapping[str, int],
        kept: Sequence[int] = (),
    ) -> None:
        self.reader = reader
        self._kept = kept
        self._frequencies = frequencies
        self.not_found = [note.note_id for note in notes if note.not_found]
        self.index: CandidateIndex = CandidateIndex(reader, notes, frequencies)
        super().__init__(TeamNoteTable(reader, notes, self.index.links), self.index)

    def about(self, question: object, clock: Clock) -> TeamSnapshot:
        """Return a snapshot of the notes that may answer a query or fit a place."""
        return candidates(self.reader, question, clock, self._kept)

    def postings(self, variants: Sequence[str]) -> TermPostings:
        """Return the postings of a word in these notes; its frequency is that in the
        whole memory.
        """
        found = term_postings(self.index, self.note_table, variants)
        frequency = sum(self._frequencies.get(stored_term(variant), 0) for variant in variants)
        if len(variants) > 1:
            # A fragment with several variants was counted more than once; other notes hardly have
            # any.
            frequency += found.frequency
            for variant in variants:
                frequency -= term_postings(self.index, self.note_table, (variant,)).frequency
        return found._replace(frequency=min(frequency, self.note_table.fragments))

    def vectors(self, model: str) -> KeptVectors:
        """Return the vectors that a model gave the best of these notes, and a sample of all; fetch
        their texts too.
        """
        percent = min(100.0, 100.0 * SAMPLE / max(1, self.reader.totals.notes))
        asked = {
            "model": model,
            "note_ids": self.index.best_first[:MOST_WITH_VECTORS],
            "percent": percent,
        }
        rows, texts = self.reader.ask((queries.VECTORS, asked), (queries.TEXTS, asked))
        self.index.add_texts(texts)
        found = {note_id: content for note_id, content in rows if note_id}
        return KeptVectors(found, [content for note_id, content in rows if not note_id])

    def shown(self, note_id: int) -> NoteMetadata:
        """Return the metadata of a note with the path that answers show, `vault:path`."""
        metadata = super().shown(note_id)
        path = self.note_table.rows[note_id].path
        self.reader.shown.add(path.removesuffix(f":{metadata.path}"))
        return metadata._replace(path=path)


class UnaskedSnapshot(TeamSnapshot):
    """A snapshot before anything was asked: its first query begins the transaction."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._kept = ()

    def __getattr__(self, name: str) -> Any:
        """Begin the transaction for what is asked without a query, such as the totals."""
        super().__init__(self.reader, (), {})
        return getattr(self, name)


def answered(reader: Reader, question: Callable[[Snapshot], Answer]) -> Answer:
    """Answer a question, without the notes that cannot be read.

    A part of a note may be read late, in the middle of the ranking, so the question begins again.
    """
    while True:
        try:
            return question(UnaskedSnapshot(reader))
        except ROW_ERRORS:
            if not reader.leave_out_more():
                raise


def candidates(
    reader: Reader, question: object, clock: Clock, kept: Sequence[int] = ()
) -> TeamSnapshot:
    """Return a snapshot with the notes that may answer a query, or have the words of a place, and
    those `kept`.

    Words with a sign may be options (`find_asked`), so their notes come too. Before the first
    answer of the server, the languages of the memory are not known, so all are looked up.
    """
    forms = [question]
    if isinstance(question, Query) and parse(question, clock, ()).signed:
        forms.append(question._replace(unsigned=True))
    likely = [
        _Question(reader, form, clock, (language,))
        for form in forms
        for language in dict.fromkeys(LANGUAGE_BY_CODE.values())
    ]
    terms = {stored_term(term) for each in likely for term in each.terms()}
    prefixes = {storable(prefix) for each in likely for prefix in each.prefixes}
    unknown = [row for each in likely for row in each.unknown()]
    counted = reader.ask(
        (queries.FREQUENCIES, {"terms": list(terms)}),
        (queries.PREFIXED, {"prefixes": list(prefixes)}),
        (queries.NEAR, {"words": json.dumps(unknown)}),
    )
    frequencies = {term: fragments for rows in counted for term, fragments in rows}
    asked = [
        _Question(reader, form, clock, reader.languages).chosen(frequencies, kept)
        for form in forms
    ]
    return TeamSnapshot(reader, reader.notes(frequencies, *asked), frequencies)


class _Question:
    """One query, or the words of a place: its words, its condition and the time it asks about."""

    def __init__(
        self, reader: Reader, question: object, clock: Clock, languages: Sequence[str]
    ) -> None:
        self._reader = reader
        self._languages = languages
        place = question if isinstance(question, AskedWords) else AskedWords()
        query = question if isinstance(question, Query) else Query("")
        self._query = parse(query, clock, languages)
        self.words = place.words or self._query.words
        self.kinds = place.kinds
        of_spans = (words_of_time(span, languages) for span in self._query.time.spans)
        self._dates = [*chain(*self._query.dates, *of_spans)]
        self.prefixes = [
            part for prefix in self._query.prefixes for part in words_of(prefix)[-1:]
        ]

    def chosen(self, frequencies: Mapping[str, int], kept: Sequence[int]) -> Statement:
        """Return the SQL that chooses the candidates, and its parameters."""
        query = self._query
        scope, values = scope_of(query.condition, self._languages)
        has_words = bool(self.words or query.prefixes or self.kinds)
        time = query.time
        # Without words that rank, all notes that meet the condition are found.
        keys = {}
        if has_words or not (query.is_restricted or time.only_time):
            keys = self._keys(frequencies)
        known = any(_is_known(word, frequencies) for word in self.words)
        vector = self._reader.asked(
            query.topic, query.words, self._languages, doubtful=not known
        )
        asked = query.asked
        is_normal = asked.order == BY_SCORE and time.intent is Intent.NORMAL and not time.spans
        parameters = {
            **values,
            "restricted": scope != EVERYTHING,
            "keys": list(keys),
            "weights": list(keys.values()),
            "most": (CANDIDATES if is_normal else MORE_CANDIDATES)
            if has_words
            else WITHOUT_WORDS,
            "archived": asked.filters.archived,
            "kept": list(kept),
            "since": [span.since - ZONES for span in time.spans],
            "before": [span.before + ZONES for span in time.spans],
            "months": [
                month for span in time.spans for month in months(span.since, span.before)
            ],
            "kinds": list(self.kinds),
            "model": vector and vector.model,
            "code": vector and vector.code,
        }
        best = queries.MATCHED if keys else queries.NO_BEST if has_words else queries.NEWEST
        source = queries.ALL_ARE_ASKED if scope == EVERYTHING else queries.SOME_ARE_ASKED
        more = [
            queries.PINNED,
            *(each for name, each in queries.MORE.items() if parameters[name]),
        ]
        chosen = queries.CHOSEN.format(
            matched="matched" if keys else "best", more=" union all ".join(more)
        )
        statement = f"{best}{chosen}".replace("{source}", source).replace("{scope}", scope)
        return statement, parameters

    def terms(self) -> Iterator[str]:
        """Yield the terms that the recall may look up, besides those that `unknown` describes."""
        tested = (_words(text, self._languages) for text in _texts_in(self._query.condition))
        for word in (*self.words, *self._dates, *chain.from_iterable(tested)):
            yield from word.found_by
        for text in (*self._compounds(), *self.prefixes, *chain(*map(_parts, self.words))):
            yield from self._stems(text)
        for word in self.words:
            if edits_of(word):
                yield from chain(*map(shortened, word.variants))

    def unknown(self) -> Iterator[dict[str, object]]:
        """Yield what the terms are like that may be meant by a word if no note has it (`NEAR` in
        queries.py).

        A term within some edits of a word has one of `edits` + 1 pieces of it unchanged.
        """
        for word in self.words:
            edits = edits_of(word)
            for variant in () if word.optional else map(storable, word.variants):
                length = len(variant)
                cuts = pairwise(length * number // (edits + 1) for number in range(edits + 2))
                yield {
                    "language": self._languages[0],
                    "variants": list(map(stored_term, word.variants)),
                    "form": prefix_of(variant) or None,
                    "letter": variant[:1],
                    "length": length,
                    "edits": edits,
                    "pieces": [variant[start:end] for start, end in cuts] if edits else [],
                }

    def _compounds(self) -> Iterator[str]:
        """Yield the compounds that two neighbouring words may form."""
        for pair in pairwise(self.words):
            if all(map(may_be_part, pair)):
                yield "".join(word.text for word in pair)

    def _stems(self, text: str) -> Iterable[str]:
        return dict.fromkeys(stemmer(language)(text) for language in self._languages)

    def _keys(self, frequencies: Mapping[str, int]) -> dict[str, float]:
        """Return the keys that find candidates, weighted by the rarity of their words."""
        fragments = self._reader.totals.fragments
        rarest = idf(fragments, 0)
        unknown = [word for word in self.words if not _is_known(word, frequencies)]
        words = (word.found_by for word in (*self.words, *self._dates))
        prefixed = (
            [term for term in frequencies if term.startswith(prefix)]
            for prefix in self.prefixes
        )
        meant = ([term] for word in unknown for term in _meant(word, frequencies))
        found: dict[str, float] = {}
        for terms in (*words, *map(self._stems, self._compounds()), *prefixed, *meant):
            known = [term for term in map(stored_term, terms) if frequencies.get(term)]
            frequency = sum(map(frequencies.__getitem__, known))
            weight = idf(fragments, min(frequency, fragments))
            for term in known:
                found[term] = max(weight, found.get(term, 0.0))
        weights = {
            **found,
            **{f"{ABOUT}{term}": IN_TITLE * weight for term, weight in found.items()},
            **{f"{COMPOUND}{stored_term(word.text)}": rarest for word in unknown},
        }
        if self._query.name:
            weights[name_key(self._query.name)] = 10 * rarest
        if found:
            return weights
        grams = (letters_of([term]) for word in self.words for term in self._stems(word.text))
        return weights | {f"{GRAM}{gram}": 1.0 for gram in frozenset().union(*grams)}


def _is_known(word: Word, frequencies: Mapping[str, int]) -> bool:
    return any(frequencies.get(stored_term(each)) for each in word.found_by)


def _parts(word: Word) -> Iterator[str]:
    """Yield the parts of a word that may be a compound."""
    if may_be_part(word):
        for cut in range(MIN_PART_LETTERS, len(word.text) - MIN_PART_LETTERS + 1):
            yield from (word.text[:cut], word.text[cut:])


def _meant(word: Word, frequencies: Mapping[str, int]) -> Sequence[str]:
    """Return the terms that may be meant by a word that no note has, most frequent first."""
    edits = edits_of(word)
    if not edits:
        return []
    stems = {*chain(*map(shortened, word.variants))}
    near = [
        term
        for term in frequencies
        if term in stems or any(is_within(variant, term, edits) for variant in word.variants)
    ]
    return nlargest(MAX_CORRECTIONS, filter(frequencies.get, near), key=frequencies.__getitem__)


def scope_of(condition: Condition, languages: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Return the SQL of a condition on a note `n`, which may let more notes through, and its
    parameters by name.
    """
    parameters: dict[str, object] = {}

    def named(value: object) -> str:
        name = f"scope{len(parameters)}"
        parameters[name] = value
        return f"%({name})s"

    def sql(condition: Condition) -> str:
        match condition:
            case Compared(key, comparison, value):
                template, sent = COMPARISONS[comparison]
                return template.format(own=COLUMNS[key], value=named(sent(value)))
            case DatedIn(since, before, _):
                # The server has moments; the day of each note is compared here.
                lowest = named(since - ZONES)
                highest = named(before + ZONES)
                return f"(n.at >= {lowest}::float8 and n.at < {highest}::float8)"
            case Holds(text) | Phrase(text) | TitleHas(text) if not text.endswith("*"):
                wanted = (
                    f"n.keys && {named([*map(stored_term, word.variants)])}::text[]"
                    for word in _words(text, languages)
                )
                return f"({' and '.join(wanted) or EVERYTHING})"
            case Excluded(Compared(_, comparison, _) as inner) if comparison != "matches":
                return f"not ({sql(inner)})"
            case All(conditions) | AnyOf(conditions):
                joined = " and " if isinstance(condition, All) else " or "
                return f"({joined.join(map(sql, conditions))})"
        return EVERYTHING

    return sql(condition), parameters


def _texts_in(condition: object) -> Iterator[str]:
    """Yield the texts in a condition, which is made of tuples."""
    if isinstance(condition, str):
        yield condition
    elif isinstance(condition, Iterable):
        for each in condition:
            yield from _texts_in(each)


def _words(text: str, languages: Sequence[str]) -> list[Word]:
    return [word for word in query_words(text, languages) if not word.optional]


def _like(pattern: str) -> str:
    """Return a pattern of SQL, which has no sets of letters; it matches at least what the pattern
    does.
    """
    escaped = re.sub(r"[\\%_]", r"\\\g<0>", storable(re.sub(r"\[.*\]", "*", pattern)))
    return escaped.replace("*", "%").replace("?", "_")
