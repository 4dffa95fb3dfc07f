"""One JSON document, the contract for programs: it always has the same keys, which
docs/remember.schema.json describes.
"""

import json
from typing import Any

from brain_cli.answer.results import Ranked, Recall
from brain_cli.history.usage import decayed_strength
from brain_cli.render import Traits, View
from brain_cli.render.phrases import verdict
from brain_cli.types import Shown, Strategy
from brain_cli.vault.clock import iso, iso_date
from brain_cli.version import DOCUMENT_VERSION

TRAITS = Traits(tells_all=True)


def render(recall: Recall, view: View) -> str:
    if not view.budget:
        return json.dumps(document(recall, view), indent=2, allow_nan=False) + "\n"
    from brain_cli.render import budget

    bounded = budget.bounded_document(document(recall, view), view.budget - 1)
    return budget.compact(bounded) + "\n"


def document(recall: Recall, view: View) -> dict[str, Any]:
    """Return the recall as plain values; paths are relative to the vault."""
    synthesized = recall.shown if recall.strategy is Strategy.SYNTHESIZE else ()
    found = {
        "version": DOCUMENT_VERSION,
        "query": recall.query,
        "vault": view.vault,
        "scorer": recall.scorer,
        "intent": recall.intent.value,
        "now": iso(recall.now),
        "strategy": recall.strategy.value,
        "claim": recall.claim,
        "verdict": verdict(recall),
        "shown": [
            _picked(each, "rank path title heading line end_line text code ended")
            for each in recall.shown
        ],
        "answer": _answer(recall),
        "results": [result(each, view.zone, explain=view.explain) for each in recall.results],
        "key_points": [
            _picked(each, "text path line end_line heading title") for each in synthesized
        ],
        "synthesis": recall.synthesis or None,
        "related": [
            {
                "path": each.path,
                "title": each.title,
                "strength": each.strength,
                "resembles": each.resembles.path if each.resembles else None,
            }
            for each in recall.related
        ],
        "newer": _newer(recall, view),
        "archive": [result(each, view.zone, explain=view.explain) for each in recall.archive],
        "suggestions": list(recall.suggestions),
        "unknown": list(recall.unknown),
        "corrections": [
            {"word": typed, "read_as": taken} for typed, taken in recall.corrections
        ],
        "forms": [{"word": typed, "read_as": form} for typed, form in recall.forms],
        "considered": recall.considered,
        "more": recall.more,
        "stale": recall.behind > 0,
        "behind": recall.behind,
        "elapsed_ms": round(view.elapsed_ms, 1),
    }
    document: dict[str, Any] = placed(found, view)
    return document


def placed(found: Any, view: View) -> Any:
    """Return values with the vault beside each path, if there are several vaults."""
    if isinstance(found, list):
        return [placed(each, view) for each in found]
    if not view.roots or not isinstance(found, dict):
        return found
    more = {key: placed(value, view) for key, value in found.items()}
    if path := found.get("path"):
        more["vault"], more["path"] = view.place(path)
    return more


def _picked(passage: Shown, fields: str) -> dict[str, Any]:
    """Return some fields of a passage."""
    return {name: getattr(passage, name) for name in fields.split()}


def _answer(recall: Recall) -> dict[str, Any] | None:
    """Return the best passage of the one strong match; None if there is none."""
    if recall.strategy is not Strategy.SINGLE_STRONG or not recall.shown:
        return None
    best = max(recall.shown, key=lambda each: each.value)
    found = _picked(best, "path line end_line heading text")
    return {**found, "certainty": recall.certainty.probability if recall.certainty else None}


def _newer(recall: Recall, view: View) -> dict[str, Any] | None:
    newer = recall.newer
    if not newer:
        return None
    return {
        "path": newer.note.path,
        "title": newer.note.title,
        "date": iso_date(newer.note, view.zone),
        "line": newer.line,
        "text": newer.text,
    }


def result(ranked: Ranked, zone: str, *, explain: bool) -> dict[str, Any]:
    """Return one hit as plain values; `explain` adds the signals and the parts of score and
    certainty.
    """
    candidate = ranked.candidate
    metadata = ranked.metadata
    best, *others = ranked.hits
    usage = candidate.usage
    passage = ranked.passage
    certainty = ranked.certainty
    found: dict[str, Any] = {
        "rank": ranked.rank,
        "path": metadata.path,
        "line": ranked.line,
        "title": metadata.title,
        "kind": metadata.kind,
        "project": metadata.project,
        "score": candidate.score.share,
        "total": candidate.score.total,
        "certainty": certainty.probability if certainty else None,
        "age_days": candidate.signals.age_days,
        "date": iso_date(metadata, zone),
        "dated_by": metadata.dated_by,
        "strength": decayed_strength(candidate.signals),
        "recalled": usage.recalled,
        "last_recalled": None if usage.last_recalled is None else iso(usage.last_recalled),
        "tags": list(metadata.tags),
        "pinned": metadata.pinned,
        "ended": candidate.ended or None,
        "fragment": {
            "heading": list(best.fragment.trail),
            "line": best.fragment.line,
            "text": best.fragment.text,
        },
        "fragments": [
            {
                "heading": list(each.fragment.trail),
                "line": each.fragment.line,
                "relevance": each.relevance,
            }
            for each in others
        ],
        "passage": None if passage is None else {"text": passage.text, "line": passage.line},
        "matched": list(ranked.matched),
        "unmatched": list(ranked.unmatched),
        "resembles": ranked.resembles.path if ranked.resembles else None,
    }
    if ranked.only_by_meaning:
        found["by_meaning"] = True
    if explain:
        found["signals"] = candidate.signals._asdict()
        found["steps"] = [step._asdict() for step in candidate.score.steps]
        parts = certainty.parts if certainty else ()
        found["certainty_parts"] = [part._asdict() for part in parts]
        found["certainty_rule"] = certainty.rule if certainty else ""
    return found
