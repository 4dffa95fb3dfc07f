"""`brain context`: print the notes to know when starting work in a folder, as Markdown for a prompt
or a shell.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from functools import partial
from typing import Annotated, NamedTuple

import typer

from brain_cli.answer.repeated import DECIDING_KINDS, replaceable
from brain_cli.cli.boundary import log_traceback
from brain_cli.cli.common import CommonOptions, answer_or_folder
from brain_cli.cli.options import (
    AsOfOption,
    ProfileOption,
    ProjectOption,
    ScorerOption,
    TopicsOption,
)
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.index.snapshot import AskedWords, Snapshot
from brain_cli.library.recalling import Recalling, SessionOptions, note_history_of
from brain_cli.library.vault import Vault, ensure_wanted_daemon
from brain_cli.paths import local_zone
from brain_cli.plugins.agents.agent_table import hook_reply
from brain_cli.plugins.agents.hook_log import Line, log_use, logged, since_compacted
from brain_cli.plugins.agents.intake import Spool, keep, spool_of, start_flushing
from brain_cli.plugins.agents.note_store import HANDOFF, kind_and_title
from brain_cli.plugins.agents.observation import (
    NOTE_SECONDS,
    PROMPT,
    START,
    PayloadError,
    hook_payload,
    observed,
    orders_to_remember,
)
from brain_cli.plugins.agents.outdated import outdated
from brain_cli.plugins.agents.place import read_place
from brain_cli.plugins.agents.surfacing import (
    MAX_PROMPTED,
    Prompt,
    ShownNote,
    Surfacing,
    naming_words,
    prompted_notes,
    within,
)
from brain_cli.plugins.agents.typed import asked, fenced, is_order
from brain_cli.process import command_context, using_context
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.threshold import THRESHOLDS, Threshold
from brain_cli.render.phrases import one_line
from brain_cli.search.asked_time import recency_intent
from brain_cli.search.query import Query
from brain_cli.search.question_words import content_words
from brain_cli.streams import say, write
from brain_cli.types import Intent, NoteMetadata
from brain_cli.vault.clock import local_iso

DEFAULT_PROFILE = "balanced"
PROFILE_TOKENS = {"speed": 400, "balanced": 800, "deep": 1_200}
CHARS_PER_TOKEN = 4
# An agent waits for this.
GIT_SECONDS = 0.5
# Without a query relevance says little. This formula prefers lasting notes, and these thresholds
# are fitted to it.
CONTEXT_SCORER = "clawmem"
# With the default formula a prompt needs a fixed score (`LEAST_SCORE`), with another that of its
# publication.
DEFAULT_SCORER = "blend"
_SHOWN = re.compile(r"^- \*\*", re.MULTILINE)


class ContextRequest(NamedTuple):
    """One `brain context` as typed; `flags` override the configuration where they are not None.

    A `prompt_alone` is asked about without its folder, on which an agent got the notes at the start
    of its session. An agent that has just compacted its context (`is_compacted`) needs to know its
    own session again.
    """

    options: CommonOptions
    flags: Mapping[str, object]
    session: SessionOptions
    prompt: str = ""
    budget_chars: int | None = None
    folder: str | None = None
    session_id: str = ""
    prompt_alone: bool = False
    is_compacted: bool = False
    as_of: str | None = None

    @property
    def spool(self) -> Spool:
        """The folder of the user's spool also has the log of the hooks."""
        return spool_of(command_context().environ)

    def log(self) -> list[Line]:
        """Return the lines of the log on the session of the agent."""
        session = self.session_id
        return [*logged(self.spool.folder, session=session)] if session else []

    @property
    def is_markdown(self) -> bool:
        """Return True if the notes are printed as Markdown, which an agent reads."""
        return self.options.list_format == "markdown"

    def is_own(self, metadata: NoteMetadata) -> bool:
        return bool(self.session_id) and metadata.properties.get("session") == self.session_id


def command(
    options: CommonOptions,
    profile: ProfileOption = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            "--prompt", metavar="TEXT", help="The words of the user's prompt; - reads stdin."
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="CHARS", help="Print at most this many characters."),
    ] = None,
    hook: Annotated[
        bool, typer.Option("--hook", help="Read a coding agent's hook payload from stdin.")
    ] = False,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help="List what an agent's session was shown."),
    ] = None,
    scorer: ScorerOption = None,
    project: ProjectOption = None,
    topics: TopicsOption = None,
    as_of: AsOfOption = None,
) -> int:
    """Show what to know on starting work in this folder.

    Examples:
      brain context
      brain context --prompt 'retry a payment' --profile deep
    """
    flags = {"limit": options.limit, "scorer": scorer, "profile": profile or None}
    request = ContextRequest(
        options, flags, SessionOptions(project, topics), budget_chars=budget, as_of=as_of
    )
    if session:
        return _list_session(request._replace(session_id=session))
    if hook:
        return _run_as_hook(request)
    if prompt == "-":
        prompt = command_context().stdin().decode("utf-8", "replace")
    return run(request._replace(prompt=prompt or ""))


def _run_as_hook(request: ContextRequest) -> int:
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
        vault = request.options.vault or environ.get("BRAIN_VAULT", "")
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
            told = request._replace(
                prompt=prompt,
                folder=said.folder,
                session_id=said.session,
                prompt_alone=bool(prompt),
                is_compacted=said.event == START and payload.get("source") == "compact",
            )
            answer_or_folder(told.options, lambda options: run(told._replace(options=options)))
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


def run(request: ContextRequest) -> int:
    """Print the notes; return 1 if there are none."""
    vault = request.options.open_any_vault(request.flags)
    return _surface(request, vault.at(request.as_of))


def _surface(request: ContextRequest, vault: Vault) -> int:
    if request.folder:
        vault = vault.replaced(working_folder=request.folder)
    if request.is_compacted:
        own = vault.ask(partial(_own_session, request))
        write(fenced(own[: _budget_chars(request, vault)]))
    if order := orders_to_remember(request.prompt):
        # It asks for nothing.
        write(vault.ask(partial(_may_replace, order, request, vault)))
        return OK
    kept = vault.ask(partial(_kept_notes, request, vault))
    rows = [each.row(vault.zone) for each in kept]
    if request.is_markdown:
        write(fenced("".join(f"{row.line}\n" for row in rows)))
    else:
        request.options.list_rows("results", rows, notes_of=vault)
    ensure_wanted_daemon(vault)
    return OK if kept else NOTHING_FOUND


def _may_replace(order: str, request: ContextRequest, vault: Vault, snapshot: Snapshot) -> str:
    """Return a line on the newest decision that a kept order may replace; empty if there
    is none.
    """
    project = request.session.session(vault, snapshot).project
    found = replaceable(snapshot, kind_and_title(order, "")[1], DECIDING_KINDS[0], project)
    return "".join(
        f"It may replace “{each.title}” ({each.path}): ask the user.\n" for each in found[:1]
    )


def _kept_notes(request: ContextRequest, vault: Vault, snapshot: Snapshot) -> list[ShownNote]:
    """Return the notes to show, and remember them as brought up in this session of an agent."""
    # An empty result has no message otherwise, because this runs whenever a shell starts.
    if not snapshot.note_table.notes:
        say("There are no notes in this vault yet.")
    shown = (_prompted if request.prompt_alone else _surfaced)(request, vault, snapshot)
    why = outdated((each.note.metadata for each in shown), vault.working_folder, GIT_SECONDS)
    session = {"session": request.session_id}
    if request.is_compacted:
        log_use(request.spool.folder, vault.now, {**session, "compacted": True})
    # An agent knows what happened in its own session, and after it was compacted it has just been
    # told.
    was_compacted = any("compacted" in line for line in request.log())
    if request.is_compacted or not was_compacted:
        shown = [each for each in shown if not request.is_own(each.note.metadata)]
    marked = [each._replace(outdated=why.get(each.note.metadata.path, "")) for each in shown]
    fence = len(fenced(" ")) if request.is_markdown else 0
    kept = within(marked, _budget_chars(request, vault) - fence)
    if request.session_id and kept:
        shown_now = ({**session, **_why(each, request.prompt)} for each in kept)
        log_use(request.spool.folder, vault.now, *shown_now)
    return kept


def _surfaced(request: ContextRequest, vault: Vault, snapshot: Snapshot) -> list[ShownNote]:
    """Return what the folder, and maybe a prompt, bring up."""
    config = vault.config
    scorer = config.scorer
    if scorer == DEFAULT_SCORER and not request.prompt:
        scorer = CONTEXT_SCORER
    surfacing = Surfacing(
        read_place(vault.working_folder, vault.folder, vault.now),
        request.prompt,
        request.session.session(vault, snapshot),
        snapshot,
        scorer=load_scorer(scorer, config.scorers.get(scorer, {})),
        history_of=partial(note_history_of, vault),
        cross_project=config.of_plugins["cross_project"],
    )
    return surfacing.surface(_threshold(vault), config.limit)


def _prompted(request: ContextRequest, vault: Vault, snapshot: Snapshot) -> list[ShownNote]:
    """Return what a prompt brings up, by the ranking of a recall. “Commit this for today” asks for
    no note of today.
    """
    prompt = asked(request.prompt)
    if not prompt:
        return []
    seen = {line["path"] for line in since_compacted(request.log()) if "path" in line}
    config = vault.config
    few = vault.replaced(
        config=config._replace(limit=min(MAX_PROMPTED + len(seen), config.limit))
    )
    when = recency_intent(prompt, None, vault.clock)
    resumes = when.spans and recency_intent(when.topic, None, vault.clock).resumes
    subject = when.topic if resumes or (when.spans and not when.only_time) else prompt
    recall = Recalling(few, request.session).answer(snapshot, Query(subject, literal=True))
    # “But not today” asks for nothing.
    is_declined = not {"not", "nicht"}.isdisjoint(subject.casefold().split())
    is_recent = recall.intent is Intent.RECENCY
    words = content_words(subject, snapshot.note_table.languages)
    about = snapshot.about(AskedWords(words), vault.clock)
    scorer = config.scorer
    return prompted_notes(
        recall,
        about,
        Prompt(
            names=naming_words(words, about, is_recent=is_recent),
            is_order=is_order(prompt),
            asks_for_time=when.only_time and not is_declined,
            project=request.session.session(vault, snapshot).project,
            cross_project=config.of_plugins["cross_project"],
            scorer=load_scorer(scorer, config.scorers.get(scorer, {})),
            threshold=None if scorer == DEFAULT_SCORER and not is_recent else _threshold(vault),
        ),
        seen,
    )


def _own_session(request: ContextRequest, snapshot: Snapshot) -> str:
    """Return what this session decided, left open and changed, from its own note; empty if it has
    none.
    """
    table = snapshot.note_table
    notes = {each: table.metadata(each) for each in table.rows}
    own = [
        each for each in notes if request.is_own(notes[each]) and notes[each].kind == HANDOFF
    ]
    if not own:
        return ""
    newest = max(own, key=lambda each: notes[each].timestamp)
    parts = map(snapshot.index.fragment, snapshot.numbers_of(newest))
    told = [(part.trail[-1], part.text.strip()) for part in parts if part.trail]
    told.append(("Files", ", ".join(notes[newest].files)))
    return "".join(f"{name}:\n{text}\n\n" for name, text in told if text)


def _profile(vault: Vault) -> str:
    """Return the profile whose numbers hold; one of the user's own has those of the usual one."""
    return vault.config.profile if vault.config.profile in PROFILE_TOKENS else DEFAULT_PROFILE


def _threshold(vault: Vault) -> Threshold:
    usual = THRESHOLDS[_profile(vault)]
    settings = vault.config.of_plugins
    ratio = settings["context_ratio"]
    floor = settings["context_floor"]
    return Threshold(
        usual.ratio if ratio is None else ratio, usual.floor if floor is None else floor
    )


def _budget_chars(request: ContextRequest, vault: Vault) -> int:
    if request.budget_chars is not None:
        return request.budget_chars
    return CHARS_PER_TOKEN * (
        vault.config.of_plugins["context_tokens"] or PROFILE_TOKENS[_profile(vault)]
    )


def _why(shown: ShownNote, prompt: str) -> dict[str, str]:
    """Return which note is shown, and why: for a prompt or, without one, for the folder."""
    note = shown.note
    here = "handoff, pinned or project note" if shown.standing else "folder"
    why = f"{'prompt' if prompt else here}, score {note.score.share:.2f}"
    return {"path": note.metadata.path, "why": why, "title": note.metadata.title}


def _list_session(request: ContextRequest) -> int:
    """Print what was brought up in a session of an agent: when, and why."""
    zone = local_zone(command_context().environ)
    found = {line["path"]: line for line in reversed(request.log()) if "path" in line}
    notes = [{**line, "at": local_iso(line["at"], zone)} for line in reversed(found.values())]
    lines = [one_line(f"{each['at'][:16]}  {each['path']}  ({each['why']})") for each in notes]
    request.options.answer({"results": notes}, lines)
    return OK if notes else NOTHING_FOUND
