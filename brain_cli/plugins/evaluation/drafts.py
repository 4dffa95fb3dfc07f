"""Draft questions from the notes of a vault, for the user to reword and judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from zlib import crc32

from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.evaluation.floor import Floor

QUESTION_WORDS = 5
# Shorter sections say too little to ask for.
MIN_CHARS = 120


def drafts(snapshot: Snapshot, count: int) -> Iterator[str]:
    """Yield at most `count` JSON lines: a draft of a question of rare words, the note, and the text it is from.

    The notes are chosen by a hash of their paths, so the same vault has the same drafts.
    """
    floor, table = Floor(snapshot), snapshot.note_table
    active = [note_id for note_id, row in table.rows.items() if not row.archived]
    for note_id in sorted(active, key=lambda each: crc32(table.rows[each].path.encode("utf-8", "replace"))):
        sections = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id)]
        longest = max(sections, key=lambda each: len(each.text), default=None)
        words = floor.rare_words(longest.text, QUESTION_WORDS) if longest and len(longest.text) >= MIN_CHARS else []
        if len(words) < QUESTION_WORDS or not longest or count <= 0:
            continue
        count -= 1
        path, text = table.rows[note_id].path, " ".join(longest.text.split())[:300]
        draft = {"qid": f"draft-{crc32(path.encode('utf-8', 'replace')):08x}", "query": " ".join(words)}
        yield json.dumps({**draft, "path": path, "text": text}, ensure_ascii=False)
