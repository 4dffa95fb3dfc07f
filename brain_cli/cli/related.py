"""`brain related`: list the notes that are linked to a note, and the path to each."""

from collections.abc import Iterable
from typing import Annotated

from brain_cli.answer.links import Route, related
from brain_cli.cli.common import CommonOptions, view
from brain_cli.cli.options import AsOfOption, NoteArgument, flag
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.extension import hooks
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import note_history_of
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line
from brain_cli.ranking.note_history import linked
from brain_cli.render.formats import Row
from brain_cli.render.phrases import quoted
from brain_cli.streams import say
from brain_cli.types import NoteMetadata
from brain_cli.vault.resolve import NameTable

# So many notes are suggested for a link.
NEAR = 3
JSON = ("json", "jsonl")


# The named note, the list of those that are related to it, and some that are near in meaning, which
# no link joins to it.
RelatedNotes = tuple[NoteMetadata, list[Row], list[NoteMetadata]]


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
    vault = options.open_any_vault().holding(note).at(as_of)
    is_json = options.list_format in JSON

    def question(snapshot: Snapshot, path: str) -> RelatedNotes:
        return _found(vault, snapshot, path, archived=archived, tells_links=is_json)

    source, found, near = vault.find(note).ask(question)
    shown = found[: options.limit or vault.config.limit]
    more = len(found) - len(shown)
    document = {**_named(source), "more": more, "near": list(map(_named, near))}
    options.list_rows("related", shown, document, vault, f"Related to “{source.title}”:")
    if near and not is_json:
        say(f"You may want to link: {', '.join(quoted(one_line(each.path)) for each in near)}")
    if more and not is_json:
        say(f"{more} more; -n {len(found)} shows all.")
    if not found:
        say(f"No note is linked to {source.path}.")
        say(
            f"Ask for notes with the same words: brain remember {quoted(one_line(source.title))}"
        )
    return OK if found else NOTHING_FOUND


def _found(
    vault: Vault, snapshot: Snapshot, path: str, *, archived: bool, tells_links: bool
) -> RelatedNotes:
    """Return the notes that are related to a note; which way links go takes longer, so it is left
    out if not asked.

    `link` says whether the named note links `to` another, that one links to it (`from`), `both`, or
    neither (empty).
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
    screen = view(vault)

    def order(route: Route) -> tuple[float, int, float, str]:
        """Return the place: of equally near notes, those first that share the most links."""
        metadata = note_table.metadata(route.note_id)
        shared = len(own & frozenset(links(route.note_id)))
        return -route.activation, -shared, -metadata.timestamp, metadata.path

    def row_of(route: Route) -> Row:
        last = route.trail[-1]
        is_direct = len(route.trail) == 2
        is_to = last in linked_to
        is_from = is_direct and row.note_id in _linked_to(snapshot, names, last)
        link = "both" if is_to and is_from else "to" if is_to else "from" if is_from else ""
        way = [snapshot.shown(each) for each in route.trail]
        metadata = way[-1]
        between = " → ".join(each.title for each in way[1:-1])
        titles = " → ".join(one_line(each.title) for each in way)
        place = one_line(screen.path_from_here(metadata.path))
        document = {
            **_named(metadata),
            "kind": metadata.kind,
            "archived": metadata.archived,
            "activation": route.activation,
            "link": link,
            "way": [each.path for each in way],
        }
        return Row(
            f"{route.activation:.3f}\t{place}\t{titles}",
            document,
            metadata.path,
            metadata.title,
            f"{route.activation:.2f}",
            f"via {between}" if between else "",
        )

    active = (each for each in routes if archived or not note_table.rows[each.note_id].archived)
    found = [row_of(route) for route in sorted(active, key=order)]
    hidden = {row.note_id, *own}
    nearest = (
        each
        for hook in hooks("near", vault.config)
        for each in hook(vault, snapshot, row.note_id)
    )
    outside = (each for each in nearest if each not in hidden)
    near = [metadata for each in outside if not (metadata := snapshot.shown(each)).archived]
    return snapshot.shown(row.note_id), found, near[:NEAR]


def _linked_to(snapshot: Snapshot, names: NameTable, note_id: int) -> set[int]:
    table = snapshot.note_table
    path = table.rows[note_id].path
    targets = (names.best_link(link, path) for link in table.read_record(note_id).links)
    return {table.ids[target] for target in targets if target and target in table.ids}


def _named(metadata: NoteMetadata) -> dict[str, object]:
    return {"path": metadata.path, "title": metadata.title}
