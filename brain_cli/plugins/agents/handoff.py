"""Choose what the next session has to know from what was said in one: all that the user asked, what
was decided, and what is left open.

Only the user decides: by his own words, by an answer, or by confirming what the agent concluded. Of
his prompts counts what he typed. Every line is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from brain_cli.answer.sentences import sentences
from brain_cli.plugins.agents.note_store import CAPTURED, HANDOFF, project_at, relative
from brain_cli.plugins.agents.session import AGENT, PLAN, USER, Transcript, Turn, short
from brain_cli.plugins.agents.typed import ASKED, COMMON, one_line, subject, typed, without_code
from brain_cli.types import Memory
from brain_cli.vault.analyzer import stop_words, words_of
from brain_cli.vault.edit import SALIENCE_BY_KIND, first_sentence
from brain_cli.vault.languages import phrases_of
from brain_cli.vault.secrets import REDACTED

MAX_DECIDED = 5
MAX_OPEN = 6
MAX_FILES = 12
MAX_LINE_CHARS = 200
# A prompt of a long session takes less, and the oldest ones are counted only.
FOLDED_CHARS = 70
MAX_ASKED_BYTES = 2_500
MAX_BYTES = 3_500
MAX_OUTCOME_CHARS = 500
# A longer text is a document that was pasted: it says what it says, but the user decides nothing by
# it.
MAX_TYPED_LINES = 15
MAX_TURNS = 400
MAX_SESSION_CHARS = 200_000


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def _words(key: str) -> str:
    """Return a pattern for the phrases of a key in all languages, as whole words."""
    return rf"\b(?:{phrases_of(key)})\b"


# A decision says what lasts or what was chosen. It begins a sentence or a part of one.
_DECIDES = _pattern(
    rf"(?:^|[,;:.(—–]\s*|{_words('joins')}[, ]+)"
    rf"(?:(?:{phrases_of('decides')})\b|{phrases_of('remembers')})"
    rf"|{_words('decides_anywhere')}"
)
_REVERSES = _pattern(rf"{_words('reverses')}|^{_words('denies')}")
_CONFIRMS = _pattern(_words("confirms"))
_CONCLUDES = _pattern(_words("concludes"))
_PUT_OFF = _pattern(_words("put_off"))
_OPEN = _pattern(_words("left_open"))
_NOTHING = _pattern(_words("nothing_left"))
_BEGINS_WORK = _pattern(
    r"(?:now |first,? |next,? |good[,.!]? |great[,.!]? |perfect[,.!]? |done[.!] "
    rf"|you'?re (?:absolutely )?right[,.!]? )*(?:{phrases_of('begins_work')})\b"
    r"|(?:you'?re (?:absolutely )?right|perfect|great)[.!]*$"
)
_MARKUP = re.compile(
    r"^\s*(?:#+|[-*+]|\d+[.)])\s+(?:\[.\]\s+)?|\*\*|__|^\s*(?:\|.*|[-=*_]{3,})$|`{3}.*",
    re.MULTILINE,
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.+)", re.MULTILINE)


def handoff(session: Transcript, name: str, folder: str, at: float) -> Memory | None:
    """Return the draft of a session's note; None if it would be empty."""
    prompts = [turn.text for turn in session.turns if turn.speaker == USER]
    decided = decisions(session.turns)
    left_open = open_points(session)
    files = relative(session.files, folder)
    asked = (one_line(typed(each)) for each in prompts[-MAX_TURNS:])
    distinct = {_content(line): line for line in asked}
    lines = [
        line
        for words, line in distinct.items()
        if (words - COMMON or len(words) > 2) and not _CONFIRMS.fullmatch(line.rstrip(".! "))
    ]
    outcome = _outcome(session.turns, left_open)
    concludes = any(map(_CONCLUDES.search, outcome))
    if not (decided or left_open or concludes or len(files) > 1 or len(lines) > 2):
        return None
    parts = {"Decided": decided, "Left open": left_open, "Outcome": outcome}
    rest = sum(len(line.encode()) for each in parts.values() for line in each)
    parts = {ASKED: _folded(lines, min(MAX_ASKED_BYTES, MAX_BYTES - rest)), **parts}
    text = "\n\n".join(
        f"## {name}\n\n" + "\n".join(f"- {line}" for line in each)
        for name, each in parts.items()
        if each
    )
    title = without(_title(prompts, files), session.secrets)
    text = without(text, session.secrets)
    return Memory(
        f"transcript:{name}",
        title,
        text,
        HANDOFF,
        at,
        project_at(folder),
        name,
        files[-MAX_FILES:],
        (CAPTURED, HANDOFF),
        more={"salience": SALIENCE_BY_KIND[HANDOFF]},
        is_unique=True,
    )


def session_text(session: Transcript, extract: str) -> str:
    """Return what was said in a session, and our extract of it, for the user's own model."""
    said = "\n\n".join(f"{turn.speaker}: {turn.text}" for turn in session.turns)[
        -MAX_SESSION_CHARS:
    ]
    return (
        f"What was said in the session:\n\n{without(said, session.secrets)}\n\nAn extract "
        f"of it:\n\n{extract}\n"
    )


def decisions(turns: Sequence[Turn]) -> list[str]:
    """Return the last decisions of a session in order, without those that the user took back."""
    found: list[str] = []
    before = ""
    for turn in turns:
        if turn.speaker == AGENT:
            before = turn.text
            continue
        stated = [_in_short(turn.text)]
        if turn.speaker == PLAN:
            items = "; ".join(map(_plain, _ITEM.findall(turn.text)))
            stated = [_in_short(items or _plain(turn.text))]
        elif turn.speaker == USER:
            stated = [*_confirmed(turn.text, before), *_decided(turn.text)]
            for line in _sentences(typed(turn.text)):
                if _REVERSES.search(line):
                    found = [each for each in found if len(_rare(line) & _rare(each)) < 2]
        found = [*dict.fromkeys((*found, *stated))][-MAX_TURNS:]
    return found[-MAX_DECIDED:]


def _decided(text: str) -> Iterator[str]:
    """Yield the sentences of a prompt that decide something."""
    own = typed(text)
    if own.count("\n") < MAX_TYPED_LINES:
        for line in _sentences(own):
            is_lasting = _DECIDES.search(line) and not _PUT_OFF.search(line)
            if is_lasting and line[-1] != "?" and len(_content(line)) > 2:
                yield _in_short(line)


def _confirmed(text: str, before: str) -> Iterator[str]:
    """Yield what the agent asked or concluded before, if the user says yes to it."""
    confirmed = _CONFIRMS.match(text)
    if not confirmed:
        return
    said = [line for line in _sentences(without_code(before)) if len(_rare(line)) > 2]
    if said and said[-1].endswith("?"):
        yield f"{_in_short(said[-1])} — {confirmed[0].lower()}"
    concluded = [line for line in said if _CONCLUDES.search(line) and line[-1] != "?"]
    yield from map(_in_short, concluded[-1:])


def open_points(session: Transcript) -> list[str]:
    """Return what was left to do: the agent's list, what its last text leaves open, what the user
    put off, checks that fail.
    """
    turns = session.turns[-MAX_TURNS:]
    last = next((turn.text for turn in reversed(turns) if turn.speaker == AGENT), "")
    own = (
        line for turn in turns if turn.speaker == USER for line in _sentences(typed(turn.text))
    )
    put_off = [line for line in own if _PUT_OFF.search(line) and len(_content(line)) > 2]
    found = [
        *session.unfinished,
        *_open_lines(without_code(last)),
        *session.failing(),
        *put_off,
    ]
    return [*dict.fromkeys(map(_in_short, found))][:MAX_OPEN]


def _open_lines(text: str) -> Iterator[str]:
    """Yield the sentences that leave something open, and the items of a list whose heading does."""
    is_open = False
    for line in text.splitlines():
        is_item = _ITEM.match(line)
        for sentence in _sentences(line):
            if _OPEN.search(sentence) and not _NOTHING.search(sentence):
                if is_item or not sentence.endswith(":"):
                    yield sentence
            elif is_open and is_item:
                yield sentence
        if line.strip() and not is_item:
            is_open = bool(_OPEN.search(line)) and line.rstrip(" *").endswith(
                (":", "eps", "do")
            )


def _outcome(turns: Sequence[Turn], others: Iterable[str]) -> list[str]:
    """Return how the session ended: the agent's last text without its opening."""
    known = {*others}
    for turn in reversed(turns):
        said = [
            line
            for line in _sentences(without_code(turn.text))
            if not (_BEGINS_WORK.match(line) or line.endswith(":")) and len(_content(line)) > 1
        ]
        if turn.speaker == AGENT and said:
            kept = [line for line in map(_in_short, said) if line not in known]
            while sum(map(len, kept)) > MAX_OUTCOME_CHARS:
                kept.pop()
            return kept
    return []


def _folded(lines: Sequence[str], most: int) -> list[str]:
    """Return prompts within a number of bytes: the newest in full, older ones cut, the oldest
    counted.
    """
    kept: list[str] = []
    for number, line in enumerate(reversed(lines)):
        left = most - sum(len(each.encode()) + 3 for each in kept)
        is_old = left < most / 2 and number + 1 < len(lines)
        line = short(line, FOLDED_CHARS if is_old else MAX_LINE_CHARS)
        if len(line.encode()) + 40 > left:
            return [f"({len(lines) - number} earlier prompts)", *reversed(kept)]
        kept.append(line)
    return [*reversed(kept)]


def _title(prompts: Iterable[str], files: Sequence[str]) -> str:
    """Return the subject of a session: the first prompt that has one."""
    asked = (subject(one_line(typed(each))) for each in prompts)
    subjects = (each for each in asked if len(_content(each)) > 1)
    rest = ", ".join(file.rpartition("/")[2] for file in files[:3]) or "a session"
    return f"Handoff: {first_sentence(next(subjects, rest), 70)}"


def _in_short(text: str) -> str:
    return short(text, MAX_LINE_CHARS)


def _rare(text: str) -> frozenset[str]:
    """Return the words of a text that name something."""
    return _content(text) - COMMON


@lru_cache(4_096)
def _content(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, without plural endings."""
    words = (word.rstrip("s") for word in words_of(text))
    return frozenset(
        word
        for word in words
        if word not in stop_words("english")
        and not (word.isascii() and word.isalpha() and len(word) < 3)
    )


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text without code, tables and headings."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(("#", "|")))
    plain = (_plain(line[slice(*span)]) for line in lines for span in sentences(line))
    return [each for each in plain if len(each) > 8]


def _plain(line: str) -> str:
    return _MARKUP.sub("", line).strip(" *>\t")


def without(text: str, secrets: Iterable[str]) -> str:
    """Return a text without these secrets, wherever they are in it."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    return text
