"""Keep secrets off the disk: replace tokens, keys, passwords and the contents of `.env` files in every text.

A hook waits for this, so every repetition in a pattern is bounded, which keeps the time linear in the text's length.
"""

from __future__ import annotations

import re

from brain_cli.capture.observation import Observation
from brain_cli.capture.secret_files import prints_secrets, reads_env_file

REDACTED = "[redacted]"
MAX_TEXT_CHARS = 8_000
_TOKENS = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAGE-SECRET-KEY-1[A-Z0-9]{8,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_\w{20,}\b|\bglpat-[\w-]{16,}"
    r"|\bsk-[A-Za-z0-9_-]{16,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[\w-]{10,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|\bhooks\.slack\.com/services/[\w/-]{10,}"
    r"|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{10,}|\bSG\.[\w-]{10,}\.[\w-]{10,}"
    r"|\bnpm_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{20,}"
    r"|(?<!\d)\d{8,10}:[A-Za-z0-9_-]{30,}|\bapi/webhooks/\d{8,}/[\w-]{20,}"
    r"|\beyJ[\w-]{8,2000}\.[\w-]{8,}\.[\w-]{4,}",
    re.DOTALL,
)
_NAME = (
    r"passwd|password|passphrase|passcode|pwd|secret|token|credential"
    r"|(?:api|access|account|private|encryption|signing|auth|master)[_-]?key"
    r"|auth(?![a-z])|(?<=[_-])pass(?![a-z])"
)
_VALUE = (
    r'"{3}[^\n]{3,}?"{3}|\\"[^"\n]{3,}?\\"|"(?:\\.|[^"\\\n]){3,}"'
    r"|'(?:\\.|[^'\\\n]){3,}'|[|>][+-]?\n(?:[ \t]+\S.*(?:\n|\Z))+"
    # The text may have been cut inside a quotation.
    r"""|["'][^"'\n]{3,}(?=\n|\Z)|[^\s"',;]{3,}"""
)
_NAMED = re.compile(
    rf"""(?P<name>(?:{_NAME})[\w.-]{{0,40}}(?:\\?["'])?"""
    rf"""\s{{0,20}}(?:[=-]>|:=|[:=])\s{{0,20}})(?P<value>{_VALUE})""",
    re.IGNORECASE,
)
# Possessive repetitions (`+`) avoid backtracking over a long run of names.
# A call, a list, a statement of SQL: `set("password", "…")`, `"token": ["…"]`, `PASSWORD '…'`, `Some("…")`.
_OPENING = r"(?:[:=({\[>.][ \t]{0,4})"
_QUOTED = re.compile(
    rf"""(?P<name>(?:{_NAME}|identified by)[\w.-]{{0,40}}+(?:\\?["'](?:[ \t]{{1,9}}value=)?)?+"""
    rf"""[ \t]{{0,9}}{_OPENING}{{0,4}}(?:["']?\w{{1,20}}+["']?{_OPENING}{{1,4}}){{0,2}},?[ \t]{{0,9}})"""
    r"""(?P<value>"(?:\\.|[^"\\\n]){3,}"|'(?:\\.|[^'\\\n]){3,}')(?![ \t]{0,9}:)""",
    re.IGNORECASE,
)
# After a space or in a table cell, only a word of mixed letters and digits counts as a secret.
_MIXED = r"(?=[^\s|]{0,60}\d)(?=[^\s|]{0,60}[a-z])[^\s|\"']{8,}"
_AFTER_SPACE = re.compile(rf"(?P<name>(?:{_NAME})[\w.-]{{0,20}}[ \t|]{{1,20}})(?P<value>{_MIXED})", re.IGNORECASE)
_ELEMENT = re.compile(rf"(?P<name><[^<>\n]{{0,80}}(?:{_NAME})[^<>\n]{{0,80}}>)(?P<value>[^<]{{3,}})", re.IGNORECASE)
_BEARER = re.compile(
    r"(?P<name>\b(?:bearer|basic|authorization:\s{0,20}token)\s{1,20})(?P<value>[\w.~+/=-]{8,})", re.IGNORECASE
)
_COOKIE = re.compile(r"(?P<name>\b(?:set-)?cookie:[ \t]*)(?P<value>[^\n'\"]{3,})", re.IGNORECASE)
_IN_URL = re.compile(
    r"(?P<name>\b[a-z][a-z0-9+.-]{0,15}://(?:[^\s:/@]{0,100}:)?)(?P<value>[^\s/@]{1,200})(?=@)", re.IGNORECASE
)
_IN_QUERY = re.compile(
    r"(?P<name>[?&](?:sig|signature|key|code|x-amz-[a-z-]{1,30})=)(?P<value>[^&\s\"'#]{6,})", re.IGNORECASE
)
_OPTION = re.compile(
    r"(?P<name>(?:^|\s)--?(?:\w{1,20}-){0,3}(?:password|passwd|passphrase|token|secret|credential"
    r"|(?:api|access|secret|private|auth)-?key)(?:=|\s{1,20}))"
    r"""(?P<value>"[^"\n]{1,200}"|'[^'\n]{1,200}'|\S{3,})""",
    re.IGNORECASE,
)
# `-p` takes a password only in these programs; in others it is a port or a parent folder.
_SHORT_OPTION = re.compile(
    r"(?P<name>\b(?:(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|passwd|(?:docker|podman|registry) login)\b[^\n|;&]{0,200}?"
    r"\s-p|redis-cli\b[^\n|;&]{0,200}?\s-a|openssl\b[^\n|;&]{0,200}?\s-pass(?:in|out)?[ ]pass:)[ =]?)"
    r"(?P<value>(?:'[^'\n]+'|\"[^\"\n]+\"|[^\s-]\S{2,}))"
)
_USER = re.compile(
    r"(?P<name>\s(?:-u|-U|--user|--proxy-user|--auth)[ =]{0,3}['\"]?[^\s:%'\"]{0,100}[:%])(?P<value>[^\s'\"]{3,})"
)
_NETRC = re.compile(r"(?P<name>\blogin\s{1,20}\S{1,200}\s{1,20}password\s{1,20})(?P<value>\S+)")
_LITERAL = re.compile(r"(?P<name>--from-literal[= ][^\s=]{1,100}=)(?P<value>\S+)")
_FOUND_IN_ENV_FILE = re.compile(r"(?P<name>^\S{0,200}\.env[\w.-]{0,40}[:-]\d{1,9}[:-])(?P<value>.+)$", re.MULTILINE)
_REPLACED = (
    _IN_URL, _IN_QUERY, _BEARER, _COOKIE, _OPTION, _QUOTED, _NAMED, _ELEMENT, _SHORT_OPTION, _USER, _NETRC, _LITERAL,
    _FOUND_IN_ENV_FILE, _AFTER_SPACE,
)  # fmt: skip
# A line of a settings file as a tool prints it, with or without a line number and `export`.
_KEY = r"[^\w\n]{0,20}(?:\d{1,9}[^\w\n]{1,9})?(?:export[ \t]{1,9})?[A-Za-z_][\w.]{0,200}[ \t]{0,20}="
_ASSIGNMENT = re.compile(rf"(?P<name>^{_KEY})(?P<value>.*\S.*)$", re.MULTILINE)
_COMMENT = re.compile(r"[^\w\n]{0,20}(?:\d{1,9}[^\w\n]{1,9})?#[^=]*")


def redacted(text: str) -> str:
    """Return a text with every secret in it replaced."""
    text = _TOKENS.sub(REDACTED, text)
    for pattern in _REPLACED:
        text = pattern.sub(rf"\g<name>{REDACTED}", text)
    return text


def without_secrets(observation: Observation) -> Observation:
    """Return an observation without secrets, each of its texts cut to 8,000 characters.

    Every value of an `.env` file counts as a secret, and so does every line that is printed from a file of secrets.
    """
    hide = _hide_values if reads_env_file(observation) else redacted
    hide_response = _hide_lines if prints_secrets(observation) else hide
    return observation._replace(
        input=_clipped(hide(observation.input)),
        response=_clipped(hide_response(observation.response)),
        title=_clipped(hide(observation.title)),
    )


def _hide_values(text: str) -> str:
    return _ASSIGNMENT.sub(rf"\g<name>{REDACTED}", redacted(text))


def _hide_lines(text: str) -> str:
    """Keep only the comments of a text and the names of its settings."""
    return "\n".join(map(_hidden, redacted(text).split("\n")))


def _hidden(line: str) -> str:
    if not line.strip() or _COMMENT.fullmatch(line):
        return line
    assignment = _ASSIGNMENT.match(line)
    return f"{assignment['name']}{REDACTED}" if assignment else REDACTED


def _clipped(text: str) -> str:
    more = len(text) - MAX_TEXT_CHARS
    return text if more <= 0 else f"{text[:MAX_TEXT_CHARS]}\n[… {more} more characters]"
