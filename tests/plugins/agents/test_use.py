"""A note that an agent was shown and used grows stronger; one that is never used, or is
contradicted, is noticed.
"""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Vault

PROMPT = "when do carts expire"


@pytest.fixture
def shop(vault: Vault) -> Vault:
    vault.note(
        "cart.md",
        "# Cart expiry\n\nCarts expire after seven days of silence; Redis evicts them by a volatile key.\n",
        date="2026-11-01",
        files=["src/cart.py"],
    )
    for number in range(30):
        vault.note(
            f"other/{number}.md",
            f"# Topic {number}\n\nThe printer of floor {number} needs toner.\n",
        )
    return vault


def hook(vault: Vault, verb: str, event: str, session: str, **payload: Any) -> str:
    told = {
        "hook_event_name": event,
        "session_id": session,
        "cwd": str(vault.brain.home),
        **payload,
    }
    options = ("--hook",) if verb == "context" else ()
    answer = vault.brain(verb, *options, "--vault", vault.folder, stdin=json.dumps(told))
    assert answer.code == 0
    return answer.out


def session(
    vault: Vault, name: str, said: str = "Done.", user: str = PROMPT, edits: str = ""
) -> dict[str, Any]:
    """Ask about carts, perhaps edit a file, and stop; return what the session says of the note."""
    assert "Cart expiry" in hook(vault, "context", "UserPromptSubmit", name, prompt=PROMPT)
    if edits:
        change = {"file_path": edits, "old_string": "a = 1", "new_string": "a = 2"}
        hook(
            vault,
            "capture",
            "PostToolUse",
            name,
            tool_name="Edit",
            tool_input=change,
            tool_response="ok",
        )
    hook(vault, "capture", "Stop", name, last_user_message=user, last_assistant_message=said)
    assert vault.brain("capture", "--flush", "--vault", vault.folder).code == 0
    [note] = vault.brain("context", "--session", name, "--json", "--vault", vault.folder).json[
        "results"
    ]
    return dict(note)


def events(vault: Vault, kind: str) -> list[dict[str, Any]]:
    lines = [
        line
        for file in vault.brain.state.rglob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    return [event for event in map(json.loads, lines) if event.get("event") == kind]


def test_words_of_a_note_in_the_agents_last_message_are_a_use(shop: Vault) -> None:
    note = session(shop, "one", "They live seven days; Redis evicts each by its volatile key.")
    assert (note["path"], note["used"].startswith("said "), note["why"][:6]) == (
        "cart.md",
        True,
        "prompt",
    )
    [recall] = events(shop, "shown")
    assert recall["notes"][0][0] == "cart.md"
    hook(
        shop,
        "capture",
        "Stop",
        "one",
        last_assistant_message="Seven days; Redis evicts by a volatile key, again.",
    )
    shop.brain("capture", "--flush", "--vault", shop.folder)
    assert len(events(shop, "shown")) == 1
    assert "used: said" in shop.brain("context", "--session", "one", "--vault", shop.folder).out


def test_only_the_words_of_the_question_are_no_use(shop: Vault) -> None:
    assert session(shop, "one", "The carts expire when they expire.")["used"] == ""
    assert events(shop, "shown") == []


def test_a_changed_file_that_the_note_names_is_a_use(shop: Vault, tmp_path: Path) -> None:
    assert session(shop, "one", edits=str(tmp_path / "src" / "cart.py"))["used"].endswith("cart.py")
    assert len(events(shop, "shown")) == 1


@pytest.mark.exhaustive
def test_a_note_shown_three_times_and_never_used_counts_less_until_it_is_used(shop: Vault) -> None:
    def step(now: str = "2026-11-22T00:00:00Z") -> list[float]:
        found = shop.remember(PROMPT, "--explain", "--now", now)["results"][0]
        assert found["path"] == "cart.md"
        return [each["value"] for each in found["steps"] if each["name"] == "unused"]

    def known() -> float:
        asked = (
            "context",
            "--prompt",
            "cart expiry",
            "--scorer",
            "clawmem",
            "--json",
            "--vault",
            shop.folder,
        )
        return float(shop.brain(*asked).json["results"][0]["total"])

    before = known()
    for number in range(3):
        assert not step()
        session(shop, str(number))
    assert step()[0] < 0
    assert known() == pytest.approx(0.8 * before)
    session(shop, "used", "They live seven days; Redis evicts each by its volatile key.")
    assert not step("2126-11-22T00:00:00Z")


def test_what_the_user_contradicts_is_listed_by_review_until_it_is_confirmed(shop: Vault) -> None:
    # The time of a capture is that of the clock.
    later = (
        "--vault",
        shop.folder,
        "--now",
        datetime.fromtimestamp(int(time.time()) + 600, UTC).isoformat(),
    )

    def reviewed() -> str:
        return shop.brain("review", *later).out

    session(shop, "question", user="is it outdated that Redis evicts carts?")
    assert "cart.md" not in reviewed()
    note = session(shop, "one", user="No. Redis no longer evicts carts, that moved to Postgres.")
    assert note["contradicted"].startswith("Redis no longer evicts carts")
    assert "cart.md\tCart expiry\tcontradicted in a session" in reviewed()
    assert shop.brain("feedback", "cart", "useful", *later).code == 0
    assert "cart.md" not in reviewed()


def test_the_words_of_a_title_are_enough_to_contradict_a_note(shop: Vault) -> None:
    shop.note("many.md", "# Carts\n" + "\n## Expiry\n\nCart expiry.\n" * 30)
    note = session(shop, "one", user="The cart expiry is outdated.")
    assert note["contradicted"] == "The cart expiry is outdated."


def test_an_order_that_the_user_takes_back_is_contradicted_and_marked(shop: Vault) -> None:
    for number, prompt in enumerate(
        ("remember: releases are on Monday", "from now on replay 500 messages a second")
    ):
        assert "Kept as a note" in hook(
            shop, "context", "UserPromptSubmit", "one", prompt=prompt
        ), number
    hook(shop, "capture", "Stop", "one", last_user_message="No wait, make it 300 messages a second, not 500.",
         last_assistant_message="Done.")  # fmt: skip
    assert shop.brain("capture", "--flush", "--vault", shop.folder).code == 0
    found = shop.brain("context", "--session", "one", "--json", "--vault", shop.folder).json[
        "results"
    ]
    assert {each["title"]: bool(each["contradicted"]) for each in found} == {
        "releases are on Monday": False,
        "replay 500 messages a second": True,
    }
    later = (
        "--now",
        datetime.fromtimestamp(int(time.time()) + 600, UTC).isoformat(),
        "--vault",
        shop.folder,
    )
    asked = json.dumps({"prompt": "how many messages a second may a replay send"})
    assert "check: contradicted" in shop.brain("context", "--hook", *later, stdin=asked).out


def test_nothing_of_this_is_recorded_where_that_is_switched_off(shop: Vault) -> None:
    shop.brain.config.parent.mkdir(parents=True)
    shop.brain.config.write_text("record_context = false\n")
    session(shop, "one", "They live seven days; Redis evicts each by its volatile key.")
    assert events(shop, "shown") == events(shop, "brought_up") == []
