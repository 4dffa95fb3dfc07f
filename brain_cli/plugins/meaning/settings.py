"""The setting of the search by meaning."""

from __future__ import annotations

from brain_cli.config.schema import Setting, choice
from brain_cli.plugins import OFF
from brain_cli.plugins.meaning.embedders import EMBEDDERS

# `auto` uses the installed model that fits the vault's languages; without a model, recall uses only words.
SETTINGS = {
    "meaning": Setting(
        choice("auto", OFF, *EMBEDDERS), "The model that finds notes by meaning, or off: only words.", default="auto"
    )
}
