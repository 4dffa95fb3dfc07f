"""The commands as typed: names, options and help; each hands over to its own file, which is imported only then."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from brain_cli.errors import WRONG_USAGE

app = typer.Typer(
    name="brain",
    help="A memory over a folder of markdown notes: it recalls the way memory works.",
    # click suggests the nearest command itself.
    suggest_commands=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Help in plain text: rich would double the time of `brain --help`.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

VaultOption = Annotated[str | None, typer.Option("--vault", metavar="DIR", help="The folder of notes.")]
NowOption = Annotated[str | None, typer.Option("--now", metavar="ISO", help="Set the clock.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ScorerOption = Annotated[str | None, typer.Option("--scorer", metavar="NAME", help="The formula that ranks.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"brain {version('brain-cli')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that every command takes may stand before it or after it."""
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        _leave(WRONG_USAGE)
    context.obj = {"vault": vault, "now": now, "json": json}


@app.command()
def remember(
    context: typer.Context,
    query: Annotated[list[str] | None, typer.Argument()] = None,
    limit: Annotated[int | None, typer.Option("-n", "--limit", metavar="N", help="Show at most this many.")] = None,
    scorer: ScorerOption = None,
    profile: Annotated[str | None, typer.Option("--profile", metavar="NAME", help="Named settings.")] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="NAME", help="Where you work; default: this repository.")
    ] = None,
    topics: Annotated[str | None, typer.Option("--topics", metavar="A,B", help="What you work on.")] = None,
    task: Annotated[str | None, typer.Option("--task", metavar="NAME", help="What kind of work it is.")] = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", metavar="KIND", help="Only notes of this kind; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag; -TAG leaves it out.")
    ] = None,
    path: Annotated[
        list[str] | None, typer.Option("--path", metavar="GLOB", help="Only notes whose path matches.")
    ] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="From then on: a date, or 2w.")] = None,
    before: Annotated[str | None, typer.Option("--before", metavar="DATE", help="Before: a date, or 3 months.")] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="KEY=VALUE", help="Only with this in the frontmatter.")
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Search the archive instead.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Take the query literally, without operators.")] = False,
    recent: Annotated[
        bool | None, typer.Option("--recent/--no-recent", help="Ask for the newest, whatever the words say.")
    ] = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", metavar="SHARE", help="Leave out what scores less, 0 to 1.")
    ] = None,
    mmr: Annotated[bool | None, typer.Option("--mmr/--no-mmr", help="Show near-duplicates behind the others.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
    no_touch: Annotated[bool, typer.Option("--no-touch", help="Record nothing of this recall.")] = False,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE", help="Answer JSON lines; - reads stdin.")
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option(
            "--format", metavar="NAME", show_default=False, help="auto, rich, plain, json, jsonl, paths, markdown."
        ),
    ] = "auto",
    null: Annotated[bool, typer.Option("-0", help="With --format paths: end each with NUL.")] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> None:
    """Recall what your notes know.

    QUERY is a question or a few words; - reads it from stdin.
    """
    from brain_cli.commands.remember import Request, run

    shared = context.obj
    _leave(
        run(
            Request(
                words=tuple(query or ()),
                vault=vault or shared["vault"],
                now=now or shared["now"],
                format="json" if json or shared["json"] else format,
                limit=limit,
                scorer=scorer,
                profile=profile,
                min_score=min_score,
                mmr=mmr,
                project=project,
                topics=topics,
                task=task,
                recent=recent,
                kinds=tuple(type_ or ()),
                tags=tuple(tag or ()),
                paths=tuple(path or ()),
                since=since,
                before=before,
                where=tuple(where or ()),
                archived=archived,
                literal=words,
                explain=explain,
                null=null,
                batch=batch,
            )
        )
    )


@app.command()
def index(
    context: typer.Context,
    full: Annotated[bool, typer.Option("--full", help="Build the index anew.")] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> None:
    """Bring the index up to date with the notes."""
    from brain_cli.commands.index import run

    shared = context.obj
    _leave(run(vault or shared["vault"], now or shared["now"], full=full, as_json=json or shared["json"]))


@app.command()
def score(
    scorer: ScorerOption = None,
    # It needs none of these; they may stand here as with every command.
    vault: Annotated[str | None, typer.Option("--vault", hidden=True)] = None,
    now: Annotated[str | None, typer.Option("--now", hidden=True)] = None,
    json: Annotated[bool, typer.Option("--json", hidden=True)] = False,
) -> None:
    """Evaluate a formula: JSON lines of signals in, of scores out."""
    from brain_cli.commands.score import run

    _leave(run(sys.stdin.buffer, scorer))


def _leave(code: int) -> None:
    raise typer.Exit(code)
