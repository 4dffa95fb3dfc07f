"""The contents of `brain report` as plain values: counts, lists, and the graph of a vault's notes at one time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.broken_links import BrokenLink, broken_links
from brain_cli.answer.health import STRONG, WEAK, NoteHealth, VaultStats, notes_health, vault_stats
from brain_cli.answer.proposals import Pair, proposals
from brain_cli.answer.usage_over_time import (
    CertaintyBin,
    Week,
    certainty_against_feedback,
    failed_questions,
    weeks_of_use,
)
from brain_cli.history.log import Event
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.report.digest import Task, newest_first, open_tasks
from brain_cli.ranking.note_history import NoteHistory


class Edge(NamedTuple):
    """Two notes, by their index in `Graph.nodes`; `is_link` is False if only joint recalls connect them."""

    one: int
    other: int
    is_link: bool


class DrawnGraph(NamedTuple):
    """The active notes with their strengths; the edges are links and joint recalls."""

    nodes: Sequence[NoteHealth]
    edges: Sequence[Edge]


class VaultReport(NamedTuple):
    """The contents of a report. `fading` are the notes that may fade and are not strong, weakest first.

    `weak` are those of them that `brain review` goes through, `disputed` the notes that a person contradicted, and
    `unlinked` those without any link. `failed` are the recorded questions that found nothing, each with its count.
    """

    stats: VaultStats
    weeks: Sequence[Week]
    weak: Sequence[NoteHealth]
    disputed: Sequence[NoteHealth]
    tasks: Sequence[Task]
    failed: Sequence[tuple[str, int]]
    fading: Sequence[NoteHealth]
    unlinked: Sequence[NoteHealth]
    broken_links: Sequence[BrokenLink]
    repeated: Sequence[Pair]
    superseded: Sequence[Pair]
    certainty: Sequence[CertaintyBin]
    graph: DrawnGraph


def vault_report(
    snapshot: Snapshot, note_history: NoteHistory, events: Callable[[], Iterable[Event]], now: float
) -> VaultReport:
    """Collect the report of a vault; `events` reads those of its history up to `now`, newest first."""
    table = snapshot.note_table
    found = notes_health(table, note_history, now)
    proposed = proposals(snapshot, found)
    return VaultReport(
        stats=vault_stats(found, archived=len(table.rows) - len(found)),
        weeks=weeks_of_use(events()),
        weak=[each for each in found if each.tier == WEAK],
        disputed=[each for each in found if each.usage.disputed],
        tasks=[task for each in newest_first(found) for task in open_tasks(snapshot, each)],
        failed=failed_questions(events()),
        fading=sorted((each for each in found if each.may_fade and each.tier != STRONG), key=lambda each: each.kept),
        unlinked=proposed.unlinked,
        broken_links=list(broken_links(table)),
        repeated=proposed.repeated,
        superseded=proposed.superseded,
        certainty=certainty_against_feedback(events()),
        graph=graph_of(table, note_history, found),
    )


def graph_of(note_table: NoteTable, note_history: NoteHistory, found: Sequence[NoteHealth]) -> DrawnGraph:
    """Return the graph of the active notes, with one edge per pair."""
    nodes = sorted(found, key=lambda each: each.metadata.path)
    indexes = {each.note_id: index for index, each in enumerate(nodes)}
    edges: dict[tuple[int, int], Edge] = {}
    for index, each in enumerate(nodes):
        edges.update(_edges(index, indexes, note_history.shown_together(each.note_id), is_link=False))
    for index, each in enumerate(nodes):
        edges.update(_edges(index, indexes, note_table.rows[each.note_id].neighbours, is_link=True))
    return DrawnGraph(nodes, sorted(edges.values()))


def _edges(
    index: int, indexes: dict[int, int], neighbours: Iterable[int], *, is_link: bool
) -> Iterator[tuple[tuple[int, int], Edge]]:
    for other in (indexes[note_id] for note_id in neighbours if note_id in indexes):
        if other != index:
            pair = (min(index, other), max(index, other))
            yield pair, Edge(*pair, is_link)
