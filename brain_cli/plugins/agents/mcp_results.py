"""The result types of the tools of `brain mcp`; a client gets them as a JSON schema."""

from __future__ import annotations

from typing import Any, TypedDict


class PassageResult(TypedDict):
    """A quoted passage and its location."""

    text: str
    path: str
    line: int


class FoundResult(TypedDict):
    """One note of a ranking; `score` is 0..1."""

    path: str
    title: str
    kind: str
    project: str | None
    score: float
    date: str


class OneAnswer(TypedDict):
    """The answer to a question. `strategy` says how sure it is; `unknown` lists words that no note has.

    `synthesis` is the answer of the user's own model; `behind` counts the changed notes that the answer does not
    include yet.
    """

    strategy: str
    synthesis: str | None
    passages: list[PassageResult]
    results: list[FoundResult]
    unknown: list[str]
    suggestions: list[str]
    behind: int


class Recalled(OneAnswer):
    """The answer to the query; `more` has those to further questions, in their order."""

    more: list[OneAnswer]


class KnownResult(TypedDict):
    """A note worth knowing here. `from_project` names its project if that is another one."""

    path: str
    line: int | None
    title: str
    kind: str
    date: str
    passage: str | None
    from_project: str | None


class ContextResult(TypedDict):
    """Notes to know when work starts, most important first; empty if there are none."""

    notes: list[KnownResult]


class Listed(TypedDict):
    """One note of a list, newest first."""

    path: str
    title: str
    kind: str
    project: str | None
    date: str


class RecentResult(TypedDict):
    """The newest notes."""

    notes: list[Listed]


class ShownResult(TypedDict):
    """A note, or one section of it."""

    path: str
    title: str
    kind: str
    project: str | None
    tags: list[str]
    date: str
    text: str


class RelatedResult(TypedDict):
    """A note near another one. `activation` is 0..1; `way` lists the notes on the path to it."""

    path: str
    title: str
    kind: str
    activation: float
    way: list[str]


class AllRelated(TypedDict):
    """The notes around a note, most activated first."""

    path: str
    related: list[RelatedResult]


class Changed(TypedDict):
    """The present path of the note that a tool wrote or moved, and whether anything changed."""

    path: str
    changed: bool


class Added(Changed):
    """A new note, and the decisions on the same subject."""

    may_replace: list[str]


def answer(document: dict[str, Any]) -> OneAnswer:
    """Return the answer with its passages, best first."""
    best = document.get("answer")
    passages = [_chosen(PassageResult, each) for each in ([best] if best else document["key_points"])]
    if not passages:
        listed = ((each.get("passage"), each["path"]) for each in document["results"])
        passages = [PassageResult(text=found["text"], path=path, line=found["line"]) for found, path in listed if found]
    results = [
        FoundResult(
            path=each["path"],
            title=each["title"],
            kind=each.get("kind") or "note",
            project=each.get("project"),
            score=each["score"],
            date=str(each.get("date") or ""),
        )
        for each in document["results"] or document["archive"]
    ]
    return OneAnswer(
        strategy=document["strategy"],
        synthesis=document.get("synthesis"),
        passages=passages,
        results=results,
        unknown=document.get("unknown", []),
        suggestions=document.get("suggestions", []),
        behind=document.get("behind", 0),
    )


def cut(found: OneAnswer, budget_chars: int) -> OneAnswer:
    """Return an answer with only its best passage, cut to a budget."""
    best: list[PassageResult] = [{**each, "text": each["text"][:budget_chars]} for each in found["passages"][:1]]
    return {**found, "passages": best, "results": [], "suggestions": []}


def known(document: dict[str, Any]) -> ContextResult:
    """Return the answer of `brain context`."""
    notes = ({**each, "from_project": each["from"]} for each in document["results"])
    return ContextResult(notes=[_chosen(KnownResult, each) for each in notes])


def recent(document: dict[str, Any]) -> RecentResult:
    """Return the answer of `brain recent`."""
    return RecentResult(notes=[_chosen(Listed, each) for each in document["results"]])


def shown(document: dict[str, Any]) -> ShownResult:
    """Return the answer of `brain show`."""
    found: ShownResult = _chosen(ShownResult, document)
    return found


def related(document: dict[str, Any]) -> AllRelated:
    """Return the answer of `brain related`."""
    return AllRelated(path=document["path"], related=[_chosen(RelatedResult, each) for each in document["related"]])


def _chosen(type_: Any, document: dict[str, Any]) -> Any:
    """Return the fields of a document that a type has."""
    return {name: document[name] for name in type_.__annotations__}
