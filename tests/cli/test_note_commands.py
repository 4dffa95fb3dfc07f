"""The commands on single notes: which note is meant, what is done to it, and how it is undone."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from examples import in_ci
from on_notes import Run, contents, runner, typed, undone

from brain_cli.cli._editor import editor_arguments
from brain_cli.errors import BrainError, UsageError
from brain_cli.vault.atomic_write import TEMPORARY

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def run(vault: Vault) -> Run:
    return runner(vault)


class TestWhichNoteIsMeant:
    @pytest.fixture(autouse=True)
    def notes(self, vault: Vault) -> None:
        vault.note("tea/green.md", "# Green tea\n", aliases=["Sencha"])
        vault.note("tea/black.md", "# Black tea\n")
        vault.note("old/black.md", "# Blacker tea\n")
        vault.note("C# notes.md", "# Sharp\n\n## Why\n\nBecause.\n")

    @pytest.mark.parametrize(
        "name", ["tea/green.md", "tea/green", "green", "green.md", "GREEN tea", "séncha"]
    )
    def test_by_path_title_alias_or_file_name(self, run: Run, name: str) -> None:
        assert run("show", name, "--json").json["path"] == "tea/green.md"

    def test_a_path_counts_from_the_vault_before_it_counts_from_here(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("tea/tea/green.md", "# Other\n")
        assert (
            run("show", "tea/green.md", "--json", cwd=vault.folder / "tea").json["path"]
            == "tea/green.md"
        )
        assert (
            run("show", "black.md", "--json", cwd=vault.folder / "tea").json["path"]
            == "tea/black.md"
        )
        assert (
            run("show", "../old/black.md", "--json", cwd=vault.folder / "tea").json["path"]
            == "old/black.md"
        )
        assert (
            run("show", vault.folder / "old/black.md", "--json").json["path"] == "old/black.md"
        )

    def test_a_name_of_several_notes_is_wrong_usage_with_the_choices(self, run: Run) -> None:
        answer = run("pin", "black")
        assert (answer.code, answer.out) == (2, "")
        assert "old/black.md, tea/black.md" in answer.err

    def test_an_unknown_name_is_wrong_usage_with_the_nearest_ones(self, run: Run) -> None:
        answer = run("forget", "gren tea", "--yes")
        assert answer.code == 2
        assert "tea/green.md" in answer.err

    def test_a_path_that_does_not_exist_does_not_mean_a_note_of_that_name_elsewhere(
        self, run: Run
    ) -> None:
        assert run("forget", "nowhere/green.md", "--yes").code == 2

    def test_a_path_out_of_the_vault_is_refused(self, run: Run, vault: Vault) -> None:
        outside = vault.folder.parent / "outside.md"
        outside.write_text("# Outside\n")
        (vault.folder / "link.md").symlink_to(outside)
        (vault.folder / "folder").symlink_to(vault.folder.parent)
        for name in ("../outside.md", outside, "link.md", "folder/outside.md"):
            for command in (["pin"], ["archive"], ["forget", "--yes"], ["show"]):
                answer = run(command[0], name, *command[1:])
                assert answer.code == 2
                assert "outside the vault" in answer.err
        assert outside.read_text() == "# Outside\n"

    def test_hidden_files_and_files_of_other_types_are_not_notes(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note(".obsidian/x.md")
        vault.note("x.txt")
        assert run("pin", ".obsidian/x.md").code == 2
        assert run("pin", "x.txt").code == 2

    def test_a_number_sign_is_part_of_a_name_before_it_is_a_heading(self, run: Run) -> None:
        assert run("show", "C# notes", "--json").json["heading"] == []
        assert run("show", "C# notes#why", "--json").json["heading"] == ["Sharp", "Why"]

    def test_a_place_as_a_recall_prints_it_names_the_note(self, run: Run) -> None:
        place = run("remember", "sharp", "--format", "plain").out.split("\t")[1]
        assert place.startswith("C# notes.md:")
        assert run("show", place, "--json").json["path"] == "C# notes.md"
        assert run("related", "sencha:12", "--json").json["path"] == "tea/green.md"
        assert run("pin", "tea/green.md:1").out == "pinned tea/green.md\n"

    def test_a_number_after_a_colon_is_part_of_a_name_before_it_is_a_line(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("black:7.md", "# Seven\n")
        vault.note("other.md", "# Green:8\n")
        assert run("show", "black:7", "--json").json["path"] == "black:7.md"
        assert run("show", "green:8", "--json").json["path"] == "other.md"
        assert run("show", "green:9", "--json").json["path"] == "tea/green.md"
        answer = run("show", "gren tea:9")
        assert (answer.code, "“gren tea”" in answer.err, "tea/green.md" in answer.err) == (
            2,
            True,
            True,
        )

    def test_a_path_is_found_without_building_an_index(self, run: Run, vault: Vault) -> None:
        assert run("pin", "tea/green.md").code == 0
        assert not vault.brain.cache.exists()

    def test_options_stand_before_the_command_as_well(self, vault: Vault) -> None:
        answer = vault.brain("--vault", vault.folder, "--json", "pin", "tea/green.md")
        assert answer.json == {
            "version": 1,
            "path": "tea/green.md",
            "pinned": True,
            "changed": True,
        }
        assert f"brain unpin tea/green.md --vault {vault.folder}" in answer.err


class TestPin:
    def test_pins_and_unpins_without_a_trace(self, run: Run, vault: Vault) -> None:
        for number, text in enumerate(
            ["# Tea\n", "---\r\ntags: [a]  # b\r\n---\r\n# Tea", "\ufeff\n", ""]
        ):
            vault.note(f"{number}.md").write_bytes(text.encode())
        before = contents(vault)
        for path in before:
            answer = run("pin", path)
            assert (answer.code, answer.out) == (0, f"pinned {path}\n")
            assert run("show", path, "--json").json["pinned"]
            assert undone(answer, run).out == f"unpinned {path}\n"
        assert contents(vault) == before

    def test_pinning_a_pinned_note_changes_nothing(self, run: Run, vault: Vault) -> None:
        file = vault.note("tea.md", "# Tea\n", pinned="yes")
        before = file.stat()
        answer = run("pin", "tea.md")
        assert (answer.code, answer.out, answer.err) == (0, "tea.md is pinned already\n", "")
        assert (file.stat().st_ino, file.stat().st_mtime_ns) == (
            before.st_ino,
            before.st_mtime_ns,
        )

    def test_the_next_recall_finds_the_edit_and_the_note_keeps_its_age(
        self, run: Run, vault: Vault
    ) -> None:
        file = vault.note("tea.md", "# Tea\n\nGreen.\n")
        file.chmod(0o640)
        before = vault.remember("tea")["results"][0]
        run("pin", "tea.md")
        after = vault.remember("tea")["results"][0]
        assert (before["pinned"], after["pinned"]) == (False, True)
        assert after["age_days"] == pytest.approx(before["age_days"], abs=0.001)
        assert file.stat().st_mode & 0o777 == 0o640

    def test_a_frontmatter_that_cannot_be_parsed_is_left_alone(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("tea.md", "---\ntitle: Tea\n\nNever closed.\n")
        before = contents(vault)
        answer = run("pin", "tea.md")
        assert (answer.code, answer.out) == (3, "")
        assert "tea.md was left as it is: its frontmatter is not closed." in answer.err
        assert contents(vault) == before

    def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(
        self, run: Run, vault: Vault
    ) -> None:
        if not os.geteuid():
            pytest.skip("nothing is closed to root")
        vault.note("tea.md", "# Tea\n")
        vault.folder.chmod(0o500)
        assert run("pin", "tea.md").code == 3
        vault.folder.chmod(0o700)


class TestArchive:
    @pytest.fixture(autouse=True)
    def notes(self, vault: Vault) -> None:
        vault.note("drinks/tea.md", "# Tea\n\n[cup](../cup.md) ![leaf](leaf.png)\n")
        vault.note("drinks/leaf.png")
        vault.note("cup.md", "# Cup\n\n[[drinks/tea]], [[Tea]], [tea](drinks/tea.md)\n")
        vault.note("pot.md", "# Pot\n")

    def test_moves_a_note_with_its_links_and_back(self, run: Run, vault: Vault) -> None:
        before = contents(vault)
        answer = run("archive", "Tea")
        assert (
            answer.out
            == "archived drinks/tea.md as archive/drinks/tea.md (its links in 1 note follow)\n"
        )
        after = contents(vault)
        assert (
            after["archive/drinks/tea.md"]
            == b"# Tea\n\n[cup](../../cup.md) ![leaf](../../drinks/leaf.png)\n"
        )
        assert (
            after["cup.md"]
            == b"# Cup\n\n[[archive/drinks/tea]], [[Tea]], [tea](archive/drinks/tea.md)\n"
        )
        assert after["pot.md"] == before["pot.md"]
        assert vault.order("tea") == ["cup"]
        assert vault.order("tea", "--archived") == ["archive/drinks/tea"]
        assert undone(answer, run).out.startswith("undid: archive drinks/tea.md")
        assert contents(vault) == before
        assert not (vault.folder / "archive/drinks").exists()

    def test_marks_it_instead_if_asked(self, run: Run, vault: Vault) -> None:
        vault.note("draft.md", "# Draft\n", status="'in doubt'  # still")
        before = contents(vault)
        answer = run("archive", "draft.md", "--status")
        assert (
            contents(vault)["draft.md"] == b"---\nstatus: 'archived'  # still\n---\n# Draft\n"
        )
        assert undone(answer, run).code == 0
        assert contents(vault) == before
        assert undone(run("archive", "pot.md", "--status"), run).code == 0
        assert contents(vault) == before

    def test_says_in_json_what_it_did(self, run: Run) -> None:
        assert run("archive", "drinks/tea.md", "--json").json == {
            "version": 1,
            "path": "archive/drinks/tea.md",
            "archived": True,
            "changed": True,
            "from": "drinks/tea.md",
            "relinked": ["cup.md"],
        }
        assert run("archive", "archive/drinks/tea.md", "--json").json["changed"] is False

    def test_restores_to_the_vault_what_never_had_a_folder(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("archive/a.md", "# Old\n")
        assert run("restore", "archive/a.md").out == "restored archive/a.md as a.md\n"
        assert run("restore", "pot.md").out == "pot.md is not archived\n"

    def test_an_undo_restores_the_archive_folder_and_the_status_of_a_note(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("archive/drinks/marked.md", "# Marked\n", type="note", status="archived")
        before = contents(vault)
        answer = run("restore", "marked")
        assert contents(vault)["drinks/marked.md"] == b"---\ntype: note\n---\n# Marked\n"
        undone(answer, run)
        assert contents(vault) == before

    def test_an_undo_knows_the_folder_that_a_note_was_in(self, run: Run, vault: Vault) -> None:
        vault.note("archive/a.md", "# Old\n")
        vault.note("_archived/old/b.md", "# Older\n", status="'in doubt'")
        before = contents(vault)
        for path in ("archive/a.md", "_archived/old/b.md"):
            undone(run("restore", path), run)
            assert contents(vault) == before

    def test_never_overwrites(self, run: Run, vault: Vault) -> None:
        vault.note("archive/pot.md", "# Another pot\n")
        before = contents(vault)
        answer = run("archive", "pot.md")
        assert answer.code == 3
        assert "archive/pot.md" in answer.err
        assert contents(vault) == before

    def test_an_archive_folder_may_begin_with_a_capital(self, run: Run, vault: Vault) -> None:
        vault.note("Archive/old.md", "# Old tea\n")
        assert "Archive/old" not in vault.order("tea")
        assert vault.order("tea", "--archived") == ["Archive/old"]
        assert run("archive", "pot.md", "--json").json["path"] == "Archive/pot.md"
        assert run("restore", "Archive/old.md").out == "restored Archive/old.md as old.md\n"

    def test_uses_the_archive_folder_there_is(self, run: Run, vault: Vault) -> None:
        vault.note("_archived/old.md", "# Old\n")
        assert run("archive", "pot.md", "--json").json["path"] == "_archived/pot.md"

    def test_the_history_of_a_note_follows_the_note(self, run: Run) -> None:
        assert run("remember", "tea", "--json").code == 0
        assert run("archive", "drinks/tea.md").code == 0
        assert run("restore", "archive/drinks/tea.md").code == 0
        recalled = {
            each["path"]: each["recalled"]
            for each in run("remember", "tea", "--json").json["results"]
        }
        assert recalled["drinks/tea.md"] == 1


@contextlib.contextmanager
def folder_on_another_file_system(other: Path, *places: Path) -> Iterator[Path]:
    """Yield an empty folder that is not on this file system: in one of the places, or in the
    repository.
    """
    for place in (*places, Path("/var/tmp"), Path(__file__).parent):
        if place.stat().st_dev != other.stat().st_dev and os.access(place, os.W_OK):
            with TemporaryDirectory(dir=place) as folder:
                yield Path(folder)
            return
    pytest.skip("all folders are on one file system")


class TestForget:
    def test_moves_a_note_to_the_trash_from_where_it_can_be_got_back(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("my tea.md", "# Tea\n")
        before = contents(vault)
        answer = run("forget", "tea", "--yes")
        trash = vault.brain.home / "data" / "Trash"
        assert answer.out == "forgot my tea.md\n"
        assert (trash / "files" / "my tea.md").read_bytes() == b"# Tea\n"
        info = (trash / "info" / "my tea.md.trashinfo").read_text()
        assert info.startswith(
            f"[Trash Info]\nPath={str(vault.folder).replace(' ', '%20')}/my%20tea.md\nDeletionDate="
        )
        assert run(*answer.err.partition("To undo: brain ")[2].split()).code == 0
        assert contents(vault) == before
        assert not list((trash / "info").iterdir())

    def test_two_notes_of_one_name_are_two_files_in_the_trash(
        self, run: Run, vault: Vault
    ) -> None:
        for folder in ("a", "b"):
            vault.note(f"{folder}/tea.md", f"# {folder}\n")
        first, second = (
            run("forget", f"{folder}/tea.md", "--yes", "--json").json["trash"]
            for folder in ("a", "b")
        )
        assert (Path(first).read_text(), Path(second).read_text()) == ("# a\n", "# b\n")

    def test_an_important_note_is_not_thrown_away_without_force(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("pinned.md", "# Tea\n", pinned="true")
        vault.note("salient.md", "# Tea\n", salience="0.7")
        vault.note("less.md", "# Tea\n", salience="0.69")
        for name in ("pinned.md", "salient.md"):
            answer = run("forget", name, "--yes")
            assert (answer.code, answer.out) == (3, "")
            assert "--force" in answer.err
            assert run("forget", name, "--yes", "--force").code == 0
        assert run("forget", "less.md", "--yes").code == 0

    def test_off_a_terminal_it_needs_a_yes(self, run: Run, vault: Vault) -> None:
        vault.note("tea.md", "# Tea\n")
        answer = run("forget", "tea.md")
        assert answer.code == 2
        assert "--yes" in answer.err
        assert "tea.md" in contents(vault)

    @pytest.mark.parametrize(
        ("keys", "code", "gone"),
        [("y\n", 0, True), in_ci("\n", 3, False), in_ci("no\n", 3, False)],
    )
    def test_on_a_terminal_it_asks(
        self, vault: Vault, keys: str, code: int, gone: bool
    ) -> None:
        vault.note("tea.md", "# Green tea\n")
        ended, said = typed(vault, keys, "forget", "tea.md")
        assert "Move tea.md “Green tea” to the trash? [y/N]" in said
        assert ended == code
        assert ("tea.md" not in contents(vault)) == gone

    def test_a_note_of_another_file_system_goes_to_the_own_trash_and_comes_back(
        self, run: Run, tmp_path: Path
    ) -> None:
        other = Path("/dev/shm")
        if not os.access(other, os.W_OK):
            pytest.skip("there is no other file system to write on")
        folder = other / f"brain-{os.getpid()}"
        folder.mkdir()
        with folder_on_another_file_system(other, tmp_path) as home:
            self.forget_on(folder, home, partial(run, XDG_DATA_HOME=str(home)))

    def forget_on(self, folder: Path, home: Path, run: Run) -> None:
        note = folder / "tea.md"
        note.write_text("# Tea\n")
        place = Path(
            run("forget", "tea.md", "--yes", "--json", "--vault", folder).json["trash"]
        )
        info = home / "Trash" / "info" / f"{place.name}.trashinfo"
        assert place.parent == home / "Trash" / "files"
        assert place.read_text() == "# Tea\n"
        assert f"Path={folder}/tea.md\n" in info.read_text()
        assert not note.exists()
        answer = run("undo", "--vault", folder)
        assert answer.code == 0, answer.err
        assert note.read_text() == "# Tea\n"
        note.unlink()
        folder.rmdir()


class TestRelated:
    @pytest.fixture(autouse=True)
    def notes(self, vault: Vault) -> None:
        vault.note("a.md", "# Apple\n\n[[b]]\n")
        vault.note("b.md", "# Bread\n\n[[c]]\n", date="2026-01-01")
        vault.note("c.md", "# Cheese\n\n[[d]]\n", date="2026-01-02")
        vault.note("d.md", "# Dill\n")
        vault.note("alone.md", "# Alone\n")

    def test_says_how_strongly_and_by_which_way_each_note_comes_to_mind(self, run: Run) -> None:
        assert (
            run("related", "a.md").out
            == "0.500\tb.md\tApple → Bread\n0.250\tc.md\tApple → Bread → Cheese\n"
        )
        related = run("related", "a.md", "--json").json["related"]
        assert [each["way"] for each in related] == [["a.md", "b.md"], ["a.md", "b.md", "c.md"]]
        assert run("related", "c.md", "-n", 1, "--json").json["more"] == 2
        assert "0.25 Cheese via Bread" in run("related", "a.md", "--format", "rich").out

    def test_of_equally_near_notes_those_that_share_more_links_come_first(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("hub.md", "# Hub\n\n[[new]] [[near]] [[old]]\n")
        vault.note("new.md", "# New\n", date="2026-06-01")
        vault.note("near.md", "# Near\n\n[[old]]\n", date="2026-01-01")
        vault.note("old.md", "# Old\n", date="2025-01-01")
        paths = run("related", "hub.md", "--format", "paths").out.split()
        assert paths == ["near.md", "old.md", "new.md"]

    def test_a_note_without_links_finds_nothing(self, run: Run) -> None:
        answer = run("related", "alone.md")
        assert (answer.code, answer.out) == (1, "")
        assert run("related", "alone.md", "--json").json["related"] == []

    def test_archived_notes_are_shown_if_asked_for(self, run: Run, vault: Vault) -> None:
        vault.note("b.md", "# Bread\n\n[[c]]\n", status="archived")
        assert run("related", "a.md").out == "0.250\tc.md\tApple → Bread → Cheese\n"
        assert run("related", "a.md", "--archived").out.count("\n") == 2

    def test_a_note_with_more_links_than_relay_shows_those_it_has(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("hub.md", "# Hub\n\n" + "".join(f"[[n{number}]]\n" for number in range(70)))
        for number in range(70):
            vault.note(f"n{number}.md", f"# {number}\n")
        document = run("related", "hub.md", "--json").json
        assert len(document["related"]) + document["more"] == 70


class TestShow:
    TEXT = "---\ntitle: Tea\n---\n# Tea\n\n## Green\n\nA.\n\n### Deep\n\nB.\n\n## Black\n\nC.".replace(
        "\n", "\r\n"
    )

    @pytest.fixture(autouse=True)
    def notes(self, vault: Vault) -> None:
        (vault.folder / "tea.md").write_bytes(self.TEXT.encode())

    def test_a_pipe_gets_the_note_byte_for_byte(self, run: Run) -> None:
        assert run("show", "tea.md").out == self.TEXT

    def test_a_section_reaches_to_the_next_heading_that_is_not_below_it(self, run: Run) -> None:
        assert (
            run("show", "tea#green").out
            == "## Green\r\n\r\nA.\r\n\r\n### Deep\r\n\r\nB.\r\n\r\n"
        )
        assert run("show", "tea#Green#Deep").out == "### Deep\r\n\r\nB.\r\n\r\n"
        assert run("show", "tea#black").out == "## Black\r\n\r\nC."
        document = run("show", "tea#deep", "--json").json
        assert (document["heading"], document["line"]) == (["Tea", "Green", "Deep"], 10)

    @pytest.mark.parametrize(
        ("heading", "line"),
        [
            ("3.3.2", 3),
            ("3.3", 0),
            ("3.3.1", 0),
            ("3.4", 9),
            ("known issues", 13),
            ("Known", 13),
        ],
    )
    def test_a_unique_beginning_of_whole_words_names_a_heading(
        self, run: Run, vault: Vault, heading: str, line: int
    ) -> None:
        vault.note(
            "log.md",
            "# Log\n\n## 3.3.2 — 2025-02-27\n\nA\n\n## 3.3.1 — May\n\n## 3.4\n\n"
            "## 3.3.1 — June\n\n## Known issues in the field\n",
        )
        answer = run("show", f"log#{heading}", "--json")
        assert answer.json["line"] == line if line else answer.code == 2

    def test_an_unknown_heading_is_wrong_usage(self, run: Run) -> None:
        answer = run("show", "tea#grien")
        assert answer.code == 2
        assert "Did you mean “Green”?" in answer.err

    @pytest.mark.exhaustive
    def test_a_terminal_gets_it_set_for_reading(self, vault: Vault) -> None:
        code, said = typed(vault, "", "show", "tea.md")
        assert code == 0
        assert "title: Tea" not in said
        assert "\x1b[" in said
        assert "\x1b[" not in typed(vault, "", "show", "tea.md", TERM="dumb")[1]

    def test_the_time_of_a_file_is_not_shown_as_the_day_of_the_note(
        self, vault: Vault, run: Run
    ) -> None:
        vault.note("cup.md", "# Cup\n", date="2026-03-01")
        for note, day, source in (
            ("tea", "file changed 20", "mtime"),
            ("cup", "2026-03-01", "frontmatter"),
        ):
            assert f"{note}.md  note  {day}" in typed(vault, "", "show", note, NO_COLOR="1")[1]
            assert run("show", note, "--json").json["dated_by"] == source
        vault.note("pot.md", "# Pot\n\nThe pot is blue.\n", project="shop", type="decision")
        assert "(decision, file changed 20" in run("context", "--project", "shop").out

    def test_on_a_terminal_links_read_as_their_words(self, vault: Vault) -> None:
        vault.note(
            "cup.md",
            "# Cup\n\nOf [[tea|green tea]], by [[Ingrid]].\n\n```sh\n[[ -f cup ]]\n```\n",
        )
        said = typed(vault, "", "show", "cup.md", NO_COLOR="1")[1]
        assert "Of green tea, by Ingrid." in said
        assert "[[ -f cup ]]" in said


class TestOpen:
    @pytest.mark.parametrize(
        ("editor", "told"),
        [
            ("vim", ["vim", "+7", "/v/a.md"]),
            ("/usr/bin/nvim -u NONE", ["/usr/bin/nvim", "-u", "NONE", "+7", "/v/a.md"]),
            ("vi", ["vi", "+7", "/v/a.md"]),
            ("nano", ["nano", "+7", "/v/a.md"]),
            ("emacsclient -t", ["emacsclient", "-t", "+7", "/v/a.md"]),
            ("kak", ["kak", "+7", "/v/a.md"]),
            ("code --wait", ["code", "--wait", "--goto", "/v/a.md:7"]),
            ("hx", ["hx", "/v/a.md:7"]),
            ("subl -w", ["subl", "-w", "/v/a.md:7"]),
            ("'my editor' -x", ["my editor", "-x", "/v/a.md"]),
        ],
    )
    def test_each_editor_gets_the_line_in_its_own_syntax(
        self, editor: str, told: list[str]
    ) -> None:
        assert editor_arguments("/v/a.md", 7, {"EDITOR": editor}) == told

    def test_visual_counts_before_editor(self) -> None:
        assert editor_arguments("a.md", None, {"VISUAL": "hx", "EDITOR": "vi"}) == [
            "hx",
            "a.md",
        ]

    def test_an_editor_that_cannot_be_read_is_wrong_usage(self) -> None:
        with pytest.raises(UsageError):
            editor_arguments("a.md", None, {"EDITOR": "vi 'oops"})

    def test_no_shell_reads_the_name_of_a_note(self, run: Run, vault: Vault) -> None:
        vault.note("$(touch owned); tea.md", "# Tea\n\n## Why\n")
        log = vault.brain.home / "log"
        editor = vault.brain.home / "gedit"
        editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{log}\n')
        editor.chmod(0o755)
        document = run("open", "$(touch owned); tea#why", "--json", EDITOR=str(editor)).json
        assert log.read_text() == f"+3\n{vault.folder}/$(touch owned); tea.md\n"
        assert (document["line"], document["path"]) == (3, "$(touch owned); tea.md")
        assert not (vault.folder / "owned").exists()

    def test_an_editor_of_the_terminal_is_not_started_without_one(
        self, run: Run, vault: Vault
    ) -> None:
        vault.note("tea.md", "# Tea\n")
        answer = run("open", "tea.md", EDITOR="vi -u NONE")
        assert (answer.code, answer.out) == (3, "")
        assert "The editor vi needs a terminal." in answer.err

    def test_a_note_opens_at_a_line(self, run: Run, vault: Vault) -> None:
        vault.note("tea.md", "# Tea\n\n## Why\n")
        assert run("open", "tea.md:2", "--json", EDITOR="true").json["line"] == 2
        assert run("open", "tea.md", "--json", EDITOR="true").json["line"] == 1

    def test_an_editor_that_fails_or_is_not_there_is_said(self, run: Run, vault: Vault) -> None:
        vault.note("tea.md", "# Tea\n")
        assert run("open", "tea.md", EDITOR="false").code == 3
        assert run("open", "tea.md", EDITOR="/no/such/editor").code == 3

    def test_a_missing_editor_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        with pytest.raises(BrainError):
            editor_arguments("a.md", None, {})


def test_everything_that_is_printed_as_json_is_one_document(run: Run, vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\n[[cup]]\n")
    vault.note("cup.md", "# Cup\n")
    for command in ("show", "pin", "unpin", "archive"):
        assert json.loads(run(command, "tea.md", "--json").out)["version"] == 1
    assert json.loads(run("restore", "archive/tea.md", "--json").out)["version"] == 1
    assert json.loads(run("forget", "tea.md", "--yes", "--json").out)["version"] == 1


def test_a_move_that_fails_half_way_is_rolled_back(vault: Vault) -> None:
    for path, text in {
        "tea.md": "# Tea\n",
        "cup.md": "[t](tea.md)\n",
        "pot.md": "[t](tea.md)\n",
    }.items():
        vault.note(path, text)
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in vault.folder.rglob("*.md")
    }
    # A folder is in the way of the second note's temporary file.
    (vault.folder / f".pot.md.{os.getpid()}{TEMPORARY}").mkdir()
    answer = runner(vault)("archive", "tea.md")
    assert (answer.code, answer.out) == (3, "")
    assert "Is a directory" in answer.err
    assert "Nothing was changed." in answer.err
    assert {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in vault.folder.rglob("*.md")
    } == before
    assert not (vault.folder / "archive").exists()


def test_nothing_is_written_through_a_linked_folder(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    vault.note("tea.md", "# Tea\n")
    for name in ("archive", "decisions", "other"):
        (vault.folder / name).symlink_to(outside)
    run = runner(vault)
    for command in (
        ["archive", "tea.md"],
        ["add", "Green tea", "--type", "decision"],
        ["add", "Green tea", "--path", "other/"],
    ):
        answer = run(*command, stdin="Green.\n")
        assert answer.code in (2, 3)
        assert "is a link to" in answer.err or "is outside the vault" in answer.err
    assert list(outside.iterdir()) == []
    assert contents(vault).keys() == {"tea.md"}


def test_another_archive_folder_is_used_where_the_first_is_a_link(
    vault: Vault, tmp_path: Path
) -> None:
    vault.note("tea.md", "# Tea\n")
    (vault.folder / "archive").symlink_to(tmp_path)
    (vault.folder / "_archived").mkdir()
    run = runner(vault)
    answer = run("archive", "tea.md")
    assert answer.code == 0
    assert contents(vault).keys() == {"_archived/tea.md"}
    assert undone(answer, run).code == 0
    assert contents(vault).keys() == {"tea.md"}


def test_a_history_is_not_kept_behind_a_link_out_of_the_vault(
    vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "outside" / "history").mkdir(parents=True)
    (vault.folder / ".brain").symlink_to(tmp_path / "outside")
    vault.note("tea.md", "# Tea\n")
    run = runner(vault)
    assert run("feedback", "tea.md", "useful").code == 0
    assert list((tmp_path / "outside" / "history").iterdir()) == []
    assert run("init", "--history").code == 3
    assert len(list(vault.brain.state.rglob("*.jsonl"))) == 1


def test_a_vault_reached_through_a_link_has_one_index_and_one_history(
    vault: Vault, tmp_path: Path
) -> None:
    vault.note("tea.md", "# Tea\n")
    link = tmp_path / "another-name"
    link.symlink_to(vault.folder)
    for folder in (vault.folder, link, f"{link}/"):
        assert vault.brain("feedback", "tea", "useful", "--vault", folder).code == 0
    assert len(list(vault.brain.state.rglob("*.jsonl"))) == 1
    for folder in (vault.folder, link):
        assert vault.brain("status", "--json", "--vault", folder).json["feedback"] == 3
    assert len(list((vault.brain.cache / "brain").iterdir())) == 1


ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "locale", [ASCII, {"LC_ALL": "C"}], ids=lambda locale: locale["LC_ALL"]
)
def test_umlauts_in_paths_are_the_same_in_every_locale(
    vault: Vault, locale: dict[str, str]
) -> None:
    vault.note("Tee/grüner-tee.md", "# Grüner Tee\n")
    vault.note("links.md", "[[Tee/grüner-tee]]\n")
    environ = {**locale, "PYTHONCOERCECLOCALE": "0", "BRAIN_VAULT": str(vault.folder)}
    for command in (
        ["pin", "Tee/grüner-tee.md"],
        ["feedback", "Grüner Tee", "useful"],
        ["archive", "Grüner Tee"],
        ["restore", "archive/Tee/grüner-tee.md"],
        ["archive", "Tee/grüner-tee.md"],
        ["undo"],
        ["add", "Weißer Tee"],
        ["unpin", "Grüner Tee"],
    ):
        answer = vault.brain.process(*(word.encode() for word in command), env=environ)
        assert answer.code == 0, (command, answer.err)
        assert "udc" not in answer.err
    assert contents(vault).keys() == {"Tee/grüner-tee.md", "links.md", "weisser-tee.md"}
    assert contents(vault)["links.md"].decode().endswith("[[Tee/grüner-tee]]\n")
