"""Draft a note from a batch of observations: its title, kind, files and text come from the observations alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.plugins.agents.noise import EDITING_TOOLS
from brain_cli.plugins.agents.observation import Observation
from brain_cli.printable import some_of
from brain_cli.vault.create import first_sentence

# The beginning and the end of an output are the most useful parts.
MAX_INPUT_CHARS = 1_200
MAX_RESPONSE_CHARS = 1_600
# A file can be read again, so only enough is kept to recognize the part that was read.
MAX_READ_CHARS = 400
# A tool's file is named above the block with its input, so it is left out there.
_FILE_LINE = re.compile(r"^(?:file_path|notebook_path|path): .*\n?", re.MULTILINE)
READING_TOOLS = ("Read", "Grep", "Glob", "WebFetch", "WebSearch", "LSP")
# Kinds and their words, in the order in which they are tried. The kinds are those of claude-mem.
_KIND_WORDS = (
    (
        "decision",
        r"decided|decision|we chose|chose to|instead of|trade-?offs?|rationale|agreed to|we will use|going with",
    ),
    ("bugfix", r"fix(?:e[sd])?|bug(?:fix)?|regression|root cause|hotfix|patched"),
    ("refactor", r"refactor\w*|rename[sd]?|clean(?:ed)? up|extract(?:ed)? (?:method|function|class)|moved? \w+ to"),
    ("feature", r"feat(?:ure)?|implement(?:ed|s)?|introduc(?:ed?|es)|support(?:s)? for|added support"),
)
_KINDS = [(kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for kind, words in _KIND_WORDS]
Batch = list[Observation]


class Draft(NamedTuple):
    """A note that is not written yet. `key` identifies its source; `at` is in seconds since the epoch."""

    key: str
    title: str
    kind: str
    text: str
    at: float
    folder: str = ""
    session: str = ""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def drafted(batch: Batch) -> Draft:
    """Return the draft of a batch's note; inputs and responses follow each other in order."""
    first = batch[0]
    files = tuple(dict.fromkeys(file for each in batch for file in each.files))
    return Draft(
        key=first.id,
        title=_title(batch, files),
        kind=_kind(batch),
        text="\n\n".join(_as_markdown(each) for each in batch),
        at=first.at,
        folder=first.folder,
        session=first.session,
        files=relative(files, first.folder),
        tags=tuple(filter(None, ("captured", first.tool.lower()))),
    )


def kind_of(text: str, default: str) -> str:
    """Return the first kind, in the order of `_KINDS`, whose words are in a text; `default` if there is none."""
    return next((kind for kind, words in _KINDS if words.search(text)), default)


def relative(files: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return files as paths from the root of the repository that `folder` is in; files outside it stay absolute."""
    from brain_cli.vault.git import below_root

    return tuple(below_root(file, folder) for file in files)


def _title(batch: Batch, files: tuple[str, ...]) -> str:
    first = batch[0]
    named = next((each.title for each in batch if each.title), "")
    if named:
        return first_sentence(named)
    if not first.tool:
        return first_sentence(first.response) or "Observation"
    if files:
        names = list(dict.fromkeys(os.path.basename(file) for file in files))
        return first_sentence(f"{first.tool}: {some_of(names)}")
    return first_sentence(f"{first.tool}: {first_sentence(first.input)}")


def _kind(batch: Batch) -> str:
    first = batch[0]
    if not first.tool:
        return kind_of(first.response, "observation")
    if first.tool in EDITING_TOOLS:
        return kind_of("\n".join(f"{each.title}\n{each.input}" for each in batch), "change")
    if first.tool in READING_TOOLS:
        return "discovery"
    return kind_of("\n".join(each.title for each in batch), "observation")


def _as_markdown(observation: Observation) -> str:
    """Return one observation as Markdown: the tool's input and its response."""
    if not observation.tool:
        return observation.response
    limit = MAX_READ_CHARS if observation.tool in READING_TOOLS else MAX_RESPONSE_CHARS
    files = [f"`{file}`" for file in relative(observation.files, observation.folder)]
    tool_input = _block(_shortened(_FILE_LINE.sub("", observation.input), MAX_INPUT_CHARS), observation.tool)
    result = "" if observation.tool in EDITING_TOOLS else _block(_shortened(observation.response, limit))
    name = " ".join([observation.tool, *files])
    return "\n\n".join(part for part in (f"{name}:", tool_input, tool_input and result and "Result:", result) if part)


def _block(text: str, tool: str = "") -> str:
    if not text.strip():
        return ""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    language = "diff" if tool in EDITING_TOOLS and text.startswith(("- ", "+ ")) else ""
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out]\n{text[-half:]}"
