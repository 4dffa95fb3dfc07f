"""Choose what the next session has to know from what was said in one: decisions first the user's,
and open points.

The text is read from its end. A sentence of the user counts before one of the agent, a later one
before an earlier one, and a reversal ("no wait", "instead") removes what it reversed. Every line is
quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from brain_cli.plugins.agents.note_store import CAPTURED, HANDOFF, Draft, relative
from brain_cli.plugins.agents.session import (
    AGENT,
    PLAN,
    REPLY,
    ROUTINE,
    USER,
    SessionWork,
    Transcript,
    Turn,
    short,
)
from brain_cli.vault.analyzer import stop_words
from brain_cli.vault.edit import first_sentence
from brain_cli.vault.secrets import without

MAX_LINES = 8
# Among so many decisions repetitions are looked for, and in so many last turns what is left open.
MOST_KEPT = 50
MOST_TURNS = 200
MAX_PLAN_LINES = 6
MAX_SESSION_CHARS = 200_000


def _says(words: str, start: str = "") -> re.Pattern[str]:
    """Return a pattern for any of some words, in any case, or for those that stand at the `start`
    of a text.
    """
    return re.compile(rf"\b(?:{words})\b" + (f"|^(?:{start})" if start else ""), re.IGNORECASE)


_LASTING_WORDS = (
    r"never|always|from now on|don'?t|do not|must|keep|only|entschieden|nie|niemals|immer|ab (?:jetzt|sofort)"
    r"|stets|statt|anstatt|nicht mehr"
)
_LASTING = _says(_LASTING_WORDS, start="(?:remember|decision|merke? dir|entscheidung):")
_DIRECTIVE = _says(
    rf"{_LASTING_WORDS}|make it|let'?s (?:use|go|keep|do|call|put|switch)|go with|going with|switch to|use (?!case)"
    r"|rather than|instead|prefer|drop|bump|set|archive|store|we(?:'ll| will| never| always| decided| agreed)|lieber",
    start=r"no[,.: ]|(?:wait|actually|instead|rather|also|again|remember|decision|nein|nimm|merke? dir)\b"
    r"|.*, (?:not|nicht) \w",
)
_REVERSAL = _says(
    "no wait|wait|actually|instead|never ?mind|revert|forget|drop|make it|scratch that|doch (?:nicht|lieber)|zurück zu",
    start=r"(?:no|nein)\b",
)
# A first prompt orders much that its session does; these words say what is to last.
_LASTING_OR_REVERSAL = re.compile(f"{_LASTING.pattern}|{_REVERSAL.pattern}", re.IGNORECASE)
_TAKES_BACK = frozenset(
    ["wait", "actually", "instead", "revert", "undo", "forget", "drop", "please", "that"]
)
# Without a transcript, the first words that are known may be in the middle of a session.
_CORRECTS = _says("no|wait|actually|instead|rather")
_ASKS = _says(
    "what|why|how|where|who|when|which|is|are|do|does|did|should|can you (?:explain|tell|show)"
)
_YES = re.compile(
    r"^(?:yes|yep|yeah|ok(?:ay)?|sure|do (?:it|that)|go ahead|please do|sounds good)\W*$",
    re.IGNORECASE,
)
_CONCLUDED = _says(
    "root cause|turned out|the (?:cause|reason|culprit|leak) (?:is|was)|caused by|decided|chose|went with|agreed"
    r"|die ursache|ursache (?:\w+ ){0,4}(?:ist|war)|grund (?:ist|war)|lag daran|entschieden",
    start=r"(?:I|we) (?:fixed|bounded|replaced|moved|added|changed)\b",
)
_GUESS = _says(
    "probably|perhaps|maybe|might|guess|seems?|suspect|let me|I'?ll|I (?:will|need)|could be|likely"
)
_OPEN = _says(
    r"todo|next steps?|remain(?:s|ing)|still (?:to|needs?|open|missing|fails?|failing)|follow-?ups?|blocked|pending"
    r"|not (?:yet|done|tested|wired|been \w+|(?:\w+ ){1,3}yet)|unfinished|(?:is|are) missing|to be done"
    r"|(?:could|was|were|has|have)(?:n'?t| not) (?:yet )?(?:test|run|verif|check|migrat|finish|writ|implement|done)\w*"
    r"|(?:must|need to|has to|have to|should) .{1,60} before|leave .{1,40} (?:for|until)"
    r"|noch (?:zu|nicht|offen|einmal)|offen (?:ist|sind|bleibt|bleiben)|(?:fehlt|fehlen|steht|stehen|muss|müssen) noch",
    start=r"please (?!let|tell|note|see)",
)
_NOTHING_OPEN = re.compile(
    r"\b(?:nothing|nichts|none|no) (?:\w+ ){0,4}(?:left|remain\w*|open|offen|missing|to ?do|fails?|failing|noch)\b",
    re.IGNORECASE,
)
_POSTPONED = _says(
    "tomorrow|next (?:week|time|month|sprint)|later|not (?:now|today)|another day|leave (?:it|that|this)"
    "|morgen|nächste (?:woche|mal)|später|jetzt nicht|heute nicht"
)
_DONE = _says(
    "fixed|done|finished|completed?|resolved|works|pass(?:es|ed)?|ported|added|green|behoben|erledigt|fertig"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n+")
_NOT_PROSE = re.compile(r"^[ \t]*(?:\|.*|[-=*_]{3,}[ \t]*)$", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__)(.+?)\1")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?")
_GREETING = re.compile(
    r"^(?:hey|hi|hello|thanks?|please|ok(?:ay)?|great|also|and|(?:can|could|would) you(?: please)?"
    r"|remember(?: that)?|from now on)\b[\s,.!:]*",
    re.IGNORECASE,
)
_shortened = partial(short, limit=240)


class Decision(NamedTuple):
    """A line to hand on, who stated it, and the number of the turn."""

    text: str
    speaker: str
    turn: int


def handoff(
    transcript: Transcript, session: str, folder: str, at: float, work: SessionWork | None = None
) -> Draft | None:
    """Return the draft of a session's note; None if it would be empty."""
    work = work or SessionWork.of(transcript.uses)
    asked = [turn.text for turn in transcript.turns if turn.speaker == USER]
    decided = [each.text for each in decisions(transcript.turns)]
    left_open = open_points(transcript, work)
    files = relative(work.files, folder)
    ran = work.command_lines()
    title = _title(asked, work)
    if not (decided or left_open or ran or len(files) > 1):
        return None
    parts = {
        "Asked": [
            text
            for text in map(_shortened, asked[:1])
            if text not in decided and not title.endswith(text)
        ],
        "Decided": decided[-MAX_LINES:],
        "Left open": left_open[:MAX_LINES],
        "Outcome": _outcome(transcript.turns, [*decided, *left_open]),
        "Changed": work.file_lines(folder),
        "Commands": ran,
    }
    text = "\n\n".join(
        f"## {name}\n\n" + "\n".join(f"- {line}" for line in lines)
        for name, lines in parts.items()
        if lines
    )
    title, text = (without(each, transcript.secrets) for each in (title, text))
    return Draft(title, HANDOFF, text, at, folder, session, files, (CAPTURED, HANDOFF))


def session_text(transcript: Transcript, extract: str) -> str:
    """Return what was said in a session, and our extract of it, for the user's own model."""
    said = "\n\n".join(f"{turn.speaker}: {turn.text}" for turn in transcript.turns)[
        -MAX_SESSION_CHARS:
    ]
    return f"What was said in the session:\n\n{without(said, transcript.secrets)}\n\nAn extract of it:\n\n{extract}\n"


def decisions(turns: Sequence[Turn]) -> list[Decision]:
    """Return the decisions of a session in order, without those that were reversed."""
    found: list[Decision] = []
    first = next((number for number, turn in enumerate(turns) if turn.speaker == USER), -1)
    for number, turn in enumerate(turns):
        if turn.speaker in (REPLY, PLAN):
            lines = [_shortened(turn.text)] if turn.speaker == REPLY else _plan_lines(turn.text)
            found += [Decision(line, turn.speaker, number) for line in lines]
        elif turn.speaker == USER:
            is_first = number == first and not _CORRECTS.match(turn.text)
            stated = _ordered(turn.text, _LASTING_OR_REVERSAL if is_first else _DIRECTIVE)
            if _YES.match(turn.text.strip()) and number:
                stated = [
                    f"{line} — yes"
                    for line in _sentences(turns[number - 1].text)[-1:]
                    if line.endswith("?")
                ]
            for line in stated:
                found = _without_reversed(found, line)
                # “No, revert that” says nothing to a later reader.
                found += (
                    [Decision(line, USER, number)] if len(_content(line) - _TAKES_BACK) > 1 else []
                )
        else:
            lines = [line for line in _sentences(turn.text) if _CONCLUDED.search(line)]
            found += [
                Decision(_shortened(line), AGENT, number)
                for line in lines
                if not _GUESS.search(line) and not _is_open(line) and not _repeats(line, found)
            ]
        found = found[-MOST_KEPT:]
    return found


def open_points(transcript: Transcript, work: SessionWork) -> list[str]:
    """Return what was left to do: the agent's list, what its last text leaves open, what the user
    put off, failures.
    """
    found = list(transcript.unfinished)
    turns = transcript.turns[-MOST_TURNS:]
    spoken = [number for number, turn in enumerate(turns) if turn.speaker == AGENT]
    for number, turn in enumerate(turns):
        # What a text leaves open counts only if nothing after it says that it is done.
        later = turns[number + 1 :]
        if turn.speaker == USER:
            found += [line for line in _postponed(turn.text) if not _is_resolved(line, later)]
        elif turn.speaker == AGENT and number in spoken[-2:]:
            is_last = number == spoken[-1]
            lines = [line for line in _open_lines(turn.text) if is_last or not _GUESS.search(line)]
            found += [line for line in lines if not _is_resolved(line, later)]
    stated = " ".join(found)
    found += [
        line for line in work.failing() if not re.search(r"\bfail", stated) and ROUTINE.search(line)
    ]
    return _distinct(map(_shortened, found))


def _postponed(text: str) -> list[str]:
    """Return the sentences with which the user puts something off; “not today” alone with the
    sentence before it.
    """
    said = _sentences(text, 8)
    pairs = zip(["", *said], said, strict=False)
    put_off = ((before, line) for before, line in pairs if _POSTPONED.search(line))
    found = (f"{before} {line}" if len(_content(line)) < 3 else line for before, line in put_off)
    return [line for line in found if len(_content(line)) > 1]


def _open_lines(text: str) -> list[str]:
    """Return the sentences that leave something open, and the items of a list whose heading does."""
    found: list[str] = []
    is_open = False
    for line in _prose(text).splitlines():
        heading = line.strip().rstrip("*").endswith(":") or line.lstrip().startswith("#")
        if heading and not _ITEM.match(line):
            is_open = _is_open(line)
            continue
        if _ITEM.match(line) and is_open:
            found.append(_plain(line))
        else:
            is_open = is_open and not line.strip()
            found += filter(_is_open, _sentences(line))
    return found


def _is_open(line: str) -> bool:
    return bool(_OPEN.search(line)) and not _NOTHING_OPEN.search(line)


def _is_resolved(line: str, later: Sequence[Turn]) -> bool:
    """Return whether the agent says later that what a line is about is done; “CI is green” has only
    that subject.
    """
    words = _content(line)
    done = (
        each
        for turn in later
        if turn.speaker == AGENT
        for each in _sentences(turn.text)
        if _DONE.search(each)
    )
    subjects = (_content(_DONE.sub("", each)) for each in done)
    return any(len(words & each) >= 2 or (each and each <= words) for each in subjects)


def _ordered(text: str, directive: re.Pattern[str]) -> list[str]:
    """Return the sentences of the user that order something; questions do not."""
    return [
        _shortened(line)
        for line in _sentences(text, 6)
        if directive.search(line)
        and not _POSTPONED.search(line)
        and not (line.endswith("?") and _ASKS.match(line))
    ]


def _without_reversed(found: list[Decision], line: str) -> list[Decision]:
    """Return the decisions that still hold after a line of the user."""
    if not _REVERSAL.search(line):
        return found
    words = _content(line)
    last_order = max((each.turn for each in found if each.speaker != AGENT), default=-1)
    kept = []
    for each in found:
        shared = len(words & _content(each.text))
        is_last_short = each.turn == last_order and bool(
            re.search(r"\bmake it\b", f"{each.text} {line}")
        )
        if not (is_last_short or shared >= 2 or (shared and not _LASTING.search(each.text))):
            kept.append(each)
    return kept


def _plan_lines(text: str) -> list[str]:
    items = [_plain(line) for line in _prose(text).splitlines() if _ITEM.match(line)]
    return list(map(_shortened, (items or _sentences(text, 6))[:MAX_PLAN_LINES]))


def _outcome(turns: Sequence[Turn], others: Iterable[str]) -> list[str]:
    """Return the last sentences of the agent that stand nowhere else in the note."""
    last = next((turn.text for turn in reversed(turns) if turn.speaker == AGENT), "")
    known = set(others)
    return [
        line
        for line in [*dict.fromkeys(map(_shortened, _sentences(last)))][:4]
        if line not in known
    ]


def _title(asked: Sequence[str], work: SessionWork) -> str:
    """Return the subject of a session: the first request that has one."""
    for text in asked:
        subject = text.strip()
        while (shorter := _GREETING.sub("", subject)) != subject:
            subject = shorter
        if len(_content(subject)) >= 2:
            return f"Handoff: {first_sentence(subject, 70)}"
    rest = ", ".join(file.rpartition("/")[2] for file in [*work.files][:3]) or next(
        iter(work.commands), "a session"
    )
    return f"Handoff: {first_sentence(rest, 70)}"


def _repeats(line: str, found: Iterable[Decision]) -> bool:
    words = _content(line)
    return any(len(words & _content(each.text)) * 2 > len(words) for each in found)


@lru_cache(4_096)
def _content(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, without plural endings."""
    words = (word.rstrip("s") for word in re.findall(r"\w{3,}", text.casefold()))
    return frozenset(word for word in words if word not in stop_words("english"))


def _prose(text: str) -> str:
    """Return a text without code and tables."""
    return _NOT_PROSE.sub("", re.sub(r"```.*?(```|\Z)", "\n", text, flags=re.DOTALL))


def _sentences(text: str, least: int = 12) -> list[str]:
    """Return the sentences of a text without code, tables and headings."""
    lines = "\n".join(
        line for line in _prose(text).splitlines() if not line.lstrip().startswith("#")
    )
    return [plain for each in _SENTENCE.split(lines) if len(plain := _plain(each)) > least]


def _plain(line: str) -> str:
    return _EMPHASIS.sub(r"\2", _ITEM.sub("", line)).strip(" *->\t")


def _distinct(texts: Iterable[str]) -> list[str]:
    """Return texts without those that share most of their words with an earlier one."""
    kept: list[str] = []
    for text in filter(None, texts):
        words = _content(text)
        if text not in kept and not any(
            len(words & _content(each)) * 3 >= 2 * len(words) for each in kept if words
        ):
            kept.append(text)
    return kept
