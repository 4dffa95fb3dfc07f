"""`brain recent`: list the newest notes, those of this project first."""

from brain_cli.answer.results import Ranked, Recall
from brain_cli.cli.common import CommonOptions, view
from brain_cli.cli.options import (
    AsOfOption,
    KindsOption,
    ProjectOption,
    SinceOption,
    UntilOption,
)
from brain_cli.cli.recall import say_of_filters, say_undated
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import SessionOptions
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line
from brain_cli.render import View
from brain_cli.render.formats import Row, load_format
from brain_cli.render.json_text import result
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.streams import say, write
from brain_cli.vault.clock import iso_date


def command(
    options: CommonOptions,
    since: SinceOption = None,
    until: UntilOption = None,
    kinds: KindsOption = None,
    project: ProjectOption = None,
    as_of: AsOfOption = None,
) -> int:
    """List the newest notes: this project's handoffs, its other notes, then those of the vault.

    With --project only that project's notes are listed.

    Examples:
      brain recent --since 2w
      brain recent --type decision -n 5
    """
    filters = Filters.of(
        type=kinds, since=since, before=until, where=project and f"project={project}"
    )
    vault = options.open_any_vault({"limit": options.limit}).at(as_of)
    return _list(options, vault, filters, project)


def _list(options: CommonOptions, vault: Vault, filters: Filters, project: str | None) -> int:
    query = Query("", filters, recent=True)

    dated: list[bool] = []

    def see(found: Snapshot, listed: Recall) -> None:
        say_of_filters(vault, query, found, listed)
        table = found.note_table
        dated.extend(table.stated_date(each.note_id) is not None for each in listed.results)
        if not all(dated):
            say_undated(
                table.undated,
                table.notes,
                "They come last." if any(dated) else "They are listed by path.",
            )

    # A listed note does not count as recalled, so nothing is recorded.
    listed = vault.answer(query, SessionOptions(project), touch=True, on_answer=see)
    shown = view(vault)
    if options.list_format == "json":
        write(load_format("json").render(listed, shown))
    else:
        rows = [
            _row(each, shown, is_dated=is_dated)
            for each, is_dated in zip(listed.results, dated, strict=True)
        ]
        options.list_rows("results", rows, notes_of=vault)
    if filters and listed.considered > len(listed.results):
        say("There are more; -n sets how many are listed.")
    if not listed.results:
        say("No notes match." if filters else "There are no notes in this vault yet.")
    return OK if listed.results else NOTHING_FOUND


def _row(ranked: Ranked, shown: View, *, is_dated: bool) -> Row:
    metadata = ranked.metadata
    day = iso_date(metadata, shown.zone)[:10] if is_dated else "-"
    columns = (day, metadata.dated_by, shown.path_from_here(metadata.path), metadata.title)
    remark = f"({metadata.kind})" if metadata.kind else ""
    line = "\t".join(map(one_line, columns))
    document = result(ranked, shown.zone, explain=False)
    return Row(line, document, metadata.path, metadata.title, day, remark)
