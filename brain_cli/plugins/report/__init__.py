"""Reports on a vault: the HTML page of `brain report`, and the summary of a period by `brain digest`."""

from __future__ import annotations

from brain_cli.plugins import STATE, Plugin, Verb

PLUGIN = Plugin(
    verbs={
        "digest": Verb("Summarize a period: new, recalled and fading notes, open tasks.", STATE, f"{__name__}.digest"),
        "report": Verb("Draw the vault as one HTML page: time, strength, recalls, links.", STATE, f"{__name__}.report"),
    }
)
