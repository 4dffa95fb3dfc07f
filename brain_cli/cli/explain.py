"""`brain explain NOTE [QUERY]`: why a query finds a note or not; without a query its quality."""

from collections.abc import Iterator
from typing import Annotated

from brain_cli.answer.explain import Why, why
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import NoteArgument, argument, flag
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.note import Opened
from brain_cli.library.recalling import (
    SessionOptions,
    note_history_of,
    ranking_options,
    retriever_of,
)
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line
from brain_cli.search.query import Query
from brain_cli.vault.decode import decode
from brain_cli.vault.note import features_of

# What is told of a note as it is found.
TOLD = (
    "shown",
    "reason",
    "matched",
    "lacks",
    "unknown",
    "relevance",
)


def command(
    options: CommonOptions,
    note: NoteArgument,
    words: Annotated[
        list[str] | None, argument("QUERY...", "A question or a few words.")
    ] = None,
    query: Annotated[
        str, flag("--query -q QUERY", "The query as one argument.", show_default=False)
    ] = "",
) -> int:
    """Explain why a query does or does not find a note; exit 1 if it does not.

    Without a query: how good the note is, feature by feature.

    Examples:
      brain explain grpc leave rest
      brain explain decisions/grpc.md -q 'rest +json'
      brain explain grpc
    """
    query = " ".join([query, *(words or ())]).strip()
    vault = options.open_any_vault().holding(note)
    named = vault.find(note)
    if not query:
        return _explain_note(options, named.opened())
    path, found = named.ask(lambda snapshot, path: (path, _why(vault, path, query, snapshot)))
    options.answer(_document(path, query, found), map(one_line, _lines(path, found)))
    return OK if found.shown else NOTHING_FOUND


def _explain_note(options: CommonOptions, note: Opened) -> int:
    """Print the quality of a note."""
    path = note.metadata.path
    features = features_of(decode(note.raw).text)
    quality = round(sum(feature.share for feature in features), 2)
    document = {
        "path": path,
        "quality": quality,
        "features": [feature._asdict() for feature in features],
    }
    lines = [one_line(path), f"quality {quality:.2f}"]
    for name, share, most, advice in features:
        lacks = "" if share >= most else f"  {advice}"
        lines.append(f"  {name:<12} {share:.2f} of {most:.2f}{lacks}")
    options.answer(document, lines)
    return OK


def _why(vault: Vault, path: str, query: str, snapshot: Snapshot) -> Why:
    snapshot = snapshot.about(Query(query), vault.clock)
    row = snapshot.note_table.row_at(path)
    if row is None:
        raise BrainError(
            f"{path} is not in the index.",
            f"`brain doctor why {path}` says which rule leaves it out.",
        )
    session = SessionOptions().session(vault, snapshot)
    history = note_history_of(vault, snapshot)
    options = ranking_options(vault)
    meaning = retriever_of(vault)
    return why(Query(query), row.note_id, session, snapshot, options, history, meaning)


def _lines(path: str, found: Why) -> Iterator[str]:
    ranked = found.ranked
    rank = (
        f"has rank {ranked.rank}"
        if found.shown and ranked
        else f"does not come up: {found.reason}"
    )
    yield f"{path} {rank}."
    words_by_label = {
        "it has": found.matched,
        "it lacks": found.lacks,
        "no note has": found.unknown,
    }
    for label, words in words_by_label.items():
        if words:
            yield f"  {label}: {', '.join(words)}"
    yield f"  relevance: {found.relevance:.3f}"
    if ranked:
        yield f"  score: {ranked.candidate.score.total:.3f}"
        for step in ranked.candidate.score.steps:
            weight = "" if step.weight is None else f" × {step.weight:.3f}"
            yield f"    {step.name:<14} {step.op} {step.value:.3f}{weight} → {step.total:.3f}"
    if found.best and found.best is not ranked:
        yield (
            f"  first is {found.best.metadata.path}, with a score of "
            f"{found.best.candidate.score.total:.3f}"
        )


def _document(path: str, query: str, found: Why) -> dict[str, object]:
    score = found.ranked.candidate.score if found.ranked else None
    return {
        "path": path,
        "query": query,
        **{name: getattr(found, name) for name in TOLD},
        "rank": found.ranked.rank if found.ranked else None,
        "score": score.total if score else None,
        "steps": [step._asdict() for step in score.steps] if score else [],
        "first": found.best.metadata.path if found.best else None,
    }
