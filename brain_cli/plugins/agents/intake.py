"""Capture one observation, as `brain capture` does in a hook: read it, drop noise and secrets, put
it into the spool.

A coding agent waits for its hooks, so this imports little, and a background process makes the
notes.

The spool has observations that wait to become notes, one file each, in the user's state folder (a
maildir). A hook writes a file and renames it, so that concurrent hooks need no lock and a reader
sees no half of one. One background process at a time holds the flush lock, makes notes, and removes
the files. Payloads that cannot be used are kept beside them for `brain capture --retry`. Both are
bounded: the oldest are dropped, and the caller learns how many.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from math import inf

from brain_cli.errors import NoVaultError
from brain_cli.files import lock_file, read_beginning
from brain_cli.paths import config_home, make_private_folder, state_home, working_folder
from brain_cli.plugins.agents import SKIPPED_TOOLS
from brain_cli.plugins.agents.agent_table import SHELL
from brain_cli.plugins.agents.observation import (
    MAX_PAYLOAD_BYTES,
    NOTE_SECONDS,
    PROMPT,
    Observation,
    PayloadError,
    clipped,
    ignored,
    read_payload,
)
from brain_cli.vault.atomic_write import TEMPORARY, remove_leftovers, replace_file
from brain_cli.vault.secrets import REDACTED, redacted

PENDING = "new"
ASIDE = "aside"
# Observations leave the spool within seconds, unless no vault accepts them; this is room for weeks
# of those.
MAX_PENDING = 5_000
MAX_ASIDE = 200
# A hook writes its file in milliseconds, so an older one was left by a killed process.
WRITING_SECONDS = 60.0
# Of a broken payload no more is kept, because it is searched for secrets while the hook waits.
MAX_ASIDE_BYTES = 1_000_000
NOW = "It becomes a note in {vault}; `brain undo --list` shows how to take it back."
AT_THE_END = (
    "It becomes part of a note in {vault} when its session ends; `brain capture "
    "--flush` does not wait."
)
NOTHING = (
    "Nothing was kept of this: it is noise, or a prompt that the agent's transcript has too."
)
_DROPPED = "So many wait already that the {:,} oldest were dropped"
MAX_TEXT_CHARS = 8_000
# Files that hold secrets, and commands that print them; compiled on first use, for most prompts
# need none.
_ENV = r"\.env(?!\.(?:example|sample|template|dist)\b)(?:\.[\w.-]{1,40})?"
_BEGIN = r"(?:^|[\s/'\"=<])"
_END = r"(?=$|[\s'\"|;&>)])"
_ENV_FILE = f"{_BEGIN}{_ENV}{_END}"
_SECRET_FILE = (
    rf"{_BEGIN}(?:{_ENV}|\.envrc|[\w-]{{1,40}}\.env|\.netrc|\.pgpass|\.npmrc|\.pypirc"
    rf"|\.git-credentials"
    r"|\.aws/credentials|\.docker/config\.json|\.kube/config|id_(?:rsa|dsa|ecdsa|ed25519)"
    rf"|(?:secrets?|credentials?)\.(?:ya?ml|json|toml|ini|txt)|[\w-]{{1,60}}\.(?:pem|key|p12|pfx"
    rf"|jks)){_END}"
)
# Programs that print a file, or parts of one.
_PRINTS = (
    r"\b(?:cat|bat|less|more|head|tail|nl|tac|sort|uniq|cut|grep|rg|ag|sed|awk|type|xxd|od"
    r"|strings|base64|tee|vi|vim)\b"
)
# Commands that print secrets by themselves.
_REVEALS = (
    r"(?m)(?:^|[|;&(]\s*)(?:sudo\s+)?(?:env|printenv|set|export(?:\s+-p)?)\s*(?:$|[|;&)])"
    r"|(?:^|[|;&(]\s*)printenv\s+\S+"
    r"|--export-secret|\bpass\s+show\b|\bop\s+(?:read|item\s+get)\b|\bvault\s+(?:kv\s+get|read)\b"
    r"|\bgh\s+auth\s+token\b"
    r"|\bcompose\b.{0,200}\sconfig\b|\bget-secret-value\b|\bfind-(?:generic|internet)-password\b"
    r"|\bgcloud\s+auth\s+print-|\bget\s+secrets?\b.*-o"
)

# A line of a settings file as a tool prints it, with or without a line number and `export`.
_KEY = (
    r"[^\w\n]{0,20}(?:\d{1,9}[^\w\n]{1,9})?(?:export[ \t]{1,9})?[A-Za-z_][\w.]{0,200}"
    r"[ \t]{0,20}="
)
_ASSIGNMENT = (
    "(?m)"
    rf"(?P<name>^{_KEY})(?P<value>.*\S.*)$"
)
_COMMENT = r"[^\w\n]{0,20}(?:\d{1,9}[^\w\n]{1,9})?#[^=]*"


def to_line(observation: Observation) -> bytes:
    """Return the observation as one line of ASCII JSON, omitting default values."""
    usual = vars(Observation)
    fields = {
        key: value for key, value in observation._asdict().items() if value != usual.get(key)
    }
    return json.dumps(fields).encode("ascii") + b"\n"


def from_line(line: bytes) -> Observation | None:
    """Read one line of the spool; None if it is incomplete or not an observation."""
    try:
        fields = json.loads(line)
        return Observation(**{**fields, "files": tuple(fields.get("files", ()))})
    except (ValueError, TypeError, AttributeError):
        return None


class Spool:
    """The spool in one folder, which is made on first use and private to the user."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def append(self, observation: Observation) -> int:
        """Add an observation; return how many old ones were dropped for it. OSError if it is not
        written completely.
        """
        name = f"{time.time_ns():020d}-{os.urandom(4).hex()}"
        return self._add(PENDING, name, to_line(observation), MAX_PENDING)[1]

    def oldest(self) -> float:
        """Return when the oldest waiting observation was added, in seconds since the epoch;
        infinity if none waits.
        """
        number = next(iter(self._names(PENDING)), "").partition("-")[0]
        return int(number) / 1e9 if number.isdecimal() else inf

    def observations(self, seen: Collection[str] = ()) -> dict[str, Observation]:
        """Return the waiting observations by the names of their files, without those `seen`, oldest
        first.

        A damaged file is removed: hooks rename only complete ones.
        """
        found: dict[str, Observation] = {}
        for name in self._names(PENDING):
            if name not in seen:
                with contextlib.suppress(FileNotFoundError):
                    path = os.path.join(self.folder, PENDING, name)
                    with open(path, "rb") as file:
                        observation = from_line(file.read())
                    if observation:
                        found[name] = observation
                    else:
                        os.unlink(path)
        return found

    def remove(self, names: Collection[str], folder: str = PENDING) -> None:
        """Remove the files with these names, observations unless another folder is named."""
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, folder, name))

    def set_aside(self, raw: bytes, name: str) -> tuple[str, int]:
        """Keep a payload that cannot be used; return its path, and how many old ones were dropped
        for it.
        """
        return self._add(ASIDE, name, raw, MAX_ASIDE)

    def aside(self) -> list[str]:
        """Return the paths of the payloads set aside, oldest first."""
        return [os.path.join(self.folder, ASIDE, name) for name in self._names(ASIDE)]

    def tidy(self) -> None:
        """Take in the files of hooks that were killed before they renamed them; a reader removes
        half of one.
        """
        folder = os.path.join(self.folder, PENDING)
        with contextlib.suppress(OSError):
            remove_leftovers(self.folder, WRITING_SECONDS)
            for entry in os.scandir(folder):
                is_old = entry.stat().st_mtime < time.time() - WRITING_SECONDS
                if is_old and entry.name.endswith(TEMPORARY):
                    os.rename(entry.path, os.path.join(folder, entry.name.split(".")[1]))

    @contextlib.contextmanager
    def flushing(self) -> Iterator[bool]:
        """Hold the flush lock inside the block; the value is False if another process holds it."""
        make_private_folder(self.folder)
        handle = os.open(os.path.join(self.folder, "flush.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield lock_file(handle)
        finally:
            os.close(handle)

    def _add(self, folder: str, name: str, content: bytes, most: int) -> tuple[str, int]:
        """Add a file to a folder, and drop its oldest ones beyond `most`; return the path and how
        many were dropped.
        """
        path = os.path.join(self.folder, folder, name)
        make_private_folder(os.path.dirname(path))
        replace_file(path, content, mode=0o600, durable=False)
        old = self._names(folder)[:-most]
        self.remove(old, folder)
        return path, len(old)

    def _names(self, folder: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            names = os.listdir(os.path.join(self.folder, folder))
            return sorted(name for name in names if not name.endswith(TEMPORARY))
        return []


def hook(vault: str = "") -> int:
    """Capture the payload on stdin for a vault. The hook never fails: a problem is one line on
    stderr.
    """
    if sys.stdin is None or sys.stdin.isatty():
        sys.stderr.write("brain: Nothing to capture: pipe an observation into brain capture.\n")
        return 2
    try:
        raw = sys.stdin.buffer.read(MAX_PAYLOAD_BYTES + 1)
        folder = os.environ.get("PWD") or working_folder()
        _, message = capture(raw, os.environ, folder, vault)
    except Exception as error:
        message = f"The observation could not be captured: {type(error).__name__}."
    if message:
        sys.stderr.write(f"brain: {message}\n")
    return 0


def spool_of(environ: Mapping[str, str]) -> Spool:
    """Return the user's spool; one serves all vaults."""
    return Spool(os.path.join(state_home(environ), "brain", "capture"))


def skipped_tools(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tools that are never captured: `BRAIN_SKIP_TOOLS` (comma-separated), else the
    user's `skip_tools`.
    """
    named = environ.get("BRAIN_SKIP_TOOLS")
    if named is not None:
        return tuple(name.strip() for name in named.split(",") if name.strip())
    # The hook ignores a broken file; `brain config` reports the error.
    with contextlib.suppress(OSError, ValueError, RecursionError):
        text = read_beginning(
            os.path.join(config_home(environ), "brain", "config.toml"), 1_000_000
        ).decode("utf-8")
        # Parsing costs 10 ms.
        if "skip_tools" in text:
            import tomllib

            names = tomllib.loads(text).get("skip_tools")
            return tuple(map(str, names)) if isinstance(names, list) else SKIPPED_TOOLS
    return SKIPPED_TOOLS


def capture(
    raw: bytes,
    environ: Mapping[str, str],
    folder: str,
    vault: str = "",
    stated: str | None = "",
) -> tuple[bool, str]:
    """Put an observation read from a payload into the spool; a payload that cannot be read is set
    aside. Return whether it could be read, and what to say on stderr.

    It is of the `stated` time (--now), else of BRAIN_NOW, else of now.
    """
    now = time.time()
    at = now
    try:
        if text := stated or environ.get("BRAIN_NOW"):
            from brain_cli.vault.dates import timestamp_of

            at = timestamp_of(text) or now
        observation = read_payload(
            raw, at=at, folder=folder, vault=vault or environ.get("BRAIN_VAULT", "")
        )
        return True, keep(observation, environ)
    except PayloadError as error:
        return False, _set_aside(environ, raw, now, str(error))
    except OSError as error:
        why = f"The observation could not be captured: {error.strerror or error}"
        return False, _set_aside(environ, raw, now, why)


def keep(observation: Observation | None, environ: Mapping[str, str]) -> str:
    """Put an observation into the spool, unless it is noise; return what to say on stderr. OSError
    if that fails.
    """
    # An agent's transcript has its prompts too.
    if observation is None or (
        (observation.event == PROMPT and observation.transcript and not observation.is_due)
        or ignored(observation, skipped_tools(environ))
    ):
        return _told(NOTHING, observation)
    spool = spool_of(environ)
    dropped = spool.append(without_secrets(observation))
    if observation.is_due or spool.oldest() < time.time() - NOTE_SECONDS:
        start_flushing(spool, environ)
    if dropped:
        return f"{_DROPPED.format(dropped)}; brain capture --flush says why."
    return _told(NOW if observation.is_due else AT_THE_END, observation)


def _told(what: str, observation: Observation | None) -> str:
    """Return what becomes of an observation, for a person at a terminal or one who pipes a text."""
    is_text = observation is not None and observation.is_text
    if not (is_text or (sys.stderr and sys.stderr.isatty())):
        return ""
    if observation is None or what == NOTHING:
        return NOTHING
    from brain_cli.config import find_vault

    folder = observation.folder
    try:
        return what.format(
            vault=find_vault(observation.vault or None, folder, os.environ, folder)
        )
    except NoVaultError as error:
        return f"Kept until there is a vault: {error.message} {error.hint}"


def start_flushing(spool: Spool, environ: Mapping[str, str]) -> None:
    """Start the background process that makes notes, unless one is running."""
    with spool.flushing() as free:
        if not free:
            return
    # -P: import nothing from the working folder, which may be a stranger's repository.
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-m", "brain_cli", "capture", "--flush", "--background"],
            dict(environ),
            file_actions=[(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)],
            setsid=True,
        )
    except (OSError, NotImplementedError):
        # The next `brain capture` or `brain context` makes the notes instead.
        return
    finally:
        os.close(null)


def _set_aside(environ: Mapping[str, str], raw: bytes, now: float, why: str) -> str:
    """Keep a payload for `--retry`; return a sentence that says where."""
    text = redacted(raw[:MAX_ASIDE_BYTES].decode("utf-8", "replace"))
    name = f"{int(now * 1000)}-{os.urandom(3).hex()}"
    try:
        path, dropped = spool_of(environ).set_aside(text.encode(), name)
    except OSError as error:
        return f"{why}, and it could not be kept: {error.strerror or error}."
    gone = f" {_DROPPED.format(dropped)}." if dropped else ""
    return f"{why}. It was kept in {path}; brain capture --retry reads it again.{gone}"


def without_secrets(observation: Observation) -> Observation:
    """Return an observation without secrets, its texts clipped to 8,000 characters.

    Every value of an `.env` file counts as a secret, and so does every line that is printed from a
    file of secrets.
    """
    reads_env_file = any(
        re.search(_ENV_FILE, each) for each in (*observation.files, observation.input)
    )
    hide = hide_values if reads_env_file else redacted
    hide_response = hide_lines if _prints_secrets(observation) else hide
    return observation._replace(
        input=clipped(hide(observation.input), MAX_TEXT_CHARS),
        response=clipped(hide_response(observation.response), MAX_TEXT_CHARS),
        title=clipped(hide(observation.title), MAX_TEXT_CHARS),
        prompt=clipped(redacted(observation.prompt), MAX_TEXT_CHARS),
    )


def _prints_secrets(observation: Observation) -> bool:
    """Return whether an observation's response comes from a file of secrets, or from a command that
    prints secrets.
    """
    if any(re.search(_SECRET_FILE, f"/{os.path.normpath(file)}") for file in observation.files):
        return True
    if observation.tool.casefold() not in SHELL:
        return False
    command = observation.input
    return bool(
        re.search(_REVEALS, command)
        or (re.search(_SECRET_FILE, command) and re.search(_PRINTS, command))
    )


def hide_values(text: str) -> str:
    """Return a text without its secrets and without the values of its settings."""
    return re.sub(_ASSIGNMENT, rf"\g<name>{REDACTED}", redacted(text))


def hide_lines(text: str) -> str:
    """Keep only the comments of a text and the names of its settings."""
    return "\n".join(map(_hidden, redacted(text).split("\n")))


def _hidden(line: str) -> str:
    if not line.strip() or re.fullmatch(_COMMENT, line):
        return line
    assignment = re.match(_ASSIGNMENT, line)
    return f"{assignment['name']}{REDACTED}" if assignment else REDACTED
