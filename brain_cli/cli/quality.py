"""`brain quality`: show the quality of a note by its features, and how to improve it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain_cli.cli._note import note_named, opened
from brain_cli.cli._options import NoteArgument
from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import OK
from brain_cli.printable import one_line
from brain_cli.vault.decode import decode
from brain_cli.vault.quality import Feature, features_of


def command(options: CommonOptions, note: NoteArgument) -> int:
    """Show the quality of a note by its features, and how to improve it.

    Examples:
      brain quality grpc
    """
    workspace = options.open_workspace()
    path = note_named(workspace, note)
    found = features_of(decode(opened(workspace, path).raw).text)
    quality = round(sum(feature.share for feature in found), 2)
    if options.json:
        write_json({"path": path, "quality": quality, "features": [feature._asdict() for feature in found]})
    else:
        write_lines(_lines(path, quality, found))
    return OK


def _lines(path: str, quality: float, found: Sequence[Feature]) -> Iterator[str]:
    yield one_line(f"{quality:.2f}  {path}")
    for feature in found:
        lacks = "" if feature.share >= feature.most else f"  {feature.advice}"
        yield f"  {feature.name:<12} {feature.share:.2f} of {feature.most:.2f}{lacks}"
