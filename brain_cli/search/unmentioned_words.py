"""Find the words of a query that no note mentions in any form, for “No note mentions …”."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.expansion import prefix_of
from brain_cli.vault.analyzer import Word, is_spaceless

# A single unknown character between known words is a particle or an inflection.
MIN_SPACELESS_CHARS = 2
PARTICLES = "的了の"


def unmentioned_words(snapshot: Snapshot, words: Iterable[Word], corrected: Container[str]) -> tuple[str, ...]:
    """Return the content words, as typed, that no note has; `corrected` words are always included.

    Of a text without spaces, which is searched by pairs of characters, the parts of which no note has a pair.
    """
    found: list[str] = []
    needed = (word for word in words if not word.optional)
    for has_pairs, group in groupby(needed, key=lambda word: is_spaceless(word.text)):
        if has_pairs:
            found += _unmentioned_parts(snapshot, list(group))
        else:
            missing = (word for word in group if not look_up(snapshot, word).scores.frequency)
            found += (word.text for word in missing if word.text in corrected or not _has_form_of(snapshot, word))
    return tuple(found)


def _unmentioned_parts(snapshot: Snapshot, pairs: list[Word]) -> Iterator[str]:
    for run in _overlapping(pairs):
        text = run[0].text[0] + "".join(pair.text[1:] for pair in run)
        known = bytearray(len(text))
        for place, pair in enumerate(run):
            if look_up(snapshot, pair).scores.frequency:
                known[place] = known[place + 1] = 1
        parts = groupby(zip(text, known, strict=True), key=lambda each: each[1])
        unknown = ("".join(char for char, _ in part).strip(PARTICLES) for is_known, part in parts if not is_known)
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
    """Return whether the vault has a word with the prefix of a stem, because a stemmer may miss related forms."""
    return any(map(snapshot.has_prefix, filter(None, map(prefix_of, word.variants))))
