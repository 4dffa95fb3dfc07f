"""Offer a model to a person whose question found little, and install it.

The question is asked again once the newest notes are embedded; a process in the background embeds
the others.
"""

from __future__ import annotations

from pathlib import Path

from brain_cli.answer.results import LIKELY, STRONG, Recall
from brain_cli.errors import BrainError
from brain_cli.extras import install_hint
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault
from brain_cli.plugins.meaning.embedder import missing_packages, user_models
from brain_cli.plugins.meaning.install import install
from brain_cli.plugins.meaning.models import Model, model_of, recommended
from brain_cli.streams import confirmed, say

# In the user's state, so that the offer is made once.
MARK = "meaning-offered"
# As long as this, a person waits for the answer by meaning.
SECONDS_TO_WAIT = 20.0


def offer(vault: Vault, recall: Recall) -> bool:
    """Ask once whether to install the model that fits the notes; return whether it was
    installed.
    """
    state = Path(vault.state_home, "brain")
    if recall.claim in (STRONG, LIKELY) or missing_packages():
        return False
    # Imported here, because most answers need no model.
    from brain_cli.plugins.meaning import search

    name, question = vault.ask(best_model, touch=False)
    if not search.said_once(state, MARK):
        return False
    if not confirmed(question, question):
        say("`brain model install` installs it; `brain config set meaning off` says never.")
        return False
    install_model(name)
    shown = [each.note_id for each in recall.results]
    vault.ask(
        lambda snapshot: search.embed_notes(
            vault, snapshot, seconds=SECONDS_TO_WAIT, first=shown
        ),
        touch=False,
    )
    search.embed_or_start(vault)
    return True


def best_model(snapshot: Snapshot) -> tuple[str, str]:
    """Return the model that fits some notes, and the question whether to install it."""
    from brain_cli.plugins.meaning.search import duration  # as above

    model = model_of(recommended(snapshot))
    embedding = duration(snapshot.note_table.length / model.words_per_second)
    return model.name, (
        f"{model.name} finds notes by meaning too: {description(model)}, and about {embedding} "
        "in the"
        " background to read these notes. Install it?"
    )


def description(model: Model) -> str:
    """Describe what an installation brings."""
    return f"{model.about}, {model.megabytes} MB, licence {model.licence}"


def install_model(name: str, package_folder: Path | None = None) -> Path:
    """Download a model and build it; return its folder."""
    if missing := missing_packages():
        raise BrainError(f"{missing} cannot be imported.", install_hint("meaning"))
    models = user_models()
    models.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return install(models, model_of(name), package_folder)
