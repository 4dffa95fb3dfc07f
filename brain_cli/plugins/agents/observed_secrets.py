"""Remove the secrets of an observation: those in its texts, and all of what came from a file of secrets."""

from __future__ import annotations

import os
import re

from brain_cli.plugins.agents.observation import Observation
from brain_cli.plugins.agents.tools import SHELL
from brain_cli.vault.secrets import hide_lines, hide_values, redacted

MAX_TEXT_CHARS = 8_000
# Files that hold secrets, and commands that print them.
_ENV = r"\.env(?!\.(?:example|sample|template|dist)\b)(?:\.[\w.-]{1,40})?"
_BEGIN, _END = r"(?:^|[\s/'\"=<])", r"(?=$|[\s'\"|;&>)])"
_ENV_FILE = re.compile(f"{_BEGIN}{_ENV}{_END}")
_SECRET_FILE = re.compile(
    rf"{_BEGIN}(?:{_ENV}|\.envrc|[\w-]{{1,40}}\.env|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials"
    r"|\.aws/credentials|\.docker/config\.json|\.kube/config|id_(?:rsa|dsa|ecdsa|ed25519)"
    rf"|(?:secrets?|credentials?)\.(?:ya?ml|json|toml|ini|txt)|[\w-]{{1,60}}\.(?:pem|key|p12|pfx|jks)){_END}"
)
# Programs that print a file, or parts of one.
_PRINTS = re.compile(
    r"\b(?:cat|bat|less|more|head|tail|nl|tac|sort|uniq|cut|grep|rg|ag|sed|awk|type|xxd|od|strings|base64|tee|vi|vim)\b"
)
# Commands that print secrets by themselves.
_REVEALS = re.compile(
    r"(?:^|[|;&(]\s*)(?:sudo\s+)?(?:env|printenv|set|export(?:\s+-p)?)\s*(?:$|[|;&)])"
    r"|(?:^|[|;&(]\s*)printenv\s+\S+"
    r"|--export-secret|\bpass\s+show\b|\bop\s+(?:read|item\s+get)\b|\bvault\s+(?:kv\s+get|read)\b|\bgh\s+auth\s+token\b"
    r"|\bcompose\b.{0,200}\sconfig\b|\bget-secret-value\b|\bfind-(?:generic|internet)-password\b|\bgcloud\s+auth\s+print-|\bget\s+secrets?\b.*-o",
    re.MULTILINE,
)


def without_secrets(observation: Observation) -> Observation:
    """Return an observation without secrets, each of its texts cut to 8,000 characters.

    Every value of an `.env` file counts as a secret, and so does every line that is printed from a file of secrets.
    """
    hide = hide_values if _reads_env_file(observation) else redacted
    hide_response = hide_lines if _prints_secrets(observation) else hide
    return observation._replace(
        input=_clipped(hide(observation.input)),
        response=_clipped(hide_response(observation.response)),
        title=_clipped(hide(observation.title)),
        prompt=_clipped(redacted(observation.prompt)),
    )


def _clipped(text: str) -> str:
    more = len(text) - MAX_TEXT_CHARS
    return text if more <= 0 else f"{text[:MAX_TEXT_CHARS]}\n[… {more} more characters]"


def _reads_env_file(observation: Observation) -> bool:
    """Return whether an `.env` file is named in an observation."""
    return any(_ENV_FILE.search(file) for file in observation.files) or bool(_ENV_FILE.search(observation.input))


def _prints_secrets(observation: Observation) -> bool:
    """Return whether an observation's response comes from a file of secrets, or from a command that prints secrets."""
    if any(_SECRET_FILE.search(f"/{os.path.normpath(file)}") for file in observation.files):
        return True
    if observation.tool.casefold() not in SHELL:
        return False
    command = observation.input
    return bool(_REVEALS.search(command) or (_SECRET_FILE.search(command) and _PRINTS.search(command)))
