"""Convert between brain's values and the server's: parameters of statements, and their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from brain_cli.index.engines import _postgresql_matching as matching
from brain_cli.index.engines._postgresql_copy import unpacked
from brain_cli.index.engines._postgresql_scope import ScopeCondition
from brain_cli.index.filter_keys import ANYTHING
from brain_cli.index.shared_store_values import MAX_BEGUN, FoundNote, Places, Section, Slip, Variants, Wanted
from brain_cli.index.shared_terms import storable, stored_term
from brain_cli.types import MAX_LINKS


def term_parameters(words: Sequence[Variants]) -> dict[str, list[Any]]:
    """Return the stored terms of all words, and the number of the word of each, as parallel lists."""
    pairs = [(number, stored_term(term)) for number, variants in enumerate(words) for term in dict.fromkeys(variants)]
    return {"numbers": [number for number, _ in pairs], "terms": [term for _, term in pairs]}


def candidates_query(wanted: Wanted) -> tuple[str, dict[str, object]]:
    """Return the SQL statement of a request, and its parameters."""
    condition = ScopeCondition(wanted.scope)
    dated = matching.NEAREST if wanted.dates else matching.NEWEST
    scored = matching.SCORED if wanted.words else matching.DATED.replace("{score}", dated)
    exact = matching.EXACT if wanted.words else matching.EXACTLY_DATED
    scope = f"join brain.note_rows r using (note_id) where {condition.text}" if wanted.scope != ANYTHING else ""
    parts = {"scored": scored, "scope": scope, "exact": exact}
    statement = matching.CANDIDATES % parts + matching.PLACES_OF_CHOSEN + matching.CHOSEN
    asked = term_parameters(wanted.words)
    return statement, {
        **asked,
        "several": [number for number, count in Counter(asked["numbers"]).items() if count > 1],
        **condition.parameters,
        **wanted.saturation._asdict(),
        "words": list(range(len(wanted.words))),
        "weights": list(wanted.weights),
        "worth": sum(wanted.weights) or 1.0,
        "archived": wanted.archived,
        "most": wanted.most,
        "anywhere": wanted.anywhere,
        "linked_to": wanted.linked_to,
        "most_joined": wanted.most_joined,
        "most_links": MAX_LINKS,
        "names": list(map(storable, wanted.names)),
        "since": [since for since, _ in wanted.dates],
        "before": [before for _, before in wanted.dates],
    }


def slip_parameters(slips: Sequence[Slip]) -> dict[str, object]:
    """Return the parameters for looking up unknown words, column by column."""
    near = [each for each in slips if each.edits]
    pieces = [_pieces(storable(each.term), each.edits) for each in near]
    bounds = [prefix_parameters(each.term[:1]) for each in near]
    stems = [(each.word, stored_term(stem)) for each in slips for stem in each.stems]
    begun = [(each.word, prefix_parameters(each.beginning)) for each in slips if each.beginning]
    return {
        "places": [each.word for each in near],
        "firsts": [each["first"] for each in bounds],
        "lasts": [each["last"] for each in bounds],
        "shortest": [len(each.term) - each.edits for each in near],
        "longest": [len(each.term) + each.edits for each in near],
        "pieces": [each[0] for each in pieces],
        "others": [each[1] for each in pieces],
        "thirds": [each[-1] for each in pieces],
        "of_stems": [word for word, _ in stems],
        "stems": [stem for _, stem in stems],
        "of_beginnings": [word for word, _ in begun],
        "beginnings": [each["first"] for _, each in begun],
        "ends": [each["last"] for _, each in begun],
        "most_begun": MAX_BEGUN,
    }


def _pieces(term: str, edits: int) -> list[str]:
    """Cut a term into `edits` + 1 pieces: a term within that edit distance contains one of them unchanged."""
    count = edits + 1
    return [term[len(term) * number // count : len(term) * (number + 1) // count] for number in range(count)]


def counts_in(rows: Iterable[Any], words: int) -> list[int]:
    """Return the number of fragments with each word; 0 for a word without a row."""
    found = dict(rows)
    return [found.get(number, 0) for number in range(words)]


def places_in(rows: Iterable[Any], words: int) -> list[Places]:
    """Return the occurrences of each word, from one row per word and field."""
    found = [Places() for _ in range(words)]
    for field, word, note_ids, sections, weights in rows:
        if field in ("body", "in_links"):
            found[word] = found[word]._replace(**{field: (note_ids, sections, weights)})
        elif field in ("about", "anchors"):
            found[word] = found[word]._replace(**{field: (note_ids, weights)})
        elif field == "elsewhere":
            found[word] = found[word]._replace(anchored_elsewhere=weights[0])
    return found


def section_parameters(sections: Sequence[Section]) -> dict[str, object]:
    return {"note_ids": [note_id for note_id, _ in sections], "sections": [section for _, section in sections]}


def texts_in(rows: Iterable[Any]) -> dict[Section, bytes]:
    return {(note_id, section): content for note_id, section, content in rows}


def notes_in(row: Any) -> list[FoundNote]:
    """Return the notes in the single row of NOTES, including those that only relay activation."""
    note_ids, vaults, texts, dated, copies, lengths, neighbours, successors, former, relays, relayed = row
    paths = former or {}
    columns = (note_ids, vaults, texts, unpacked(lengths), unpacked(neighbours), unpacked(successors), dated, copies)
    found = []
    for values in zip(*(column or () for column in columns), strict=True):
        moved = [f"{values[1]}:{path}" for path in paths.get(str(values[0]), ())] if paths else ()
        found.append(FoundNote._make((*values, moved)))
    for note_id, links in zip(relays or (), unpacked(relayed), strict=True):
        found.append(FoundNote(note_id, "", "", (), links, (), True, 0))
    return found


def prefix_parameters(prefix: str) -> dict[str, str]:
    """Return the bounds of all terms with a prefix: the first one, and the first one after them."""
    key = storable(prefix)
    return {"first": key, "last": key + chr(0x10FFFF)}
