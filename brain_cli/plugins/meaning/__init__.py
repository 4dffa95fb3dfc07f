"""Find notes by meaning: small language models, the vectors of a vault's notes, and how both join what words find."""

from __future__ import annotations

from brain_cli.plugins import SET_UP, Plugin, Verb

PLUGIN = Plugin(
    verbs={"model": Verb("Install a model that finds notes by meaning.", SET_UP, f"{__name__}.model")},
    hooks={
        "retriever": f"{__name__}.search:retriever",
        "after_index": f"{__name__}.search:after_index",
        "stamp": f"{__name__}.search:models_stamp",
        "status": f"{__name__}.search:status",
        "checks": f"{__name__}.checks:checks",
    },
)
