"""Read a shared memory in one transaction, which sees one consistent state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from brain_cli.index.edit_distance import is_within
from brain_cli.index.engines import _postgresql_frequencies as frequencies
from brain_cli.index.engines import _postgresql_matching as matching
from brain_cli.index.engines import _postgresql_queries as queries
from brain_cli.index.engines._postgresql_rows import (
    candidates_query,
    counts_in,
    notes_in,
    places_in,
    prefix_parameters,
    section_parameters,
    slip_parameters,
    term_parameters,
    texts_in,
)
from brain_cli.index.engines._postgresql_transaction import NOTHING, ReadingTransaction
from brain_cli.index.note_names import vaults_and_paths
from brain_cli.index.shared_store_values import (
    SHORT_SECTIONS,
    Details,
    Found,
    Frequencies,
    Pair,
    Places,
    Section,
    Slip,
    StoredEvent,
    Totals,
    Variants,
    Wanted,
)
from brain_cli.index.shared_terms import compound_key, storable, stored_term
from brain_cli.types import MAX_LINKS, NOTE_SUFFIXES
from brain_cli.vault.folding import same_name

MAX_NAMES = 50
# At most MAX_LINKED notes that are linked with the MAX_NEAREST best notes are fetched with them.
MAX_NEAREST, MAX_LINKED = 2, 40


class PostgresReader(ReadingTransaction):
    """One consistent state of a shared memory."""

    def totals(self) -> Totals:
        return self._totals

    def frequencies(
        self,
        words: Sequence[Variants],
        compounds: Sequence[str] = (),
        pairs: Sequence[Pair] = (),
        slips: Sequence[Slip] = (),
    ) -> Frequencies:
        asked, keys = term_parameters(words), [compound_key(text) for text in compounds]
        columns = dict(zip(("firsts", "seconds", "wholes"), map(list, zip(*pairs, strict=True)), strict=False))
        sought = {**asked, **slip_parameters(slips)}
        rows, named, joined, near = self._several(
            (frequencies.FREQUENCIES, asked),
            (queries.NAMES, {"keys": keys, "most": MAX_NAMES}) if keys else NOTHING,
            (frequencies.WRITTEN_AS_ONE, {**asked, **columns}) if pairs else NOTHING,
            (frequencies.NEAR, sought) if slips else NOTHING,
        )
        return Frequencies(
            counts_in(rows, len(words)),
            [name for (names,) in named for name in names],
            frozenset(pairs[place - 1] for (place,) in joined),
            {term: found for _, term, found in near if found},
            frozenset(word for word, *_ in near if word is not None),
        )

    def candidates(self, wanted: Wanted) -> Found:
        statement, parameters = candidates_query(wanted)
        rows = self._rows(statement, parameters)
        places = places_in(rows, len(wanted.words))
        lists = {field: note_ids for field, _, note_ids, *_ in rows if field in ("best", "joined", "named")}
        matched = next(count for field, count, *_ in rows if field == "matched")
        best = lists.get("best") or []
        named = frozenset(lists.get("named") or ())
        return Found(best, lists.get("joined") or [], places, matched, matched <= wanted.most, named)

    def places(self, words: Sequence[Variants], note_ids: Sequence[int]) -> tuple[list[Places], list[int]]:
        """Return the occurrences of each word in some notes, and its frequency in all notes, in one round trip."""
        asked = term_parameters(words)
        rows, counted = self._several(
            (matching.GIVEN, {**asked, "note_ids": list(note_ids)}), (frequencies.FREQUENCIES, asked)
        )
        return places_in(rows, len(words)), counts_in(counted, len(words))

    def details(
        self,
        note_ids: Sequence[int],
        records: Sequence[int],
        texts: Sequence[Section],
        terms: Sequence[str] = (),
        best: Sequence[int] = (),
        receivers: Sequence[int] = (),
        known: Sequence[int] = (),
    ) -> Details:
        """Return notes, with some of their records and texts, and the tags of some terms, in one round trip."""
        near = {"nearest": list(best[:MAX_NEAREST]), "most_linked": MAX_LINKED}
        relayed = {"receivers": list(receivers), "known": list(known), "most_links": MAX_LINKS}
        notes, lines, contents, beginnings, tags = self._several(
            (queries.NOTES, {"note_ids": list(note_ids), **near, **relayed}),
            (queries.RECORDS, {"note_ids": list(records), **near}),
            (queries.TEXTS, section_parameters(texts)),
            (queries.BEGINNINGS, {"best": list(best), "sections": SHORT_SECTIONS}),
            (queries.TAGS_OF_WORDS, {"terms": list(map(storable, terms))}),
        )
        return Details(
            notes_in(notes[0]),
            dict(lines),
            texts_in([*beginnings, *contents]),
            {tag: frozenset(terms_of_tag) for tag, terms_of_tag in tags},
        )

    def records(self, note_ids: Sequence[int]) -> dict[int, str]:
        return dict(self._rows(queries.RECORDS, {"note_ids": list(note_ids), "nearest": [], "most_linked": 0}))

    def texts(self, sections: Iterable[Section]) -> dict[Section, bytes]:
        return texts_in(self._rows(queries.TEXTS, section_parameters(list(sections))))

    def named(self, name: str) -> dict[str, int]:
        readings = [(*each, suffix) for each in vaults_and_paths(name) for suffix in ("", *NOTE_SUFFIXES)]
        asked = {
            "vaults": [storable(vault) for vault, _, _ in readings],
            "paths": [storable(there + suffix) for _, there, suffix in readings],
            "names": [storable(same_name(name))],
            "names_there": [storable(same_name(there)) for _, there, _ in readings],
            "most": MAX_NAMES,
        }
        return {f"{vault}:{path}": note_id for vault, path, note_id in self._rows(queries.NAMED, asked)}

    def events(self, since: int) -> list[StoredEvent]:
        if since != self._events_since:
            self._events = [StoredEvent(*row) for row in self._rows(queries.EVENTS, {"since": since})]
            self._events_since = since
        return self._events

    def pins(self) -> Mapping[str, bool]:
        return self._pins

    def terms_with_prefix(self, prefix: str, most: int) -> list[str]:
        return [term for (term,) in self._rows(queries.PREFIXED, {**prefix_parameters(prefix), "most": most})]

    def near_terms(self, terms: Mapping[str, int], stems: Sequence[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Return the terms near each term, and the stems that some note has, in one round trip.

        The server lists words of similar length and brain computes the distances, so no extension is needed.
        """
        bounds = (
            {**prefix_parameters(term[:1]), "shortest": len(term) - edits, "longest": len(term) + edits}
            for term, edits in terms.items()
        )
        *likely, known = self._several(
            *((queries.WORDS_LIKE, each) for each in bounds),
            (queries.KNOWN, {"terms": list(map(stored_term, stems))}),
        )
        found = {
            term: [other for (other,) in rows if is_within(term, other, edits)]
            for (term, edits), rows in zip(terms.items(), likely, strict=True)
        }
        return found, {term for (term,) in known}

    def similar_names(self, grams: Iterable[str], most: int) -> list[int]:
        rows = self._rows(queries.NAMED_LIKE, {"grams": list(map(storable, grams)), "most": most})
        return [note_id for (note_id,) in rows]

    def tags(self, most: int) -> dict[str, int]:
        return dict(self._rows(queries.TAGS, {"most": most}))
