"""The generated parts of the README and the docs: commands with their real output, and tables of
constants.

cog calls these functions from comments in the pages; `python tests/docs/regenerate.py` writes all
pages anew.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import typer

from brain_cli import errors
from brain_cli.cli import verbs
from brain_cli.cli._app import Command, Context, command_named
from brain_cli.config.schema import all_settings
from brain_cli.ranking.scorers import SCORERS, scorer_class

ROOT = Path(__file__).parents[2]
# A test may name a program that starts more quickly.
BRAIN = (
    [os.environ["BRAIN_TEST_PROGRAM"]]
    if "BRAIN_TEST_PROGRAM" in os.environ
    else [sys.executable, "-m", "brain_cli"]
)

EXITS = {
    "OK": "something was recalled, be it from the archive, or what was asked for is done",
    "NOTHING_FOUND": "nothing was found, or a measure of `brain eval` stays below its `--min`",
    "WRONG_USAGE": "wrong usage or configuration; stderr says what to write instead",
    "FAILED": "failed, and stderr says why: no vault, an index that cannot be read, a lock that is not free",
    "BUG": "a bug of brain's; stderr names the file with the traceback",
    "INTERRUPTED": "interrupted",
}
SCHEMA = ROOT / "docs" / "remember.schema.json"
LONGEST_TEXT = 64


@cache
def _folder() -> str:
    """A home with copies of the sample vault and the docs; commands run in it, and share its cache."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    for vault in ("sample_vault", "docs"):
        shutil.copytree(ROOT / vault, Path(folder.name) / vault)
    return folder.name


# They make an example print the same on every day, and are explained once in the README.
SAME_EVERY_DAY = " --now 2026-11-21 --no-touch"


def example(*commands: str) -> str:
    """Run commands on a fixed day and return them, without the options for that, with their output
    as a code block.
    """
    return console(*(f"{command}{SAME_EVERY_DAY}" for command in commands)).replace(
        SAME_EVERY_DAY, ""
    )


def console(*commands: str) -> str:
    """Run commands as a reader would, and return them with their output as a code block."""
    shown = [f"$ {command}\n{_output(command)}" for command in commands]
    return "```console\n" + "\n".join(shown) + "```"


def _output(command: str) -> str:
    """Return the stdout of a command, in its terminal form, 80 columns wide and 30 rows high."""
    folder = _folder()
    environment = {
        "PYTHONPATH": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": folder,
        "COLUMNS": "80",
        "LINES": "30",
        "LC_ALL": "C.UTF-8",
    }
    program, *arguments = shlex.split(command)
    if "remember" in arguments and not {"--json", "--format", "--help"}.intersection(arguments):
        arguments += ["--format", "rich"]
    done = subprocess.run(
        [*BRAIN, *arguments] if program == "brain" else ["sh", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def commands() -> str:
    """The table of commands, as `brain --help` has it."""
    rows = (f"| `brain {name}` | {verb.about} |" for name, verb in verbs().items())
    return "\n".join(("| command | what it does |", "|---|---|", *rows))


def options() -> str:
    """Every command with its help and its options, from the signatures."""
    return "\n\n".join(_command(name) for name in verbs())


def _command(name: str) -> str:
    command = command_named(name)
    context = context_of(command, f"brain {name}")
    records = [each.get_help_record(context) for each in command.get_params(context)]
    shown_names = [
        (names.replace("|", r"\|"), " ".join(about.split()))
        for names, about in filter(None, records)
    ]
    rows = [f"| `{names}` | {text} |" for names, text in shown_names if text]
    about, _, examples = str(command.help).partition("\n\nExamples:\n")
    shown = f"\n```sh\n{textwrap.dedent(examples)}\n```" if examples else ""
    table = "\n".join(("", "| option | |", "|---|---|", *rows))
    return f"### {context.command_path}\n\n{about.strip()}\n{shown}\n{table}"


def context_of(command: Command, path: str) -> Context:
    """Return the context of a command; with its own settings, because it keeps the names of the
    help option.
    """
    return typer.Context(command, info_name=path, **command.context_settings)


def exit_codes() -> str:
    """The exit codes, each with what it says."""
    codes = {
        name: value
        for name, value in vars(errors).items()
        if name.isupper() and isinstance(value, int)
    }
    assert codes.keys() == EXITS.keys(), (
        "an exit code has come or gone: say what it means in EXITS"
    )
    return "\n".join(
        (
            "| exit code | |",
            "|---:|---|",
            *(f"| {codes[name]} | {EXITS[name]} |" for name in codes),
        )
    )


def settings() -> str:
    """The table of settings: what each means, the values it takes, and whether a vault may set it."""
    rows = (
        f"| `{name}` | {each.help} | {each.value.takes} | {'no' if each.user_only else 'yes'} |"
        for name, each in all_settings().items()
    )
    return "\n".join(
        ("| setting | meaning | takes | may a vault set it? |", "|---|---|---|---|", *rows)
    )


def json_document(command: str) -> str:
    """The JSON of a recall, shortened: the first of each list of objects, and the beginning of long
    texts.
    """
    found = json.loads(_output(command))
    found |= {"vault": "/home/me/sample_vault", "elapsed_ms": 11.8}
    return f"```console\n$ {command}\n{_written(_shortened(found))}\n```"


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(part) for key, part in value.items()}
    if isinstance(value, list):
        return [
            _shortened(part)
            for part in (value[:1] if value and isinstance(value[0], dict) else value)
        ]
    if isinstance(value, float):
        return round(value, 3)
    return (
        textwrap.shorten(value, LONGEST_TEXT, placeholder=" …")
        if isinstance(value, str)
        else value
    )


def _written(value: Any, indent: str = "") -> str:
    """JSON with every value that fits on one line on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= 100 or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        parts = [_written(part, inner) for part in value]
        return f"[\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}]"
    parts = [f"{json.dumps(key)}: {_written(part, inner)}" for key, part in value.items()]
    return f"{{\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}}}"


def json_keys() -> str:
    """The table of the document's keys, as `docs/remember.schema.json` has them."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return "\n".join(("| key | type | what it says |", "|---|---|---|", *_keys(schema, "", [])))


def _keys(kind: Mapping[str, Any], prefix: str, told: list[object]) -> Iterator[str]:
    """The rows of one object's keys, then those of the objects in it; each kind of object is told
    once.
    """
    inner = []
    for key, each in kind["properties"].items():
        yield f"| `{prefix}{key}` | {_json_type(each)} | {each['description']} |"
        is_list = each.get("type") == "array"
        part = each["items"] if is_list else each.get("anyOf", [each])[0]
        if "properties" in part and part not in told:
            told.append(part)
            inner.append((part, f"{prefix}{key}{'[]' * is_list}."))
    for part, name in inner:
        yield from _keys(part, name, told)


def _json_type(kind: Mapping[str, Any]) -> str:
    if "anyOf" in kind:
        return " or ".join(map(_json_type, kind["anyOf"]))
    if kind["type"] == "array":
        return f"list of {_json_type(kind['items'])}s"
    return str(kind["type"])


def scorers() -> str:
    """The reference of the formulas: each file's own docstring, and the constants as its fields
    have them.
    """
    return "\n\n".join(_scorer(name) for name in SCORERS)


def _scorer(name: str) -> str:
    formula = scorer_class(name)
    document, _, publication = (sys.modules[formula.__module__].__doc__ or "").partition(
        "\n\nPublication:"
    )
    summary, _, printed = document.rstrip().partition("\n\n")
    published = formula.constants()
    constants = ", ".join(
        f"`{name}` {_published(each.published)}" for name, each in published.items()
    )
    source = f" Publication: {' '.join(publication.split())}" if publication else ""
    return (
        f"**`{name}`**: {summary}\n\n```text\n{printed}\n```\n\nConstants: {constants}.{source}"
    )


def _published(value: object) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{kind} {number:g}" for kind, number in value.items()) + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)
