"""`brain index`: update the index and report what changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from brain_cli.cli.common import CommonOptions
from brain_cli.errors import OK, UsageError
from brain_cli.extension import hooks
from brain_cli.index.directory import read_note_table
from brain_cli.index.sync import Refreshed
from brain_cli.library.vault import Vault
from brain_cli.printable import counted
from brain_cli.streams import write_json, write_lines

if TYPE_CHECKING:
    from brain_cli.cli import options as option


def command(
    options: CommonOptions,
    full: Annotated[bool, option.flag("--full", "Rebuild the whole index.")] = False,
    watch: Annotated[
        bool,
        option.flag(
            "--watch", "Keep it up to date until stopped, and answer recalls from memory."
        ),
    ] = False,
    poll: Annotated[
        float,
        option.flag(
            "--poll SECONDS",
            "With --watch: scan this often, instead of on file events.",
            show_default=False,
        ),
    ] = 0.0,
    detach: Annotated[
        bool, option.flag("--detach", "With --watch: do so in the background.")
    ] = False,
    idle: Annotated[
        float,
        option.flag(
            "--idle MINUTES",
            "With --watch: end after so long without a recall.",
            show_default=False,
        ),
    ] = 0.0,
    stop: Annotated[
        bool,
        option.flag(
            "--stop", "Stop the daemons that keep an index; of one vault with --vault."
        ),
    ] = False,
    status: Annotated[bool, option.flag("--status", "List the running daemons.")] = False,
) -> int:
    """Update the index from the notes.

    Examples:
      brain index
      brain index --watch --detach
      brain index --stop
    """
    if min(poll, idle) < 0:
        raise UsageError("--poll and --idle take a number above 0.", "Leave them out.")
    if (poll or idle) and not (watch or detach):
        raise UsageError(
            "--poll and --idle go with --watch.", "Type `brain index --watch --poll 5`."
        )
    if stop or status or detach or watch:
        # Imported here, because a refresh starts and stops no processes.
        from brain_cli.cli import run_daemon

        if stop or status:
            return run_daemon.report_daemons(options, stops=stop)
        vault = options.open_vault()
        if detach:
            return run_daemon.detach(vault, idle)
        return run_daemon.watch(vault, poll, idle * 60, options.added)
    vault = options.open_vault()
    return run(vault, full=full, as_json=options.json, added=options.added)


def run(
    vault: Vault,
    *,
    full: bool,
    as_json: bool,
    added: Mapping[str, object] = MappingProxyType({}),
) -> int:
    """Refresh the index of a vault, let plugins do the same for what they keep of it, and print the
    counts.
    """
    done = vault.index(full=full)
    # The table as it was just written: to ask the session would look for changes once more.
    table = read_note_table(vault.index_directory)
    archived = len(table.archived) if table else 0
    document: dict[str, object] = {**done._asdict(), "archived": archived}
    if not as_json:
        write_lines([_sentence(done, archived)])
    try:
        for hook in hooks("refreshed", vault.config):
            if found := hook(vault, added):
                name, sentence, document[name] = found
                write_lines([] if as_json else [sentence])
    finally:
        if as_json:
            write_json(document)
    # Words are searchable by now. This takes longer, and resumes where it was interrupted.
    for hook in hooks("after_index", vault.config):
        hook(vault, added)
    return OK


def _sentence(done: Refreshed, archived: int) -> str:
    """Return the counts as `brain status` has them: archived notes are counted apart."""
    counts = (
        (done.added, "added"),
        (done.changed, "changed"),
        (done.removed, "removed"),
        (done.renamed, "renamed"),
    )
    changes = (
        ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    )
    notes = counted(done.notes - archived, "note")
    apart = f", {archived} archived" if archived else ""
    return f"{notes}{apart}, {counted(done.fragments, 'fragment')}: {changes}."
