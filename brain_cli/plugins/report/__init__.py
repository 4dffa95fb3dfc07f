"""Reports on a vault: the HTML page of `brain report`, and the summary of a period by `brain report
--week`.
"""

from __future__ import annotations

from brain_cli.extension import STATE, Plugin, Verb

PLUGIN = Plugin(
    verbs={
        "report": Verb(
            "Draw the vault as an HTML page, or summarize a period as Markdown.",
            STATE,
            f"{__name__}.report",
        ),
    }
)
