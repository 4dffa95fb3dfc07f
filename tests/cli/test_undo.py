"""`brain undo` puts back what the last command changed, unless a note changed since; `brain mv`
keeps all links.
"""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from terminal import on_a_terminal

from brain_cli.paths import vault_name
from brain_cli.plugins.agents.intake import Spool
from brain_cli.plugins.agents.observation import Observation
from brain_cli.vault.change_journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Answer, Vault

    Run = Callable[..., Answer]


@pytest.fixture
def run(vault: Vault) -> Run:
    def ask(*words: str, stdin: str = "") -> Answer:
        return vault.brain(*words, "--vault", vault.folder, cwd=vault.folder, stdin=stdin)

    return ask


@pytest.fixture
def notes(vault: Vault) -> Vault:
    """A vault of three notes, of which two link to the first."""
    vault.note("tea/green.md", "---\nstatus: open\n---\n# Green tea\n\nSteep at 70 degrees.\n")
    vault.note("cup.md", "# Cup\n\nSee [[tea/green]].\n")
    vault.note("pot.md", "# Pot\n\nFor [green tea](tea/green.md).\n")
    return vault


def texts(vault: Vault) -> dict[str, bytes]:
    return {
        path.relative_to(vault.folder).as_posix(): path.read_bytes()
        for path in vault.folder.rglob("*.md")
    }


def folders(vault: Vault) -> set[str]:
    return {
        path.relative_to(vault.folder).as_posix()
        for path in vault.folder.rglob("[!.]*")
        if path.is_dir()
    }


CHANGES = [
    ("archive", "green"),
    ("archive", "green", "cup"),
    ("archive", "green", "--status"),
    ("pin", "green", "cup", "pot"),
    ("snooze", "green", "cup", "2w"),
    ("forget", "green", "--yes"),
    ("forget", "green", "cup", "--yes"),
    ("mv", "green", "sencha"),
    ("mv", "green", "leaves/"),
    ("add", "A kettle", "--type", "learning"),
    ("add", "A kettle", "--path", "empty/"),
    ("add", "Cold", "--append", "green"),
]


@pytest.mark.parametrize("words", CHANGES, ids=" ".join)
def test_every_change_can_be_undone(notes: Vault, run: Run, words: tuple[str, ...]) -> None:
    (notes.folder / "empty").mkdir()
    before, folders_before = texts(notes), folders(notes)
    done = run(*words, stdin="It boils.\n")
    assert (done.code, texts(notes) != before) == (0, True)
    assert "To undo: brain un" in done.err
    [change] = run("undo", "--list", "--json").json["changes"]
    assert change["command"] == ("add --append" if "--append" in words else words[0])
    undone = run("undo")
    assert undone.code == 0, undone.err
    assert texts(notes) == before
    assert folders(notes) == folders_before
    assert run("undo", "--list").code == 1


def test_a_restored_note_goes_back_into_the_archive(notes: Vault, run: Run) -> None:
    run("archive", "green")
    archived = texts(notes)
    run("restore", "green")
    assert run("undo").code == 0
    assert texts(notes) == archived


def test_feedback_is_taken_back(notes: Vault, run: Run) -> None:
    run("feedback", "green", "cup", "useful")
    assert run("undo").out == "undid: feedback tea/green.md, cup.md\n"
    assert run("feedback", "green", "useful", "--undo").code == 3


def test_feedback_that_was_taken_back_is_given_again(notes: Vault, run: Run) -> None:
    run("feedback", "green", "useful")
    run("feedback", "green", "useful", "--undo")
    assert run("undo").code == 0
    assert run("feedback", "green", "useful", "--undo").code == 0


def test_changes_are_undone_one_after_the_other_newest_first(notes: Vault, run: Run) -> None:
    before = texts(notes)
    run("pin", "cup")
    run("mv", "green", "sencha")
    run("snooze", "pot", "2w")
    for _ in range(3):
        assert run("undo").code == 0
    assert texts(notes) == before
    answer = run("undo")
    assert (answer.code, "There is nothing to undo." in answer.err) == (3, True)


def test_a_note_that_changed_since_stays_as_it_is(notes: Vault, run: Run) -> None:
    run("pin", "green", "cup")
    notes.note("tea/green.md", "My own words.\n")
    answer = run("undo")
    assert answer.code == 0
    assert "Not all was undone, because tea/green.md changed since `brain pin`." in answer.err
    assert texts(notes)["tea/green.md"] == b"My own words.\n"
    assert b"pinned" not in texts(notes)["cup.md"]


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("pin cup", "brain unpin cup.md"),
        ("archive cup --status", "brain restore cup.md"),
        ("archive cup", "brain undo 2"),
        ("snooze cup 2w", "brain snooze cup.md off"),
        ("add Cold --append cup", "brain undo 2"),
        ("add Cup --path cup.md --type note", "brain forget cup.md"),
    ],
)
def test_what_cannot_be_undone_has_a_hint_that_works(
    notes: Vault, run: Run, words: str, instead: str
) -> None:
    run("feedback", "pot", "useful")
    if "--path" in words:
        (notes.folder / "cup.md").unlink()
    run(*words.split())
    for path in notes.folder.rglob("cup.md"):
        path.write_text(path.read_text() + "My own words.\n")
        if words == "archive cup":  # its old place is taken, too
            notes.note("cup.md", "Another cup.\n")
    refused = run("undo")
    said, hint = refused.err.strip().split("\n")
    assert refused.code == 3
    assert "Nothing was undone, because" in said
    assert f": {instead} --vault" in hint
    sure = ["--yes"] if "forget" in instead else []
    assert run(*instead.split()[1:], *sure).code == 0


def test_the_list_on_a_terminal_has_numbers_and_times(notes: Vault, run: Run) -> None:
    run("pin", "cup", "pot")
    run("mv", "green", "sencha")
    [at, _] = [each["at"][:10] for each in run("undo", "--list", "--json").json["changes"]]
    shown = on_a_terminal(notes, "undo", "--list", NO_COLOR="1")
    assert re.search(rf"1\. mv {at} \d\d:\d\d +tea/sencha\.md", shown), shown
    assert re.search(rf"2\. pin {at} \d\d:\d\d, 2 notes +cup\.md", shown), shown


def test_a_new_note_that_was_edited_is_not_removed(notes: Vault, run: Run) -> None:
    path = run("add", "A kettle", "--json", stdin="It boils.\n").json["path"]
    notes.note(path, "My own words.\n")
    assert run("undo").code == 3
    assert texts(notes)[path] == b"My own words.\n"


def test_a_moved_note_that_changed_since_is_moved_back_with_its_new_text(
    notes: Vault, run: Run
) -> None:
    run("mv", "green", "leaves/sencha.md")
    notes.note("leaves/sencha.md", "# Sencha\n\nNew words.\n")
    assert run("undo").code == 0
    assert texts(notes)["tea/green.md"] == b"# Sencha\n\nNew words.\n"
    assert b"[[tea/green]]" in texts(notes)["cup.md"]


def test_an_import_is_undone_as_a_whole(notes: Vault, run: Run, tmp_path: Path) -> None:
    before = texts(notes)
    lines = [
        json.dumps({"title": f"Leaf {number}", "text": "Green.", "source_id": str(number)})
        for number in range(3)
    ]
    (tmp_path / "leaves.jsonl").write_text("\n".join(lines))
    assert run("import", "jsonl", str(tmp_path / "leaves.jsonl")).code == 0
    assert len(texts(notes)) == len(before) + 3
    assert run("undo").code == 0
    assert texts(notes) == before


def test_captures_by_hooks_are_listed_and_undone_by_their_number(
    notes: Vault, run: Run
) -> None:
    git = [
        "git",
        "-C",
        os.fspath(notes.folder),
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
    ]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run(
        [
            *git,
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "feat: brew green tea at seventy degrees",
        ],
        check=True,
    )
    before = texts(notes)
    assert run("capture", "git", "--commit", "HEAD").code == 0
    assert texts(notes) != before
    [captured] = run("undo", "--list", "--json").json["changes"]
    assert captured["by_hook"] is True
    assert run("undo").code == 3
    assert run("undo", str(captured["number"])).code == 0
    assert texts(notes) == before


def test_an_observation_of_an_agent_is_undone_by_its_number(notes: Vault, run: Run) -> None:
    before = texts(notes)
    text = "We keep carts in Redis because Postgres polling was too slow."
    spool = Spool(str(notes.brain.state / "capture"))
    spool.append(
        Observation(
            "1",
            1_700_000_000.0,
            response=text,
            folder=str(notes.folder),
            vault=str(notes.folder),
        )
    )
    assert run("capture", "--flush").code == 0
    [captured] = run("undo", "--list", "--json").json["changes"]
    assert (captured["command"], captured["by_hook"]) == ("capture", True)
    assert run("undo").code == 3
    assert run("undo", str(captured["number"])).code == 0
    assert texts(notes) == before


def test_a_trashed_note_is_found_in_the_trash_no_more(notes: Vault, run: Run) -> None:
    place = Path(run("forget", "green", "--yes", "--json").json["trash"])
    info = place.parents[1] / "info" / f"{place.name}.trashinfo"
    assert info.exists()
    assert run("undo").out == "undid: forget tea/green.md\n"
    assert not place.exists()
    assert not info.exists()


def test_a_forgotten_note_comes_back_also_from_an_emptied_trash(notes: Vault, run: Run) -> None:
    before = texts(notes)
    os.unlink(run("forget", "green", "--yes", "--json").json["trash"])
    assert run("undo").code == 0
    assert texts(notes) == before


def test_a_forgotten_note_whose_place_is_taken_stays_in_the_trash(
    notes: Vault, run: Run
) -> None:
    places = [
        each["trash"] for each in run("forget", "green", "cup", "--yes", "--json").json["notes"]
    ]
    notes.note("tea/green.md", "My own words.\n")
    answer = run("undo")
    assert (answer.code, answer.out) == (0, "undid: forget cup.md\n")
    assert "tea/green.md changed since `brain forget`" in answer.err
    run("forget", "pot", "--yes")
    notes.note("pot.md", "My own words.\n")
    answer = run("undo")
    assert answer.code == 3
    assert "Nothing was undone, because pot.md changed since `brain forget`" in answer.err
    assert texts(notes)["pot.md"] == b"My own words.\n"
    assert [Path(place).exists() for place in places] == [True, False]


def test_one_is_the_newest_change_and_the_answer_names_what_was_undone(
    notes: Vault, run: Run
) -> None:
    notes.note("jug.md", "# Jug\n")
    before = texts(notes)
    run("pin", "jug")
    run("mv", "green", "sencha")
    run("snooze", "pot", "2w")
    rows = [line.split() for line in run("undo", "--list").out.splitlines()]
    assert [(row[0], *row[3:]) for row in rows] == [
        ("1", "snooze", "pot.md"),
        ("2", "mv", "tea/green.md", "→", "tea/sencha.md"),
        ("3", "pin", "jug.md"),
    ]
    assert run("undo", "3").out == "undid: pin jug.md\n"
    assert run("undo", "--json", "1").json["number"] == 1
    assert run("undo", "2").code == 3
    assert run("undo", "0").code == 3
    assert run("undo", "1").out == "undid: mv tea/green.md → tea/sencha.md\n"
    assert texts(notes) == before
    run("add", "A kettle", stdin="It boils.\n")
    assert run("undo").out == "undid: add a-kettle.md (now in the trash)\n"


def test_mv_renames_a_note_beside_itself_and_repairs_links(notes: Vault, run: Run) -> None:
    answer = run("mv", "green", "sencha", "--json")
    assert answer.json["path"] == "tea/sencha.md"
    assert answer.json["relinked"] == ["cup.md", "pot.md"]
    assert b"[[tea/sencha]]" in texts(notes)["cup.md"]
    assert b"(tea/sencha.md)" in texts(notes)["pot.md"]


@pytest.mark.parametrize(
    ("new", "path"),
    [("leaves/", "leaves/green.md"), (".", "green.md"), ("a/b", "a/b.md"), ("./x.md", "x.md")],
)
def test_mv_takes_a_folder_or_a_path_of_the_vault(
    notes: Vault, run: Run, new: str, path: str
) -> None:
    assert run("mv", "green", new, "--json").json["path"] == path
    assert path in texts(notes)


@pytest.mark.parametrize("new", ["../green.md", ".hidden/green.md", "../../x", ""])
def test_mv_does_not_leave_the_vault(notes: Vault, run: Run, new: str) -> None:
    before = texts(notes)
    assert run("mv", "green", new).code == 2
    assert texts(notes) == before


def test_mv_says_that_a_note_is_ignored_at_its_new_place(notes: Vault, run: Run) -> None:
    (notes.folder / ".gitignore").write_text("drafts/\n")
    answer = run("mv", "green", "drafts/")
    assert (answer.code, "drafts/green.md is not found by recalls any more" in answer.err) == (
        0,
        True,
    ), answer.err


@pytest.mark.parametrize(
    ("new", "marks"),
    [
        ("a|b", "|"),
        ("a#b", "#"),
        ("[a]", "[ ]"),
        ("C#/", "#"),
        ("green#2", "#"),
        ("[green]", "[ ]"),
        ("[draft] green tea", "[ ]"),
    ],
)
def test_mv_refuses_a_name_that_a_link_to_the_note_cannot_have(
    notes: Vault, run: Run, new: str, marks: str
) -> None:
    notes.note("tea/green.md", "# Green\n")
    before = texts(notes)
    answer = run("mv", "tea/green.md", new)
    assert answer.code == 3
    assert "A link in cup.md cannot lead to" in answer.err
    assert f"because of {marks} in its name" in answer.err
    assert texts(notes) == before


def test_mv_renames_plain_links_also_if_only_capitals_change(notes: Vault, run: Run) -> None:
    notes.note("cup.md", "[[green]] [[tea/green]] [g](tea/green.md) [[Green tea]] [[GREEN]]\n")
    run("mv", "green", "Green")
    assert texts(notes)["cup.md"] == (
        b"[[Green]] [[tea/Green]] [g](tea/Green.md) [[Green tea]] [[GREEN]]\n"
    )
    run("mv", "green", "Tea/")
    assert b"[[Green]] [[Tea/Green]] [g](Tea/Green.md)" in texts(notes)["cup.md"]


@pytest.mark.parametrize("new", ["green.txt", "leaves/green.HTML", "a.org", "green.markdwn"])
def test_mv_and_add_make_no_note_of_another_kind_of_file(
    notes: Vault, run: Run, new: str
) -> None:
    before = texts(notes)
    for words in (["mv", "green", new], ["add", "Kettle", "--path", new]):
        answer = run(*words, stdin="Boils.\n")
        assert (answer.code, "does not end as a note does" in answer.err) == (2, True), (
            answer.err
        )
    assert texts(notes) == before


@pytest.mark.parametrize(
    ("new", "path"), [("v1.2", "tea/v1.2.md"), ("a. b", "tea/a. b.md"), ("x.MD", "tea/x.MD")]
)
def test_mv_takes_a_name_with_a_dot_that_ends_no_other_kind_of_file(
    notes: Vault, run: Run, new: str, path: str
) -> None:
    assert run("mv", "green", new, "--json").json["path"] == path


@pytest.mark.parametrize(
    ("before", "words", "gone"),
    [
        ([], ["mv", "green", "."], "tea"),
        ([], ["archive", "green"], "tea"),
        ([["archive", "green"]], ["restore", "archive/tea/green.md"], "archive"),
        ([["mv", "green", "a/b/c/"]], ["mv", "green", "a/"], "a/b"),
    ],
)
def test_a_folder_that_a_moved_note_leaves_empty_goes_and_comes_back(
    notes: Vault, run: Run, before: list[list[str]], words: list[str], gone: str
) -> None:
    for each in before:
        run(*each)
    old = folders(notes)
    assert gone in old
    assert run(*words).code == 0
    assert gone not in folders(notes)
    assert run("undo").code == 0
    assert folders(notes) == old


def test_mv_replaces_no_note(notes: Vault, run: Run) -> None:
    before = texts(notes)
    assert run("mv", "cup", "pot").code == 3
    assert texts(notes) == before


def test_several_notes_are_reported_one_by_one(notes: Vault, run: Run) -> None:
    answer = run("pin", "cup", "pot", "cup")
    assert answer.out == "pinned cup.md\npinned pot.md\n"
    assert "To undo: brain undo" in answer.err
    assert [note["path"] for note in run("unpin", "cup", "pot", "--json").json["notes"]] == [
        "cup.md",
        "pot.md",
    ]


def test_an_unknown_name_among_several_changes_nothing(notes: Vault, run: Run) -> None:
    before = texts(notes)
    assert run("archive", "cup", "nowhere").code == 2
    assert texts(notes) == before


def test_two_notes_with_one_name_are_not_moved_to_one_place(notes: Vault, run: Run) -> None:
    notes.note("archive/same.md", "# Same\n")
    notes.note("_archived/same.md", "# Same\n")
    before = texts(notes)
    answer = run("restore", "archive/same.md", "_archived/same.md")
    assert (answer.code, "would both be at same.md" in answer.err) == (3, True)
    assert texts(notes) == before


def test_a_note_that_is_edited_where_it_is_follows_the_one_that_moves_with_it(
    notes: Vault, run: Run
) -> None:
    notes.note("cup.md", "# Cup\n\nSee [tea](archive/tea/green.md).\n", status="archived")
    run("archive", "green")
    archived = texts(notes)
    assert run("restore", "archive/tea/green.md", "cup.md").code == 0
    restored = texts(notes)["cup.md"]
    assert b"(tea/green.md)" in restored
    assert b"archived" not in restored
    assert run("undo").code == 0
    assert texts(notes) == archived


def test_an_empty_list_says_so(notes: Vault, run: Run) -> None:
    answer = run("undo", "--list")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "brain: There is nothing to undo: brain has changed no note here.\n"


def state_of(vault: Vault) -> Path:
    return vault.brain.state / vault_name(str(vault.folder))


@pytest.mark.parametrize(
    "words",
    [["add", "A kettle"], ["feedback", "cup", "useful"], ["mv", "cup", "mug"]],
    ids=lambda words: words[0],
)
def test_what_the_journal_cannot_hold_is_not_done(
    notes: Vault, run: Run, words: list[str]
) -> None:
    run("pin", "pot")
    before = texts(notes)
    (state_of(notes) / "changes").rename(notes.folder / ".changes")
    (state_of(notes) / "changes").write_text("in the way")
    answer = run(*words)
    assert (answer.code, answer.out) == (3, "")
    assert "cannot be written" in answer.err
    assert "Nothing was changed." in answer.err
    assert texts(notes) == before


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EACCES])
@pytest.mark.parametrize(
    "words",
    [
        ["add", "A kettle"],
        ["add", "--append", "cup", "Cold"],
        ["undo"],
        ["forget", "cup", "--yes"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_an_edit_whose_journal_alone_cannot_be_completed_is_done_and_says_so(
    notes: Vault, run: Run, monkeypatch: pytest.MonkeyPatch, words: list[str], number: int
) -> None:
    run("pin", "pot")
    before = texts(notes)

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(Journal, "_keep", fail)
        broken.setattr(Journal, "forget", fail)
        answer = run(*words, stdin="It boils.\n")
    done = texts(notes)
    assert (answer.code, done != before) == (0, True)
    assert "All was done, but the journal cannot be completed" in answer.err
    recovered = run("undo")
    assert recovered.code == 0
    if words == ["undo"]:
        assert (recovered.out, texts(notes)) == ("undid: pin pot.md\n", done)
    else:
        assert texts(notes) == before


def test_feedback_that_cannot_be_stored_is_refused(notes: Vault, run: Run) -> None:
    run("remember", "green")
    [history] = state_of(notes).glob("*.jsonl")
    history.unlink()
    history.mkdir()
    answer = run("feedback", "green", "useful")
    assert (answer.code, answer.out) == (3, "")
    assert "This could not be added to the history" in answer.err
