"""`brain doctor` says what is wrong, one line each, and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Brain, Vault


def checks(vault: Vault, code: int = 0) -> dict[str, dict[str, Any]]:
    answer = vault.brain("doctor", "--json", "--vault", vault.folder)
    assert answer.code == code
    assert answer.json["fine"] == (code == 0)
    return {check["name"]: check for check in answer.json["checks"]}


def test_a_healthy_vault_is_fine_in_every_respect(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\nSee [[cup]].\n")
    vault.note("cup.md", "# Cup\n")
    vault.brain("remember", "tea", "--vault", vault.folder)
    found = checks(vault)
    assert list(found) == [
        "vault",
        "folders",
        "index",
        "history",
        "frontmatter",
        "dates",
        "names",
        "links",
    ]
    assert {check["state"] for check in found.values()} == {"fine"}
    lines = vault.brain("doctor", "--vault", vault.folder).out.splitlines()
    assert len(lines) == len(found)


def test_a_vault_that_was_never_asked_is_fine_and_stays_so(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    assert "not built yet" in checks(vault)["index"]["text"]
    assert not vault.brain.cache.exists()


def test_no_vault_is_wrong(brain: Brain) -> None:
    answer = brain("doctor")
    assert answer.code == 3
    assert answer.out.startswith("✗ vault")


def test_settings_that_are_wrong_are_found(vault: Vault) -> None:
    vault.brain.config.parent.mkdir(parents=True)
    vault.brain.config.write_text("limt = 3\n")
    assert "limt" in checks(vault, 3)["vault"]["text"]


def test_an_index_that_others_may_write_is_wrong(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    vault.brain("index", "--vault", vault.folder)
    (folder,) = (vault.brain.cache / "brain").iterdir()
    folder.chmod(0o777)
    assert "not yours alone" in checks(vault, 3)["index"]["text"]


def test_a_damaged_index_is_wrong_and_left_alone(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    vault.brain("index", "--vault", vault.folder)
    (note_table,) = vault.brain.cache.rglob("catalogue-*.jsonl")
    note_table.write_text("{}")
    assert "rebuilds it" in checks(vault, 3)["index"]["text"]
    assert note_table.read_text() == "{}"


def test_notes_changed_since_are_counted(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    vault.brain("index", "--vault", vault.folder)
    vault.note("cup.md", "# Cup\n")
    assert checks(vault)["index"]["text"].startswith("1 note changed")


def test_frontmatter_that_cannot_be_read_is_wrong(vault: Vault) -> None:
    vault.note("tea.md", "---\ntags: [a\n---\n# Tea\n")
    found = checks(vault, 3)["frontmatter"]
    assert found["found"] == 1
    assert found["examples"][0].startswith("tea.md: its frontmatter cannot be read")


def test_doctor_warns_about_a_note_as_a_refresh_does(vault: Vault) -> None:
    vault.note("dated.md", "# Tea\n", date="someday")
    vault.note("mac.md").write_bytes(b"---\rtags: [a\r---\r# Tea\r")
    vault.note("old.md").write_bytes("# Thé\n".encode("latin-1"))
    found = checks(vault, 3)["frontmatter"]
    warned = vault.brain("index", "--vault", vault.folder).err
    assert found["found"] == 3
    for example in found["examples"]:
        assert example in warned


def test_broken_links_and_names_of_two_notes_are_warnings(vault: Vault) -> None:
    vault.note("a/tea.md", "# Tea\nSee [[later]].\n")
    vault.note("b/tea.md", "# Other tea\n")
    vault.brain("index", "--vault", vault.folder)
    found = checks(vault)
    assert (found["links"]["text"], found["names"]["text"]) == (
        "1 link leads to no note",
        "1 name leads to several notes",
    )
    assert (found["links"]["state"], found["links"]["examples"]) == (
        "look",
        ["a/tea.md → later"],
    )
    assert (found["names"]["state"], found["names"]["examples"]) == (
        "look",
        ["tea: a/tea.md, b/tea.md"],
    )


def test_a_blank_line_of_the_history_is_fine(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    vault.brain("remember", "tea", "--vault", vault.folder)
    (history,) = vault.brain.state.rglob("*.jsonl")
    history.write_text(history.read_text() + "\n \n")
    assert checks(vault)["history"]["text"].startswith("1 event,")


def test_a_torn_line_of_the_history_is_a_warning(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    vault.brain("remember", "tea", "--vault", vault.folder)
    (history,) = vault.brain.state.rglob("*.jsonl")
    history.write_text(history.read_text() + '{"at": 17\n')
    assert checks(vault)["history"]["state"] == "look"


def test_status_fits_into_forty_columns(vault: Vault) -> None:
    from on_notes import typed

    vault.note("tea.md", "# Tea\n")
    vault.brain(
        "index", "--vault", vault.folder
    )  # on a slow machine its progress would be shown
    _, said = typed(vault, "", "status", COLUMNS="40")
    lines = said.replace(str(vault.folder), "/notes").splitlines()
    assert lines[:2] == ["/notes", "1 note, 0 archived, 0 pinned"]
    assert max(map(len, lines)) <= 40


def test_all_problems_are_listed_if_asked_for(vault: Vault) -> None:
    vault.note("tea.md", "".join(f"# Tea {n}\n\nSee [[gone {n}]].\n" for n in range(9)))
    vault.brain("index", "--vault", vault.folder)
    few, every = (
        vault.brain("doctor", *option, "--vault", vault.folder).out
        for option in ([], ["--all"])
    )
    assert few.count("→") == 3
    assert "and 6 more; --all lists them" in few
    assert every.count("→") == 9
    assert "more" not in every
