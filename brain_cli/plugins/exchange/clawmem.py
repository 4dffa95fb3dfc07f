"""ClawMem's database: its active documents with their metadata, and the summaries of sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from brain_cli.plugins.exchange.database import Row, database, items, moment, text
from brain_cli.types import Memory
from brain_cli.vault.edit import Value, first_sentence

# The prefix of collections that ClawMem fills itself; the others are the user's folders, named like
# projects.
_OWN_COLLECTION = "_"
_DEFAULT_CONFIDENCE = 0.5


def memories(path: str) -> Iterator[Memory]:
    """Yield all memories of a database."""
    with database(path) as source:
        contents = {
            text(row, "hash"): text(row, "doc") for row in source.rows("content", "hash")
        }
        titles = {row.get("id"): _title(row) for row in source.rows("documents")}
        for row in source.rows("documents"):
            if row.get("active", 1):
                yield _document(row, contents.get(text(row, "hash"), ""), titles)
        for row in source.rows("consolidated_observations"):
            if text(row, "status") in ("", "active") and not text(row, "invalidated_at"):
                yield _consolidated(row)
        yield from (
            _session(row)
            for row in source.rows("session_log", "started_at")
            if text(row, "summary")
        )
        yield from source.unreadable


def _document(row: Row, content: str, titles: Mapping[object, str]) -> Memory:
    collection = text(row, "collection")
    path = text(row, "path")
    facts = "\n".join(f"- {fact}" for fact in items(row, "facts"))
    kind = text(row, "observation_type", "content_type")
    return Memory(
        source_id=f"clawmem:{collection}/{path}",
        title=_title(row),
        text=content or "\n\n".join(filter(None, (text(row, "narrative"), facts))),
        kind="" if kind == "note" else kind,
        at=moment(row, "created_at", "modified_at"),
        project=text(row, "domain")
        or ("" if collection.startswith(_OWN_COLLECTION) else collection),
        files=items(row, "files_modified", "files_read"),
        tags=items(row, "tags", "concepts", "amem_tags", "amem_keywords"),
        path=f"{collection.strip(_OWN_COLLECTION)}/{path}",
        more=_more(row, titles),
    )


def _title(row: Row) -> str:
    return text(row, "title") or os.path.splitext(os.path.basename(text(row, "path")))[0]


def _more(row: Row, titles: Mapping[object, str]) -> dict[str, Value]:
    """Return ClawMem's metadata of a document, without values that equal its defaults."""
    confidence = row.get("confidence")
    is_set = isinstance(confidence, int | float) and confidence != _DEFAULT_CONFIDENCE
    found: dict[str, Value] = {
        "confidence": f"{confidence:g}" if is_set else "",
        "pinned": "true" if row.get("pinned") else "",
        "snoozed": text(row, "snoozed_until"),
        "task": text(row, "workstream"),
        "superseded_by": titles.get(row.get("superseded_by"), ""),
        "status": "superseded" if text(row, "invalidated_at") else "",
    }
    return {key: value for key, value in found.items() if value}


def _consolidated(row: Row) -> Memory:
    """Return a conclusion that ClawMem drew from several observations."""
    words = text(row, "observation")
    collection = text(row, "collection")
    return Memory(
        source_id=f"clawmem:consolidated:{row.get('id')}",
        title=first_sentence(words, 70) or "Conclusion",
        text=words,
        kind="learning",
        at=moment(row, "created_at", "updated_at"),
        project="" if collection.startswith(_OWN_COLLECTION) else collection,
    )


def _session(row: Row) -> Memory:
    session = text(row, "session_id")
    return Memory(
        source_id=f"clawmem:session:{session}",
        title=f"Handoff: {first_sentence(text(row, 'summary'), 70)}",
        text=text(row, "summary"),
        kind="handoff",
        at=moment(row, "ended_at", "started_at"),
        session=session,
        files=items(row, "files_changed"),
    )
