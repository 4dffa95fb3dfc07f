"""Measure recall on judged questions, and fit the ranking: which notes are first, which answer is
shown, how fast.
"""

from __future__ import annotations

from brain_cli.extension import JUDGE, Plugin, Verb

PLUGIN = Plugin(
    verbs={
        "eval": Verb("Evaluate recall on judged questions.", JUDGE, f"{__name__}.eval"),
        "tune": Verb(
            "Fit the ranking to your own judged questions or feedback.",
            JUDGE,
            f"{__name__}.tune",
        ),
        "score": Verb(
            "Evaluate a formula: JSON lines of signals in, scores out.",
            JUDGE,
            f"{__name__}.score",
        ),
    }
)
