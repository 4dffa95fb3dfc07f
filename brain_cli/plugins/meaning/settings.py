"""The settings of the search by meaning, and whether a model is installed. Every command reads
them, so this imports no model.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

from brain_cli.config.schema import TEXT, Setting, ValueType, choice
from brain_cli.extension import OFF
from brain_cli.paths import data_home
from brain_cli.process import command_context

if TYPE_CHECKING:
    from brain_cli.config import Config

AUTO = "auto"
MANIFEST = "manifest.json"
# In the user's state, so that a model is offered once.
OFFERED = "meaning-offered"

# The names of the models (models.json).
EMBEDDERS = ("minilm", "e5-small")


def _url(value: object) -> str:
    """Read the address of a server, without user name, query and fragment."""
    # Imported here, because most commands read no address.
    from urllib.parse import urlsplit

    text = str(value)
    address = r"(?i)https?://[^\s/?#@:][^\s/?#@]*(/[^\s?#]*)?"
    if not re.fullmatch(address, text) or urlsplit(text).port == 0:
        raise ValueError
    return text.rstrip("/")


URL = ValueType("an http or https address, such as http://localhost:11434/v1", _url)
ANY_TEXT = ValueType("text", str)
# `auto` uses the server, if one is named, or the installed model; without any, recall uses only
# words. The vectors of a server are those of the user's own configuration: a vault cannot name one.
SETTINGS = {
    "meaning": Setting(
        choice(AUTO, OFF, *EMBEDDERS),
        "The model that finds notes by meaning, or off: only words.",
        default=AUTO,
    ),
    "meaning.endpoint": Setting(
        URL,
        "A server that embeds texts by the protocol of OpenAI, such as http://localhost:11434/v1.",
        user_only=True,
    ),
    "meaning.model": Setting(TEXT, "The model of that server for texts.", user_only=True),
    "meaning.rerank": Setting(
        TEXT,
        "The model of that server that reads the ten best notes once more.",
        user_only=True,
    ),
    "meaning.key_variable": Setting(
        TEXT, "The environment variable with the key of that server.", user_only=True
    ),
    "meaning.key_command": Setting(
        TEXT, "A command that prints the key, such as `pass show openai`.", user_only=True
    ),
    "meaning.query_prefix": Setting(
        ANY_TEXT, "What the model expects before a question.", user_only=True
    ),
    "meaning.passage_prefix": Setting(
        ANY_TEXT, "What the model expects before a passage.", user_only=True
    ),
}


class ModelError(Exception):
    """A model cannot be used; the message says why, and how to repair it."""


def models_folder() -> str:
    """Return the folder of the user's models."""
    return os.path.join(data_home(command_context().environ), "brain", "models")


def is_possible(config: Config) -> bool:
    """Return whether a model may be there; false in a plain installation."""
    return bool(config.of_plugins["meaning.endpoint"]) or os.path.isdir(models_folder())


def manifest_times() -> dict[str, int]:
    """Return when each installed model was installed, in nanoseconds."""
    found = {}
    for name in EMBEDDERS:
        with contextlib.suppress(OSError):
            found[name] = os.stat(os.path.join(models_folder(), name, MANIFEST)).st_mtime_ns
    return found
