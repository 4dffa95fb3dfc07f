"""The screens as they look, without colour, at 80 and at 120 columns.

`UPDATE=1 pytest tests/render` writes them anew; look at them before they are committed.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from examples import in_ci

from brain_cli.answer.passages import Quotation
from brain_cli.answer.pieces import NoteToQuote, TermWeights, WeighedPieces
from brain_cli.answer.results import Hit, Ranked, Recall, Related
from brain_cli.ranking import Candidate
from brain_cli.ranking.scorers import load_scorer
from brain_cli.render import View
from brain_cli.render.formats import load_format
from brain_cli.types import Fragment, Intent, NoteMetadata, Shown, Signals, Strategy, Usage
from brain_cli.vault.sections import outline

SCREENS = Path(__file__).parent / "screens"
NOW = 1_795_255_200.0
DAY = 86_400.0
BODY = """# Switch from REST to gRPC

Every call between our services was JSON over HTTP, see [[rest|the decision we made then]] and the
[list of services](services.md). Nobody knew the caller's deadline.

## Why

1. **Contract drift.** A renamed field was an incident.
2. *Deadlines.* `grpc-timeout` travels with the call.

| before | after |
|--------|------:|
| 240 ms | 85 ms |

> Revisit when a third of the traffic is notifications.

```proto
service Quotes { rpc Get (QuoteRequest) returns (Quote); }  // a line of code that is longer than eighty columns
```

- [ ] Reporting
- [x] Orders, 注文サービス も 含む
"""
USED = Usage(recalled=3, last_recalled=NOW - 2 * DAY)
TITLES = [
    "Switch from REST to gRPC",
    "Kafka architecture",
    "A title that goes on and on, because somebody wrote a whole sentence into it and then one more clause",
    "注文サービスの設計と運用についての覚え書き",
    "Café ☕ and naïve façades",
    "2026-11-19",
]


def ranked(rank: int, relevance: float, scorer: str = "brain") -> Ranked:
    title = TITLES[(rank - 1) % len(TITLES)]
    path = f"notes/{title.lower().replace(' ', '-').replace(',', '')}.md"
    metadata = NoteMetadata(
        path, title, NOW - rank * 20 * DAY, kind="decision", tags=("api",), project="orders"
    )
    # A decision of full strength: the factors move with the rank, so that no two ledgers are alike.
    signals = Signals(
        relevance, rank * 20.0, kind="decision", spreading=0.25 * rank % 1, salience=0.5
    )
    score = load_scorer(scorer).score(signals)
    candidate = Candidate(rank, "", metadata, signals, score, USED)
    first = Hit(
        Fragment((title, "Why we did it", "In short"), "Text.", 12 * rank, 12 * rank + 2),
        relevance,
    )
    second = Hit(
        Fragment((title, "Consequences"), "Text.", 40 * rank, 40 * rank + 2), relevance / 2
    )
    return Ranked(rank, candidate, (first, second))


def opened(
    results: tuple[Ranked, ...], body: str, rows: int = 26, *, is_whole: bool = False
) -> tuple[Shown, ...]:
    """The passages of each of these notes, all of which have this body."""
    fragments, words = (
        outline(body, 1).fragments,
        TermWeights({"call": 1.0, "deadlin": 1.0, "order": 1.0}),
    )
    note = NoteToQuote(results[0].metadata.title, "english", fragments, is_whole=is_whole)
    quotation = Quotation(WeighedPieces(note, words), 71)
    while quotation.add(rows - quotation.rows, 4):
        pass
    return tuple(
        found._replace(rank=each.rank, path=each.metadata.path, title=each.metadata.title)
        for each in results
        for found in quotation.passages
    )


STRONG = (ranked(1, 1.0), ranked(2, 0.3))
FOUND = tuple(ranked(rank, 0.9) for rank in (1, 2, 3, 4))
WEAK = tuple(ranked(rank, 0.2) for rank in range(1, 11))
RECALLS = {
    "single-strong": Recall(
        "why grpc", "brain", Intent.NORMAL, NOW, Strategy.SINGLE_STRONG,
        results=STRONG, shown=opened(STRONG[:1], BODY, is_whole=True),
        related=(Related("notes/kafka.md", TITLES[1], 0.75), Related("notes/long.md", TITLES[2], 0.5)),
        considered=2,
    ),
    "synthesize": Recall(
        "service calls", "brain", Intent.NORMAL, NOW, Strategy.SYNTHESIZE,
        results=FOUND, shown=opened(FOUND[:3], BODY, 8), considered=14,
    ),
    "many-weak": Recall(
        "save energy", "brain", Intent.NORMAL, NOW, Strategy.MANY_WEAK,
        results=WEAK, shown=opened(WEAK[:3], BODY, 6), considered=23,
    ),
    "many-weak-blend": Recall(
        "save energy", "blend", Intent.NORMAL, NOW, Strategy.MANY_WEAK,
        results=WEAK, shown=opened(WEAK[:3], BODY, 6), considered=23,
    ),
    "single-strong-blend": Recall(
        "why grpc", "blend", Intent.NORMAL, NOW, Strategy.SINGLE_STRONG,
        results=STRONG, shown=opened(STRONG[:1], BODY, 14),
        related=(Related("notes/kafka.md", TITLES[1], 0.75), Related("notes/long.md", TITLES[2], 0.5)),
        considered=2,
    ),
    "archive-found": Recall(
        "SOAP gateway", "brain", Intent.NORMAL, NOW, Strategy.ARCHIVE_FALLBACK,
        archive=(ranked(1, 0.9), ranked(2, 0.5)),
        suggestions=("kafka", "event-driven", "postgres", "performance", "incident"),
    ),
    "nothing": Recall(
        "zeppelin " * 30, "brain", Intent.NORMAL, NOW, Strategy.ARCHIVE_FALLBACK,
        suggestions=("kafka", "event-driven", "postgres", "performance", "incident"),
    ),
    "explained": Recall(
        "why grpc", "clawmem", Intent.NORMAL, NOW, Strategy.MANY_WEAK,
        results=(ranked(1, 0.9), ranked(2, 0.4, "clawmem"), ranked(3, 0.4, "claude-mem")),
        considered=3,
    ),
}  # fmt: skip


def screen(recall: Recall, width: int, *, color: bool = False, explain: bool = False) -> str:
    view = View("/notes", "/notes", lambda _: BODY, explain=explain, width=width, color=color)
    return str(load_format("rich").render(recall, view))


def columns(line: str) -> int:
    return sum(
        2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in line
        if not unicodedata.combining(c)
    )


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", RECALLS)
def test_a_screen_looks_as_it_was_approved(name: str, width: int) -> None:
    shown = screen(RECALLS[name], width, explain=name == "explained")
    file = SCREENS / f"{name}-{width}.txt"
    if os.environ.get("UPDATE"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [20, in_ci(40), 80, in_ci(120), in_ci(300)])
@pytest.mark.parametrize("name", RECALLS)
def test_no_line_is_wider_than_the_screen_nor_has_blanks_at_its_end(
    name: str, width: int
) -> None:
    for line in screen(RECALLS[name], width, explain=True).splitlines():
        # A command is never folded, so that it can be copied.
        assert columns(line) <= width or line.startswith("brain show"), line
        assert line == line.rstrip()


@pytest.mark.parametrize("name", RECALLS)
def test_colour_changes_no_word(name: str) -> None:
    coloured = screen(RECALLS[name], 80, color=True)
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[\d;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == screen(
        RECALLS[name], 80
    ).splitlines()


@pytest.mark.parametrize("length", [50, 56, 58, 60, 62, 64, 70, 90, 150])
def test_a_long_path_leaves_the_score_of_the_shown_note_in_one_piece(length: int) -> None:
    strong = RECALLS["single-strong"]
    best, *rest = strong.results
    metadata = best.metadata._replace(path="n" * length)
    best = best._replace(candidate=best.candidate._replace(metadata=metadata))
    shown = screen(strong._replace(results=(best, *rest)), 80)
    assert f"score {best.candidate.score.share:.2f}" in shown


def test_related_notes_are_told_apart_by_their_paths() -> None:
    title = RECALLS["single-strong"].answer.metadata.title
    related = (Related("old/grpc.md", title, 0.5), Related("new/grpc.md", title, 0.4))
    shown = screen(RECALLS["single-strong"]._replace(related=related), 80)
    assert f"• {title} (strength 0.50)  old/grpc.md\n" in shown
    assert f"• {title} (strength 0.40)  new/grpc.md\n" in shown


@pytest.mark.parametrize("remarks", range(4))
def test_related_notes_have_the_rows_that_remarks_leave_them(remarks: int) -> None:
    omitted: dict[str, Any] = {
        "unknown": ("zyxwv",),
        "snoozed": (NoteMetadata("a.md", "Later", NOW, properties={"snoozed": "2027-01-01"}),),
        "best_archived": NoteMetadata("archive/b.md", "Old", NOW),
    }
    related = tuple(Related(f"{each}.md", f"Note {each}", 0.5) for each in range(4))
    strong = RECALLS["single-strong-blend"]._replace(related=related, archived=1)
    shown = screen(strong._replace(**dict([*omitted.items()][:remarks])), 80)
    assert shown.count("  • ") == (2, 1, 0, 0)[remarks]
    assert ("Related:\n" in shown) is (remarks < 2)


def test_code_is_on_the_screen_as_it_is_in_the_note() -> None:
    assert "service Quotes { rpc Get (QuoteRequest) returns (Quote); }" in screen(
        RECALLS["single-strong"], 120
    )
