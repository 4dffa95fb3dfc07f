"""What is read of an index without Whoosh is what Whoosh itself reads."""

from __future__ import annotations

import os
import pickle
import random
from array import array
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from examples import in_ci, sized
from whoosh.filedb.filestore import FileStorage
from whoosh.reading import SegmentReader

from brain_cli.index import ABOUT, BODY, IN_LINKS, PreparedNote
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.engines import whoosh as engine
from brain_cli.index.engines._whoosh_writer import SCHEMA, stored
from brain_cli.index.engines.whoosh import (
    PlainUnpickler,
    Segment,
    WhooshIndex,
    read_contents,
    reading,
)
from brain_cli.types import Fragment

FIELDS = (BODY, ABOUT, IN_LINKS)
LETTERS = "abcdé\u0434\u6f22"


def note(chance: random.Random, sections: int) -> PreparedNote:
    """Return a note of some sections, with words and weights by chance."""

    def words(most: int) -> dict[str, float]:
        found = {
            "".join(chance.choices(LETTERS, k=chance.randint(1, 4)))
            for _ in range(chance.randint(0, most))
        }
        return {each: chance.choice([1.0, 0.5, 2.25, chance.uniform(0, 9)]) for each in found}

    texts = [
        stored(
            Fragment(
                ("Head",) * chance.randint(0, 2),
                f"Text {chance.random()}" * chance.randint(0, 50),
                1,
                2,
            )
        )
        for _ in range(sections)
    ]
    bodies, links = [words(40) for _ in texts], [words(3) for _ in texts]
    return PreparedNote([chance.randint(1, 99) for _ in texts], bodies, links, words(8), texts)


@pytest.fixture(params=range(sized(3, everyday=1)))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An index of several changes: notes come and go, so that it has segments with deleted
    fragments.
    """
    chance = random.Random(request.param)
    engine.create(str(tmp_path))
    note_id = 0
    for _ in range(chance.randint(1, 5)):
        writer = engine.writer(str(tmp_path))
        writer.delete(chance.sample(range(1, note_id + 1), k=note_id // 4))
        for _ in range(chance.randint(1, 40)):
            note_id += 1
            writer.add(note_id, note(chance, chance.randint(1, 5)))
        writer.commit()
    return str(tmp_path)


def segments_of(folder: str, generation: int) -> list[Any]:
    """Return the segments as Whoosh reads them."""
    from whoosh.index import TOC

    contents = TOC.read(FileStorage(folder), "MAIN", gen=generation, schema=SCHEMA)
    return [SegmentReader(FileStorage(folder), SCHEMA, segment) for segment in contents.segments]


def postings_by_whoosh(reader: Any, field: str, term: bytes) -> list[tuple[int, float]]:
    matcher = reader.postings(field, term)
    found = []
    while matcher.is_active():
        found.append((matcher.id(), matcher.weight()))
        matcher.next()
    return found


def test_terms_and_posting_lists_are_those_of_whoosh(folder: str) -> None:
    index = WhooshIndex(folder)
    compared = 0
    for (segment, _), reader in zip(
        index._segments, segments_of(folder, index.generation), strict=True
    ):
        for field in FIELDS:
            terms = [bytes(term) for term in reader.expand_prefix(field, b"")]
            assert list(segment.terms_with_prefix(field, "")) == [term.decode() for term in terms]
            for term in terms:
                numbers, weights = segment.postings(field, term.decode())
                living = [
                    each
                    for each in zip(numbers, weights, strict=True)
                    if not reader.is_deleted(each[0])
                ]
                assert living == postings_by_whoosh(reader, field, term)
                compared += 1
            assert segment.postings(field, "nowhere") == ((), ())
            beginning = LETTERS[1]
            assert list(segment.terms_with_prefix(field, beginning)) == [
                term.decode() for term in terms if term.decode().startswith(beginning)
            ]
    assert compared > 100


def test_texts_and_columns_are_those_of_whoosh(folder: str) -> None:
    index = WhooshIndex(folder)
    note_ids: array[int] = array("I")
    for (segment, _), reader in zip(
        index._segments, segments_of(folder, index.generation), strict=True
    ):
        column = reader.column_reader("note_id")
        for number in range(reader.doc_count_all()):
            is_deleted = reader.is_deleted(number)
            note_ids.append(0 if is_deleted else column[number])
            assert segment.stored(number) == reader.stored_fields(number)
    assert index.note_ids == note_ids


def test_similar_terms_are_those_of_whoosh(folder: str) -> None:
    index = WhooshIndex(folder)
    for (segment, _), reader in zip(
        index._segments, segments_of(folder, index.generation), strict=True
    ):
        index._segments = [(segment, 0)]
        for term in list(segment.terms_with_prefix(BODY, ""))[: sized(20, everyday=2)]:
            for edits in (1, 2):
                found = list(index.similar_terms(BODY, term, edits))
                assert found == list(reader.terms_within(BODY, term, edits, prefix=1))


@pytest.mark.exhaustive
def test_texts_of_a_large_segment_are_found_by_their_lengths(tmp_path: Path) -> None:
    """Whoosh writes where each text begins, too, once there are very many."""
    engine.create(str(tmp_path))
    writer = engine.writer(str(tmp_path))
    texts = [stored(Fragment((), str(number), 1, 1)) for number in range(33_000)]
    nothing: list[dict[str, float]] = [{} for _ in texts]
    writer.add(1, PreparedNote([1] * len(texts), nothing, nothing, {}, texts))
    writer.commit()
    index = WhooshIndex(str(tmp_path))
    assert [index.fragment(number).text for number in (0, 1, 32_767, 32_999)] == [
        "0",
        "1",
        "32767",
        "32999",
    ]


class Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("harmed",)


def test_a_table_of_contents_that_names_a_function_is_damage_and_calls_none(
    folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    generation = WhooshIndex(folder).generation
    path = Path(folder) / f"_MAIN_{generation}.toc"
    content = path.read_bytes()
    start = content.rindex(b"\x80")
    path.write_bytes(content[:start] + pickle.dumps([Harmful()], 2))
    with pytest.raises(BrokenIndexError), reading():
        read_contents(folder, generation)
    assert not (tmp_path / "harmed").exists()


@pytest.mark.parametrize("suffix", [in_ci("trm"), "pst", in_ci("_stored.col")])
def test_a_file_that_is_cut_off_is_damage(folder: str, suffix: str) -> None:
    generation = WhooshIndex(folder).generation
    for path in Path(folder).glob(f"*.{suffix}"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BrokenIndexError):
        read_everything(folder, generation)


@reading()
def read_everything(folder: str, generation: int) -> None:
    for info in read_contents(folder, generation):
        segment = Segment(folder, info)
        for term in segment.terms_with_prefix(BODY, ""):
            segment.postings(BODY, term)
        for number in range(info.fragments):
            segment.stored(number)


def test_a_length_beyond_all_files_is_damage() -> None:
    with pytest.raises(BrokenIndexError), reading():
        PlainUnpickler(BytesIO(b"\x80\x04\x95" + b"\xff" * 8 + b".")).load()


def test_a_posting_of_a_fragment_that_is_not_there_is_damage(folder: str) -> None:
    generation = WhooshIndex(folder).generation
    for path in Path(folder).glob("*.pst"):
        content = path.read_bytes()
        assert b"K\x01" in content
        path.write_bytes(content.replace(b"K\x01", b"K\xff"))
    with pytest.raises(BrokenIndexError):
        read_everything(folder, generation)
