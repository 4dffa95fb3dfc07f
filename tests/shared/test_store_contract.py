"""Every store keeps one contract: the store in memory, PostgreSQL, and the index of a vault answer alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SAMPLE_VAULT
from memory_store import MemoryStore
from test_frequencies import stored_note

from brain_cli.answer.matching import Query
from brain_cli.answer.recall import remember
from brain_cli.answer.results import Recall
from brain_cli.index.directory import IndexDirectory, read_note_table
from brain_cli.index.filter_keys import Both, Compared, Either, HasWord, Outside, Scope
from brain_cli.index.session import IndexSession
from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.shared_store import Store, StoreError
from brain_cli.index.shared_store_values import Saturation, Wanted
from brain_cli.index.shared_sync import Sent, send
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import Vault
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.types import Session

NOW = 1.79e9
KAFKA = ("kafka",)
SATURATION = Saturation(2.0, 0.25, 0.005, 0.002, complete=0.7, completeness=8.0)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Vault, IndexDirectory, Snapshot]]:
    """The sample vault with its index, as Whoosh keeps it."""
    vault = Vault(str(SAMPLE_VAULT), ("archive", "_archived"))
    directory = IndexDirectory(tmp_path_factory.mktemp("index") / "sample")
    IndexSession(vault, directory, lambda _: None, lambda _done, _total: None).refresh()
    snapshot = open_snapshot(directory)
    yield vault, directory, snapshot
    snapshot.index.close()


@pytest.fixture(params=["memory", "postgresql"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "memory":
        yield MemoryStore()
        return
    from brain_cli.index.engines.postgresql import open_store

    opened = open_store(request.getfixturevalue("server").database())
    yield opened
    opened.close()


@pytest.fixture
def filled(store: Store, local: tuple[Vault, IndexDirectory, Snapshot]) -> Store:
    """A store that has the notes of the sample vault."""
    sent(store, local)
    return store


def sent(store: Store, local: tuple[Vault, IndexDirectory, Snapshot], token: str = "") -> Sent:
    vault, directory, _ = local
    note_table = read_note_table(directory)
    assert note_table
    return send(vault, note_table, store.vault("sample", "me"), token, lambda _done, _total: None)


def asked(snapshot: Snapshot, query: str, scorer: str = "blend") -> Recall:
    return remember(Query(query), Session(NOW), snapshot, RankingOptions(load_scorer(scorer)))


class TestStore:
    """What every store promises."""

    @pytest.mark.parametrize("scorer", ["blend", "brain", "claude-mem"])
    def test_it_answers_as_the_index_of_the_vault(
        self, filled: Store, local: tuple[Vault, IndexDirectory, Snapshot], scorer: str
    ) -> None:
        for query in ("why did we leave REST", "retires and jiter", "kafka tag:kafka", "latest decision", "the of and"):
            reader = filled.reader()
            shared, alone = asked(SharedSnapshot(reader), query, scorer), asked(local[2], query, scorer)
            reader.close()
            assert [each.metadata.path for each in shared.results] == [
                f"sample:{each.metadata.path}" for each in alone.results
            ]
            assert (shared.strategy, shared.corrections, shared.unknown) == (
                alone.strategy,
                alone.corrections,
                alone.unknown,
            )

    def test_its_totals_are_those_of_the_vault(
        self, filled: Store, local: tuple[Vault, IndexDirectory, Snapshot]
    ) -> None:
        reader, table = filled.reader(), local[2].note_table
        totals = reader.totals()
        assert (totals.notes, totals.fragments, totals.length) == (table.notes, table.fragments, table.length)
        assert totals.languages == table.languages
        assert totals.projects == table.projects
        assert reader.tags(5) == dict(sorted(table.tags.items(), key=lambda pair: (-pair[1], pair[0]))[:5])
        reader.close()

    def test_its_frequencies_are_those_of_the_vault(
        self, filled: Store, local: tuple[Vault, IndexDirectory, Snapshot]
    ) -> None:
        words = [KAFKA, ("rest",), ("retri", "jitter"), ("zzz",)]
        reader = filled.reader()
        assert reader.frequencies(words).counts == [local[2].postings(word).frequency for word in words]
        reader.close()

    def test_words_that_names_write_only_as_one_are_returned(
        self, store: Store, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        folder = tmp_path_factory.mktemp("compounds")
        for name in ("heapsort", "linktitle", "link-title"):
            (folder / f"{name}.md").write_text(f"# {name.replace('-', ' ').title()}\n\nA heap, a link, a title.\n")
        vault, directory = Vault(str(folder), ()), IndexDirectory(folder / "index")
        IndexSession(vault, directory, lambda _: None, lambda _done, _total: None).refresh()
        note_table = read_note_table(directory)
        assert note_table
        send(vault, note_table, store.vault("words", "me"), "", lambda _done, _total: None)
        reader = store.reader()
        words = [("heap",), ("sort",), ("heapsort",), ("link",), ("titl",), ("linktitl",)]
        assert reader.frequencies(words, pairs=[(0, 1, 2), (3, 4, 5)]).written_as_one == {(0, 1, 2)}
        reader.close()

    def test_a_link_that_vanishes_after_its_target_was_edited_leads_nowhere(self, store: Store, tmp_path: Path) -> None:
        vault, directory = Vault(str(tmp_path), ()), IndexDirectory(tmp_path / "index")

        def written(name: str, text: str) -> list[int]:
            """Write a note and send the vault; return how many fragments have the word of the link."""
            (tmp_path / name).write_text(text)
            IndexSession(vault, directory, lambda _: None, lambda _done, _total: None).refresh()
            note_table = read_note_table(directory)
            assert note_table
            send(vault, note_table, store.vault("linked", "me"), "", lambda _done, _total: None)
            reader = store.reader()
            counts = reader.frequencies([("zeppelin",)]).counts
            reader.close()
            return counts

        written("target.md", "# Target\n\nIt flies.")
        linked = written("source.md", "# Source\n\nSee [[target|zeppelin]].")
        assert linked == [2]
        assert written("target.md", "# Target\n\nIt flies slowly over the town.") == linked
        assert written("source.md", "# Source\n\nThe link has been taken out.") == [0]

    def test_a_note_that_is_put_again_keeps_the_words_of_its_links(self, store: Store) -> None:
        vault = store.vault("notes", "me")
        [note_id] = vault.new_ids(1)
        for key in ("", "key"):
            writer = vault.writer()
            writer.put(*stored_note(note_id, [{"otter": 1.0}]))
            if not key:
                writer.link(note_id, {"zeppelin": 1.0}, "key")
            writer.commit()
            assert {each.anchors_key for each in vault.known().values()} == {"key"}
        reader = store.reader()
        assert reader.frequencies([("zeppelin",)]).counts == [1]
        reader.close()

    def test_the_best_note_has_two_terms_of_one_word_in_one_section(self, store: Store) -> None:
        vault = store.vault("notes", "me")
        best, *others = vault.new_ids(8)
        writer = vault.writer()
        writer.put(*stored_note(best, [{"heap": 1.0, "heapsort": 1.0}]))
        for note_id in others:
            writer.put(*stored_note(note_id, [{"heap": 1.5}]))
        writer.commit()
        reader = store.reader()
        wanted = Wanted([("heap", "heapsort")], (1.0,), SATURATION, most=1, anywhere=0, linked_to=0)
        assert reader.candidates(wanted).note_ids == [best]
        reader.close()

    @pytest.mark.parametrize("name", ["notes", "my: notes"])
    def test_a_pinned_note_is_a_candidate_where_it_matches(self, store: Store, name: str) -> None:
        vault = store.vault(name, "me")
        note_ids = vault.new_ids(4)
        writer = vault.writer()
        for note_id, weight in zip(note_ids, (4.0, 3.0, 2.0, 1.0), strict=True):
            writer.put(*stored_note(note_id, [{"otter": weight}]))
        writer.commit()
        wanted = Wanted([("otter",)], (1.0,), SATURATION, most=1, anywhere=1, linked_to=0)
        for pinned in (False, True):
            store.pin(f"{name}:{note_ids[-1]}.md", pinned=pinned)
            reader = store.reader()
            assert reader.candidates(wanted).joined == note_ids[-1:] * pinned
            reader.close()

    def test_the_name_of_a_vault_may_have_a_colon(
        self, store: Store, local: tuple[Vault, IndexDirectory, Snapshot]
    ) -> None:
        vault, _, snapshot = local
        for name in ("my: notes", "my"):
            send(vault, snapshot.note_table, store.vault(name, name), "", lambda _done, _total: None)
        reader = store.reader()
        for path in ("my: notes:decisions/grpc.md", "my:decisions/grpc.md"):
            for argument in (path, path.removesuffix(".md"), path.replace("decisions/grpc.md", "grpc")):
                assert list(reader.named(argument)) == [path], argument
        reader.close()

    def test_a_scope_filters_before_the_cut(self, filled: Store) -> None:
        reader = filled.reader()
        scopes: dict[str, Scope] = {
            "decisions": Compared("kind", "is", "decision"),
            "tagged": Compared("tags", "has", "kafka"),
            "below": Compared("path", "matches", ("decisions/*", "*/decisions/*")),
            "neither": Outside(Either((Compared("kind", "is", "decision"), HasWord(("rabbitmq",))))),
            "never": Compared("timestamp", "at least", 4e9),
            "named": Compared("path", "contains", "decisions/"),
            "named otherwise": Outside(Compared("path", "contains", "decisions/")),
            "with a property": Compared("properties", "has property", ("type", "decision")),
            "both": Both((Compared("kind", "is", "decision"), Compared("path", "contains", "decisions/"))),
        }
        found = {
            name: set(reader.candidates(Wanted((KAFKA,), (1.0,), SATURATION, scope, anywhere=0)).note_ids)
            for name, scope in scopes.items()
        }
        all_of_them = set(reader.candidates(Wanted((KAFKA,), (1.0,), SATURATION)).note_ids)
        assert found["never"] == set()
        assert set() < found["decisions"] < all_of_them
        assert found["neither"].isdisjoint(found["decisions"])
        assert found["below"] <= all_of_them
        assert found["tagged"]
        assert found["named"] == found["below"]
        assert found["named otherwise"]
        assert found["named otherwise"].isdisjoint(found["named"])
        assert found["with a property"] == found["decisions"]
        assert found["both"] == found["decisions"] & found["named"]
        reader.close()

    def test_a_limited_request_keeps_the_best_and_reports_the_limit(self, filled: Store) -> None:
        reader = filled.reader()
        whole = reader.candidates(Wanted((KAFKA,), (1.0,), SATURATION, linked_to=0))
        cut = reader.candidates(Wanted((KAFKA,), (1.0,), SATURATION, most=3, anywhere=0, linked_to=0))
        assert whole.is_complete
        assert not cut.is_complete
        assert cut.matched == whole.matched
        assert len(cut.note_ids) == 3
        reader.close()

    def test_terms_near_a_typo_and_with_a_prefix_are_found(self, filled: Store) -> None:
        reader = filled.reader()
        near, stems = reader.near_terms({"kafca": 1}, ["kafk", "kafka"])
        assert "kafka" in near["kafca"]
        assert stems == {"kafka"}
        assert "kafka" in reader.terms_with_prefix("kaf", 10)
        reader.close()

    def test_a_note_is_found_by_its_path(self, filled: Store) -> None:
        reader = filled.reader()
        for name in ("sample:decisions/grpc.md", "sample:decisions/grpc", "sample:grpc", "decisions/grpc.md"):
            assert list(reader.named(name)) == ["sample:decisions/grpc.md"], name
        assert reader.named("other:decisions/grpc.md") == {}
        reader.close()

    def test_a_state_that_was_sent_is_not_sent_again(
        self, filled: Store, local: tuple[Vault, IndexDirectory, Snapshot]
    ) -> None:
        sent(filled, local, "token")
        before = filled.health().generation
        assert not any(sent(filled, local, "token"))
        assert filled.health().generation == before

    def test_what_is_not_committed_never_happened(self, filled: Store) -> None:
        vault = filled.vault("sample", "me")
        notes = filled.health().notes
        writer = vault.writer()
        writer.remove([known.note_id for known in vault.known().values()])
        assert filled.health().notes == notes

    def test_a_reader_sees_one_state(self, filled: Store) -> None:
        reader = filled.reader()
        before = reader.frequencies([KAFKA]).counts
        other = _second(filled)
        vault = other.vault("sample", "me")
        writer = vault.writer()
        writer.remove([known.note_id for known in vault.known().values()])
        writer.commit()
        assert reader.frequencies([KAFKA]).counts == before
        reader.close()
        assert filled.reader().frequencies([KAFKA]).counts == [0]

    def test_another_vault_of_the_name_is_refused(self, filled: Store) -> None:
        with pytest.raises(StoreError, match="another vault called “sample”"):
            filled.vault("sample", "somebody else")
        assert filled.vault("sample", "somebody else", join=True).origin == "me"

    def test_a_vault_can_be_removed(self, filled: Store) -> None:
        assert filled.remove_vault("sample") > 0
        assert filled.health().notes == 0


def _second(store: Store) -> Store:
    """Return another connection to a store."""
    if isinstance(store, MemoryStore):
        return store
    from brain_cli.index.engines.postgresql import PostgresStore

    assert isinstance(store, PostgresStore)
    return PostgresStore(store.parameters)
