"""Secrets never reach the disk: tokens, keys, passwords and the contents of `.env` files are replaced in every text."""

from __future__ import annotations

import os
import re

from brain_cli.capture.observation import Observation

REDACTED = "[redacted]"
MAX_TEXT_CHARS = 8_000
_TOKENS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_\w{20,}\b|\bglpat-[\w-]{16,}"
    r"|\bsk-[A-Za-z0-9_-]{16,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"
    r"|\bnpm_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}",
    re.DOTALL,
)
_NAMED = re.compile(
    r"""(?P<name>["']?[\w.-]{0,40}(?:passwd|password|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w.-]{0,40}["']?"""
    r"""\s*(?:=>|[:=])\s*)(?P<value>"[^"\n]{3,}"|'[^'\n]{3,}'|[^\s"',;]{3,})""",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?P<name>\b(?:bearer|basic)\s+)(?P<value>[\w.~+/=-]{8,})", re.IGNORECASE)
_IN_URL = re.compile(
    r"(?P<name>\b[a-z][a-z0-9+.-]{0,15}://[^\s:/@]{0,100}:)(?P<value>[^\s/@]{1,200})(?=@)", re.IGNORECASE
)
_OPTION = re.compile(
    r"(?P<name>(?:^|\s)(?:--?(?:password|passwd|token|secret|api-key)|-p)(?:=|\s+))(?P<value>\S{6,})", re.IGNORECASE
)
_ASSIGNMENT = re.compile(r"(?P<name>^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*)(?P<value>\S.*)$", re.MULTILINE)
_ENV_FILE = re.compile(r"(?:^|[\s/'\"=<])\.env(?!\.(?:example|sample|template|dist)\b)(?:\.[\w.-]+)?(?=$|[\s'\"|;&>)])")


def redacted(text: str) -> str:
    """Return a text with every secret in it replaced."""
    text = _TOKENS.sub(REDACTED, text)
    for pattern in (_IN_URL, _BEARER, _NAMED, _OPTION):
        text = pattern.sub(rf"\g<name>{REDACTED}", text)
    return text


def without_secrets(observation: Observation) -> Observation:
    """Return an observation with texts of at most 8,000 characters without secrets.

    Every value of an `.env` file counts as a secret.
    """
    hide = _hide_values if _reads_env_file(observation) else redacted
    return observation._replace(
        input=_clipped(hide(observation.input)),
        response=_clipped(hide(observation.response)),
        title=_clipped(hide(observation.title)),
    )


def _hide_values(text: str) -> str:
    return _ASSIGNMENT.sub(rf"\g<name>{REDACTED}", redacted(text))


def _reads_env_file(observation: Observation) -> bool:
    names = (os.path.basename(file) for file in observation.files)
    return any(_ENV_FILE.search(name) for name in names) or bool(_ENV_FILE.search(observation.input))


def _clipped(text: str) -> str:
    more = len(text) - MAX_TEXT_CHARS
    return text if more <= 0 else f"{text[:MAX_TEXT_CHARS]}\n[… {more} more characters]"
