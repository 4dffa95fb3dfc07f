"""Certainty: the probability that the first note is a right one, with the terms of its sum.

    P = 1 / (1 + exp(-z)),  z = intercept + Σ weight * feature

lead              -1..1, ln(match of the first note / match of the runner-up), without the words in
                  their links, which belong to the linked notes
name_match        0..1, the share of the first note's name (title, alias or file name) that the
                  query has, times (1 + s) / 2, where s is the share of the query that the name has
                  (search/names.py)
passage_coverage  0..1, the share of the query's words, by idf, that its best passage has, with its
                  headings and the note's names, tags and path
anchor_share      0..1, the share of all links with words of the query that lead to the first note
runners_up        ln(1 + n), n other notes with at least 0.9 of its evidence
unknown           0..1, the share of the query's words, by idf, that no note of the vault has

Rules override the sum. A note is certain if it alone has exactly the name asked for. Otherwise it
is not certain if

- the question asks for a number, a duration or a date, and the passage has none
  (search/question_words.py);
- the question asks for such a value or a person, or only some notes, and the note lacks one of its
  words, or it asks for an attribute of its subject (“which make”), and the note lacks that word;
- its name has another number behind a word of the question: “Line 3” for “line 4”;
- only single letters or bare numbers match;
- every word of the question was to be excluded, but is an option of a program;
- the newest note was asked for, and a newer one has at least half of its relevance;
- a time was asked for, but the note is neither dated so nor mentions it;
- it is an index or a template, which has little content (vault/form.py).

A note that has a word only in an irregular form (search/forms.py) is likely at most, and so is
every note if none has a word of the question.

For a question that was also searched by meaning, the sum has other features and weights. The
weights are those of a logistic fit to all development sets together
(docs/decisions/certainty-decides.md); `tools/fit_certainty.py` fits them to other sets.
docs/measurements.md has the reliability.

The share of a query that a note has:

    coverage = Σ weight of the words in the note / Σ idf of all words of the query

Both sums run over the distinct content words. A word that no note has counts only in the lower sum,
with the highest possible idf, so it lowers every coverage; a corrected word counts half
(search/relevance.py). In a text without spaces, a pair of characters that no note has does not
count if the pairs before and after it are known: it only crosses the border of two words.
"""

from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cache
from heapq import nlargest
from itertools import accumulate, takewhile
from math import exp, log, log1p
from typing import ClassVar

from brain_cli.index.note_names import names_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking import (
    LIKELY_CERTAINTY,
    STRONG_CERTAINTY,
    Candidate,
    Certainty,
    Claim,
    Part,
)
from brain_cli.ranking.scorers import Parametric, checked, coefficient
from brain_cli.record import Record
from brain_cli.search.bm25 import LEXICAL, ScoredTerm
from brain_cli.search.names import missing_number
from brain_cli.search.query import ParsedQuery
from brain_cli.search.question_words import has_value, question_words
from brain_cli.search.relevance import Matches, lines_read, terms_of_lines
from brain_cli.search.words import matched_form, unmentioned_words
from brain_cli.types import MTIME, SECONDS_PER_DAY, Evidence, Intent
from brain_cli.vault.analyzer import is_spaceless, terms
from brain_cli.vault.languages import language_words

# A passage is a few lines of a section, at most this many characters; a longer line is a passage of
# its own.
PASSAGE_CHARS = 420
# Passages are looked for in this many sections of a note.
MAX_SECTIONS = 4


class QueryCoverage:
    """The words of one query, at least one, looked up in one snapshot; every share is 0..1."""

    def __init__(self, snapshot: Snapshot, terms: Collection[ScoredTerm]) -> None:
        self.terms = terms
        self._snapshot = snapshot
        self._whole = sum(term.idf for term in terms)

    @property
    def unknown_share(self) -> float:
        return 1.0 - self._share(term for term in self.terms if term.scores.frequency)

    def of_best_section(self, note_id: int) -> float:
        """Return the largest share that one section has, together with the names, tags and path of
        its note.
        """
        in_note = list(self._in_note(note_id))
        return max(
            self._share(
                term
                for term in in_note
                if note_id in term.scores.about or number in term.scores.sections
            )
            for number in self._snapshot.numbers_of(note_id)
        )

    def best_passage(self, note_id: int) -> tuple[float, str]:
        """Return the coverage of the passage of a note with most of the query, by idf, and its
        text; of equal ones the first.

        The coverage (0..1) includes the headings of the passage, and the note's names, tags and
        path.
        """
        places = {
            variant: place
            for place, term in enumerate(self.terms)
            for variant in term.word.found_by
        }
        about = {place for place, term in enumerate(self.terms) if note_id in term.scores.about}
        most = self._share(self._in_note(note_id))
        best = self._share_of(about)
        passage = ""
        language = self._snapshot.language(note_id)
        matching = filter(self._weight_in, self._snapshot.numbers_of(note_id))
        for number in nlargest(MAX_SECTIONS, matching, key=self._weight_in):
            if passage and best >= most:
                break
            fragment = self._snapshot.index.fragment(number)
            headings = places.keys() & terms(" ".join(fragment.trail), language)
            above = about.union(map(places.__getitem__, headings))
            lines = lines_read(fragment.text)
            found = [
                {places[term] for term in line if term in places}
                for line in terms_of_lines(self._snapshot, number)
            ]
            # A passage begins with a word of the query; the first one is taken where no line has
            # any.
            for first in filter(found.__getitem__, range(len(found))) if any(found) else (0,):
                last = _end(lines, first)
                share = self._share_of(above.union(*found[first:last]))
                if share > best or not passage:
                    best = max(best, share)
                    passage = "\n".join(lines[first:last])
        return best, passage

    def _share_of(self, places: Container[int]) -> float:
        """Return the share of the words with these places in the query."""
        return self._share(term for place, term in enumerate(self.terms) if place in places)

    def _weight_in(self, number: int) -> float:
        return sum(term.weight * term.scores.sections.get(number, 0.0) for term in self.terms)

    def anchor_share(self, note_id: int) -> float:
        """Return the share of the anchor text with words of the query that belongs to a note."""
        anchored = [(term.weight, term.scores.anchored) for term in self.terms]
        whole = sum(weight * sum(weights.values()) for weight, weights in anchored)
        own = sum(weight * weights.get(note_id, 0.0) for weight, weights in anchored)
        return own / whole if whole else NO_ANCHORS

    def words_in(self, note_id: int) -> tuple[str, ...]:
        """Return the words of the query that a note has, as typed."""
        return tuple(term.word.text for term in self._in_note(note_id))

    def other_forms(self, note_id: int) -> Iterator[str]:
        """Yield the irregular forms by which alone a note has words of the query."""
        return (
            matched_form(self._snapshot, term.word._replace(synonyms=()), note_id)
            for term in self._in_note(note_id)
        )

    def unmentioned(self) -> str:
        """Return the first word of the query that no note has, not even corrected, and that does
        not ask in any language; else nothing.
        """
        words = (each.word for each in self.terms if each.word.text not in _question_words())
        return next(iter(unmentioned_words(self._snapshot, words, ())), "")

    def words_missing(self, note_id: int) -> Iterator[str]:
        """Yield the words of the query that a note does not have, as typed or corrected."""
        return (
            each.word.text
            for each in self.terms
            if not each.word.optional and note_id not in each.scores.notes
        )

    def _in_note(self, note_id: int) -> Iterable[ScoredTerm]:
        return (term for term in self.terms if note_id in term.scores.notes)

    def _share(self, terms: Iterable[ScoredTerm]) -> float:
        return sum(term.weight for term in terms) / self._whole


def _end(lines: Sequence[str], first: int) -> int:
    """Return the line after the last one of the passage that begins with a line."""
    lengths = accumulate(map(len, lines[first:]))
    within = takewhile(lambda length: length <= PASSAGE_CHARS, lengths)
    return first + max(1, sum(1 for _ in within))


EXACT_NAME_CERTAINTY = 0.95
# A rule leaves at most this much of the certainty.
DOUBTFUL = 0.35
# What is missing to a strong match where a note has only another form of a word.
LESS_THAN_STRONG = 0.01

# Returns the features of a note that a retriever found, by name.
Nearness = Callable[[int], Mapping[str, float]]
# Added to both matches, so that the lead over a match of 0 is finite.
MIN_MATCH = 0.02
# Runners-up farther down do not change the lead.
MAX_RIVALS = 5
# The neutral value if no link has a word of the query.
NO_ANCHORS = 0.05
# A note with this share of the first note's evidence is close.
CLOSE = 0.9
# A newer note with this share of the first note's relevance may be the one that was asked for.
NEWER_SHARE = 0.5
# A note without a passage with this share of the query is not called likely.
LIKELY_COVERAGE = 0.5
# A passage with this share of the query has all its words.
COMPLETE = 0.99


class Features(Record):
    """The numbers from which certainty is computed; the module docstring explains each one.

    `exact_name`: the first note alone has exactly the name asked for, `named`: it alone has a name
    with every word of the query. `only_marks`: every word of the query that the note has is a
    single letter or a bare number. `only_excludes`: all of them have a minus, but are options of a
    program. `other_form` is an irregular form by which alone it has a word, and `unmentioned` a
    word that no note has. `lacks` is the value
    asked for that it does not have, `without` a word of such a question, or the attribute asked
    for, that it does not have. `form` is that of the note, which may be `superseded`. `outdated`:
    the newest note was asked for, and one of the others is newer. `untimely`: a time was asked for,
    but the note is neither dated so nor mentions it. `section_coverage`,
    `name_coverage`, `nearness` and `near_lead` count only where a question was also searched by
    meaning.
    """

    lead: float = 0.0
    name_match: float = 0.0
    passage_coverage: float = 0.0
    anchor_share: float = 0.0
    runners_up: float = 0.0
    unknown: float = 0.0
    exact_name: bool = False
    named: bool = False
    only_marks: bool = False
    only_excludes: bool = False
    other_form: str = ""
    unmentioned: str = ""
    lacks: str = ""
    without: str = ""
    form: str = ""
    superseded: bool = False
    outdated: bool = False
    untimely: bool = False
    section_coverage: float = 0.0
    name_coverage: float = 0.0
    nearness: float = 0.0
    near_lead: float = 0.0


# The rules that limit a certainty, by the feature that is set, in the order of their weight.
LIMITS = {
    "lacks": "the passage has no {}",
    "without": "the note has no “{}”",
    "only_marks": "only letters or numbers match",
    "only_excludes": "the question excludes notes, but asks for none",
    "superseded": "the note is superseded",
    "outdated": "a newer note matches too",
    "untimely": "the note is not of the time asked for",
    "form": "the note has little text of its own ({})",
}
# Those by which a note is likely at most.
DOUBTS = {
    "other_form": "a word matches only as “{}”",
    "unmentioned": "no note has “{}”",
}


@cache
def _question_words() -> frozenset[str]:
    """Return the question words of all languages, folded: a note too short to tell its language is
    asked in its own.
    """
    return frozenset().union(*map(question_words, language_words()))


def _first_of(rules: Mapping[str, str], features: Features) -> str:
    found = ((rule, getattr(features, name)) for name, rule in rules.items())
    return next((rule.format(value) for rule, value in found if value), "")


class CertaintyModel(Parametric):
    """The table of constants: the intercept, and a weight for each feature of the same name."""

    name: ClassVar[str] = "certainty"
    strong_from: ClassVar[float] = STRONG_CERTAINTY

    intercept: float = coefficient(-2.27)
    lead: float = coefficient(1.96)
    name_match: float = coefficient(0.58)
    passage_coverage: float = coefficient(2.93)
    anchor_share: float = coefficient(1.20)
    runners_up: float = coefficient(-0.65)
    unknown: float = coefficient(-2.03)

    def certainty(self, features: Features) -> Certainty:
        """Return the probability that the first of a list of candidates is right."""
        parts = tuple(self._parts(features))
        probability = 1 / (1 + exp(-sum(part.value * part.weight for part in parts)))
        rule = ""
        if features.exact_name:
            probability = max(EXACT_NAME_CERTAINTY, probability)
            rule = "the note has exactly this name"
        elif rule := self.limit(features):
            probability = min(DOUBTFUL, probability)
        elif probability >= self.strong_from and (rule := self.doubt(features)):
            probability = self.strong_from - LESS_THAN_STRONG
        # A passage of the first note has half of the question, or it alone has a name with
        # every word.
        has_passage = features.passage_coverage >= LIKELY_COVERAGE or features.nearness > 0.0
        is_certain = probability >= LIKELY_CERTAINTY and has_passage
        return Certainty(
            probability,
            parts,
            rule,
            self.strong_from,
            "" if features.exact_name else features.lacks,
            likely=is_certain or (features.named and not rule),
        )

    def limit(self, features: Features) -> str:
        """Return the rule that limits the certainty of the first note; empty if none applies."""
        return _first_of(LIMITS, features)

    def doubt(self, features: Features) -> str:
        """Return the rule by which the first note is likely at most; empty if none applies."""
        return _first_of(DOUBTS, features)

    def _parts(self, features: Features) -> Iterator[Part]:
        yield Part("intercept", 1.0, self.intercept)
        yield from (
            Part(name, getattr(features, name), getattr(self, name))
            for name in [*self.constants()][1:]
        )


def load_certainty(settings: Mapping[str, object]) -> CertaintyModel:
    """Return the model with its constants overridden; UsageError names a constant that is wrong.

    A table that was fitted to the features of another version is omitted.
    """
    fitted = {} if is_of_another_version(settings) else settings
    return CertaintyModel(**checked(CertaintyModel, fitted))


def is_of_another_version(settings: Mapping[str, object]) -> bool:
    """Return whether a table of constants was fitted to other features than these.

    The constants of one fit belong together and cannot be mixed with those of another. A table with
    an intercept is a complete fit.
    """
    is_complete = CertaintyModel.constants().keys() <= settings.keys()
    return "intercept" in settings and not is_complete


def with_claims(
    query: ParsedQuery,
    candidates: Sequence[Candidate],
    matches: Matches,
    snapshot: Snapshot,
    model: CertaintyModel,
    nearness: Nearness | None = None,
    *,
    untimely: bool = False,
) -> Iterator[Candidate]:
    """Yield the candidates, best first, with their claims. A query without words allows no claim.

    `untimely`: the first one is not of the time that the query names.
    """
    if not matches.terms or not candidates:
        yield from candidates
        return
    coverage = QueryCoverage(snapshot, _without_crossing_pairs(matches.terms))
    found = features(query, candidates, matches, coverage, nearness, untimely=untimely)
    certainty = model.certainty(found)
    # If the first note is not related, no note is: notes further down that have the words merely
    # mention them. Where the first note is not likely to be right, a word that it lacks may be what
    # the question asks for.
    is_related = certainty.probability >= LIKELY_CERTAINTY or found.passage_coverage >= COMPLETE
    is_related = is_related and not (certainty.lacks or untimely)
    most = found.passage_coverage if is_related else 0.0
    for index, candidate in enumerate(candidates):
        covered = min(most, coverage.of_best_section(candidate.note_id)) if most else 0.0
        yield candidate._replace(claim=Claim(covered, None if index else certainty))


def _without_crossing_pairs(terms: Sequence[ScoredTerm]) -> list[ScoredTerm]:
    """Return the words of a query without the unknown pairs of characters between known ones."""
    crossing = {
        pair.word.text
        for before, pair, after in zip(terms, terms[1:], terms[2:], strict=False)
        if before.scores.frequency
        and after.scores.frequency
        and pair.word.text == before.word.text[-1:] + after.word.text[:1]
        and is_spaceless(pair.word.text)
    }
    return [each for each in terms if each.scores.frequency or each.word.text not in crossing]


def features(
    query: ParsedQuery,
    candidates: Sequence[Candidate],
    matches: Matches,
    coverage: QueryCoverage,
    nearness: Nearness | None = None,
    *,
    untimely: bool = False,
) -> Features:
    """Return the features of the first of some candidates, given best first."""
    first = candidates[0]
    words = coverage.words_in(first.note_id)
    passage_coverage, passage = coverage.best_passage(first.note_id)
    # Among the few notes that a condition leaves, to be the only one with a word says little.
    needs_all = query.value or query.is_restricted
    needed = (
        each
        for each in coverage.words_missing(first.note_id)
        if needs_all or each == query.attribute
    )
    evidence = matches.evidence(first.note_id)
    others = [matches.evidence(each.note_id) for each in _others(candidates)]
    return Features(
        lead=_lead(evidence, others),
        name_match=evidence.name_match,
        passage_coverage=passage_coverage,
        anchor_share=coverage.anchor_share(first.note_id),
        runners_up=log1p(_close_runners_up(first.signals.relevance, matches.relevances)),
        unknown=coverage.unknown_share,
        exact_name=evidence.exact_name and not any(each.exact_name for each in others),
        named=evidence.named and not any(each.named for each in others),
        # A note that was found only by meaning has none of the words.
        only_marks=all(map(_is_mark, words)) and not (nearness and not words),
        only_excludes=query.only_excludes,
        other_form=next(filter(None, coverage.other_forms(first.note_id)), ""),
        unmentioned=coverage.unmentioned(),
        lacks=lacking(query.value, passage, first),
        without=next(needed, "") or missing_number(query.words, names_of(first.metadata)),
        form=first.metadata.form,
        superseded=first.signals.superseded,
        untimely=untimely,
        outdated=query.time.intent is Intent.RECENCY and _is_outdated(*candidates),
        section_coverage=coverage.of_best_section(first.note_id),
        name_coverage=evidence.name_coverage,
        **(nearness(first.note_id) if nearness else {}),
    )


def lacking(value: str, passage: str, note: Candidate) -> str:
    """Return the kind of value that a question asks for if a passage of a note lacks it; its date
    may be the answer.
    """
    is_dated = note.metadata.dated_by != MTIME
    return value if value and not has_value(value, passage, is_dated=is_dated) else ""


def _is_outdated(first: Candidate, *others: Candidate) -> bool:
    """Return whether another note is newer than the first one, and at least half as relevant."""
    least = NEWER_SHARE * first.signals.relevance
    newest = first.metadata.timestamp + SECONDS_PER_DAY
    return any(
        each.metadata.timestamp > newest and each.signals.relevance >= least for each in others
    )


def _others(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates after the first that do not repeat it and are not superseded."""
    first, *others = candidates[: 1 + MAX_RIVALS]
    return [
        each
        for each in others
        if each.content_hash != first.content_hash and not each.signals.superseded
    ]


def _lead(first: Evidence, others: Sequence[Evidence]) -> float:
    """Return the log ratio of the first note's match to the best other one, clamped to -1..1."""
    best = max(map(_own_match, others), default=0.0)
    return max(-1.0, min(1.0, log((_own_match(first) + MIN_MATCH) / (best + MIN_MATCH))))


def _own_match(evidence: Evidence) -> float:
    """Return a note's match without the words in its links, which belong to the linked notes."""
    return evidence.match * (1 - evidence.only_in_links)


def _close_runners_up(relevance: float, relevances: Mapping[int, float]) -> int:
    """Return how many other notes are close to the first one."""
    close = LEXICAL.relevance(CLOSE * LEXICAL.evidence_of(relevance))
    return max(0, sum(each >= close for each in relevances.values()) - 1)


def _is_mark(word: str) -> bool:
    """Return whether a word is a bare number, or a single letter of an alphabet."""
    return word.isdigit() or (len(word) == 1 and word.lower() != word.upper())
