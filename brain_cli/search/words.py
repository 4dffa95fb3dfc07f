"""The words of a query that no note has: correct them, or name them as they were typed.

A typo of one letter is corrected, and so is a compound that titles write differently.

`enviroment` is corrected to `environment` if a note has that word. The words as written are
compared, because stems may be similar by chance. `heapsort` is searched as `heap` and `sort` if a
note is called Heap Sort, and `front matter` finds the note Frontmatter if no name has both words.

In languages that write compounds as one word, `Atemschutz` is also searched as
`Atemschutzstrecke`, and `Ersatzschlüssel` as `Schlüssel`.

A prefix (`conf*`) is completed to the words of the vault that begin with it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from heapq import nsmallest
from itertools import chain, groupby, pairwise

from brain_cli.index import ABOUT, BODY
from brain_cli.index.note_names import is_within, names_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm, look_up
from brain_cli.vault.analyzer import Word, is_spaceless, stemmer, terms, words_of

MAX_EXPANSIONS = 500
# Shorter words have too many neighbours; longer ones may differ in two letters.
MIN_CORRECTED_LETTERS = 5
TWO_EDITS_FROM = 9
# A shorter word with another letter in place of one is usually a word of its own: “prick” is not
# “price”.
MIN_REPLACED_LETTERS = 7
MIN_SHARED_PREFIX = 0.6
# Reading fragments takes time, and a few show how a word is written.
MAX_CANDIDATES = 4
MAX_FRAGMENTS_READ = 8
# Two words that share a prefix up to a short ending count as forms of one word.
MIN_PREFIX_LETTERS = 5
ENDING_LETTERS = 2
MIN_PART_LETTERS = 3
# Languages that write a compound as one word: “Atemschutz” is looked for in “Atemschutzstrecke”,
# and “Ersatzschlüssel” as “Schlüssel”.
COMPOUNDING = frozenset(("danish", "dutch", "finnish", "german", "norwegian", "swedish"))
MIN_START_LETTERS = 4
MAX_COMPOUNDS = 5


def expanded(snapshot: Snapshot, prefix: str) -> Word:
    """Return a word whose variants are all terms that begin with a prefix, and the prefix
    itself.
    """
    variants: list[str] = []
    for part in words_of(prefix)[-1:]:
        variants = [stemmer(language)(part) for language in snapshot.note_table.languages]
        found = {
            term
            for field in (BODY, ABOUT)
            for term in snapshot.index.terms_with_prefix(field, part)
        }
        variants += sorted(found)[:MAX_EXPANSIONS]
    return Word(f"{prefix}*", tuple(dict.fromkeys(variants)))


def corrected(snapshot: Snapshot, word: Word, *, found_little: bool) -> ScoredTerm | None:
    """Return the word of the vault, as notes write it, that an unknown word misspells; None if none
    is near enough.

    It differs by one slip. If the query `found_little`, a long word may have two slips, or another
    ending.
    """
    edits = edits_of(word) if found_little else min(1, edits_of(word))
    stems = (
        {stem for variant in word.variants for stem in shortened(variant)}
        if found_little
        else set()
    )
    key = ("correction", word.text, found_little)
    form = snapshot.cache.get(key, lambda: _nearest_form(snapshot, word, edits, stems))
    if form:
        return look_up(snapshot, _word(snapshot, form))
    return _of_compounds(snapshot, word)


def _of_compounds(snapshot: Snapshot, word: Word) -> ScoredTerm | None:
    """Return the compounds of the vault that begin with an unknown word, else the longest word of
    the vault with which it ends; None in languages that write compounds as several words.
    """
    text = word.text
    if COMPOUNDING.isdisjoint(snapshot.note_table.languages) or not text.isalpha():
        return None
    starts = {each for each in word.variants if len(each) >= MIN_START_LETTERS}
    longer = {
        term
        for start in starts
        for field in (BODY, ABOUT)
        for term in snapshot.index.terms_with_prefix(field, start)
        if len(term) >= len(text) + MIN_PART_LETTERS
    }
    forms = {
        term: form
        for term in sorted(longer)[:MAX_COMPOUNDS]
        if (
            form := _written(
                snapshot,
                look_up(snapshot, Word(term, (term,))),
                lambda form: form.startswith(text),
            )
        )
    }
    if forms:
        return look_up(snapshot, Word(next(iter(forms.values())), tuple(forms)))
    cuts = range(MIN_PART_LETTERS, len(text) - MIN_START_LETTERS + 1)
    ends = (look_up(snapshot, _word(snapshot, text[cut:])) for cut in cuts)
    return next((each for each in ends if each.scores.frequency), None)


def _nearest_form(snapshot: Snapshot, word: Word, most_edits: int, stems: set[str]) -> str:
    """Return the nearest word as notes write it, among the terms within some edits and other stems;
    empty if none.
    """
    for edits in range(1, most_edits + 1):
        near = {
            term
            for variant in word.variants
            for field in (BODY, ABOUT)
            for term in _similar_terms(snapshot, field, variant, edits)
        }
        candidates = [look_up(snapshot, Word(term, (term,))) for term in sorted(near | stems)]
        candidates.sort(key=lambda each: -each.scores.frequency)
        forms = (
            _written(snapshot, each, partial(is_misspelling, word.text, edits=edits))
            for each in candidates[:MAX_CANDIDATES]
        )
        if form := next(filter(None, forms), ""):
            return form
    return ""


def _similar_terms(snapshot: Snapshot, field: str, term: str, edits: int) -> Iterator[str]:
    """Yield the terms that begin with the same letter and differ in at most `edits` letters, or in
    two that are swapped.
    """
    letters = set(term)
    for near in snapshot.index.terms_with_prefix(field, term[:1]):
        # Each letter that the other term lacks costs an edit, which excludes most terms quickly.
        if len(letters.difference(near)) <= edits and (
            is_within(term, near, edits) or is_misspelling(term, near, 1)
        ):
            yield near


def edits_of(word: Word) -> int:
    """Return the maximum edit distance between a word and its correction; 0 for a word that is not
    corrected.
    """
    if len(word.text) < MIN_CORRECTED_LETTERS or not word.text.isalpha():
        return 0
    return 2 if len(word.text) >= TWO_EDITS_FROM else 1


def shortened(term: str) -> list[str]:
    """Return the prefixes of a term that may be the stem of the intended word, longest first."""
    shortest = max(MIN_CORRECTED_LETTERS, round(len(term) * MIN_SHARED_PREFIX))
    return [term[:length] for length in range(len(term) - 1, shortest - 1, -1)]


def prefix_of(stem: str) -> str:
    """Return the prefix that other forms of a word share with a stem; empty for a stem that is too
    short.
    """
    if len(stem) < MIN_PREFIX_LETTERS:
        return ""
    return stem[: max(MIN_PREFIX_LETTERS, len(stem) - ENDING_LETTERS)]


def _written(snapshot: Snapshot, found: ScoredTerm, fits: Callable[[str], bool]) -> str:
    """Return the first form of a term, as notes write it, that fits; empty if there is none."""
    for text, language in _texts_with(snapshot, found):
        for form in _forms(text, language, found):
            if fits(form):
                return form
    return ""


def _texts_with(snapshot: Snapshot, found: ScoredTerm) -> Iterator[tuple[str, str]]:
    """Yield a few texts that have a term, each with its language."""
    note_ids = snapshot.index.note_ids
    # In the order of the notes: that of the fragments depends on edits.
    for number in nsmallest(
        MAX_FRAGMENTS_READ, found.scores.sections, key=lambda each: (note_ids[each], each)
    ):
        fragment = snapshot.index.fragment(number)
        yield " ".join((*fragment.trail, fragment.text)), snapshot.language(note_ids[number])
    for note_id in sorted(found.scores.about)[:MAX_FRAGMENTS_READ]:
        yield (
            " ".join(names_of(snapshot.note_table.metadata(note_id))),
            snapshot.language(note_id),
        )


def _forms(text: str, language: str, found: ScoredTerm) -> Iterator[str]:
    first_letter = found.word.text[:1]
    distinct = dict.fromkeys(word for word in words_of(text) if word.startswith(first_letter))
    return (word for word in distinct if terms(word, language)[:1] == [found.word.text])


def is_misspelling(typed: str, meant: str, edits: int) -> bool:
    """Return whether a word is `edits` (1 or 2) slips from another one: a letter omitted or added,
    or one replaced.

    A replaced letter counts in longer words only. If one slip is allowed, two neighbouring letters
    may also be swapped.
    """
    if edits > 1:
        return is_within(typed, meant, edits)
    same = next(
        (
            index
            for index, pair in enumerate(zip(typed, meant, strict=False))
            if pair[0] != pair[1]
        ),
        None,
    )
    if same is None:
        return abs(len(typed) - len(meant)) == 1
    left = typed[same:]
    right = meant[same:]
    swapped = (
        len(left) > 1 and len(right) > 1 and left[:2] == right[1::-1] and left[2:] == right[2:]
    )
    is_replaced = len(typed) >= MIN_REPLACED_LETTERS and left[1:] == right[1:]
    return swapped or is_replaced or left[1:] == right or left == right[1:]


def ranking_words(snapshot: Snapshot, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the content words of a query as the notes write them: two that names write only as a
    compound are also found by the compound, an unknown compound is replaced by two parts that are
    neighbours in a name.
    """
    more: dict[Word, tuple[str, ...]] = {}
    for pair in pairwise(words):
        if all(map(may_be_part, pair)):
            compound = _word(snapshot, "".join(each.text for each in pair))
            if _is_written_as_one(snapshot, pair, compound):
                more |= {word: (*more.get(word, ()), *compound.variants) for word in pair}
    joined = (
        word._replace(variants=tuple(dict.fromkeys((*word.variants, *more.get(word, ())))))
        for word in words
    )
    return tuple(chain.from_iterable(_parts(snapshot, word) for word in joined))


def may_be_part(word: Word) -> bool:
    """Return whether a word of a query may be a part of a compound."""
    return not word.optional and len(word.text) >= MIN_PART_LETTERS and word.text.isalpha()


def _is_written_as_one(snapshot: Snapshot, pair: tuple[Word, Word], compound: Word) -> bool:
    """Return whether names have a compound, and no name has its two parts."""
    if not look_up(snapshot, compound).scores.about:
        return False
    first, second = (look_up(snapshot, word).scores.about for word in pair)
    return first.keys().isdisjoint(second)


def _parts(snapshot: Snapshot, word: Word) -> tuple[Word, ...]:
    """Return the two parts of an unknown compound that are neighbours in a name; for any other word
    the word itself.
    """
    text = word.text
    if word.optional or not text.isalpha() or look_up(snapshot, word).scores.frequency:
        return (word,)
    for cut in range(MIN_PART_LETTERS, len(text) - MIN_PART_LETTERS + 1):
        parts = tuple(_word(snapshot, part) for part in (text[:cut], text[cut:]))
        first, second = (look_up(snapshot, part).scores.about.keys() for part in parts)
        if any(_is_named_by_parts(snapshot, note_id, text) for note_id in first & second):
            return parts
    return (word,)


def _is_named_by_parts(snapshot: Snapshot, note_id: int, compound: str) -> bool:
    """Return whether two neighbouring words in one of a note's names form the compound."""
    names = names_of(snapshot.note_table.metadata(note_id))
    return any(compound in map("".join, pairwise(words_of(name))) for name in names)


def _word(snapshot: Snapshot, text: str) -> Word:
    return Word(
        text,
        tuple(dict.fromkeys(stemmer(each)(text) for each in snapshot.note_table.languages)),
    )


def matched_form(snapshot: Snapshot, word: Word, note_id: int) -> str:
    """Return the other form or the synonym by which alone a note has a word of a query; empty if it
    has the word itself, or not at all.
    """
    if not (word.forms or word.synonyms):
        return ""
    of_forms = {variants for form in word.forms for variants in form.words}
    own = tuple(each for each in word.variants if (each,) not in of_forms)
    if note_id in look_up(snapshot, Word(word.text, own)).scores.notes:
        return ""
    matching = (
        form.text
        for form in (*word.forms, *word.synonyms)
        if all(note_id in look_up(snapshot, Word("", part)).scores.notes for part in form.words)
    )
    return next(matching, "")


# A single unknown character between known words is a particle or an inflection.
MIN_SPACELESS_CHARS = 2
PARTICLES = "的了の"


def unmentioned_words(
    snapshot: Snapshot, words: Iterable[Word], corrected: Container[str]
) -> tuple[str, ...]:
    """Return the content words, as typed, that no note has; `corrected` words are always included.

    Of a text without spaces, which is searched by pairs of characters, the parts of which no note
    has a pair.
    """
    found: list[str] = []
    needed = (word for word in words if not word.optional)
    for has_pairs, group in groupby(needed, key=lambda word: is_spaceless(word.text)):
        if has_pairs:
            found += _unmentioned_parts(snapshot, list(group))
        else:
            missing = (word for word in group if not look_up(snapshot, word).scores.frequency)
            found += (
                word.text
                for word in missing
                if word.text in corrected or not _has_form_of(snapshot, word)
            )
    return tuple(found)


def _unmentioned_parts(snapshot: Snapshot, pairs: list[Word]) -> Iterator[str]:
    for run in _overlapping(pairs):
        text = run[0].text[0] + "".join(pair.text[1:] for pair in run)
        known = bytearray(len(text))
        for place, pair in enumerate(run):
            if look_up(snapshot, pair).scores.frequency:
                known[place] = known[place + 1] = 1
        parts = groupby(zip(text, known, strict=True), key=lambda each: each[1])
        unknown = (
            "".join(char for char, _ in part).strip(PARTICLES)
            for is_known, part in parts
            if not is_known
        )
        yield from (part for part in unknown if len(part) >= MIN_SPACELESS_CHARS)


def _overlapping(pairs: list[Word]) -> Iterator[list[Word]]:
    """Yield the runs of pairs that each begin with the last character of the one before."""
    run: list[Word] = []
    for pair in pairs:
        if run and run[-1].text[-1] != pair.text[0]:
            yield run
            run = []
        run.append(pair)
    if run:
        yield run


def _has_form_of(snapshot: Snapshot, word: Word) -> bool:
    """Return whether the vault has a word with the prefix of a stem, because a stemmer may miss
    related forms.
    """
    return any(map(snapshot.has_prefix, filter(None, map(prefix_of, word.variants))))
