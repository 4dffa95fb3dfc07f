"""The shape of the JSON document: every key with its type and meaning, and a choice of its
keys.

The type checker checks `json_text` against it, and the table in docs/reference.md is generated from
it. No recall imports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict


class FragmentObject(TypedDict):
    heading: Annotated[
        list[str], "the headings above it, outermost first; empty above the first one"
    ]
    line: Annotated[int, "where it begins in the file, from 1"]
    text: Annotated[str, "the section as written"]


class SectionObject(TypedDict):
    heading: Annotated[list[str], "the headings above it"]
    line: Annotated[int, "where it begins in the file"]
    relevance: Annotated[float, "0 to 1"]


class PassageObject(TypedDict):
    text: Annotated[str, "as written"]
    line: Annotated[int, "where it begins in the file"]


class StepObject(TypedDict):
    name: Annotated[str, "the factor"]
    op: Annotated[
        str, "`+` adds weight × value, `*` multiplies, `max` and `min` take the larger or smaller"
    ]
    value: Annotated[float, "of the factor"]
    weight: Annotated[float | None, "only for `+`, else null"]
    total: Annotated[float, "after this step; the last one's is the result's"]


class CertaintyPart(TypedDict):
    name: Annotated[str, "the feature"]
    value: Annotated[float, "of the feature"]
    weight: Annotated[
        float,
        "of the model; the sum of weight × value, through the logistic function, is the certainty",
    ]


class Result(TypedDict):
    rank: Annotated[int, "from 1"]
    path: Annotated[str, "of the note, within the vault, with `/`"]
    line: Annotated[int, "where to open it: at its passage, else at the section that matches best"]
    title: Annotated[str, "from its frontmatter, first heading or file name"]
    kind: Annotated[str, "decision, learning, journal, …"]
    project: Annotated[str | None, "the project it belongs to"]
    score: Annotated[float, "0 to 1, the share that the strategies compare"]
    total: Annotated[float, "the same on the formula's own scale"]
    certainty: Annotated[
        float | None,
        "0 to 1, that the note is right; only of the first result, and only with `blend`",
    ]
    age_days: Annotated[float, "since the note's date, 0 or more"]
    date: Annotated[
        str,
        "the note's date, in the time zone in which it is written; of a file or a commit, in yours",
    ]
    dated_by: Annotated[
        str, "the source of that date: `frontmatter`, `name`, `git`, `mtime`, or `heading`"
    ]
    strength: Annotated[float, "0 to 1, after decay"]
    recalled: Annotated[int, "how often"]
    last_recalled: Annotated[str | None, "when, in UTC"]
    tags: Annotated[list[str], "without `#`"]
    pinned: Annotated[bool, "does not fade"]
    ended: Annotated[str | None, "why the note, or its line that answers, does not hold now"]
    fragment: Annotated[FragmentObject, "the section that matches best"]
    fragments: Annotated[list[SectionObject], "other sections that match, best first"]
    passage: Annotated[PassageObject | None, "its best passage; null if nothing can be quoted"]
    matched: Annotated[list[str], "the words of the query that the note has"]
    unmatched: Annotated[list[str], "the words of the query that it lacks"]
    resembles: Annotated[str | None, "the path of a better note that it repeats, so it ranks lower"]
    by_meaning: NotRequired[
        Annotated[bool, "true if it has no word of the query but is related in meaning"]
    ]
    signals: NotRequired[Annotated[dict[str, object], "with `--explain`: the input of the formula"]]
    steps: NotRequired[Annotated[list[StepObject], "with `--explain`: how the score was computed"]]
    certainty_parts: NotRequired[
        Annotated[list[CertaintyPart], "with `--explain`: the terms of the certainty"]
    ]
    certainty_rule: NotRequired[
        Annotated[str, "with `--explain`: the rule that overrides that sum; empty if none does"]
    ]


class ShownObject(TypedDict):
    rank: Annotated[int, "of its result"]
    path: Annotated[str, "of the note"]
    title: Annotated[str, "of the note"]
    heading: Annotated[list[str], "the headings above it, outermost first"]
    line: Annotated[int, "where it begins in the file, from 1"]
    end_line: Annotated[int, "where it ends"]
    text: Annotated[str, "these lines as written, or a part of a very long one"]
    code: Annotated[bool, "true if it is code"]
    ended: Annotated[str, "why a line of it does not hold now: `ended 30 Sep 2026`; else empty"]


class KeyPoint(TypedDict):
    text: Annotated[str, "as written"]
    path: Annotated[str, "of its note"]
    line: Annotated[int, "where it begins in the file, from 1"]
    end_line: Annotated[int, "where it ends"]
    heading: Annotated[list[str], "the headings above it, outermost first"]
    title: Annotated[str, "of the note"]


class Answer(TypedDict):
    path: Annotated[str, "of the note"]
    line: Annotated[int, "where the text begins in the file, from 1"]
    end_line: Annotated[int, "where it ends"]
    heading: Annotated[list[str], "the headings above its start, outermost first"]
    text: Annotated[str, "its best passage, as written"]
    certainty: Annotated[
        float | None, "0 to 1, how likely the note is the right one; null if unknown"
    ]


class RelatedObject(TypedDict):
    path: Annotated[str, "of the note"]
    title: Annotated[str, "of the note"]
    strength: Annotated[float, "0 to 1"]
    resembles: Annotated[str | None, "the path of a better note that it repeats"]


class Correction(TypedDict):
    word: Annotated[str, "of the query, as typed"]
    read_as: Annotated[str, "the word of the vault that was used instead"]


class NewerObject(TypedDict):
    path: Annotated[str, "of the note"]
    title: Annotated[str, "of the note"]
    date: Annotated[str, "its date, in UTC"]
    line: Annotated[int, "where it says so"]
    text: Annotated[str, "the sentence with the words of the question"]


class Document(TypedDict):
    version: Annotated[int, "1; changes when a key is removed or changes its meaning"]
    query: Annotated[str, "as typed"]
    vault: Annotated[str, "the folder of notes, absolute"]
    scorer: Annotated[str, "the ranking formula"]
    intent: Annotated[str, "`normal`, or `recency` if the newest notes were asked for"]
    now: Annotated[str, "the time of the recall, in UTC: `2026-11-21T10:00:00Z`"]
    strategy: Annotated[str, "`single-strong`, `synthesize`, `many-weak` or `archive-fallback`"]
    claim: Annotated[str, "how far to trust it: `strong`, `likely`, `related` or `none`"]
    shown: Annotated[
        list[ShownObject],
        "the passages that a terminal of 80 columns and 40 rows shows, note by note",
    ]
    answer: Annotated[
        Answer | None, "of one strong match; until the next version, read `shown` instead"
    ]
    results: Annotated[
        list[Result], "the candidates, best first, at most `--limit`, whatever the strategy"
    ]
    key_points: Annotated[
        list[KeyPoint], "of a synthesis; until the next version, read `shown` instead"
    ]
    synthesis: Annotated[
        str | None, "the output of `synthesize.command` for them; null without one"
    ]
    related: Annotated[list[RelatedObject], "notes related to the answer"]
    newer: Annotated[
        NewerObject | None,
        "what a note at least 30 days younger says on a strong or likely match; null if none does",
    ]
    archive: Annotated[list[Result], "matches in the archive, if no active note answers"]
    suggestions: Annotated[list[str], "topics to ask for, if no active note answers"]
    unknown: Annotated[list[str], "content words of the query that no note has"]
    corrections: Annotated[
        list[Correction], "the words of the vault that were used instead of such words"
    ]
    forms: Annotated[
        list[Correction], "words that results have only in another form, or as a synonym"
    ]
    considered: Annotated[
        int, "the number of candidates; of a shared memory, of those that were fetched"
    ]
    more: Annotated[int, "how many of them `results` leaves out"]
    stale: Annotated[
        bool, "true if notes have changed since the index was built; it is being updated"
    ]
    behind: Annotated[int, "the number of such notes"]
    elapsed_ms: Annotated[float, "the duration of the recall, without starting Python"]


LISTS_OF_RESULTS = ("results", "archive")


def of_document(document: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Return the requested keys of a document, and its results with the requested keys."""
    found = {name: document[name] for name in ("version", *fields) if name in document}
    for key in LISTS_OF_RESULTS:
        found[key] = [
            {name: each[name] for name in fields if name in each} for each in document[key]
        ]
    return found
