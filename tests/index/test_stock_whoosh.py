"""Stock Whoosh opens and queries the index: it needs nothing of brain but the analyzer that the
schema names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import sized
from whoosh.index import open_dir
from whoosh.qparser import MultifieldParser, OrGroup, WhitespacePlugin
from whoosh.scoring import BM25F

from brain_cli.index import ABOUT, BODY, IN_LINKS
from brain_cli.index.directory import IndexDirectory, index_directory_of
from brain_cli.index.snapshot import open_snapshot
from brain_cli.vault.analyzer import terms

if TYPE_CHECKING:
    from conftest import Vault

QUESTIONS = sized(50, everyday=25)


def questions(folder: Path) -> list[str]:
    """Return the beginning of some paragraphs, as somebody who half remembers them would type it."""
    found = []
    for path in sorted(folder.rglob("*.md")):
        prose = [
            line
            for line in path.read_text(encoding="utf-8").splitlines()
            if re.match(r"[A-Z][\w ,']{30,}", line)
        ]
        found += [" ".join(re.findall(r"[^\W\d_]{2,}", line)[:8]) for line in prose[:2]]
    return found[:QUESTIONS]


@pytest.fixture
def index(sample: Vault) -> IndexDirectory:
    """The index of the sample vault."""
    assert sample.brain("index", "--vault", sample.folder).code == 0
    return index_directory_of(str(sample.folder), str(sample.brain.cache))


def has_a_word(note: Path, matched: list[str]) -> bool:
    """Return whether a note has one of the words; a recall also finds `comes` where `came` was
    asked.
    """
    return not set(terms(note.read_text(encoding="utf-8"), "english")).isdisjoint(
        terms(" ".join(matched), "english")
    )


def test_an_or_query_of_stock_whoosh_finds_every_note_that_a_recall_finds_by_words(
    sample: Vault, index: IndexDirectory
) -> None:
    asked, snapshot, agreed = questions(sample.folder), open_snapshot(index), 0
    assert len(asked) == QUESTIONS
    paths = snapshot.note_table.column("path")
    with open_dir(str(index.build())).searcher(weighting=BM25F()) as searcher:
        fields, note_ids = [BODY, ABOUT, IN_LINKS], searcher.reader().column_reader("note_id")
        parser = MultifieldParser(
            fields, searcher.schema, plugins=[WhitespacePlugin()], group=OrGroup
        )
        for question in asked:
            hits = searcher.search(parser.parse(question), limit=None)
            by_whoosh = [paths[note_ids[hit.docnum]] for hit in hits]
            results = sample.remember(question, "-n", "100")["results"]
            by_words = [
                each["path"]
                for each in results
                if has_a_word(sample.folder / each["path"], each["matched"])
            ]
            assert set(by_words) <= set(by_whoosh), question
            agreed += by_words[0] in by_whoosh[:5] if by_words else 0
    assert agreed > QUESTIONS * 0.8
