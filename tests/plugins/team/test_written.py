"""Notes that are written to a shared memory: found there at once, and made in the files of their
vault later.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Brain, Vault, one_sentence
from examples import few_every_day, in_ci
from postgres_server import Server, invited, passing_roles


@pytest.fixture
def vault_there(vault: Vault, memory: str) -> Vault:
    """A vault called `notes` that was sent to a memory."""
    vault.note(
        "otters.md", "# Otters\n\nThey swim.\n\n## Food\n\nFish, mostly.", type="learning"
    )
    vault.note("rivers.md", "# Rivers\n\nThey flow. See [[otters]].")
    vault.brain.config.parent.mkdir(parents=True)
    vault.brain.config.write_text(f'memory = "{memory}"\n')
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


@pytest.fixture
def agent(vault_there: Vault, tmp_path: Path, memory: str) -> Brain:
    """`brain` of the same login on a machine without files."""
    home = tmp_path / "agent"
    home.mkdir()
    brain = Brain(home, home / "cache")
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(f'memory = "{memory}"\n')
    return brain


def fetched(vault: Vault) -> str:
    answer = vault.brain("index", "--vault", vault.folder)
    assert answer.code == 0, answer.err
    return answer.out


def test_an_added_note_is_found_at_once_and_comes_to_the_files(
    vault_there: Vault, agent: Brain
) -> None:
    added = agent(
        "add", "Beavers build", "--type", "learning", "--tag", "dam", stdin="They fell trees."
    )
    assert added.out == "notes:learnings/beavers-build.md\n", added.err
    assert "brain archive notes:learnings/beavers-build.md" in added.err
    found = agent("remember", "who fells trees", "--json", "--no-touch").json["results"]
    assert [(each["path"], each["tags"]) for each in found] == [
        ("notes:learnings/beavers-build.md", ["dam"])
    ]
    file = vault_there.folder / "learnings" / "beavers-build.md"
    assert not file.exists()
    assert "as “notes”: 1 fetched" in fetched(vault_there)
    assert file.read_text().endswith("# Beavers build\n\nThey fell trees.\n")
    assert "nothing to send" in fetched(vault_there)
    assert vault_there.brain("undo", "--vault", vault_there.folder).code == 0
    assert not file.exists()
    assert "as “notes”: 1 removed" in fetched(vault_there)
    assert agent("remember", "trees", "--no-touch").code == 1


def test_a_section_is_appended_at_once_and_to_the_file_as_it_is_then(
    vault_there: Vault, agent: Brain
) -> None:
    assert agent("add", "--append", "notes:otters.md", "Fur", stdin="It is dense.").code == 0
    assert (
        agent("add", "--append", "notes:otters.md", "Teeth", stdin="They are strong.").code == 0
    )
    for query in ("dense fur", "strong teeth", "fish"):
        assert agent("remember", query, "--format", "paths").out == "notes:otters.md\n", query
    assert "It is dense." in agent("show", "notes:otters.md").out
    file = vault_there.folder / "otters.md"
    file.write_text(file.read_text().replace("They swim.", "They swim and dive."))
    assert "as “notes”: 2 fetched, 1 changed" in fetched(vault_there)
    text = file.read_text()
    assert "dive.\n\n## Food" in text
    assert text.index("It is dense.") < text.index("They are strong.")
    assert agent("remember", "strong dive", "--format", "paths").out == "notes:otters.md\n"


def test_a_note_is_archived_and_restored_for_everybody(
    vault_there: Vault, agent: Brain
) -> None:
    archived = agent("archive", "notes:otters.md", "--json").json
    assert (archived["path"], archived["archived"], archived["changed"]) == (
        "notes:otters.md",
        True,
        True,
    )
    assert agent("remember", "fish food", "--json").json["strategy"] == "archive-fallback"
    assert not agent("archive", "notes:otters.md", "--json").json["changed"]
    assert "1 fetched" in fetched(vault_there)
    assert (vault_there.folder / "archive" / "otters.md").exists()
    assert agent("remember", "fish food", "--json").json["strategy"] == "archive-fallback"
    assert agent("restore", "notes:archive/otters.md").code == 0
    assert agent("remember", "fish food", "--json").json["strategy"] != "archive-fallback"
    fetched(vault_there)
    assert (vault_there.folder / "otters.md").exists()
    assert agent("remember", "fish food", "--format", "paths").out == "notes:otters.md\n"


def test_a_note_whose_place_is_taken_gets_another_name(
    vault_there: Vault, agent: Brain
) -> None:
    assert agent("add", "Beavers", stdin="They fell trees.").out == "notes:beavers.md\n"
    vault_there.note("beavers.md", "# Beavers of mine\n\nThey build lodges.")
    assert "1 fetched, 1 added, 1 changed" in fetched(vault_there)
    assert "lodges" in (vault_there.folder / "beavers.md").read_text()
    assert "trees" in (vault_there.folder / "beavers-2.md").read_text()
    assert (
        agent("remember", "lodges", "--format", "paths", "--no-touch").out
        == "notes:beavers.md\n"
    )
    assert (
        agent("remember", "trees", "--format", "paths", "--no-touch").out
        == "notes:beavers-2.md\n"
    )


def test_open_finds_the_file_that_is_here_else_makes_a_copy(
    vault_there: Vault, agent: Brain
) -> None:
    words = ("open", "notes:otters.md#Food", "--json")
    here = vault_there.brain(*words, "--vault", vault_there.folder, env={"VISUAL": "true"}).json
    assert (here["editor"], here["line"]) == (
        ["true", str(vault_there.folder / "otters.md")],
        8,
    )
    there = agent(*words, env={"VISUAL": "true"}).json
    copy = Path(there["editor"][1])
    assert (copy.read_text(), there["line"]) == (
        f"{(vault_there.folder / 'otters.md').read_text()}\n",
        8,
    )
    assert copy.stat().st_mode & 0o777 == 0o400


def test_a_note_is_explained_as_by_its_vault(vault_there: Vault, agent: Brain) -> None:
    for words in ((), ("swimming", "otters"), ("rivers",), ("cheese",)):
        there = agent("explain", "notes:otters.md", *words)
        here = vault_there.brain("explain", "--vault", vault_there.folder, "otters.md", *words)
        assert (there.code, there.out.replace("notes:", "")) == (here.code, here.out)


def test_who_may_write_what(
    vault_there: Vault, agent: Brain, server: Server, memory: str, tmp_path: Path
) -> None:
    """Two logins: each writes to vaults of their own, and reads what the other has written."""
    with passing_roles(server, memory.rpartition("/")[2]):
        address = invited(server, memory, "berta")
        agent.config.write_text(f'memory = "{address}"\n')
        for words in (
            ("add", "--append", "notes:otters.md", "Fur"),
            ("archive", "notes:otters.md"),
            ("restore", "notes:otters.md"),
            ("add", "Mine", "--path", "notes:"),
        ):
            refused = agent(*words, stdin="It is dense." if words[0] == "add" else "")
            if words[0] == "restore":
                assert refused.out == "notes:otters.md is not archived\n"
            else:
                assert (refused.code, one_sentence(refused.err)) == (3, True), words
                assert (
                    "The vault “notes” of the shared memory belongs to tester." in refused.err
                )
        assert agent("add", "Mine", stdin="Badgers dig.").out == "berta:mine.md\n"
        assert (
            agent("add", "More", "--path", "berta:notes/more.md", stdin="Badgers sleep.").code
            == 0
        )
        assert agent("add", "Lost", "--path", "bert:", stdin="Badgers get lost.").code == 2
        found = vault_there.brain(
            "remember", "badgers", "--format", "paths", "--vault", vault_there.folder
        )
        assert sorted(found.out.split()) == ["berta:mine.md", "berta:notes/more.md"]
        rows = server.sql(
            memory.rpartition("/")[2],
            "select author, kind, path from brain.written order by number",
        )
        assert rows == [("berta", "add", "mine.md"), ("berta", "add", "notes/more.md")]
        own = Vault(tmp_path / "hers", agent)
        own.folder.mkdir()
        assert (
            "2 fetched" in agent("index", "--vault", own.folder, "--as", "berta", "--yes").out
        )
        assert "Badgers dig." in (own.folder / "mine.md").read_text()
        assert "Badgers sleep." in (own.folder / "notes" / "more.md").read_text()


KILLED = """
import os, sys
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.vault import atomic_write, change_journal
step = sys.argv.pop(1)
def dies(owner, name, before):
    work = getattr(owner, name)
    def killed(*arguments, **named):
        result = None if before else work(*arguments, **named)
        os._exit(9)
    setattr(owner, name, killed)
if step == "before it is made": dies(atomic_write, "_temporary_beside", True)
if step == "before the rename": dies(atomic_write, "rename_to_new", True)
if step == "before the replacement": dies(os, "replace", True)
if step == "after it was made": dies(change_journal.Journal, "_keep", True)
if step == "after the journal": dies(VaultWriter, "fetched", True)
if step == "after it was marked": dies(VaultWriter, "fetched", False)
from brain_cli.__main__ import main
main()
"""


@pytest.mark.parametrize("change", [in_ci("add"), "append", in_ci("archive")])
@pytest.mark.parametrize(
    "step",
    [
        in_ci("before it is made"),
        in_ci("before the rename"),
        "before the replacement",
        in_ci("after it was made"),
        "after the journal",
        in_ci("after it was marked"),
    ],
)
def test_a_kill_loses_nothing_and_writes_nothing_twice(
    vault_there: Vault, agent: Brain, step: str, change: str
) -> None:
    words = {
        "add": ("add", "Beavers", "--path", "notes:beavers.md"),
        "append": ("add", "--append", "notes:otters.md", "Beavers"),
        "archive": ("archive", "notes:otters.md"),
    }[change]
    assert agent(*words, stdin="They fell trees.").code == 0
    command = [sys.executable, "-c", KILLED, step, "index", "--vault", str(vault_there.folder)]
    subprocess.run(command, env=vault_there.brain.environ(), check=False, capture_output=True)
    for _ in range(2):
        fetched(vault_there)
    texts = [path.read_text() for path in vault_there.folder.rglob("*.md")]
    assert sum(text.count("They fell trees.") for text in texts) == (change != "archive")
    assert sum("Fish, mostly." in text for text in texts) == 1
    assert (vault_there.folder / "archive" / "otters.md").exists() == (change == "archive")
    assert len(texts) == 2 + (change == "add")
    assert not list(vault_there.folder.rglob("*tmp*"))


@pytest.mark.parametrize(
    "path",
    few_every_day(
        [
            "../outside.md",
            ".brain/config.toml",
            "/tmp/outside.md",
            ".hidden/a.md",
            "run.sh",
            "linked/a.md",
        ],
        2,
    ),
)
def test_what_a_server_sends_is_written_as_a_note_of_the_vault_or_not_at_all(
    vault_there: Vault, server: Server, memory: str, tmp_path: Path, path: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (vault_there.folder / "linked").symlink_to(elsewhere)
    before = {
        file
        for file in tmp_path.rglob("*")
        if "cache" not in file.parts and "state" not in str(file)
    }
    server.sql(
        memory.rpartition("/")[2],
        "insert into brain.written (vault_id, kind, path, content)"
        f" select vault_id, 'add', '{path}', 'They lurk.' from brain.vaults",
    )
    answer = vault_there.brain("index", "--vault", vault_there.folder)
    assert (answer.code, "fetched" in answer.out) == (0, False)
    assert "waits there" in answer.err
    after = {
        file
        for file in tmp_path.rglob("*")
        if "cache" not in file.parts and "state" not in str(file)
    }
    assert after == before


def test_a_note_that_is_archived_in_the_memory_keeps_its_pin_and_is_moved_not_replaced(
    vault_there: Vault, agent: Brain
) -> None:
    file = vault_there.folder / "otters.md"
    file.write_text(file.read_text().replace("type: learning", "type: 'learning'  # a comment"))
    fetched(vault_there)
    assert agent("pin", "notes:otters.md").code == 0
    file.rename(vault_there.folder / "sea.md")
    assert "1 renamed" in fetched(vault_there)
    assert agent("archive", "notes:sea.md").code == 0
    asked = ("remember", "otters swim", "--archived", "--json", "--no-touch")
    [archived] = agent(*asked).json["results"]
    assert "1 fetched, 1 renamed" in fetched(vault_there)
    [moved] = agent(*asked).json["results"]
    paths = ["notes:sea.md", "notes:archive/sea.md"]
    assert [(each["path"], each["pinned"]) for each in (archived, moved)] == [
        (path, True) for path in paths
    ]


@pytest.mark.exhaustive
def test_a_day_in_an_old_diary_is_found_among_thousands_of_newer_notes(
    vault_there: Vault, agent: Brain
) -> None:
    for number in range(3_100):
        (vault_there.folder / f"{number}.md").write_text(
            f"---\ndate: 2025-01-01\n---\n# {number}\n\nRain.\n"
        )
    diary = "# Log\n\n## 2024-03-05\n\nThe dam broke.\n\n## 2024-04-01\n\nNothing happened."
    vault_there.note("log.md", diary, date="2023-01-01")
    fetched(vault_there)
    found = agent("remember", "what happened on 5 March 2024", "--json", "--no-touch").json[
        "results"
    ]
    assert [(each["path"], each["fragment"]["heading"][-1]) for each in found] == [
        ("notes:log.md", "2024-03-05")
    ]
