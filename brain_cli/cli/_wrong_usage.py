"""Write messages for wrong command lines: an unknown command, a missing argument, one too many."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperArgument

from brain_cli.cli import verbs
from brain_cli.cli._output import say
from brain_cli.errors import UsageError

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
    "mv": ("move", "rename"),
    "forget": ("delete", "remove", "rm", "trash"),
    "index": ("build", "rebuild", "refresh", "reindex", "sync", "update", "watch", "serve", "server", "start", "stop"),
    "config": ("settings",),
    "feedback": ("rate", "vote"),
    "--version": ("version",),
}

# How Typer begins the message about one argument or several too many.
EXTRA = "Got unexpected extra argument"


def check_mistyped_command(word: str) -> None:
    """Raise UsageError if a word is nearly the name of a command; say which command another program's word means."""
    from difflib import get_close_matches

    if " " in word:
        return
    if near := get_close_matches(word, verbs(), n=1, cutoff=0.75):
        raise UsageError(
            f"There is no command “{word}”.", f"Did you mean `brain {near[0]}`? To recall the word: brain -- {word}"
        )
    if meant := next((ours for ours, words in OTHER_WORDS.items() if word.lower() in words), ""):
        say(f"“{word}” is no command, so it was recalled. Did you mean `brain {meant}`?")


def usage_message(error: Any) -> str:
    """Return the message of an error of usage; for a missing argument also the help of that argument."""
    # A missing parameter has no message of its own.
    if isinstance(error, typer.BadParameter) and not error.message and error.param and error.ctx:
        # `brain snooze grpc` lacks the last argument, not NOTE…, which takes all that is left.
        last = [each for each in error.ctx.command.params if isinstance(each, TyperArgument)][-1:]
        param = last[0] if error.param.nargs == -1 and last else error.param
        about = getattr(param, "help", "") or ""
        name = param.make_metavar(error.ctx) if isinstance(param, TyperArgument) else param.opts[0]
        return f"{name.partition(':')[0]} is missing{': ' + _clause(about) if about else '.'}"
    if hasattr(error, "possibilities"):
        near = " or ".join(f"'{each}'" for each in sorted(error.possibilities or ()))
        return f"No such option '{error.option_name}'.{f' Did you mean {near}?' if near else ''}"
    message = str(error.format_message())
    if message.startswith(EXTRA):
        return f"Too many arguments{message.removeprefix(EXTRA).removeprefix('(s)').removeprefix('s')}."
    return message


def usage_hint(error: Any) -> str:
    """Return the hint for an error of usage."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "brain"
    if _is_unquoted_name(error, context):
        return f"Put a name of several words in quotes: {path} 'my note'."
    return f"See `{path} --help`."


def _is_unquoted_name(error: Any, context: Any) -> bool:
    if context is None or EXTRA not in error.format_message():
        return False
    first = next((each for each in context.command.params if isinstance(each, TyperArgument)), None)
    return first is not None and (first.metavar or "").startswith("NOTE")


def _clause(about: str) -> str:
    return f"{about[0].lower()}{about[1:]}" if about[1:2].islower() or about[1:2] == " " else about
