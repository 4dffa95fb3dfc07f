"""The error boundary of a command: every exception becomes an exit code and one sentence on stderr,
with a hint.
"""

import os
import re
from collections.abc import Sequence
from typing import Any

from brain_cli.cli import verbs
from brain_cli.cli._quick import (
    HELP,
    first_word,
    is_command,
    options_of,
    quick_arguments,
    with_verb,
)
from brain_cli.errors import (
    BUG,
    FAILED,
    INTERRUPTED,
    OK,
    WRONG_USAGE,
    BrainError,
    NoVaultError,
    UsageError,
    space_advice,
)
from brain_cli.extension import read_others
from brain_cli.option_table import COMMON
from brain_cli.paths import make_private_folder, state_home
from brain_cli.process import command_context, process_context, using_context
from brain_cli.streams import say

# How Typer begins the message about one argument or several too many.
EXTRA = "Got unexpected extra argument"
# How Typer says that a value is not a number, or not one of those that are taken.
NOT_A_NUMBER = r"(?s)'?(.*?)'? is not (?:a valid (?:int|float)|in the range)"
# A word of a question that begins with the name of a command: “status of the boat”.
PLAIN_WORD = r"(?!.*\.md$)[\w'’][\w'’.,?!-]*"


def run_here(arguments: list[str], stdin: bytes | None) -> int:
    """Run one command with the streams and the environment of this process; `stdin` is its input if
    that was read already.
    """
    with using_context(process_context(stdin)):
        return run_command(arguments)


def run_command(arguments: list[str]) -> int:
    """Run one command and return its exit code; it is fine where the reader of stdout has gone.

    Only an answer is written to stdout, and no traceback to stderr.
    """
    try:
        return _run(arguments)
    except BrokenPipeError:
        return OK
    except SystemExit as exited:
        # click treats a closed pipe as a failure and exits with 1.
        if isinstance(exited.__context__, BrokenPipeError):
            return OK
        raise
    except BrainError as error:
        is_of_words = isinstance(error, UsageError | NoVaultError)
        question = question_hint(arguments, error.message) if is_of_words else ""
        say(error.message, f"{error.hint} {question}".strip())
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if not (advice := space_advice(error)):
            return _unexpected(error, arguments)
        say(f"{error.filename or 'This'} cannot be used: {error.strerror}.", advice)
        return FAILED
    except MemoryError:
        say("There is not enough memory for this.", "Close other programs, or ask for less.")
        return FAILED
    except Exception as error:
        # Python 3.11 wraps an exception that interrupts the creation of a class.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return INTERRUPTED
        return _unexpected(error, arguments)


def _run(arguments: list[str]) -> int:
    match arguments:
        # One word, or several in quotes.
        case ["help", words] if words not in ("all", *HELP) and not is_command(words):
            from brain_cli.cli._help import print_options_about

            return print_options_about(words)
    arguments = with_verb(arguments)
    if read := quick_arguments(arguments):
        from brain_cli.cli.common import run_verb

        return run_verb(*read)
    if "_BRAIN_COMPLETE" in os.environ or not {*HELP}.isdisjoint(arguments):
        read_others()
    from brain_cli.cli._app import command_line

    code = command_line()(args=arguments, prog_name="brain", standalone_mode=False)
    return code if isinstance(code, int) else OK


def _unexpected(error: Exception, arguments: Sequence[str]) -> int:
    import typer

    if isinstance(error, typer.Abort):
        return INTERRUPTED
    if hasattr(
        error, "format_message"
    ):  # what every error of the command line has, in each version of Typer
        say(_usage_message(error), _usage_hint(error, arguments))
        return WRONG_USAGE
    say(
        f"This is a bug in brain: {type(error).__name__}.",
        f"The traceback is in {log_traceback(arguments)}.",
    )
    return BUG


def log_traceback(arguments: Sequence[str]) -> str:
    """Append the traceback of the current exception to the user's log; return the path of
    the log.
    """
    import time
    import traceback

    folder = os.path.join(state_home(command_context().environ), "brain")
    path = os.path.join(folder, "errors.log")
    try:
        make_private_folder(folder)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with open(handle, "a", encoding="utf-8", errors="backslashreplace") as log:
            command = "".join(each for each in arguments[:1] if each in verbs())
            # Log only the command, not its arguments: queries are private, and a log may be sent
            # with a bug report.
            os.fchmod(handle, 0o600)
            log.write(
                f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {command}\n{traceback.format_exc()}\n"
            )
    except OSError:
        command_context().err(traceback.format_exc())
        return "the lines above"
    return path


def _usage_message(error: Any) -> str:
    """Return the message of an error of usage; for a missing argument also the help of that
    argument.
    """
    import typer
    from typer.core import TyperArgument

    # A missing parameter has no message of its own.
    if (
        isinstance(error, typer.BadParameter)
        and not error.message
        and error.param
        and error.ctx
    ):
        # `brain snooze grpc` lacks the last argument, not NOTE…, which takes all that is left.
        param = _arguments_of(error)[-1] if error.param.nargs == -1 else error.param
        about = getattr(param, "help", "") or ""
        what = f": {about[0].lower()}{about[1:]}" if about else "."
        name = (
            param.make_metavar(error.ctx) if isinstance(param, TyperArgument) else param.opts[0]
        )
        return f"{name.partition(':')[0]} is missing{what}"
    if hasattr(error, "possibilities"):
        near = " or ".join(f"'{each}'" for each in sorted(error.possibilities or ()))
        return (
            f"No such option '{error.option_name}'.{f' Did you mean {near}?' if near else ''}"
        )
    if number := re.match(NOT_A_NUMBER, str(getattr(error, "message", ""))):
        return _what_it_takes(error.param, number[1])
    message = str(error.format_message())
    if message.startswith(EXTRA):
        which = message.removeprefix(EXTRA).removeprefix("(s)").removeprefix("s")
        return f"Too many arguments{which}."
    return message


def _arguments_of(error: Any) -> list[Any]:
    """Return the arguments of the command that was misused."""
    from typer.core import TyperArgument

    context = getattr(error, "ctx", None)
    params = context.command.params if context else ()
    return [each for each in params if isinstance(each, TyperArgument)]


def _what_it_takes(param: Any, value: str) -> str:
    """Return which numbers an option or argument takes."""
    kind = param.type
    takes = "a whole number" if kind.name.startswith("int") else "a number"
    for word, name in (("from", "min"), ("to", "max")):
        bound = getattr(kind, name, None)
        takes += f" {word} {bound:g}" if bound is not None else ""
    name = max(param.opts, key=len)
    name = name if name.startswith("-") else name.upper()
    return f"{name} takes {takes}; “{value}” is not one."


def _usage_hint(error: Any, arguments: Sequence[str]) -> str:
    """Return the hint for an error of usage; words that may be a question can be recalled."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "brain"
    hint = f"See `{path} --help`."
    takes_note = any(
        (each.metavar or "").startswith("NOTE") for each in _arguments_of(error)[:1]
    )
    if takes_note and EXTRA in error.format_message():
        hint = f"Put a name of several words in quotes: {path} 'my note'."
    unknown = error.option_name if hasattr(error, "possibilities") else ""
    return f"{hint} {question_hint(arguments, unknown=unknown)}".strip()


def question_hint(arguments: Sequence[str], message: str = "", *, unknown: str = "") -> str:
    """Return how to recall the words of a command line that cannot be run, if they may be a
    question that begins with the name of a command; else nothing.

    A `message` about the command line quotes one of them. An `unknown` option may be one of another
    program, or of a recall.
    """
    import shlex  # few commands end with this hint

    words = arguments[first_word([*arguments], COMMON) :]
    options = options_of("remember")
    start = first_word([*words], options)
    if unknown in options and (start or words[1][:1] != "-"):
        words = [*words[start:], *words[:start]]
        return f"To recall the words: brain remember {shlex.join(words)}"
    name, *others = words or [""]
    if name == "remember" or not is_command(name):
        # Many programs have an option -n, without a number behind it.
        may_be_question = bool(unknown) or ("-n" in others and not message)
    else:
        may_be_question = (
            all(re.fullmatch(PLAIN_WORD, each) for each in others)
            and any(map(str.isalpha, others))
            and (not message or any(word in message for word in others))
            # `config set limit 5` has more words.
            and not (name == "config" and len(others) > 1)
        )
    if not may_be_question:
        return ""
    return f"To recall the words: brain -- {shlex.join(words[name == 'remember' :])}"
