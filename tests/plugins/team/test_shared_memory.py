"""Many vaults in one memory: `brain index` sends their notes, `brain remember` asks them all."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SAMPLE_VAULT, Brain, Vault, one_sentence
from examples import few_every_day, in_ci
from postgres_server import Server
from terminal import OnTerminal

from brain_cli.vault.clock import Clock

# The parts of a document that name notes or scores, or tell how long the recall took.
NAMING_PLACES = {
    "results",
    "archive",
    "related",
    "shown",
    "key_points",
    "answer",
    "vault",
    "elapsed_ms",
}
QUESTIONS = (
    "why did we leave REST",
    "kafka",
    "how do I restore a backup",
    "retires and jiter",
    "latest decision",
    "zebra crossing in the fog",
    "type:decision kafka",
    "tag:kafka",
    "+kafka -rabbitmq ordering",
    '"order service" path:projects/*',
    "what did we decide in june 2026",
    "jitt*",
)


@pytest.fixture
def another(tmp_path: Path, brain: Brain) -> Callable[[str], Vault]:
    """Return a function that makes a vault with a given name beside the others."""

    def make(name: str) -> Vault:
        folder = tmp_path / f"of {name}" / name
        folder.mkdir(parents=True)
        return Vault(folder, brain)

    return make


def index(vault: Vault, memory: str, *options: object) -> str:
    answer = vault.brain("index", "--vault", vault.folder, "--memory", memory, *options)
    assert answer.code == 0, answer.err
    return answer.out


def recalled(brain: Brain, memory: str, query: str, *options: object) -> list[str]:
    answer = brain(
        "remember", query, "--memory", memory, "--format", "paths", "--no-touch", *options
    )
    assert answer.code in (0, 1), answer.err
    return answer.out.split("\n")[:-1]


@pytest.fixture(scope="module")
def sample_in_memory(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Vault, str]:
    """The sample vault, and a shared memory that has its notes."""
    root = tmp_path_factory.mktemp("shared")
    shutil.copytree(SAMPLE_VAULT, root / "sample")
    (root / "home").mkdir()
    vault = Vault(root / "sample", Brain(root / "home", root / "home" / "cache"))
    memory = server.database()
    index(vault, memory)
    return vault, memory


@pytest.mark.parametrize("scorer", ["blend", in_ci("brain")])
@pytest.mark.parametrize("query", few_every_day(QUESTIONS, 6))
def test_the_shared_memory_answers_as_the_vault_does(
    sample_in_memory: tuple[Vault, str], query: str, scorer: str
) -> None:
    vault, memory = sample_in_memory
    options = ("--scorer", scorer, "--json", "--explain", "--no-touch")
    alone = vault.brain("remember", query, "--vault", vault.folder, *options).json
    shared = vault.brain("remember", query, "--memory", memory, *options).json
    for result in (*shared["results"], *shared["archive"]):
        name, _, result["path"] = result["path"].partition(":")
        assert name == "sample"
    for key in ("results", "archive"):
        assert [each["path"] for each in shared[key]] == [each["path"] for each in alone[key]]
        assert [each["score"] for each in shared[key]] == pytest.approx(
            [each["score"] for each in alone[key]]
        )
    passages = [
        [(each["line"], each["text"]) for each in answer["shown"]] for answer in (alone, shared)
    ]
    # The path of a memory is longer, so it may need a row that a passage has elsewhere.
    for (line, text), (other_line, other_text) in zip(*passages, strict=True):
        assert line == other_line
        assert text.startswith(other_text) or other_text.startswith(text)
    differing = {key for key in alone if alone[key] != shared[key]}
    assert differing <= NAMING_PLACES


def test_a_memory_can_be_asked_without_any_vault(
    vault: Vault, memory: str, tmp_path: Path
) -> None:
    vault.note("kafka.md", "# Kafka\n\nWe use it for orders.")
    index(vault, memory)
    asker = Brain(tmp_path, tmp_path / "cache of the asker")
    answer = asker("remember", "kafka", "--memory", memory)
    assert answer.code == 0
    assert "notes:kafka.md" in answer.out


def test_edits_deletions_and_renames_reach_the_memory(vault: Vault, memory: str) -> None:
    for name in ("one", "two", "three"):
        vault.note(f"{name}.md", f"# Note {name}\n\nAbout otters number {name}.")
    assert "3 added" in index(vault, memory)
    assert "nothing to send" in index(vault, memory)
    (vault.folder / "one.md").unlink()
    (vault.folder / "two.md").rename(vault.folder / "second.md")
    vault.note("three.md", "# Note three\n\nAbout badgers.")
    (vault.folder / "three.md").touch()
    out = index(vault, memory)
    assert all(each in out for each in ("1 changed", "1 removed", "1 renamed"))
    assert recalled(vault.brain, memory, "otters") == ["notes:second.md"]
    assert recalled(vault.brain, memory, "badgers") == ["notes:three.md"]


def test_links_that_change_reach_the_notes_that_they_lead_to(vault: Vault, memory: str) -> None:
    vault.note("a.md", "# Alpha\n\nText.")
    vault.note("b.md", "# Beta\n\nSee [the walrus page](a.md).")
    index(vault, memory)
    assert recalled(vault.brain, memory, "walrus")[0] == "notes:a.md"
    vault.note("b.md", "# Beta\n\nNo link any more.")
    (vault.folder / "b.md").touch()
    index(vault, memory)
    assert recalled(vault.brain, memory, "walrus") == []


def test_commands_take_a_note_of_a_vault_whose_name_has_a_colon(
    vault: Vault, memory: str
) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    index(vault, memory, "--as", "my: notes")
    [path] = recalled(vault.brain, memory, "otters")
    assert path == "my: notes:a.md"
    answer = vault.brain("pin", path, "--memory", memory)
    assert answer.code == 0, answer.err
    assert vault.brain("show", path, "--memory", memory, "--json").json["pinned"]


def test_two_vaults_answer_together(memory: str, another: Callable[[str], Vault]) -> None:
    for name in ("work", "home"):
        vault = another(name)
        vault.note("plan.md", f"# Plan\n\nThe plan for {name}.")
        index(vault, memory)
    assert sorted(recalled(vault.brain, memory, "plan")) == ["home:plan.md", "work:plan.md"]


def test_a_name_that_another_vault_has_is_refused(
    memory: str, another: Callable[[str], Vault], vault: Vault
) -> None:
    vault.note("a.md", "# Otters")
    index(vault, memory)
    other = another("notes")
    other.note("b.md", "# Badgers")
    answer = other.brain("index", "--vault", other.folder, "--memory", memory)
    assert answer.code == 3
    assert "another vault called “notes”" in answer.err
    assert recalled(vault.brain, memory, "otters") == ["notes:a.md"]
    index(other, memory, "--as", "badgers")
    # The name is kept.
    assert "as “badgers”: nothing to send" in index(other, memory)
    assert recalled(vault.brain, memory, "badgers") == ["badgers:b.md"]


@pytest.fixture
def many(vault: Vault, memory: str) -> Vault:
    """A vault of seven notes that the memory has as `notes`."""
    for number in range(7):
        vault.note(f"{number}.md", f"# Otter {number}")
    index(vault, memory)
    return vault


@pytest.mark.exhaustive
def test_another_vault_is_taken_over_only_after_a_question(
    many: Vault, memory: str, another: Callable[[str], Vault]
) -> None:
    other = another("notes")
    for name in ("b", "c", "d"):
        other.note(f"{name}.md", f"# Badger {name}")
    command = ("index", "--vault", other.folder, "--memory", memory, "--as", "notes")
    refused = other.brain(*command)
    assert (refused.code, one_sentence(refused.err)) == (2, True)
    assert "adds 3 and removes 7" in refused.err
    assert "--yes" in refused.err
    screen = OnTerminal(other, "index", "--memory", memory, "--as", "notes")
    screen.wait_for("its 7 notes. Do it?")
    screen.send("n\n")
    assert screen.end() == 3
    assert b"Nothing was sent." in screen.shown
    assert len(recalled(many.brain, memory, "otter", "-n", "20")) == 7
    assert index(many, memory).endswith("nothing to send.\n")
    screen = OnTerminal(other, "index", "--memory", memory, "--as", "notes")
    screen.send("y\n")
    assert screen.end() == 0, screen.shown
    assert recalled(many.brain, memory, "otter") == []
    assert len(recalled(many.brain, memory, "badger")) == 3
    # Now the first vault would remove what the second one has sent.
    refused = many.brain("index", "--vault", many.folder, "--memory", memory)
    assert "adds 7 and removes 3" in refused.err
    assert "7 added" in index(many, memory, "--yes")


def test_a_second_clone_of_the_notes_goes_on_with_the_first_ones_vault(
    many: Vault, memory: str, another: Callable[[str], Vault]
) -> None:
    clone = another("clone")
    shutil.copytree(many.folder, clone.folder, dirs_exist_ok=True)
    assert (
        "adds 0 and removes 0"
        in clone.brain(
            "index", "--vault", clone.folder, "--memory", memory, "--as", "notes"
        ).err
    )
    index(clone, memory, "--as", "notes", "--yes")
    clone.note("7.md", "# Otter 7")
    assert "1 added" in index(clone, memory)
    many.note("7.md", "# Otter 7")
    many.note("8.md", "# Otter 8")
    assert "1 added" in index(many, memory)


def test_a_sync_that_removes_more_than_half_of_the_notes_asks(many: Vault, memory: str) -> None:
    for number in range(3):
        (many.folder / f"{number}.md").unlink()
    assert "3 removed" in index(many, memory)
    for number in range(3, 6):
        (many.folder / f"{number}.md").unlink()
    answer = many.brain("index", "--vault", many.folder, "--memory", memory)
    assert (answer.code, one_sentence(answer.err)) == (2, True)
    assert "removes 3 of its 4 notes" in answer.err
    assert len(recalled(many.brain, memory, "otter")) == 4
    (many.folder / "6.md").rename(many.folder / "renamed.md")
    assert "3 removed, 1 renamed" in index(many, memory, "--yes")


def test_notes_that_only_move_are_no_reason_to_ask(many: Vault, memory: str) -> None:
    (many.folder / "below").mkdir()
    for number in range(7):
        (many.folder / f"{number}.md").rename(many.folder / "below" / f"{number}.md")
    assert "7 renamed" in index(many, memory)


def test_the_owner_goes_on_when_the_memory_has_another_address(
    many: Vault, memory: str
) -> None:
    """As after a restore on another machine, or under another name of the same one."""
    many.note("7.md", "# Otter 7")
    assert "as “notes”: 1 added" in index(many, memory.replace("127.0.0.1", "localhost"))
    many.note("8.md", "# Otter 8")
    assert "as “notes”: 1 added" in index(many, memory)


@pytest.mark.exhaustive
def test_odd_words_are_found_as_in_a_vault(vault: Vault, memory: str) -> None:
    long_word = "donaudampf" * 120
    vault.note("cjk.md", "# 検索\n\n日本語の全文検索について。")
    vault.note("version.md", "# Release\n\nWe run version 2.7.5 now.")
    vault.note("nul.md", "# Zero\n\nbefore\0after nothing")
    vault.note("long.md", f"# Long\n\nA word: {long_word}.")
    vault.note("surrogate.md", "# Emoji 🦦\n\nOtters ﬁsh in the Straße.")
    index(vault, memory)
    for query in (
        "日本語",
        "全文検索",
        "2.7.5",
        "before",
        "after",
        long_word,
        "otters fish",
        "strasse",
        "🦦",
    ):
        alone = vault.brain(
            "remember", query, "--vault", vault.folder, "--format", "paths", "--no-touch"
        ).out
        paths = [line.rpartition("/")[2] for line in alone.split("\n")[:-1]]
        assert [
            path.partition(":")[2] for path in recalled(vault.brain, memory, query)
        ] == paths, query


@pytest.mark.parametrize("scorer", ["blend", in_ci("brain")])
@pytest.mark.parametrize(
    "query",
    [
        "why did we leave REST",
        "kafka",
        "how do I restore a backup when the primary database of the orders is gone and nobody is on call",
        "tag:kafka",
        "latest decision",
        "zebra crossing in the fog",
        "retires and jiter",
        "kafak retires enviroment",
        "qwertzuiop",
        "+kafka -rabbitmq ordering",
        '"order service" kafka',
        "type:decision path:decisions/* kafka",
        "what did we decide in june 2026",
        "jitt* kafka",
    ],
)
def test_a_recall_takes_at_most_four_round_trips(
    sample_in_memory: tuple[Vault, str], query: str, scorer: str, tmp_path: Path
) -> None:
    """Counted from the beginning of its transaction to the event in the history."""
    from brain_cli.answer.recall import recall
    from brain_cli.plugins.team.question import UnaskedSnapshot
    from brain_cli.plugins.team.reading import Reader
    from brain_cli.plugins.team.store import Store
    from brain_cli.ranking.scorers import load_scorer
    from brain_cli.ranking.top_k import RankingOptions
    from brain_cli.search.query import Query
    from brain_cli.types import Session

    store = Store(sample_in_memory[1])
    reader = Reader(store, tmp_path, lambda *_, **__: None)
    found = UnaskedSnapshot(reader).about(Query(query), Clock(1.79e9))
    recall(Query(query), Session(1.79e9), found, RankingOptions(load_scorer(scorer)))
    reader.close()
    store.close()
    recording = 1
    # The candidates for a corrected word are more, so their texts come by themselves.
    is_corrected = query in ("retires and jiter", "kafak retires enviroment")
    assert reader.round_trips + recording <= 3 + is_corrected


def test_a_note_with_many_links_crowds_out_no_activation(
    vault: Vault, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note with more than 64 links passes on no activation, so the notes linked with it may be
    left out.
    """
    from brain_cli.plugins.team import question, reading
    from brain_cli.plugins.team.question import UnaskedSnapshot
    from brain_cli.plugins.team.store import Store
    from brain_cli.search.query import Query

    names = [f"leaf-{number}" for number in range(70)]
    vault.note("index.md", "# Otters swim\n\n" + "".join(f"- [[{name}]]\n" for name in names))
    vault.note("otters.md", "# Otters\n\nThey swim. See [[fish]].\n")
    for name in (*names, "fish"):
        vault.note(f"{name}.md", f"# {name}\n\nNothing of it.\n")
    index(vault, memory)
    monkeypatch.setattr(question, "CANDIDATES", 2)
    monkeypatch.setitem(reading.LIMITS, "most_linked", 5)
    store = Store(memory)
    reader = reading.Reader(store, vault.folder.parent / "events", lambda *_, **__: None)
    found = UnaskedSnapshot(reader).about(Query("otters swim"), Clock(1.79e9))
    paths = [row.path.partition(":")[2] for row in found.note_table.rows.values()]
    store.close()
    assert sorted(paths) == ["fish.md", "index.md", "otters.md"]


def test_a_batch_asks_the_memory(sample_in_memory: tuple[Vault, str]) -> None:
    vault, memory = sample_in_memory
    lines = '{"id": 1, "query": "kafka"}\n{"id": 2, "query": "why did we leave REST"}\n'
    answer = vault.brain(
        "remember", "--batch", "-", "--memory", memory, "--no-touch", stdin=lines
    )
    assert answer.code == 0
    assert [each["results"][0]["path"] for each in answer.lines] == [
        recalled(vault.brain, memory, query)[0] for query in ("kafka", "why did we leave REST")
    ]


@pytest.mark.parametrize("form", ["markdown", "rich", "plain", "jsonl"])
def test_every_format_shows_notes_whose_files_are_elsewhere(
    sample_in_memory: tuple[Vault, str], form: str
) -> None:
    vault, memory = sample_in_memory
    answer = vault.brain(
        "remember", "why did we leave REST", "--memory", memory, "--format", form, "--no-touch"
    )
    assert answer.code == 0
    assert "gRPC" in answer.out
    assert "cannot be read" not in answer.out + answer.err


@pytest.mark.exhaustive
def test_the_daemon_of_a_vault_asks_the_memory(vault: Vault, memory: str) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    index(vault, memory)
    told = {"BRAIN_MEMORY": memory}
    assert (
        vault.brain.process("index", "--vault", vault.folder, "--watch", "--detach").code == 0
    )
    try:
        for _ in range(3):
            answer = vault.brain.process(
                "remember", "otters", "--vault", vault.folder, "--format", "paths", env=told
            )
            assert answer.out == "notes:a.md\n", answer.err
    finally:
        vault.brain.process("daemon", "stop", "--vault", vault.folder)


@pytest.mark.exhaustive
def test_a_watched_vault_sends_its_changes(vault: Vault, memory: str) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    watching = {"BRAIN_MEMORY": memory}
    assert (
        vault.brain.process(
            "index", "--vault", vault.folder, "--watch", "--detach", env=watching
        ).code
        == 0
    )
    try:
        until(lambda: recalled(vault.brain, memory, "otters") == ["notes:a.md"])
        vault.note("b.md", "# Badgers\n\nThey dig.")
        until(lambda: recalled(vault.brain, memory, "badgers") == ["notes:b.md"])
    finally:
        vault.brain.process("daemon", "stop", "--vault", vault.folder)


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until a condition holds; an empty memory does not answer at first."""
    last: Exception | None = None
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if is_so():
                return
        except AssertionError as error:
            last = error
        time.sleep(0.2)
    raise AssertionError("It did not happen in time.") from last
