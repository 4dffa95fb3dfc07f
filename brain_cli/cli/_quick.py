"""Read the command lines of recalls and refreshes without Typer, whose import takes longer than a
short recall.

Anything unusual (help, a mistake) is left to Typer; tests compare the two readings. The options
come from the table that is generated from the signatures of the commands.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from brain_cli.cli import verbs
from brain_cli.errors import MISTYPED, UsageError, near_names
from brain_cli.extension import added_options, verb_named
from brain_cli.option_table import COMMON, OPTIONS, VERBS, WORDS, Options
from brain_cli.process import command_context
from brain_cli.streams import say

# The commands whose modules import no Typer; to add one, name it here and run
# tests/docs/regenerate.py.
QUICK = ("remember", "index")


def _positive(value: str) -> int:
    if int(value) < 1:
        raise ValueError
    return int(value)


HELP = ("-h", "--help", "--help-all")
READERS: Mapping[str | bool, Callable[[str], Any]] = {
    "text": str,
    "int": int,
    "float": float,
    "positive": _positive,
}


def with_verb(arguments: list[str]) -> list[str]:
    """Return a command line with its command: words that begin with none are recalled, also after
    `--`.

    Options of a recall may stand before the words, or before the command. Raise UsageError, on a
    terminal, if the one word is nearly the name of a command.
    """
    match arguments:
        case ["help"]:
            return ["--help"]
        case ["help", "all"]:
            return ["--help-all"]
        case ["help", word] if is_command(word):
            return [word, "--help"]
    start = first_word(arguments, COMMON)
    words = arguments[start:]
    if before := first_word(words, options_of("remember")):
        command = [each for each in words[before : before + 1] if is_command(each)]
        return [
            *arguments[:start],
            *(command or ["remember"]),
            *words[:before],
            *words[before + len(command) :],
        ]
    if not words:
        return arguments
    word = words[0]
    if (word.startswith("-") and word not in ("-", "--")) or is_command(word):
        return arguments
    is_one = len(words) == 1 or words[1].startswith("-")
    if is_one and command_context().screen().out and (near := command_near(word)):
        raise UsageError(
            f"There is no command “{word}”.",
            f"Did you mean `brain {near}`? To recall the word: brain -- {word}",
        )
    return [*arguments[:start], "remember", *words]


def is_command(word: str) -> bool:
    """Return whether a word is a command of brain, of a plugin or of another package."""
    return word in VERBS or verb_named(word) is not None


def is_declined(arguments: list[str]) -> bool:
    """Return whether a daemon leaves a command line to its client: that of a plugin's
    other verb.
    """
    start = first_word(arguments, {**COMMON, **options_of("remember")})
    words = [word for word in arguments[start : start + 1] if word not in VERBS]
    verb = verb_named(words[0]) if words else None
    return verb is not None and not verb.warm


def options_of(command: str) -> Options:
    """Return the options of a command that runs without Typer, with those that plugins add."""
    added = {
        flag: (option.parameter, "text" if option.takes_text else True)
        for option in added_options(command)
        for flag in option.flags
    }
    return {**OPTIONS[command], **added}


def first_word(arguments: list[str], options: Options) -> int:
    """Return the index of what follows the options at the beginning of a command line."""
    index = 0
    while index < len(arguments):
        name, equals, _ = arguments[index].partition("=")
        if (
            name[:1] == "-" != name[1:2]
            and options.get(name[:2], ("", True))[1] is not True
            and name[2:]
        ):
            name, equals = name[:2], name[2:]  # -n3
        if name not in options:
            break
        index += 1 if equals or isinstance(options[name][1], bool) else 2
    return min(index, len(arguments))


def quick_arguments(arguments: list[str]) -> tuple[str, dict[str, Any]] | None:
    """Return the command and the parameters that a command line sets; None if Typer has
    to read it.
    """
    start = first_word(arguments, COMMON)
    if "_BRAIN_COMPLETE" in os.environ or start == len(arguments):
        return None
    name = arguments[start]
    if name in OPTIONS:
        options = options_of(name)
    elif (verb := verb_named(name)) and verb.quick is not None:
        options = {**COMMON, **verb.quick}
    else:
        return None
    try:
        before = _parameters(arguments[:start], COMMON, "")
        after = _parameters(arguments[start + 1 :], options, WORDS.get(name, ""))
    except (IndexError, ValueError):
        return None
    return name, {**before, **after}


def _parameters(arguments: list[str], options: Options, words_parameter: str) -> dict[str, Any]:
    """Return the values of a command line; raise ValueError or IndexError for one that only Typer
    reads.
    """
    rest = list(arguments)
    found = dict[str, Any]()
    words = list[str]()
    while rest:
        if rest[0] == "--":
            words += rest[1:]
            break
        is_option = rest[0].startswith("-") and rest[0] != "-"
        if is_option and not (words and _is_of_another_program(rest, options)):
            _read_option(rest, options, found)
        else:
            words.append(rest.pop(0))
    if words and not words_parameter:
        raise ValueError
    return {**found, words_parameter: words} if words else found


def _is_of_another_program(rest: Sequence[str], options: Options) -> bool:
    """Return whether what looks like an option belongs to the words before it, which are a command
    line: `git push --no-verify`, `docker run -p 80`, `git rebase -i main`.
    """
    name = rest[0].partition("=")[0]
    if name == "-a":
        # All vaults are asked by `brain -a`, before the words.
        return True
    if name == "-i":
        return len(rest) > 1 and not rest[1].startswith("-")
    if name in options or name in HELP or (name[:2] in options and name[2:].isdigit()):
        return False
    if not name.startswith("--"):
        return True
    if any(_is_slip(name, option) for option in options):
        return False
    say(f"brain has no option {name}, so it is a word of the question.")
    return True


def _is_slip(name: str, option: str) -> bool:
    """Return whether an option of brain was meant by a name: both begin with the same letter, and
    one letter is wrong, or two of a long option.
    """
    # Imported here, because few questions have an option of another program.
    from brain_cli.search.words import TWO_EDITS_FROM, is_misspelling

    most_edits = 2 if len(option) >= TWO_EDITS_FROM else 1
    same_letter = name[:3] == option[:3]
    return same_letter and any(
        is_misspelling(name, option, edits) for edits in range(1, most_edits + 1)
    )


def _read_option(rest: list[str], options: Options, found: dict[str, Any]) -> None:
    """Take an option and its value from the front of the arguments."""
    name, equals, value = rest.pop(0).partition("=")
    parameter, kind = options.get(name, ("", None))
    is_flag = isinstance(kind, bool)
    if kind is None or (equals and (is_flag or not name.startswith("--"))):
        raise ValueError
    value = value if equals or is_flag else rest.pop(0)
    if is_flag:
        found[parameter] = kind
    elif kind == "list":
        found.setdefault(parameter, []).append(value)
    else:
        found[parameter] = READERS[kind](value)


def command_near(word: str) -> str:
    """Return the command whose name a word nearly is; empty if there is none."""
    return next(iter(near_names(word, verbs(), likeness=MISTYPED)), "")
