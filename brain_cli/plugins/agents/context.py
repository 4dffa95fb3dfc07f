"""`brain context`: print the notes to know when starting work in a folder, as Markdown for a prompt
or a shell.

An agent waits for its hook, which therefore runs without Typer, and opens no vault for a prompt
that names nothing.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Annotated, Any

from brain_cli.cli.boundary import log_traceback
from brain_cli.cli.common import CommonOptions, answer_or_folder
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.paths import local_zone
from brain_cli.plugins.agents.agent_table import hook_reply
from brain_cli.plugins.agents.hook_log import log_use, logged
from brain_cli.plugins.agents.intake import keep, spool_of, start_flushing
from brain_cli.plugins.agents.observation import (
    NOTE_SECONDS,
    PROMPT,
    START,
    PayloadError,
    hook_payload,
    observed,
)
from brain_cli.plugins.agents.typed import asked, names_nothing, orders_to_remember
from brain_cli.printable import one_line
from brain_cli.process import command_context, using_context
from brain_cli.search.asked_time import recency_intent
from brain_cli.streams import say, write
from brain_cli.vault.clock import local_iso

if TYPE_CHECKING:
    from brain_cli.cli import options as option

_SHOWN = re.compile(r"^- \*\*", re.MULTILINE)


def command(
    options: CommonOptions,
    profile: option.ProfileOption = None,
    prompt: Annotated[
        str | None,
        option.flag("--prompt TEXT", "The words of the user's prompt; - reads stdin."),
    ] = None,
    budget: Annotated[
        int | None, option.flag("--budget CHARS", "Print at most this many characters.")
    ] = None,
    hook: Annotated[
        bool, option.flag("--hook", "Read a coding agent's hook payload from stdin.")
    ] = False,
    session: Annotated[
        str | None, option.flag("--session ID", "List what an agent's session was shown.")
    ] = None,
    scorer: option.ScorerOption = None,
    project: option.ProjectOption = None,
    topics: option.TopicsOption = None,
    as_of: option.AsOfOption = None,
) -> int:
    """Show what to know on starting work in this folder.

    Examples:
      brain context
      brain context --prompt 'retry a payment' --profile deep
    """
    if session:
        return _list_session(options, session)
    asked_for = {
        "flags": {"limit": options.limit, "scorer": scorer, "profile": profile or None},
        "project": project,
        "topics": topics,
        "budget_chars": budget,
        "as_of": as_of,
    }
    if hook:
        return _run_as_hook(options, asked_for)
    if prompt == "-":
        prompt = command_context().stdin().decode("utf-8", "replace")
    return _show(options, prompt=prompt or "", **asked_for)


def _show(options: CommonOptions, **asked_for: Any) -> int:
    # Most prompts ask for nothing, and this takes most of the time of a hook.
    from brain_cli.plugins.agents.known_notes import Briefing

    return Briefing(options, **asked_for).show()


def _run_as_hook(options: CommonOptions, asked_for: dict[str, Any]) -> int:
    """Print the notes and always succeed, because an agent would show a failure, or even refuse the
    user's prompt.
    """
    context = command_context()
    environ = {**os.environ, **context.environ}
    began = time.monotonic()
    now = time.time()
    try:
        spool = spool_of(environ)
        # Observations that a dead process left behind.
        if spool.oldest() < now - NOTE_SECONDS:
            start_flushing(spool, environ)
        payload = hook_payload(context.stdin().decode("utf-8", "replace") or "{}")
        vault = options.vault or environ.get("BRAIN_VAULT", "")
        said = observed(payload, at=now, folder=context.folder, vault=vault)
        prompt = said.prompt
        if (said.event == PROMPT or "prompt" in payload) and not prompt.strip():
            return OK
        printed: list[bytes] = []
        with using_context(context._replace(out=printed.append, page=None)):
            if said.event == PROMPT:
                keep(said, environ)
            if order := orders_to_remember(prompt):
                kept = f"Kept as a note: “{one_line(order)[:200]}”."
                write(f"{kept} `brain undo --list` shows how to take it back.\n")
            asked_for |= {
                "prompt": prompt,
                "folder": said.folder,
                "session": said.session,
                "prompt_alone": bool(prompt),
                "is_compacted": said.event == START and payload.get("source") == "compact",
            }
            if not order and _asks_for_nothing(prompt):
                options.list_rows("results", [])
            else:
                answer_or_folder(options, lambda options: _show(options, **asked_for))
        text = b"".join(printed).decode("utf-8", "surrogateescape")
        write(hook_reply(text, payload))
        if prompt:
            took = int(1_000 * (time.monotonic() - began))
            log_use(spool.folder, now, {"notes": len(_SHOWN.findall(text)), "ms": took})
    except BrokenPipeError:
        raise
    except PayloadError:
        return OK
    except BrainError as error:
        say(error.message)
    except Exception as error:
        say(
            f"No notes can be shown: {type(error).__name__}. The traceback is in "
            f"{log_traceback(['context'])}."
        )
    return OK


def _asks_for_nothing(prompt: str) -> bool:
    """Return whether a prompt names nothing, and does not ask for what is new."""
    subject = asked(prompt)
    return bool(prompt) and names_nothing(subject) and not recency_intent(subject).only_time


def _list_session(options: CommonOptions, session: str) -> int:
    """Print what was brought up in a session of an agent: when, and why."""
    environ = command_context().environ
    lines = [*logged(spool_of(environ).folder, session=session)]
    zone = local_zone(environ)
    found = {line["path"]: line for line in reversed(lines) if "path" in line}
    notes = [{**line, "at": local_iso(line["at"], zone)} for line in reversed(found.values())]
    shown = [one_line(f"{each['at'][:16]}  {each['path']}  ({each['why']})") for each in notes]
    options.answer({"results": notes}, shown)
    return OK if notes else NOTHING_FOUND
