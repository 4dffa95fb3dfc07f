"""One state of the notes, as an editor asks for it: by the links of a text, and by the words around them."""

from __future__ import annotations

import heapq
import posixpath
from functools import cache, lru_cache
from urllib.parse import quote

from brain_cli.answer.links import is_attachment
from brain_cli.answer.recall import recall
from brain_cli.answer.results import Quotes, Ranked
from brain_cli.cli._recall import ranking_options, retriever_of
from brain_cli.cli._workspace import Workspace, note_history_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.query import Query
from brain_cli.types import Link, Session, stem
from brain_cli.vault.analyzer import Word, query_words, same_name
from brain_cli.vault.links import WIKI, LinkSpan

# A paragraph is asked for by its rarest words: each further word takes time, and says less about it.
CONTEXT_WORDS = 8
MAX_RECALLED = 20
MAX_COMPLETIONS = 40
FEW = 10


class Notes:
    """The notes of one snapshot. What is asked often while somebody types is computed once."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot) -> None:
        self._workspace, self.snapshot, self.table = workspace, snapshot, snapshot.note_table
        self.names = self.table.names()
        active = [note for note in map(self.table.metadata, self.table.rows) if not note.archived]
        self._newest = [note.path for note in heapq.nlargest(FEW, active, key=lambda note: note.timestamp)]
        self._folded = [
            (same_name(" ".join((each.title, stem(each.path), *each.aliases))), each.path) for each in active
        ]
        self.recalled, self._frequency = lru_cache(self._recalled), cache(self._notes_with)

    def title(self, path: str) -> str:
        return self.table.metadata(self.table.ids[path]).title

    def target(self, span: LinkSpan, source: str) -> str | None:
        """Return the note that a link of a note leads to."""
        return self.names.best_link(Link(span.target, span.heading, span.text), source) if span.target else None

    def is_broken(self, span: LinkSpan, source: str) -> bool:
        """Return whether a link should lead to a note, and leads to none."""
        return bool(span.target) and not is_attachment(span.target) and self.target(span, source) is None

    def meanings(self, name: str, source: str) -> list[str]:
        """Return the notes that a name may mean equally well."""
        found, ranks = self.names.find(name, source), self.names.named(name) or self.names.named(stem(name))
        return [path for path in found if ranks.get(path) == ranks.get(found[0])]

    def successors(self, path: str) -> list[str]:
        """Return the notes that supersede a note."""
        return [self.table.rows[each].path for each in self.table.rows[self.table.ids[path]].successors]

    def linked(self, path: str) -> list[str]:
        """Return the notes that link to a note, or that it links to."""
        row = self.table.row_at(path)
        return sorted(self.table.rows[each].path for each in row.neighbours) if row else []

    def written(self, path: str, source: str, form: str = WIKI) -> str:
        """Return how a link of a note names another: by its file name if only one note has that, else by its path."""
        if form != WIKI:
            return quote(posixpath.relpath(path, posixpath.dirname(source) or "."))
        return stem(path) if self.meanings(stem(path), source) == [path] else posixpath.splitext(path)[0]

    def completions(self, typed: str, context: str, source: str) -> list[str]:
        """Return the notes to link to, best first: those with the typed words in a name, else those they recall.

        The notes that the context is about come before all others.
        """
        words, about = same_name(typed).split(), self.about(context)
        if not words:
            return [path for path in dict.fromkeys((*about, *self._newest)) if path != source]
        first = {path: rank for rank, path in enumerate(about)}
        named = [
            (first.get(path, len(first)), not name.startswith(words[0]), len(name), path)
            for name, path in self._folded
            if path != source and all(word in name for word in words)
        ]
        found = [path for *_, path in heapq.nsmallest(MAX_COMPLETIONS, named)]
        others = self.recalled(typed) if len(found) < FEW else ()
        return [*dict.fromkeys((*found, *(each.metadata.path for each in others if each.metadata.path != source)))]

    def about(self, text: str) -> list[str]:
        words = [
            word for word in query_words(text, self.table.languages) if not word.optional and self._frequency(word)
        ]
        rarest = sorted(word.text for word in heapq.nsmallest(CONTEXT_WORDS, words, key=self._frequency))
        found = self.recalled(" ".join(rarest)) if rarest else ()
        return [each.metadata.path for each in found]

    def _notes_with(self, word: Word) -> int:
        return len(look_up(self.snapshot, word).scores.notes)

    def _recalled(self, text: str, *, whole: bool = False) -> tuple[Ranked, ...]:
        """Return what a text recalls, best first: by its words alone, which is quick, or as the `whole` of a query."""
        workspace, snapshot = self._workspace, self.snapshot
        ranking = ranking_options(workspace)._replace(limit=MAX_RECALLED)
        retriever = retriever_of(workspace) if whole else None
        history, session = note_history_of(workspace, snapshot), Session(workspace.now)
        found = recall(Query(text, literal=not whole), session, snapshot, ranking, history, Quotes.NOTHING, retriever)
        return found.results or found.archive
