"""Write messages for wrong command lines: an unknown command, a missing argument, one too many."""

from __future__ import annotations

import click

from brain_cli.cli import COMMANDS
from brain_cli.errors import did_you_mean

# The names that other programs have for a command.
OTHER_WORDS = {
    "remember": ("ask", "find", "grep", "query", "recall", "search"),
    "add": ("create", "insert", "new", "note", "save", "write"),
    "show": ("cat", "print", "read", "view"),
    "open": ("edit",),
    "recent": ("latest", "list", "log", "ls", "today"),
    "related": ("backlinks", "graph", "links"),
    "status": ("info", "stats"),
    "doctor": ("check", "lint"),
    "forget": ("delete", "remove", "rm", "trash"),
    "index": ("build", "rebuild", "refresh", "reindex", "sync", "update", "watch"),
    "config": ("settings",),
    "feedback": ("rate", "vote"),
    "daemon": ("serve", "server", "start", "stop"),
    "--version": ("version",),
}


def unknown_command_hint(name: str) -> str:
    """Return the hint for an unknown command: the name here of another program's command, else the nearest."""
    meant = next((ours for ours, words in OTHER_WORDS.items() if name.lower() in words), "")
    if meant:
        return f"Did you mean `brain {meant}`?"
    hint = did_you_mean(name, COMMANDS)
    return hint if hint.startswith("Did") else "`brain --help` lists the commands."


def usage_message(error: click.ClickException) -> str:
    """Return the message of an error of usage; for a missing argument also the help of that argument."""
    if isinstance(error, click.MissingParameter) and error.param is not None and error.ctx is not None:
        about = getattr(error.param, "help", "") or ""
        name = error.param.make_metavar(error.ctx) if isinstance(error.param, click.Argument) else error.param.opts[0]
        return f"{name.partition(':')[0]} is missing{': ' + _clause(about) if about else '.'}"
    message = error.format_message()
    if isinstance(error, click.UsageError) and message.startswith("Got unexpected extra argument"):
        return message.replace("Got unexpected extra argument", "Too many arguments") + "."
    return message


def usage_hint(error: click.ClickException) -> str:
    """Return the hint for an error of usage."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "brain"
    if _is_unquoted_name(error, context):
        return f"Put a name of several words in quotes: {path} 'my note'."
    return f"See `{path} --help`."


def _is_unquoted_name(error: click.ClickException, context: click.Context | None) -> bool:
    if context is None or "unexpected extra argument" not in error.format_message():
        return False
    first = next((each for each in context.command.params if isinstance(each, click.Argument)), None)
    return first is not None and (first.metavar or "").startswith("NOTE")


def _clause(about: str) -> str:
    return f"{about[0].lower()}{about[1:]}" if about[1:2].islower() or about[1:2] == " " else about
