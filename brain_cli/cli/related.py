"""`brain related`: list the notes that are linked to a note, and the path to each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from brain_cli.answer.links import Route, related
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import AsOfOption, NoteArgument, flag
from brain_cli.cli.output import view
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.extension import hooks
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import note_history_of
from brain_cli.library.vault import Vault, as_it_was
from brain_cli.ranking.note_history import linked
from brain_cli.render import View
from brain_cli.render.phrases import one_line, quoted
from brain_cli.render.rows import Row
from brain_cli.streams import say
from brain_cli.types import NoteMetadata
from brain_cli.vault.resolve import NameTable

# So many notes are suggested for a link.
NEAR = 3
JSON = ("json", "jsonl")


class NearNote(NamedTuple):
    """A related note: its activation (0..1), and the path of notes from the named one to it.

    `link` says whether the named one links `to` it, it links to that one (`from`), `both`, or
    neither (empty).
    """

    activation: float
    way: tuple[NoteMetadata, ...]
    link: str

    @property
    def metadata(self) -> NoteMetadata:
        return self.way[-1]


# The named note, those that are related to it, and some that are near in meaning, which no link
# joins to it.
RelatedNotes = tuple[NoteMetadata, list[NearNote], list[NoteMetadata]]


def command(
    options: CommonOptions,
    note: NoteArgument,
    archived: Annotated[bool, flag("--archived", "Show archived notes as well.")] = False,
    as_of: AsOfOption = None,
) -> int:
    """Show the notes related to a note: those linked to it, and those linked to these. Of equally
    near ones, those come first that share the most links with it, then the newest.

    Examples:
      brain related grpc -n 5
    """
    vault = as_it_was(options.open_any_vault().holding(note), as_of)

    def question(snapshot: Snapshot, path: str) -> RelatedNotes:
        return _found(
            vault, snapshot, path, archived=archived, tells_links=options.list_format in JSON
        )

    return _print(options, vault, vault.find(note).ask(question))


def _print(options: CommonOptions, vault: Vault, related_notes: RelatedNotes) -> int:
    """Print the related notes, most activated first; return 1 if there are none."""
    source, found, near = related_notes
    shown = found[: options.limit or vault.config.limit]
    more = len(found) - len(shown)
    document = {
        "path": source.path,
        "title": source.title,
        "more": more,
        "near": [_named(each) for each in near],
    }
    heading = f"Related to “{source.title}”:"
    screen = view(vault)
    options.list_rows("related", [_row(each, screen) for each in shown], document, vault, heading)
    if near and options.list_format not in JSON:
        say(f"You may want to link: {', '.join(quoted(one_line(each.path)) for each in near)}")
    if more and options.list_format not in JSON:
        say(f"{more} more; -n {len(found)} shows all.")
    if not found:
        say(f"No note is linked to {source.path}.")
        say(f"Ask for notes with the same words: brain remember {quoted(one_line(source.title))}")
    return OK if found else NOTHING_FOUND


def _found(
    vault: Vault, snapshot: Snapshot, path: str, *, archived: bool, tells_links: bool
) -> RelatedNotes:
    """Return the notes that are related to a note; which way links go takes longer, so it is left
    out if not asked.
    """
    note_table = snapshot.note_table
    row = note_table.row_at(path)
    if row is None:
        raise BrainError(
            f"{path} is not in the index.", "It may be named in .gitignore or .brainignore."
        )
    note_history = note_history_of(vault, snapshot)

    def links(note_id: int) -> Iterable[int]:
        return linked(note_table, note_history, note_id)

    own = frozenset(links(row.note_id))
    routes: list[Route] = related(row.note_id, links)
    names = note_table.names() if tells_links else NameTable(())
    linked_to = _linked_to(snapshot, names, row.note_id)

    def order(route: Route) -> tuple[float, int, float, str]:
        """Return the place: of equally near notes, those first that share the most links."""
        metadata = note_table.metadata(route.note_id)
        shared = len(own & frozenset(links(route.note_id)))
        return -route.activation, -shared, -metadata.timestamp, metadata.path

    def near_note(route: Route) -> NearNote:
        last = route.trail[-1]
        is_direct = len(route.trail) == 2
        is_to = last in linked_to
        is_from = is_direct and row.note_id in _linked_to(snapshot, names, last)
        link = "both" if is_to and is_from else "to" if is_to else "from" if is_from else ""
        return NearNote(
            route.activation, tuple(_shown(snapshot, each) for each in route.trail), link
        )

    found = [near_note(route) for route in sorted(routes, key=order)]
    found = [each for each in found if archived or not each.metadata.archived]
    hidden = {row.note_id, *own}
    nearest = (
        each for hook in hooks("near", vault.config) for each in hook(vault, snapshot, row.note_id)
    )
    outside = (each for each in nearest if each not in hidden)
    near = [metadata for each in outside if not (metadata := _shown(snapshot, each)).archived]
    return _shown(snapshot, row.note_id), found, near[:NEAR]


def _linked_to(snapshot: Snapshot, names: NameTable, note_id: int) -> set[int]:
    table = snapshot.note_table
    path = table.rows[note_id].path
    targets = (names.best_link(link, path) for link in table.read_record(note_id).links)
    return {table.ids[target] for target in targets if target and target in table.ids}


def _shown(snapshot: Snapshot, note_id: int) -> NoteMetadata:
    return snapshot.as_shown(snapshot.note_table.metadata(note_id), note_id)


def _named(metadata: NoteMetadata) -> dict[str, object]:
    return {"path": metadata.path, "title": metadata.title}


def _row(found: NearNote, screen: View) -> Row:
    metadata = found.metadata
    between = found.way[1:-1]
    document = {
        **_named(metadata),
        "kind": metadata.kind,
        "archived": metadata.archived,
        "activation": found.activation,
        "link": found.link,
        "way": [each.path for each in found.way],
    }
    route = " → ".join(one_line(each.title) for each in found.way)
    line = f"{found.activation:.3f}\t{one_line(screen.path_from_here(metadata.path))}\t{route}"
    via = f"via {' → '.join(each.title for each in between)}" if between else ""
    return Row(line, document, metadata.path, metadata.title, f"{found.activation:.2f}", via)
