"""`brain bench`: time brain on a vault beside other programs, and measure recall on judged sets beside plain BM25."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from brain_cli.cli._options import JsonOption
from brain_cli.cli._output import write, write_json
from brain_cli.errors import OK, UsageError
from brain_cli.plugins.evaluation.eval import Evaluation, evaluated
from brain_cli.plugins.evaluation.made_vault import FRAGMENTS_PER_NOTE, write_vault
from brain_cli.plugins.evaluation.summary import markdown
from brain_cli.plugins.evaluation.timing import PYTHON, Speed, speed
from brain_cli.version import VERSION

NOTES = 1_000
SECTIONS_PER_NOTE = sum(FRAGMENTS_PER_NOTE) // 2
ROUNDS = 9

FolderArgument = Annotated[str | None, typer.Argument(metavar="DIR", hidden=True, show_default=False)]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="DIR", help="Also ask a judged set, as `brain eval` does; repeat it for more."),
]
NotesOption = Annotated[
    int, typer.Option("--notes", metavar="N", min=10, help="The size of the vault that is made without DIR.")
]
RoundsOption = Annotated[int, typer.Option("--rounds", metavar="N", min=1, help="How often each command is run.")]


def command(
    folder: FolderArgument = None,
    sets: SetOption = None,
    notes: NotesOption = NOTES,
    rounds: RoundsOption = ROUNDS,
    json: JsonOption = False,
) -> int:
    """Time brain beside other programs, on a copy of DIR or on a vault made for it.

    Each command is a process of its own, in turns with the others. Figures are medians: milliseconds by the clock and
    of the processor, and multiples of `python -c pass` in the same run, which hold on other machines too. ripgrep and
    an FTS5 table of SQLite are asked the same questions. A judged set is asked as by `brain eval`.

    Examples:
      brain bench
      brain bench ~/notes --rounds 5
      brain bench --set questions --json > figures.json
    """
    if folder is not None and not os.path.isdir(folder):
        raise UsageError(f"There is no folder {folder}.", "Name a folder of notes, or none.")
    evaluations = [evaluated(Evaluation(each)) for each in sets or ()]
    found = _speed(folder, notes, rounds)
    if json:
        commands = {name: each._asdict() for name, each in found.commands.items()}
        recall = [each.document for each in evaluations]
        write_json({**_circumstances(), "speed": {**found._asdict(), "commands": commands}, "recall": recall})
    else:
        write("\n".join([_table(found), *(f"{each.document['set']}\n\n{each.table}" for each in evaluations)]))
    return OK


def _speed(folder: str | None, notes: int, rounds: int) -> Speed:
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as home:
        vault = Path(home, "notes")
        if folder is None:
            write_vault(vault, notes * SECTIONS_PER_NOTE)
        else:
            shutil.copytree(folder, vault, symlinks=True, ignore_dangling_symlinks=True)
        return speed(vault, Path(home), rounds)


def _circumstances() -> dict[str, object]:
    """Return what the figures depend on."""
    cores, python = os.cpu_count(), platform.python_version()
    return {
        "brain": VERSION,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.system()}, {platform.machine()}, {cores} cores, Python {python}",
        "load": round(os.getloadavg()[0], 1),
    }


def _table(found: Speed) -> str:
    rows = [(f"{found.notes:,} notes", "ms", "ms CPU", f"× {PYTHON}")]
    for name, each in found.commands.items():
        rows.append((name, f"{each.clock_ms:.0f}", f"{each.cpu_ms:.0f}", f"{each.multiple:.1f}"))
    rows.append(("most memory of a full build", f"{found.full_peak_mib:.0f} MiB", "", ""))
    rows.append(("memory of the watcher", f"{found.watcher_mib:.0f} MiB", "", ""))
    return markdown(rows)
