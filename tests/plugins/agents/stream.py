"""A made stream of 300 observations of an agent's working day, 20 of which matter.

Fifteen rounds of work on a small web shop. A round is 20 tool uses: looks at the state (`git
status`, `ls`), reads of neighbouring files in quick succession, searches without a result, todo
lists, a test run or two, edits, and one or two observations that a person would want to find again
(`matters`). Times are seconds from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

MATTERS = [
    ("Edit", "decided to store carts in Redis instead of PostgreSQL"),
    ("Bash", "root cause: the retry lost its idempotency key"),
    ("Edit", "fix: lock the order row before capture"),
    ("Bash", "load test shows p99 of 480 ms with the old pool"),
    ("Edit", "decided on cursor pagination because offsets drift"),
    ("Write", "introduce feature flag for split payments"),
    ("Bash", "migration 0042 takes 11 minutes on production data"),
    ("Edit", "refactored the tax rules into a table"),
    ("Bash", "webhook signature check fails for rotated secrets store"),
    ("Edit", "chose argon2id for passwords hashing parameters"),
    ("Bash", "flaky test: clock skew in the token expiry suite"),
    ("Edit", "fix: round to the currency's minor unit"),
    ("Write", "implement export of invoices as UBL"),
    ("Bash", "memory leak: the image cache never evicts"),
    ("Edit", "decision: keep the monolith until the next audit"),
    ("Bash", "search index rebuild needs 3 GB of disk"),
    ("Edit", "fix: decode names of uploaded files as UTF-8"),
    ("Write", "support for pausing subscriptions"),
    ("Bash", "the CDN caches errors for 300 seconds"),
    ("Edit", "refactored address validation per country"),
]
OBSERVATIONS = 300
ROUNDS = 15


class Used(NamedTuple):
    """One use of a tool: its payload, when it happened, and the words that must be found again, if
    any.
    """

    at: float
    payload: dict[str, Any]
    matters: str = ""


def stream() -> list[Used]:
    """Return the stream in order."""
    matters = iter(MATTERS)
    used = [each for number in range(ROUNDS) for each in _round(number, matters)]
    assert len(used) == OBSERVATIONS
    return used


def _round(number: int, matters: Iterator[tuple[str, str]]) -> Iterator[Used]:
    start = number * 600.0
    wanted = 2 if number < len(MATTERS) - ROUNDS else 1
    yield Used(
        start,
        _payload(
            "Bash",
            {"command": "git status"},
            "On branch main\nnothing to commit, working tree clean\n" * 2,
        ),
    )
    yield Used(
        start + 5,
        _payload(
            "Bash", {"command": "ls -la src"}, "total 12\ndrwxr-xr-x 2 dev dev 4096 src\n" * 3
        ),
    )
    yield Used(
        start + 10,
        _payload(
            "TodoWrite",
            {"todos": [{"content": f"step {number}", "status": "pending"}]},
            "Todos were modified",
        ),
    )
    for file in range(6):
        text = f"def handler_{number}_{file}(request):\n    return render(request, 'page_{file}.html')\n"
        yield Used(
            start + 20 + file,
            _payload("Read", {"file_path": f"/shop/src/part{number}/view{file}.py"}, text),
        )
    yield Used(
        start + 40, _payload("Grep", {"pattern": f"legacy_{number}"}, "No matches found")
    )
    yield Used(
        start + 45,
        _payload(
            "Glob",
            {"pattern": "**/*.html"},
            "/shop/templates/a.html\n/shop/templates/b.html\n" * 2,
        ),
    )
    for part in range(7 - wanted):
        change = {
            "file_path": f"/shop/src/part{number}/view{part}.py",
            "old_string": "a" * 30,
            "new_string": f"b{part}" * 20,
        }
        yield Used(start + 60 + part, _payload("Edit", change, "The file has been updated."))
    yield Used(
        start + 90,
        _payload(
            "Bash",
            {"command": "pytest -q", "description": "Run the tests"},
            f"{40 + number} passed in 3.21s " * 3,
        ),
    )
    for place in range(wanted):
        tool, words = next(matters)
        yield Used(start + 120 + 60 * place, _told(tool, words, number), words)
    yield Used(
        start + 400, _payload("LS", {"path": "/shop"}, "- src/\n- templates/\n- tests/\n" * 4)
    )


def _told(tool: str, words: str, number: int) -> dict[str, Any]:
    if tool == "Bash":
        return _payload(
            tool,
            {"command": f"make probe-{number}", "description": words},
            f"{words}\nmeasured twice, same result",
        )
    return _payload(
        tool,
        {
            "file_path": f"/shop/docs/{words.split()[-1]}.md",
            "new_string": f"We {words}. It was discussed.",
        },
        "updated",
    )


def _payload(tool: str, given: dict[str, Any], response: str) -> dict[str, Any]:
    return {
        "session_id": "day-1",
        "cwd": "/shop",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_response": response,
    }
