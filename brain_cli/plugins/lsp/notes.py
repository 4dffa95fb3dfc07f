"""The text of a note in an editor, saved or not, and one state of all notes.

A text has links, blocks, and positions as the editor counts them. The notes are found by the links
of a text, and by the words around them.
"""

import heapq
import posixpath
import re
from bisect import bisect_right
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from urllib.parse import quote

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Ranked
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import note_history_of, ranking_options, retriever_of
from brain_cli.library.vault import Vault
from brain_cli.search.bm25 import look_up
from brain_cli.search.query import Query
from brain_cli.types import Link, Quotes, Session, stem
from brain_cli.vault.analyzer import Word, query_words, same_name
from brain_cli.vault.decode import lines_of
from brain_cli.vault.links import WIKI, LinkSpan
from brain_cli.vault.move import file_links

# A paragraph with fewer characters says too little.
MIN_CONTEXT_CHARS = 40
MAX_CONTEXT_CHARS = 2_000
# A paragraph is asked for by its rarest words: each further word takes time, and says less about
# it.
CONTEXT_WORDS = 8
MAX_RECALLED = 20
MAX_COMPLETIONS = 40
FEW = 10
_BLANK_LINE = re.compile(r"\n\s*\n")


class Buffer:
    """The text of the note at `path` in the vault; `codec` counts columns in the units of the
    editor.
    """

    def __init__(self, path: str, text: str, codec: PositionCodec) -> None:
        self.path = path
        self.text = text
        self._codec = codec
        lines = lines_of(text)
        # After the last line ending comes one more line, which is empty.
        self._lines = lines if lines and not lines[-1].endswith(("\r", "\n")) else [*lines, ""]
        self._starts = [0, *accumulate(map(len, self._lines))][:-1]
        self._columns = cache(self._columns_of)

    @cached_property
    def unix(self) -> str:
        """The text with Unix line ends."""
        return "\n".join(line.rstrip("\r\n") for line in self._lines)

    @cached_property
    def links(self) -> list[LinkSpan]:
        """All links outside code, in their order."""
        return sorted(set(file_links(self.text)))

    def position(self, offset: int) -> Position:
        """Return the position of a character of the text."""
        line = self._line(offset)
        return Position(line, self._columns(line)[offset - self._starts[line]])

    def range(self, span: LinkSpan) -> Range:
        """Return the range of a link's target."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, position: Position) -> int:
        """Return the character at a position; beyond the end of a line, the end."""
        number = min(position.line, len(self._lines) - 1)
        most = len(self._lines[number].rstrip("\r\n"))
        columns = self._columns(number)[1 : most + 1]
        return self._starts[number] + bisect_right(columns, position.character)

    def _columns_of(self, line: int) -> list[int]:
        """Return the editor's column of each character of a line, and of its end."""
        return [0, *accumulate(map(self._codec.client_num_units, self._lines[line]))]

    def link_at(self, position: Position) -> LinkSpan | None:
        """Return the link at a position: on its target, or on the brackets and the words of a
        wikilink.
        """
        offset = self.offset(position)
        return next(
            (span for span in self.links if span.start <= offset <= self._end(span)), None
        )

    def _end(self, span: LinkSpan) -> int:
        closing = self.text.find("]]", span.end) if span.form == WIKI else -1
        return span.end if closing < 0 else closing + 2

    def open_link(self, position: Position) -> tuple[int, str] | None:
        """Return where the target of an unfinished `[[` before a position starts, and what is typed
        of it.
        """
        offset = self.offset(position)
        _, opening, typed = self.text[self._starts[self._line(offset)] : offset].rpartition(
            "[["
        )
        return (offset - len(typed), typed) if opening and not set(typed) & set("]|#") else None

    def around(self, offset: int) -> str:
        """Return the paragraph at a character; for a short one, the text on both sides."""
        before = _BLANK_LINE.split(self.text[:offset])[-1]
        found = before + _BLANK_LINE.split(self.text[offset:], maxsplit=1)[0]
        if len(found) < MIN_CONTEXT_CHARS:
            found = self.text[max(0, offset - MAX_CONTEXT_CHARS // 2) :]
        return found[:MAX_CONTEXT_CHARS]

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1


class Notes:
    """The notes of one snapshot. What is asked often while somebody types is computed once."""

    def __init__(self, vault: Vault, snapshot: Snapshot) -> None:
        self._vault = vault
        self.snapshot = snapshot
        self.table = snapshot.note_table
        self.names = self.table.names()
        active = [
            note for note in map(self.table.metadata, self.table.rows) if not note.archived
        ]
        self._newest = [
            note.path for note in heapq.nlargest(FEW, active, key=lambda note: note.timestamp)
        ]
        self._folded = [
            (same_name(" ".join((each.title, stem(each.path), *each.aliases))), each.path)
            for each in active
        ]
        self.recalled = lru_cache(self._recalled)

    def title(self, path: str) -> str:
        return self.table.metadata(self.table.ids[path]).title

    def target(self, span: LinkSpan, source: str) -> str | None:
        """Return the target of a link of a note."""
        link = Link(span.target, span.heading, span.text)
        return self.names.best_link(link, source) if span.target else None

    def meanings(self, name: str, source: str) -> list[str]:
        """Return the notes that a name may mean equally well."""
        found = self.names.find(name, source)
        ranks = self.names.named(name) or self.names.named(stem(name))
        return [path for path in found if ranks.get(path) == ranks.get(found[0])]

    def successors(self, path: str) -> list[str]:
        """Return the notes that supersede a note."""
        return [
            self.table.rows[each].path
            for each in self.table.rows[self.table.ids[path]].successors
        ]

    def linked(self, path: str) -> list[str]:
        """Return the notes that link to a note, or that it links to."""
        row = self.table.row_at(path)
        return sorted(self.table.rows[each].path for each in row.neighbours) if row else []

    def written(self, path: str, source: str, form: str = WIKI) -> str:
        """Return how a link of a note names another: by its file name if only one note has that,
        else by its path.
        """
        if form != WIKI:
            return quote(posixpath.relpath(path, posixpath.dirname(source) or "."))
        is_clear = self.meanings(stem(path), source) == [path]
        return stem(path) if is_clear else posixpath.splitext(path)[0]

    def completions(self, typed: str, context: str, source: str) -> list[str]:
        """Return the notes to link to, best first: those with the typed words in a name, else those
        they recall.

        The notes that the context is about come before all others.
        """
        words = same_name(typed).split()
        about = self.about(context)
        if not words:
            return [path for path in dict.fromkeys((*about, *self._newest)) if path != source]
        first = {path: rank for rank, path in enumerate(about)}
        named = [
            (first.get(path, len(first)), not name.startswith(words[0]), len(name), path)
            for name, path in self._folded
            if path != source and all(word in name for word in words)
        ]
        found = [path for *_, path in heapq.nsmallest(MAX_COMPLETIONS, named)]
        if len(found) < FEW:
            found += [each.path for each in self.recalled(typed) if each.path != source]
        return [*dict.fromkeys(found)]

    def about(self, text: str) -> list[str]:
        words = (
            word
            for word in query_words(text, self.table.languages)
            if not word.optional and self._frequency(word)
        )
        rarest = heapq.nsmallest(CONTEXT_WORDS, words, key=self._frequency)
        found = self.recalled(" ".join(sorted(word.text for word in rarest))) if rarest else ()
        return [each.path for each in found]

    def _frequency(self, word: Word) -> int:
        return len(look_up(self.snapshot, word).scores.notes)

    def _recalled(self, text: str, *, whole: bool = False) -> tuple[Ranked, ...]:
        """Return what a text recalls, best first: by its words alone, which is quick, or as the
        `whole` of a query.
        """
        vault = self._vault
        snapshot = self.snapshot
        ranking = ranking_options(vault)._replace(limit=MAX_RECALLED)
        retriever = retriever_of(vault) if whole else None
        history = note_history_of(vault, snapshot)
        session = Session(vault.now, zone=vault.zone)
        query = Query(text, literal=not whole)
        found = recall(query, session, snapshot, ranking, history, Quotes.NOTHING, retriever)
        return found.results or found.archive
