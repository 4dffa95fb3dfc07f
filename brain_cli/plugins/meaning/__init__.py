"""Find notes by meaning: small language models, the vectors of a vault's notes, and how both join
what words find.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from brain_cli.extension import FINE, LOOK, OF_ROWS, SET_UP, AddedOption, Finding, Plugin, Verb
from brain_cli.plugins.meaning.settings import AUTO, OFFERED, is_possible
from brain_cli.process import command_context

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from brain_cli.answer.results import Recall
    from brain_cli.answer.retriever import Retriever
    from brain_cli.index.note_table import NoteTable
    from brain_cli.library.vault import Vault

PLUGIN = Plugin(
    verbs={
        "model": Verb(
            "Install a model that finds notes by meaning.",
            SET_UP,
            f"{__name__}.model",
            reads=True,
            lists=OF_ROWS,
        )
    },
    hooks={
        "retriever": f"{__name__}:retriever",
        "found_little": f"{__name__}:found_little",
        "near": f"{__name__}.search:near_notes",
        "after_index": f"{__name__}:after_index",
        "vectors": f"{__name__}.kept:vectors",
        "asked": f"{__name__}.kept:asked",
        "stamp": f"{__name__}.search:models_stamp",
        "status": f"{__name__}.search:status",
        "checks": f"{__name__}:checks",
    },
    switch="meaning",
    settings=f"{__name__}.settings:SETTINGS",
    options=(
        AddedOption(
            parameter="no_embed",
            names="--no-embed",
            about="Do not embed the notes for the search by meaning.",
            verbs=("index",),
        ),
    ),
)


def retriever(vault: Vault) -> Retriever | None:
    """Return the search by meaning for a recall; None if it is off or no model is installed."""
    if not is_possible(vault.config):
        return None
    from brain_cli.plugins.meaning.search import search_by_meaning

    return search_by_meaning(vault)


def after_index(vault: Vault, added: Mapping[str, object]) -> None:
    """Embed the notes of a vault that are not embedded yet, unless the command has `--no-embed`."""
    if is_possible(vault.config) and not added.get("no_embed"):
        # Imported here, because most indexes are without a model.
        from brain_cli.plugins.meaning.search import embed_or_start

        embed_or_start(vault)


def found_little(vault: Vault, recall: Recall) -> bool:
    """Offer a model to a person whose question found little; return whether one was installed."""
    context = command_context()
    is_undecided = vault.config.of_plugins["meaning"] == AUTO and vault.files
    is_asked = context.types() and context.screen().out and context.screen().err
    if not (is_undecided and is_asked) or context.warm_index or is_possible(vault.config):
        return False
    if os.path.exists(os.path.join(vault.state_home, "brain", OFFERED)):
        return False
    # Imported here, because it is needed once.
    from brain_cli.plugins.meaning.install import offer

    return offer(vault, recall)


def checks(vault: Vault, note_table: NoteTable | None) -> Iterator[Finding]:
    """Check the model of meaning for `brain doctor`, if one is used. A recall ignores a
    broken one.
    """
    from brain_cli.plugins.meaning.search import model_in

    if note_table and (model := model_in(vault)):
        state = model.state(note_table, thorough=True)
        is_complete = not state.problem and state.embedded == state.notes
        yield Finding(
            "meaning", FINE if is_complete else LOOK, str(state), int(bool(state.problem))
        )
