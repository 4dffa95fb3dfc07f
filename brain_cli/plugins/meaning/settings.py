"""The settings of the search by meaning. Every command reads them, so this imports no model."""

from __future__ import annotations

from brain_cli.config.schema import Setting, choice
from brain_cli.extension import OFF

# The names of the models (models.py).
EMBEDDERS = ("minilm", "e5-small")
# `auto` uses the installed model that fits the vault's languages; without a model, recall uses only
# words.
SETTINGS = {
    "meaning": Setting(
        choice("auto", OFF, *EMBEDDERS),
        "The model that finds notes by meaning, or off: only words.",
        default="auto",
    )
}
