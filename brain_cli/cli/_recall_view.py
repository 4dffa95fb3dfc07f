"""Show the answer of a recall: the view for its format, the text, and the hints on stderr."""

from __future__ import annotations

from brain_cli.answer.results import Recall
from brain_cli.cli._output import say, view
from brain_cli.cli._request import RecallRequest
from brain_cli.cli._workspace import Workspace
from brain_cli.render import View, load_format
from brain_cli.render.traits import traits_of


def recall_view(request: RecallRequest, workspace: Workspace, format_name: str) -> View:
    """Return the view for a format; raise UsageError for a field that it does not have."""
    load_format(format_name)
    fields: tuple[str, ...] = ()
    if request.fields is not None:
        from brain_cli.render.fields import read_fields

        fields = read_fields(request.fields, format_name)
    return view(
        workspace,
        explain=request.explain or "steps" in fields,
        separator="\0" if request.nul else "\n",
        fields=fields,
        budget=request.budget or 0,
    )._replace(
        same_vault=request.options.same_vault(str(request.flags.get("memory") or "")),
        # A number that was asked for overrules how many results a terminal usually lists.
        listed=int(str(request.flags.get("limit") or 0)),
    )


def recall_text(format_name: str, recall: Recall, screen: View) -> str:
    """Return the answer in a format, within the budget of the view if it has one."""
    if screen.budget and not traits_of(format_name).keeps_budget:
        from brain_cli.render.budget import bounded_text

        return bounded_text(format_name, recall, screen)
    return load_format(format_name).render(recall, screen)


def say_hints(recall: Recall, format_name: str) -> None:
    """Write hints to stderr for plain formats: how the query was read, why nothing was found, and what to try."""
    if recall.problem:
        say(recall.problem)
    for typed, near in recall.corrections:
        say(f"“{typed}” is in no note of this vault. Did you mean “{near}”?")
    if recall.results or traits_of(format_name).for_people:
        return
    from brain_cli.render.phrases import archive_found, nothing_found

    say(f"{nothing_found(recall)} {archive_found(recall)}")
    if recall.suggestions:
        say(f"Related topics you have memories about: {', '.join(recall.suggestions)}")
