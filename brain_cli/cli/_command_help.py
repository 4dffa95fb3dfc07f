"""The `--help` of one command: its options, grouped by purpose if there are many, and examples at the end."""

from __future__ import annotations

import click
from typer.core import TyperCommand

# With more options than this, a command's help sorts them into groups.
MAX_UNGROUPED = 16
GROUPS = {
    "Filters": ("--type", "--tag", "--path", "--since", "--before", "--where", "--archived"),
    "Query": ("--words", "--recent", "--batch"),
    "Ranking": ("--scorer", "--profile", "--min-score", "--mmr", "--sort", "--project", "--topics", "--task"),
    "Output": ("-n", "-i", "--explain", "--format", "--json", "--fields", "--budget", "-0", "--no-synthesis"),
}
ARGUMENTS, OPTIONS, OTHERS = "Arguments", "Options", "Other options"


class CommandWithExamples(TyperCommand):
    """A click command whose help groups its options and ends with examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = [each for each in self.get_params(ctx) if each.get_help_record(ctx)]
        groups = GROUPS if len(parameters) > MAX_UNGROUPED else {}
        for title in (ARGUMENTS, *groups, OTHERS if groups else OPTIONS):
            records = [each.get_help_record(ctx) for each in parameters if _group(each, groups) == title]
            if records:
                with formatter.section(title):
                    formatter.write_dl([record for record in records if record])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from brain_cli.cli._examples import EXAMPLES

        if examples := EXAMPLES.get(self.name or ""):
            with formatter.section("Examples"):
                formatter.write("".join(f"{'':>{formatter.current_indent}}{example}\n" for example in examples))


def _group(parameter: click.Parameter, groups: dict[str, tuple[str, ...]]) -> str:
    if isinstance(parameter, click.Argument):
        return ARGUMENTS
    found = (title for title, names in groups.items() if parameter.opts[0] in names)
    return next(found, OTHERS if groups else OPTIONS)
