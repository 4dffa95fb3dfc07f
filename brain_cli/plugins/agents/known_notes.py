"""Choose and print the notes to know: on starting work in a folder, or for an agent's prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from brain_cli.answer.repeated import DECIDING_KINDS, replaceable
from brain_cli.cli.common import CommonOptions
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import SessionOptions, note_history_of
from brain_cli.library.vault import Vault, ensure_wanted_daemon
from brain_cli.plugins.agents.hook_log import Line, log_use, logged, since_compacted
from brain_cli.plugins.agents.intake import spool_of
from brain_cli.plugins.agents.outdated import outdated
from brain_cli.plugins.agents.place import read_place
from brain_cli.plugins.agents.prompted import MAX_PROMPTED, PromptedNotes
from brain_cli.plugins.agents.surfacing import ShownNote, Surfacing, within
from brain_cli.plugins.agents.typed import fenced, orders_to_remember
from brain_cli.process import command_context
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.threshold import THRESHOLDS, Threshold
from brain_cli.record import Record
from brain_cli.search.asked_time import HANDOFF
from brain_cli.streams import say, write
from brain_cli.types import DEFAULT_SCORER, NoteMetadata

DEFAULT_PROFILE = "balanced"
PROFILE_TOKENS = {"speed": 400, "balanced": 800, "deep": 1_200}
CHARS_PER_TOKEN = 4
# An agent waits for this.
GIT_SECONDS = 0.5
# Without a query relevance says little. This formula prefers lasting notes, and these thresholds
# are fitted to it.
CONTEXT_SCORER = "clawmem"


class Briefing(Record):
    """One `brain context`; `flags` override the configuration where they are not None.

    A `prompt_alone` is asked about without its folder, on which an agent got the notes at the start
    of its session. An agent that has just compacted its context (`is_compacted`) needs to know its
    own session again.
    """

    options: CommonOptions
    flags: Mapping[str, object]
    project: str | None = None
    topics: str | None = None
    prompt: str = ""
    budget_chars: int | None = None
    folder: str | None = None
    session: str = ""
    prompt_alone: bool = False
    is_compacted: bool = False
    as_of: str | None = None

    def show(self) -> int:
        """Print the notes; return 1 if there are none."""
        vault = self.options.open_any_vault(self.flags).at(self.as_of)
        if self.folder:
            vault = vault.replaced(working_folder=self.folder)
        if self.is_compacted:
            own = vault.ask(partial(self._own_session, vault))
            write(fenced(own[: self._budget(vault)]))
        if order := orders_to_remember(self.prompt):
            # It asks for nothing.
            write(vault.ask(partial(self._may_replace, order, vault)))
            return OK
        kept = vault.ask(partial(self._kept, vault))
        rows = [each.row(vault.zone) for each in kept]
        if self._is_markdown:
            write(fenced("".join(f"{row.line}\n" for row in rows)))
        else:
            self.options.list_rows("results", rows, notes_of=vault)
        ensure_wanted_daemon(vault)
        return OK if kept else NOTHING_FOUND

    @property
    def work(self) -> SessionOptions:
        """Return what the user works on."""
        return SessionOptions(self.project, self.topics)

    @property
    def _is_markdown(self) -> bool:
        """Return whether the notes are printed as Markdown, which an agent reads."""
        return self.options.list_format == "markdown"

    def _kept(self, vault: Vault, snapshot: Snapshot) -> list[ShownNote]:
        """Return the notes to show, and remember them as brought up in this session of an agent."""
        # An empty result has no message otherwise, because this runs whenever a shell starts.
        if not snapshot.note_table.notes:
            say("There are no notes in this vault yet.")
        folder = spool_of(command_context().environ).folder
        session = {"session": self.session}
        log = [*logged(folder, session=self.session)] if self.session else []
        found = self._prompted if self.prompt_alone else self._surfaced
        shown = found(vault, snapshot, since_compacted(log))
        why = outdated(
            (each.note.metadata for each in shown), vault.working_folder, GIT_SECONDS
        )
        if self.is_compacted:
            log_use(folder, vault.now, {**session, "compacted": True})
        # An agent knows what happened in its own session, and after it was compacted it has just
        # been told.
        if self.is_compacted or not any("compacted" in line for line in log):
            shown = [each for each in shown if not self._is_own(each.note.metadata)]
        marked = [
            each._replace(outdated=why.get(each.note.metadata.path, "")) for each in shown
        ]
        fence = len(fenced(" ")) if self._is_markdown else 0
        kept = within(marked, self._budget(vault) - fence)
        if self.session and kept:
            log_use(folder, vault.now, *({**session, **self._why(each)} for each in kept))
        return kept

    def _surfaced(self, vault: Vault, snapshot: Snapshot, _: object) -> list[ShownNote]:
        """Return what the folder, and maybe a prompt, bring up."""
        config = vault.config
        scorer = config.scorer
        if scorer == DEFAULT_SCORER and not self.prompt:
            scorer = CONTEXT_SCORER
        surfacing = Surfacing(
            read_place(vault.working_folder, vault.folder, vault.now),
            self.prompt,
            self.work.session(vault, snapshot),
            snapshot,
            scorer=load_scorer(scorer, config.scorers.get(scorer, {})),
            history_of=partial(note_history_of, vault),
            cross_project=config.of_plugins["cross_project"],
        )
        return surfacing.surface(_threshold(vault), config.limit)

    def _prompted(
        self, vault: Vault, snapshot: Snapshot, log: Sequence[Line]
    ) -> list[ShownNote]:
        """Return what a prompt brings up, but for what it brought up before."""
        seen = {line["path"] for line in log if "path" in line}
        limit = min(MAX_PROMPTED + len(seen), vault.config.limit)
        few = vault.replaced(config=vault.config._replace(limit=limit))
        threshold = _threshold(vault)
        return PromptedNotes(self.prompt, few, self.work, snapshot, threshold).notes(seen)

    def _may_replace(self, order: str, vault: Vault, snapshot: Snapshot) -> str:
        """Return a line on the newest decision that a kept order may replace; empty if there
        is none.
        """
        # Few prompts order to remember something.
        from brain_cli.plugins.agents.note_store import kind_and_title

        project = self.work.session(vault, snapshot).project
        found = replaceable(snapshot, kind_and_title(order, "")[1], DECIDING_KINDS[0], project)
        return "".join(
            f"It may replace “{each.title}” ({each.path}): ask the user.\n"
            for each in found[:1]
        )

    def _own_session(self, vault: Vault, snapshot: Snapshot) -> str:
        """Return the note of this session, and the files that it changed; empty if it has none."""
        table = snapshot.note_table
        own = [each for each in map(table.metadata, table.rows) if self._is_own(each)]
        handoffs = sorted(
            (each for each in own if each.kind == HANDOFF), key=lambda each: each.timestamp
        )
        return "".join(
            f"{vault.body(each.path).strip()}\n\nFiles: {', '.join(each.files)}\n"
            for each in handoffs[-1:]
        )

    def _is_own(self, metadata: NoteMetadata) -> bool:
        return bool(self.session) and metadata.properties.get("session") == self.session

    def _budget(self, vault: Vault) -> int:
        """Return how many characters may be printed."""
        if self.budget_chars is not None:
            return self.budget_chars
        tokens = vault.config.of_plugins["context_tokens"] or PROFILE_TOKENS[_profile(vault)]
        return CHARS_PER_TOKEN * tokens

    def _why(self, shown: ShownNote) -> dict[str, str]:
        """Return which note is shown, and why: for a prompt or, without one, for the folder."""
        note = shown.note
        here = "handoff, preference, pinned or project note" if shown.standing else "folder"
        why = f"{'prompt' if self.prompt else here}, score {note.score.share:.2f}"
        return {"path": note.metadata.path, "why": why, "title": note.metadata.title}


def _profile(vault: Vault) -> str:
    """Return the profile whose numbers hold; one of the user's own has those of the usual one."""
    return vault.config.profile if vault.config.profile in PROFILE_TOKENS else DEFAULT_PROFILE


def _threshold(vault: Vault) -> Threshold:
    settings = vault.config.of_plugins
    stated = {"ratio": settings["context_ratio"], "floor": settings["context_floor"]}
    given = {name: value for name, value in stated.items() if value is not None}
    return THRESHOLDS[_profile(vault)]._replace(**given)
