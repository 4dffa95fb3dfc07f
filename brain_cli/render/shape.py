"""The shape of the JSON document: every key with its type and meaning, in one place.

The type checker holds `json_text` to it, and the table in docs/reference.md is made of it. No recall imports it.
"""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict


class Fragment(TypedDict):
    heading: Annotated[list[str], "the headings it stands under, outermost first; empty above the first one"]
    line: Annotated[int, "where it begins in the file, from 1"]
    text: Annotated[str, "the section as it is written"]


class Section(TypedDict):
    heading: Annotated[list[str], "the headings it stands under"]
    line: Annotated[int, "where it begins in the file"]
    relevance: Annotated[float, "0 to 1"]


class Passage(TypedDict):
    text: Annotated[str, "one to four sentences or list items"]
    line: Annotated[int, "where it begins in the file"]


class Step(TypedDict):
    name: Annotated[str, "the factor"]
    op: Annotated[str, "`+` adds weight × value, `*` multiplies, `max` and `min` take the larger or smaller"]
    value: Annotated[float, "of the factor"]
    weight: Annotated[float | None, "null but for `+`"]
    total: Annotated[float, "after this step; the last one's is the result's"]


class CertaintyPart(TypedDict):
    name: Annotated[str, "the feature"]
    value: Annotated[float, "of the feature"]
    weight: Annotated[float, "of the model; the sum of weight × value, through the logistic function, is the certainty"]


class Result(TypedDict):
    rank: Annotated[int, "from 1"]
    path: Annotated[str, "of the note, within the vault, with `/`"]
    line: Annotated[int, "where to open it: where its passage begins, else the section that matches best"]
    title: Annotated[str, "as its frontmatter, its first heading or its file name has it"]
    kind: Annotated[str, "decision, learning, journal, …"]
    project: Annotated[str | None, "what it belongs to"]
    score: Annotated[float, "0 to 1, the share that the strategies compare"]
    total: Annotated[float, "the same on the formula's own scale"]
    certainty: Annotated[
        float | None, "0 to 1, that the note is right; only of the first result, and only with `blend`"
    ]
    age_days: Annotated[float, "since the note's date, 0 or more"]
    date: Annotated[str, "when the note is from, in UTC"]
    dated_by: Annotated[str, "the source that says so: `frontmatter`, `name`, `git`, `mtime`, or `heading`"]
    strength: Annotated[float, "0 to 1, as it has decayed by now"]
    recalled: Annotated[int, "how often"]
    last_recalled: Annotated[str | None, "when, in UTC"]
    tags: Annotated[list[str], "without `#`"]
    pinned: Annotated[bool, "does not fade"]
    fragment: Annotated[Fragment, "the section that matches best"]
    fragments: Annotated[list[Section], "other sections that match, best first"]
    passage: Annotated[Passage | None, "what the note says about the query; null where nothing can be quoted"]
    matched: Annotated[list[str], "the words of the query that the note has"]
    unmatched: Annotated[list[str], "the words of the query that it lacks"]
    resembles: Annotated[str | None, "the path of a better note that it repeats, for which it was moved down"]
    by_meaning: NotRequired[Annotated[bool, "true: it has no word of the query, but is related in meaning"]]
    signals: NotRequired[Annotated[dict[str, object], "with `--explain`: what the formula was told"]]
    steps: NotRequired[Annotated[list[Step], "with `--explain`: the score as it was computed"]]
    certainty_parts: NotRequired[Annotated[list[CertaintyPart], "with `--explain`: what the certainty is made of"]]
    certainty_rule: NotRequired[Annotated[str, "with `--explain`: what overrules that sum; empty where nothing does"]]


class KeyPoint(TypedDict):
    text: Annotated[str, "one to four sentences or list items, a line of text for each item"]
    path: Annotated[str, "of the note it stands in"]
    line: Annotated[int, "where it begins in the file, from 1"]
    end_line: Annotated[int, "where it ends"]
    heading: Annotated[list[str], "the headings it stands under, outermost first"]
    title: Annotated[str, "of the note"]


class Answer(TypedDict):
    path: Annotated[str, "of the note"]
    line: Annotated[int, "where the text begins in the file, from 1"]
    end_line: Annotated[int, "where it ends"]
    heading: Annotated[list[str], "the headings it begins under, outermost first"]
    text: Annotated[str, "as it is shown: markdown without comments, embeds and templates"]
    certainty: Annotated[float | None, "0 to 1, how likely the note is the right one; null where that is not known"]


class Related(TypedDict):
    path: Annotated[str, "of the note"]
    title: Annotated[str, "of the note"]
    strength: Annotated[float, "0 to 1"]
    resembles: Annotated[str | None, "the path of a better note that it repeats"]


class Correction(TypedDict):
    word: Annotated[str, "of the query, as it was typed; no note has it"]
    read_as: Annotated[str, "the word of the vault that was taken for it"]


class Document(TypedDict):
    version: Annotated[int, "1, until a key goes or changes its meaning"]
    query: Annotated[str, "as it was asked"]
    vault: Annotated[str, "the folder of notes, absolute"]
    scorer: Annotated[str, "the formula that ranked"]
    intent: Annotated[str, "`normal`, or `recency` where the newest was asked for"]
    now: Annotated[str, "the clock, in UTC: `2026-11-21T10:00:00Z`"]
    strategy: Annotated[str, "`single-strong`, `synthesize`, `many-weak` or `archive-fallback`"]
    answer: Annotated[Answer | None, "the text of the one strong match"]
    results: Annotated[list[Result], "the candidates, best first, at most `--limit`, whatever the strategy"]
    key_points: Annotated[list[KeyPoint], "what a synthesis says"]
    synthesis: Annotated[str | None, "what the program of `synthesize.command` says of them; null without one"]
    related: Annotated[list[Related], "what came to mind beside the answer"]
    archive: Annotated[list[Result], "what the archive has, where nothing active answers"]
    suggestions: Annotated[list[str], "topics to ask for, where nothing active answers"]
    unknown: Annotated[list[str], "content words of the query that no note has"]
    corrections: Annotated[list[Correction], "which words of the vault were taken for such words"]
    considered: Annotated[int, "how many candidates there were"]
    more: Annotated[int, "how many of them `results` leaves out"]
    stale: Annotated[bool, "notes have changed that the index does not have yet; it is being brought up to date"]
    behind: Annotated[int, "how many such notes there are"]
    elapsed_ms: Annotated[float, "what the recall took, without starting Python"]
