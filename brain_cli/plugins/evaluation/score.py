"""`brain score`: compute scores from signals, one JSON object a line, to try a formula without a
vault.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from brain_cli.cli.options import ScorerOption
from brain_cli.errors import OK, WRONG_USAGE, UsageError, did_you_mean
from brain_cli.process import command_context
from brain_cli.ranking.scorers import is_number, load_scorer
from brain_cli.streams import say
from brain_cli.types import Signals
from brain_cli.version import DOCUMENT_VERSION

# The formula for lines that name none; a recall uses the configured one.
UNNAMED_SCORER = "brain"
DEFAULTS: dict[str, object] = Signals._field_defaults


def command(
    scorer: ScorerOption = None,
) -> int:
    """Evaluate a formula: JSON lines of signals in, JSON lines of scores out.

    Examples:
      echo '{"signals": {"relevance": 0.8, "age_days": 30}}' | brain score --scorer clawdbot
    """
    if command_context().types():
        say(
            'Type one JSON object a line, such as {"signals": {"relevance": 0.8}}; Ctrl-D ends.'
        )
    return run(sys.stdin.buffer, scorer)


def run(lines: Iterable[str | bytes], scorer: str | None = None) -> int:
    """Answer every line on stdout immediately: the other program may keep the pipe open and wait
    for it.
    """
    code = OK
    for answer in answers(lines, scorer):
        print(
            json.dumps({"version": DOCUMENT_VERSION, **answer}, allow_nan=False),
            flush=True,
        )
        if "error" in answer:
            code = WRONG_USAGE
    return code


def answers(
    lines: Iterable[str | bytes], scorer: str | None = None
) -> Iterator[dict[str, object]]:
    """Yield the answer to each line that is not blank; `scorer` is the default for lines that name
    none.
    """
    default = scorer or UNNAMED_SCORER
    load_scorer(default)  # a wrong option fails once, not for every line
    for line in lines:
        if not line.strip():
            continue
        try:
            yield _answer(_parsed(line), default)
        except UsageError as error:
            yield {"error": f"{error.message} {error.hint}".rstrip()}
        except RecursionError:
            yield {"error": "This line is nested too deeply."}


def _answer(question: Mapping[str, object], default: str) -> dict[str, object]:
    # Null means the same as leaving a key out.
    given = {key: value for key, value in question.items() if value is not None}
    name = given.get("scorer", default)
    if not isinstance(name, str):
        raise UsageError(f"scorer must be a name, not {name!r:.60}.")
    scorer = load_scorer(name, _table(given.get("settings", {}), "settings"))
    score = scorer.score(_signals(_table(given.get("signals"), "signals")))
    steps = [step._asdict() for step in score.steps]
    return {"scorer": name, "total": score.total, "share": score.share, "steps": steps}


def _parsed(line: str | bytes) -> Mapping[str, object]:
    try:
        return _table(json.loads(line), "A line")
    except ValueError as error:  # includes bytes that are not UTF-8, and endless numbers
        raise UsageError(f"This line is not JSON: {error}.") from None


def _table(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{what} must be a JSON object, not {value!r:.60}.")
    return value


def _signals(options: Mapping[str, object]) -> Signals:
    """Return the signals by name; null means that a signal is absent."""
    values: dict[str, Any] = {}
    for name, value in options.items():
        if name not in DEFAULTS:
            raise UsageError(f"There is no signal “{name:.59}”.", did_you_mean(name, DEFAULTS))
        if value is not None:
            values[name] = _signal(name, value)
    return Signals(**values)


def _signal(name: str, value: object) -> Any:
    """Return a flag, a word or a number, by the type of the signal's default; None stands for a
    number.
    """
    match DEFAULTS[name]:
        case bool():
            wanted = "true or false"
            fits = isinstance(value, bool)
        case str():
            wanted = "text"
            fits = isinstance(value, str)
        case _:
            wanted = "a number"
            fits = is_number(value)
    if not fits:
        raise UsageError(f"{name} must be {wanted}, not {value!r:.60}.")
    # An integer of hundreds of digits is infinite.
    return float(str(value)) if is_number(value) else value
